"""Each rule about tools and the choice among them fires on its bad body and stays silent on the good twin."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.providers import blocking, check
from conformance.providers.anthropic.rules import GROUPS

OPEN = {"type": "object", "properties": {"key": {"type": "string"}}}
CLOSED = {**OPEN, "additionalProperties": False, "required": ["key"]}


def body(*tools: Any, **changes: Any) -> dict[str, Any]:
    base = {"model": "claude-x", "max_tokens": 64, "messages": [{"role": "user", "content": "go"}]}
    return {**base, **({"tools": list(tools)} if tools else {}), **changes}


def tool(name: str = "look", schema: Any = OPEN, **more: Any) -> dict[str, Any]:
    return {"name": name, "input_schema": schema, **more}


def strict(**properties: Any) -> dict[str, Any]:
    return tool(schema={**CLOSED, "properties": properties, "required": list(properties)}, strict=True)


MANUAL = {"thinking": {"type": "enabled", "budget_tokens": 1024}, "max_tokens": 2048}

TWINS: dict[str, tuple[dict[str, Any], dict[str, Any], str, str]] = {
    "b5-all-deferred": (
        body(tool(defer_loading=True)),
        body(tool(defer_loading=True), tool("find")),
        "/tools",
        "All tools have defer_loading: true",
    ),
    "b5-input-example": (
        body(tool(input_examples=[{"key": "a"}, {"key": 1}])),
        body(tool(input_examples=[{"key": "a"}])),
        "/tools/0/input_examples/1",
        "tools.0.custom.input_examples.1: input example does not match",
    ),
    "b5-strict-schema": (
        body(tool(strict=True)),
        body(tool(schema=CLOSED, strict=True)),
        "/tools/0/input_schema",
        "tools.0.custom.input_schema: for 'object' type, 'additionalProperties' must be explicitly set to false",
    ),
    "b5-strict-limits": (
        body(*[tool(f"t{number}", CLOSED, strict=True) for number in range(21)]),
        body(*[tool(f"t{number}", CLOSED, strict=True) for number in range(20)]),
        "",
        "Schema is too complex for compilation.",
    ),
    "b8-17-tool-name": (
        body(tool("look up")),
        body(tool("look_up-2")),
        "/tools/0/name",
        "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
    ),
    "b8-17-tool-name-long": (body(tool("x" * 65)), body(tool("x" * 64)), "/tools/0/name", "tools.0.custom.name:"),
    "b8-18-tool-names-unique": (
        body(tool(), tool()),
        body(tool(), tool("find")),
        "/tools/1/name",
        "tools: Tool names must be unique.",
    ),
    "b8-19-input-schema": (
        body({"name": "look"}),
        body(tool()),
        "/tools/0/input_schema",
        "tools.0.custom.input_schema: Field required",
    ),
    "b8-19b-combinator": (
        body(tool(schema={"type": "object", "anyOf": [OPEN]})),
        body(tool(schema={"type": "object", "properties": {"a": {"anyOf": [{"type": "string"}, {"type": "null"}]}}})),
        "/tools/0/input_schema",
        "tools.0.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level",
    ),
    "b8-19c-invalid-schema": (
        body(tool(schema={"type": "object", "properties": {"a": {"type": "text"}}})),
        body(tool(schema={"type": "object", "properties": {"a": {"type": ["string", "null"]}}})),
        "/tools/0/input_schema",
        "tools.0.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12 "
        "(https://json-schema.org/draft/2020-12). tools.0.custom.input_schema.properties.a.type: 'type' has",
    ),
    "b8-19d-tool-tag": (
        body({"type": "function", "function": {"name": "look", "parameters": OPEN}}),
        body(tool(type="custom")),
        "/tools/0",
        "tools.0: Input tag 'function' found using 'type' does not match any of the expected tags: 'custom', 'bash_",
    ),
    "b8-20-choice-without-tools": (
        body(tool_choice={"type": "none"}),
        body(tool(), tool_choice={"type": "none"}),
        "/tool_choice",
        "tool_choice: may only be specified while providing tools",
    ),
    "b8-21-choice-unknown-tool": (
        body(tool(), tool_choice={"type": "tool", "name": "x"}),
        body(tool(), tool_choice={"type": "tool", "name": "look"}),
        "/tool_choice/name",
        "tool_choice: Tool 'x' not found in provided tools",
    ),
    "b8-23-choice-and-thinking": (
        body(tool(), tool_choice={"type": "any"}, **MANUAL),
        body(tool(), tool_choice={"type": "any"}, thinking={"type": "adaptive"}),
        "/tool_choice",
        "Thinking may not be enabled when tool_choice forces tool use.",
    ),
}


@pytest.mark.parametrize("rule", TWINS)
def test_rule_fires_on_the_bad_body_only(rule: str, fires: Any) -> None:
    bad, good, pointer, message = TWINS[rule]
    assert fires("anthropic", rule, bad, good, pointer).message.startswith(message)


def test_every_rule_about_tools_has_twins() -> None:
    assert set(TWINS) == {rule.name for rule in GROUPS["tools"]}


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {}},
        {"type": "object", "required": "key"},
        {"type": "object", "properties": {"a": {"$ref": "#/$defs/none"}}},
        {"type": "object", "properties": {"a": {"type": "number", "exclusiveMinimum": True}}},
        {"type": "object", "properties": {"a": {"type": "array", "items": [{"type": "string"}]}}},
        {"type": "object", "properties": []},
        {"type": "string"},
    ],
)
def test_obvious_faults_of_a_schema_are_refused(schema: Any) -> None:
    assert blocking(check("anthropic", body(tool(schema=schema))))


def test_a_schema_of_every_kind_of_keyword_is_taken() -> None:
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "title": "t",
        "$defs": {"node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}},
        "properties": {
            "a": {"$ref": "#/$defs/node"},
            "b": {"type": "array", "items": {"type": "integer", "minimum": 0}, "minItems": 1, "uniqueItems": True},
            "type": {"enum": ["x", 1, None], "default": {"type": "not a schema"}},
            "c": {"oneOf": [{"const": 1}, {"not": {}}]},
            "d": True,
        },
        "additionalProperties": {"type": "string"},
        "required": ["a"],
    }
    assert blocking(check("anthropic", body(tool(schema=schema)))) == []


OUTSIDE: dict[str, dict[str, Any]] = {
    "minimum": {"type": "number", "minimum": 0},
    "maxLength": {"type": "string", "maxLength": 3},
    "uniqueItems": {"type": "array", "uniqueItems": True},
    "oneOf": {"oneOf": [{"type": "string"}]},
    "minItems above 1": {"type": "array", "minItems": 2},
    "unknown format": {"type": "string", "format": "phone"},
    "enum of objects": {"enum": [{"a": 1}]},
    "lookahead": {"type": "string", "pattern": "a(?=b)"},
    "backreference": {"type": "string", "pattern": r"(a)\1"},
    "external reference": {"$ref": "https://example.com/s.json"},
    "allOf with a reference": {"allOf": [{"$ref": "#/properties/b"}]},
    "open object inside": {"type": "object", "properties": {}},
    "recursion": {"$ref": "#"},
}


@pytest.mark.parametrize("name", OUTSIDE)
def test_strict_tools_stay_inside_the_subset(name: str) -> None:
    found = blocking(check("anthropic", body(strict(a=OUTSIDE[name], b={"type": "string"}))))
    assert "b5-strict-schema" in [violation.rule for violation in found]


def test_recursion_through_definitions_is_found() -> None:
    node = {**CLOSED, "properties": {"next": {"$ref": "#/$defs/node"}}, "required": ["next"]}
    schema = {**CLOSED, "properties": {"key": {"$ref": "#/$defs/node"}}, "$defs": {"node": node}}
    found = check("anthropic", body(tool(schema=schema, strict=True)))
    assert [violation.rule for violation in found] == ["b5-strict-schema"]
    assert "recursive" in found[0].message


def test_the_subset_itself_is_taken() -> None:
    leaf = {**CLOSED, "properties": {"key": {"type": "string", "format": "date"}}}
    good = strict(
        a={"type": "string", "pattern": "^[a-z]+$", "default": "a"},
        b={"type": "array", "items": {"$ref": "#/$defs/leaf"}, "minItems": 1},
        c={"anyOf": [{"type": "string"}, {"type": "null"}]},
        d={"enum": ["a", 1, None]},
    )
    good["input_schema"]["$defs"] = {"leaf": leaf}
    assert check("anthropic", body(good)) == []


def test_the_output_format_is_held_to_the_subset() -> None:
    shape = {"format": {"type": "json_schema", "schema": OPEN}}
    found = check("anthropic", body(output_config=shape))
    assert [violation.pointer for violation in found] == ["/output_config/format/schema"]


def nine(number: int, one: dict[str, Any], required: bool) -> dict[str, Any]:
    names = [f"p{number}{letter}" for letter in "abcdefghi"]
    schema = {**CLOSED, "properties": dict.fromkeys(names, one), "required": names if required else []}
    return tool(f"t{number}", schema, strict=True)


@pytest.mark.parametrize(
    ("one", "required", "fit"),
    [({"type": "string"}, False, 2), ({"type": ["string", "null"]}, True, 1)],
    ids=["24 optional parameters", "16 unions"],
)
def test_limits_are_counted_over_all_schemas(one: dict[str, Any], required: bool, fit: int) -> None:
    tools = [nine(number, one, required) for number in range(fit + 1)]
    assert check("anthropic", body(*tools[:fit])) == []
    assert [violation.rule for violation in check("anthropic", body(*tools))] == ["b5-strict-limits"]


SERVER_TOOLS = [
    {"type": "web_search_20250305", "name": "web_search", "max_uses": 2},
    {"type": "bash_20250124", "name": "bash"},
    {"type": "text_editor_20250728", "name": "str_replace_based_edit_tool", "max_characters": 10},
    {"type": "code_execution_20250522", "name": "code_execution"},
    {"type": "computer_toolset_20260801"},
    {"type": "computer_20250124", "name": "computer", "display_width_px": 1024, "display_height_px": 768},
]


@pytest.mark.parametrize("declared", SERVER_TOOLS, ids=lambda declared: str(declared["type"]))
def test_tools_of_the_service_are_taken_as_documented(declared: dict[str, Any]) -> None:
    assert check("anthropic", body(declared)) == []


def test_tools_of_the_service_have_one_name() -> None:
    found = check("anthropic", body({"type": "bash_20250124", "name": "shell"}))
    assert [violation.pointer for violation in found] == ["/tools/0/name"]


def test_a_name_above_128_characters_is_refused() -> None:
    assert [violation.rule for violation in check("anthropic", body(tool("x" * 129)))] == ["b8-17-tool-name"]
