"""Which tools a toolkit holds, in which order (clauses toolkit.order, toolkit.names)."""

from __future__ import annotations

import pytest

from toolnexus.toolkit import Source, Tool, compose, qualified, sanitize


def a(name: str, source: Source, text: str = "") -> Tool:
    return Tool(name, text, source=source)


def test_sources_stand_in_the_order_mcp_skill_builtin_extra() -> None:
    composed = compose(
        extra=[a("e1", "native"), a("e2", "http")],
        builtins=[a("bash", "builtin")],
        skills=[a("skill", "skill")],
        mcp=[a("m2", "mcp"), a("m1", "mcp")],
    )
    assert [tool.name for tool in composed] == ["m2", "m1", "skill", "bash", "e1", "e2"]


def test_no_sources_give_no_tools() -> None:
    assert compose() == ()


@pytest.mark.parametrize(
    ("sources", "winner"),
    [
        (("mcp", "skill"), "mcp"),
        (("mcp", "builtin"), "mcp"),
        (("mcp", "native"), "mcp"),
        (("skill", "builtin"), "skill"),
        (("skill", "native"), "skill"),
        (("builtin", "native"), "native"),
        (("builtin", "custom"), "custom"),
        (("builtin", "a2a"), "a2a"),
        (("mcp", "skill", "builtin", "native"), "mcp"),
        (("builtin",), "builtin"),
    ],
)
def test_the_first_name_wins_but_an_extra_tool_shadows_a_builtin(sources: tuple[Source, ...], winner: str) -> None:
    groups: dict[str, list[Tool]] = {"mcp": [], "skills": [], "builtins": [], "extra": []}
    keys = {"mcp": "mcp", "skill": "skills", "builtin": "builtins"}
    for source in sources:
        groups[keys.get(source, "extra")].append(a("same", source))
    assert [tool.source for tool in compose(**groups)] == [winner]


def test_a_shadowed_builtin_gives_up_its_place() -> None:
    composed = compose(builtins=[a("bash", "builtin"), a("read", "builtin")], extra=[a("bash", "native")])
    assert [(tool.name, tool.source) for tool in composed] == [("read", "builtin"), ("bash", "native")]


def test_within_one_source_the_first_stays() -> None:
    composed = compose(mcp=[a("x", "mcp", "first"), a("x", "mcp", "second")])
    assert [tool.description for tool in composed] == ["first"]


def test_three_of_a_name_leave_the_first_that_is_no_builtin() -> None:
    composed = compose(builtins=[a("x", "builtin")], extra=[a("x", "native", "1"), a("x", "native", "2")])
    assert [(tool.source, tool.description) for tool in composed] == [("native", "1")]


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("my server", "my_server"),
        ("a.b/c:d", "a_b_c_d"),
        ("ok-name_1", "ok-name_1"),
        ("größe", "gr__e"),
        ("😀", "_"),
        ("", ""),
    ],
)
def test_sanitize_replaces_each_other_character(text: str, clean: str) -> None:
    assert sanitize(text) == clean


def test_qualified_names_join_source_and_tool() -> None:
    assert qualified("my server", "get.weather") == "my_server_get_weather"
