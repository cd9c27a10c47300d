"""The builtin tools and their switches."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from toolnexus.toolkit import Tool, Toolkit, create_toolkit
from toolnexus.toolkit.builtins import NAMES, load
from toolnexus.toolkit.errors import ConfigError

REQUIRED = {
    "bash": ["command"],
    "read": ["path"],
    "write": ["path", "content"],
    "edit": ["path", "oldString", "newString"],
    "grep": ["pattern"],
    "glob": ["pattern"],
    "webfetch": ["url"],
    "question": ["questions"],
    "apply_patch": ["patchText"],
    "todowrite": ["todos"],
}
OPTIONAL = {
    "bash": ["workdir", "timeout", "description"],
    "read": ["offset", "limit"],
    "edit": ["replaceAll"],
    "grep": ["path", "include", "limit"],
    "glob": ["path", "limit"],
    "webfetch": ["format", "timeout"],
}


def test_the_ten_builtins_have_their_names_and_parameters() -> None:
    kit = create_toolkit()
    assert kit.names() == NAMES == tuple(REQUIRED)
    for tool in kit:
        schema = tool.input_schema
        assert tool.source == "builtin"
        assert tool.description
        assert schema["required"] == REQUIRED[tool.name]
        assert list(schema["properties"]) == REQUIRED[tool.name] + OPTIONAL.get(tool.name, [])
        Draft202012Validator.check_schema(schema)
    assert kit.faults("anthropic") == ()


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        (
            "question",
            {"questions": [{"question": "?", "options": ["a"], "multiple": True}]},
            {"questions": [{"header": "?"}]},
        ),
        ("todowrite", {"todos": [{"id": "1", "text": "x", "completed": False}]}, {"todos": [{"id": "1", "text": "x"}]}),
        ("webfetch", {"url": "http://x", "format": "html"}, {"url": "http://x", "format": "pdf"}),
        ("bash", {"command": "ls", "timeout": 5}, {"command": ["ls"]}),
    ],
)
def test_their_schemas_tell_good_arguments_from_bad(name: str, good: Any, bad: Any) -> None:
    tool = create_toolkit().get(name)
    assert tool is not None
    validator = Draft202012Validator(tool.input_schema)
    assert validator.is_valid(good)
    assert not validator.is_valid(bad)


@pytest.mark.parametrize(
    "setting", [False, {"disabled": True}, {"enabled": False}, {"disabled": True, "tools": {"bash": True}}]
)
def test_the_whole_source_can_be_switched_off(setting: Any) -> None:
    kit = create_toolkit(builtins=setting)
    assert len(kit) == 0
    assert [(entry.kind, entry.state) for entry in kit.status()] == [("builtin", "disabled")]


@pytest.mark.parametrize("setting", [None, True, {}, {"tools": {}}, {"tools": {"bash": True}}, {"enabled": True}])
def test_all_are_on_otherwise(setting: Any) -> None:
    assert len(create_toolkit(builtins=setting)) == 10


def test_single_tools_can_be_switched_off() -> None:
    kit = create_toolkit(builtins={"tools": {"bash": False, "write": False, "read": True, "nothing": False}})
    assert kit.names() == tuple(name for name in NAMES if name not in ("bash", "write"))
    assert ("nothing", "skipped") in [(entry.name, entry.state) for entry in kit.status()]


def test_the_configuration_may_hold_the_switch_and_the_argument_wins() -> None:
    config = {"mcpServers": {}, "builtins": {"tools": {"bash": False}}}
    assert "bash" not in create_toolkit(mcp_config=config)
    assert "bash" in create_toolkit(mcp_config=config, builtins=True)


def test_another_type_is_refused() -> None:
    with pytest.raises(ConfigError, match="builtins is true, false or an object"):
        load("off")  # type: ignore[arg-type]


def test_an_extra_tool_shadows_a_builtin_and_that_is_said() -> None:
    kit = create_toolkit(tools=[Tool("bash", "Mine.", source="native")])
    assert kit.get("bash") == Tool("bash", "Mine.", source="native")
    assert len(kit) == 10
    assert [entry.detail for entry in kit.status() if entry.kind == "tool"] == ["shadowed: builtin by native"]
    assert isinstance(kit, Toolkit)
