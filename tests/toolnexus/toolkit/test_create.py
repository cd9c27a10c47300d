"""`create_toolkit`: many sources, one order, failures in the status (clauses toolkit.order, toolkit.isolated)."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from toolnexus.toolkit import Tool, ToolError, create_toolkit, create_toolkit_async, http_tool


def search(q: str) -> str:
    """Searches."""
    return q


CARD = {"name": "agent", "skills": [{"id": "x", "description": "X."}]}


def test_sources_stand_in_order(tmp_path: Path) -> None:
    (tmp_path / "SKILL.md").write_text("---\nname: a\n---\n")
    kit = create_toolkit(
        agents=[CARD],
        http_tools=[http_tool("fetch", "https://h")],
        tools=[search, Tool("own", source="custom")],
        skills_dir=tmp_path,
        builtins={"tools": dict.fromkeys(("bash", "read", "write", "edit", "grep", "glob", "webfetch"), False)},
    )
    assert kit.names() == ("skill", "question", "apply_patch", "todowrite", "search", "own", "fetch", "agent_x")
    assert [tool.source for tool in kit][-4:] == ["native", "custom", "http", "a2a"]


def test_the_async_form_needs_no_network_either() -> None:
    async def main() -> tuple[str, ...]:
        return (await create_toolkit_async(tools=[search], agents=[CARD], builtins=False)).names()

    assert (
        anyio.run(main)
        == create_toolkit(tools=[search], agents=[CARD], builtins=False).names()
        == ("search", "agent_x")
    )


def test_without_servers_the_sync_form_works_inside_a_running_loop() -> None:
    async def main() -> tuple[str, ...]:
        return create_toolkit(tools=[search], builtins=False).names()

    assert anyio.run(main) == ("search",)


def test_a_configuration_that_cannot_be_read_is_reported(tmp_path: Path) -> None:
    kit = create_toolkit(mcp_config=tmp_path / "gone.json", tools=[search], builtins=False)
    assert kit.names() == ("search",)
    entry = kit.status()[0]
    assert (entry.kind, entry.name, entry.state) == ("config", str(tmp_path / "gone.json"), "failed")
    assert "cannot be read" in entry.detail


def test_tools_can_be_switched_off_by_their_final_name() -> None:
    kit = create_toolkit(tools=[search], agents=[CARD], disable_tools=["agent_x", "bash", "unknown"])
    assert "agent_x" not in kit
    assert "bash" not in kit
    assert [entry.name for entry in kit.status() if entry.kind == "tool"] == ["bash", "agent_x"]
    assert {entry.state for entry in kit.status() if entry.kind == "tool"} == {"disabled"}


def test_a_disabled_tool_shadows_nothing() -> None:
    kit = create_toolkit(tools=[Tool("one", "first"), Tool("two")], disable_tools=["one"], builtins=False)
    assert kit.names() == ("two",)


def test_the_first_of_a_name_wins_and_the_other_is_named() -> None:
    kit = create_toolkit(
        tools=[Tool("x", "first"), Tool("x", "second")], http_tools=[http_tool("x", "https://h")], builtins=False
    )
    assert [tool.description for tool in kit] == ["first"]
    assert [entry.detail for entry in kit.status() if entry.kind == "tool"] == [
        "shadowed: custom by custom",
        "shadowed: http by custom",
    ]


def test_a_tool_that_cannot_be_declared_is_the_callers_fault() -> None:
    with pytest.raises(ToolError):
        create_toolkit(tools=[lambda x: x])


def test_toolkits_are_context_managers_and_close_twice() -> None:
    with create_toolkit(tools=[search]) as kit:
        kit.close()
    kit.close()
    assert "search" in kit

    async def main() -> None:
        async with await create_toolkit_async(tools=[search]) as other:
            await other.aclose()

    anyio.run(main)
