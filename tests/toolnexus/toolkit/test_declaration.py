"""`Tool`: one declaration, frozen, checked when it is made."""

from __future__ import annotations

import copy
import enum
import pickle
from types import MappingProxyType

import pytest

from toolnexus.toolkit import Tool, ToolError

SCHEMA = {"type": "object", "properties": {"b": {"type": "string"}, "a": {"type": "integer"}}, "required": ["b"]}


def test_a_tool_says_what_it_was_given() -> None:
    tool = Tool("look", "Looks.", SCHEMA, "mcp", origin=("server", "look!"))
    assert (tool.name, tool.description, tool.source, tool.origin) == ("look", "Looks.", "mcp", ("server", "look!"))
    assert tool.input_schema == SCHEMA
    assert list(tool.input_schema["properties"]) == ["b", "a"]


def test_defaults_are_no_description_no_arguments_custom() -> None:
    tool = Tool("look")
    assert (tool.description, tool.source, tool.origin) == ("", "custom", ())
    assert tool.input_schema == {"type": "object", "properties": {}}


@pytest.mark.parametrize("field", ["name", "description", "source", "origin", "schema_json", "_handler", "new"])
def test_a_tool_is_frozen(field: str) -> None:
    tool = Tool("look")
    with pytest.raises((AttributeError, TypeError)):
        setattr(tool, field, "x")
    assert tool == Tool("look")


def test_changing_the_callers_schema_later_changes_nothing() -> None:
    schema = copy.deepcopy(SCHEMA)
    tool = Tool("look", "", schema)
    schema["properties"]["b"]["type"] = "number"
    tool.input_schema["properties"].clear()
    assert tool.input_schema == SCHEMA


def test_equality_is_about_the_declaration_not_the_handler() -> None:
    assert Tool("a", "d", SCHEMA, handler=print) == Tool("a", "d", SCHEMA, handler=len)
    assert hash(Tool("a", "d", SCHEMA, handler=print)) == hash(Tool("a", "d", SCHEMA))
    assert Tool("a", "d", SCHEMA) != Tool("a", "d")
    assert Tool("a", source="mcp") != Tool("a", source="skill")


def test_tools_can_be_copied_and_pickled() -> None:
    tool = Tool("look", "Looks.", SCHEMA, "http", origin=("GET", "/x"))
    assert pickle.loads(pickle.dumps(tool)) == tool
    assert copy.deepcopy(tool) == tool


def test_the_repr_shows_no_schema() -> None:
    assert repr(Tool("look", "secret words", SCHEMA, "mcp")) == "Tool('look', source='mcp')"


def test_from_dict_reads_the_published_form() -> None:
    tool = Tool.from_dict({"name": "a", "description": "d", "inputSchema": SCHEMA, "source": "skill", "extra": 1})
    assert tool == Tool("a", "d", SCHEMA, "skill")


def test_from_dict_reads_snake_case_and_nulls() -> None:
    assert Tool.from_dict({"name": "a", "input_schema": SCHEMA}) == Tool("a", "", SCHEMA)
    nulls = {"name": "a", "description": None, "inputSchema": None, "source": None}
    assert Tool.from_dict(nulls) == Tool("a")
    assert Tool.from_dict(MappingProxyType({"name": "a"})) == Tool("a")


def test_an_empty_schema_stays_empty() -> None:
    assert Tool("a", "", {}).input_schema == {}
    assert Tool.from_dict({"name": "a", "inputSchema": {}, "input_schema": SCHEMA}).input_schema == {}


class Word(enum.StrEnum):
    STRING = "string"


def test_schemas_may_hold_tuples_mappings_and_enum_members() -> None:
    tool = Tool("a", "", MappingProxyType({"type": Word.STRING, "required": ("x", "y")}))
    assert tool.input_schema == {"type": "string", "required": ["x", "y"]}


def _cycle() -> dict[str, object]:
    schema: dict[str, object] = {}
    schema["properties"] = {"x": schema}
    return schema


@pytest.mark.parametrize(
    ("arguments", "pointer"),
    [
        ({"name": ""}, "/name"),
        ({"name": None}, "/name"),
        ({"name": 5}, "/name"),
        ({"name": "a", "description": 5}, "/description"),
        ({"name": "a", "source": "elsewhere"}, "/source"),
        ({"name": "a", "source": ["mcp"]}, "/source"),
        ({"name": "a", "inputSchema": []}, "/inputSchema"),
        ({"name": "a", "inputSchema": True}, "/inputSchema"),
        ({"name": "a", "inputSchema": "{}"}, "/inputSchema"),
        ({"name": "a", "inputSchema": {"default": float("nan")}}, "/inputSchema/default"),
        ({"name": "a", "inputSchema": {"a/b": {"c~d": {1, 2}}}}, "/inputSchema/a~1b/c~0d"),
        ({"name": "a", "inputSchema": {"enum": ["x", b"y"]}}, "/inputSchema/enum/1"),
        ({"name": "a", "inputSchema": {"properties": {5: {}}}}, "/inputSchema/properties"),
    ],
)
def test_what_cannot_be_declared_is_refused_at_its_place(arguments: dict[str, object], pointer: str) -> None:
    with pytest.raises(ToolError) as caught:
        Tool.from_dict(arguments)
    assert caught.value.pointer == pointer
    assert repr(arguments["name"]) in str(caught.value) or caught.value.tool == str(arguments["name"])
    assert isinstance(caught.value, ValueError)


def test_a_schema_in_a_cycle_is_refused() -> None:
    with pytest.raises(ToolError, match="in a cycle") as caught:
        Tool("a", "", _cycle())
    assert caught.value.pointer.startswith("/inputSchema")


def test_something_that_is_no_mapping_is_no_tool() -> None:
    with pytest.raises(ToolError, match="a tool is an object"):
        Tool.from_dict(["a"])  # type: ignore[arg-type]


def test_tool_errors_survive_pickling() -> None:
    error = pickle.loads(pickle.dumps(ToolError("a", "is wrong", "/name")))
    assert (error.tool, error.reason, error.pointer, str(error)) == ("a", "is wrong", "/name", "tool 'a': is wrong")


def test_a_lone_surrogate_is_replaced_and_reported() -> None:
    tool = Tool("a", "half \ud800", {"title": "\udc00x", "description": "😀"})
    assert tool.description == "half \ufffd"
    assert tool.input_schema == {"title": "\ufffdx", "description": "😀"}
    assert [(w.code, w.pointer) for w in tool.warnings] == [
        ("lone-surrogate", "/description"),
        ("lone-surrogate", "/inputSchema/title"),
    ]
