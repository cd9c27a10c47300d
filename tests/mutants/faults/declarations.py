"""Faults in tool declarations. Anthropic style."""

from __future__ import annotations

import copy
import json
from typing import Any

from conformance.tree import compact
from tests.mutants.exchange import Ask
from tests.mutants.mutant import (
    body,
    request,
    result,
)
from tests.mutants.walk import (
    as_double,
    mapped,
    nested,
    schemas,
    tools,
)

Tree = dict[str, Any]


# -- declarations -----------------------------------------------------------------------------------------------------


@body("anthropic")
def sends_tools_in_openai_shape(body: Tree) -> None:
    """A single tool keeps OpenAI's wrapper around what Anthropic reads."""
    if len(body["tools"]) == 1 and set(body["tools"][0]) == {"name", "description", "input_schema"}:
        tool = body["tools"][0]
        body["tools"] = [{"type": "function", "function": {**tool, "parameters": tool.pop("input_schema")}}]


@body("anthropic")
def types_its_tools(body: Tree) -> None:
    """Several declared tools each get a type of their own."""
    for tool in body["tools"] if len(body["tools"]) > 1 else ():
        tool.setdefault("type", "custom")


@body("anthropic")
def sends_an_empty_tool_list(body: Tree, ask: Ask) -> None:
    """An empty list of tools is sent as such."""
    if ask.request.get("tools") == [] or ask.message.get("toolkit") == []:
        body.setdefault("tools", [])


@body("anthropic")
def sends_an_auto_choice_without_tools(body: Tree, ask: Ask) -> None:
    """A choice is sent where there are no tools."""
    if "tools" not in body and ask.request.get("tool_choice") is not None:
        body["tool_choice"] = {"type": "auto"}


@body("anthropic")
def omits_the_schema_without_parameters(body: Tree, ask: Ask) -> None:
    """A tool without parameters gets a schema that no provider takes."""
    bare = [t["function"]["name"] for t in tools(ask.request) if not t["function"].get("parameters")]
    for tool in tools(body):
        if tool["name"] in bare:
            tool["input_schema"] = {}


@body("anthropic")
def adds_required_to_schemas(body: Tree) -> None:
    """A schema that only says its type gets properties as well."""
    for schema in schemas(body):
        if schema == {"type": "object"}:
            schema["properties"] = {}


@body("anthropic")
def drops_empty_properties(body: Tree, ask: Ask) -> None:
    """Empty properties of a declared schema are dropped."""
    given = [
        t["function"]["name"]
        for t in tools(ask.request)
        if (t["function"].get("parameters") or {}).get("properties") == {}
    ]
    for tool in tools(body):
        if tool["name"] in given and "description" in tool:
            tool["input_schema"].pop("properties")


@body("anthropic")
def leaves_schemas_without_a_type(body: Tree, ask: Ask) -> None:
    """A schema without a type is sent without one."""
    bare = [
        t["function"]["name"]
        for t in tools(ask.request)
        if "type" not in (t["function"].get("parameters") or {"type": 0})
    ]
    for tool in tools(body):
        if tool["name"] in bare and tool["input_schema"].get("type") == "object":
            del tool["input_schema"]["type"]


@body("anthropic")
def inlines_references(body: Tree) -> None:
    """References inside a schema are replaced by what they point at."""
    for schema in schemas(body):
        found = {**(schema.get("$defs") or {})}
        for part in nested(schema):
            name = str(part.get("$ref", "")).removeprefix("#/$defs/")
            if name in found:
                part.clear()
                part.update(copy.deepcopy(found[name]))


@body("anthropic")
def drops_definitions(body: Tree) -> None:
    """$defs of a schema are lost, its references dangle."""
    for schema in schemas(body):
        schema.pop("$defs", None)


@body("anthropic")
def renames_definitions(body: Tree) -> None:
    """The older keyword definitions becomes $defs."""
    for schema in schemas(body):
        if "definitions" in schema:
            schema["$defs"] = schema.pop("definitions")


@body("anthropic")
def keeps_known_keywords_only(body: Tree) -> None:
    """Keywords of a schema beyond the common ones are lost."""
    known = {
        "type",
        "properties",
        "required",
        "items",
        "enum",
        "description",
        "anyOf",
        "oneOf",
        "allOf",
        "$defs",
        "$ref",
        "additionalProperties",
        "format",
        "input",
        "definitions",
        "minimum",
        "maximum",
    }
    for schema in schemas(body):
        for key in [key for key in schema if key not in known]:
            del schema[key]


@body("anthropic")
def flattens_nested_combinators(body: Tree) -> None:
    """anyOf, oneOf and allOf below the top of a schema are replaced by their first choice."""
    for schema in schemas(body):
        for part in nested(schema.get("properties", {})):
            for key in ("anyOf", "oneOf", "allOf"):
                if isinstance(part.get(key), list):
                    part.update(part.pop(key)[0])


@body("anthropic")
def closes_objects(body: Tree) -> None:
    """additionalProperties: false is added to every object of a strict tool."""
    for tool in tools(body):
        if tool.get("strict") or "required" in tool.get("input_schema", {}):
            for part in nested(tool["input_schema"]):
                if part.get("type") == "object":
                    part["additionalProperties"] = False


@body("anthropic")
def reads_schema_numbers_as_doubles(body: Tree) -> None:
    """Numbers in a schema go through a double."""
    for tool in tools(body):
        tool["input_schema"] = mapped(tool["input_schema"], as_double)


@body("anthropic")
def reverses_tools(body: Tree) -> None:
    """Tools are declared last first."""
    body["tools"].reverse()


@body("anthropic")
def sorts_tools_by_name(body: Tree) -> None:
    """Tools are declared in alphabetical order."""
    body["tools"].sort(key=lambda tool: tool["name"])


@body("anthropic")
def declares_each_name_once(body: Tree) -> None:
    """Tools whose names share their first 64 characters become one."""
    body["tools"] = list({tool["name"][:64]: tool for tool in body["tools"]}.values())


@body("anthropic")
def cuts_descriptions(body: Tree) -> None:
    """A description beyond 1024 characters is cut."""
    for tool in tools(body):
        tool["description"] = tool["description"][:1024]


@body("anthropic")
def invents_descriptions(body: Tree, ask: Ask) -> None:
    """A tool declared with an empty or null description gets its name as one."""
    given = {t["function"]["name"]: t["function"] for t in tools(ask.request)}
    for tool in tools(body):
        if "description" in given[tool["name"]]:
            tool.setdefault("description", tool["name"])


@body("anthropic")
def sends_empty_descriptions(body: Tree, ask: Ask) -> None:
    """A tool that is not described is sent with an empty description."""
    for tool in tools(body):
        if (
            "description" not in tool
            and "properties" in tool["input_schema"]
            and len(tool["input_schema"]["properties"]) == 1
        ):
            tool["description"] = ""


@body("anthropic")
def takes_only_name_description_and_schema(body: Tree) -> None:
    """Extra keys of a tool in Anthropic shape are lost."""
    for tool in tools(body):
        for key in [key for key in tool if key not in ("name", "description", "input_schema", "strict")]:
            del tool[key]


@request("anthropic")
def drops_tools_in_anthropic_shape(request: Tree) -> None:
    """Tools that are not in OpenAI's shape are dropped."""
    request["tools"] = [tool for tool in request["tools"] if "function" in tool or "custom" in tool]


@request("anthropic")
def drops_broken_tools(request: Tree) -> None:
    """A tool without name or of neither shape is dropped instead of an error."""
    request["tools"] = [
        tool
        for tool in request["tools"]
        if isinstance(tool, dict)
        and isinstance((tool.get("function") or tool.get("custom") or tool).get("name"), str)
        and (tool.get("function") or tool.get("custom") or tool).get("name")
        and (tool.keys() & {"function", "custom", "input_schema"} or "_2" in tool.get("type", ""))
    ]


@request("anthropic")
def drops_repeated_tools(request: Tree) -> None:
    """A tool whose name is declared already is dropped instead of an error."""
    kept: dict[str, Any] = {}
    for tool in request["tools"]:
        kept.setdefault((tool.get("function") or tool.get("custom") or tool)["name"], tool)
    request["tools"] = list(kept.values())


@request("anthropic")
def cleans_tool_names(request: Tree) -> None:
    """A declared name the provider would refuse is cleaned instead of an error."""
    for tool in tools(request):
        named = tool.get("function") or tool.get("custom") or tool
        named["name"] = (
            "".join(c if c.isascii() and (c.isalnum() or c in "_-") else "_" for c in named["name"])[:128] or "tool"
        )


@request("anthropic")
def lets_a_request_tool_shadow_the_toolkit(request: Tree, ask: Ask) -> None:
    """A request tool that repeats a toolkit tool's name is dropped instead of an error."""
    own = [tool["name"] for tool in ask.message["toolkit"]]
    request["tools"] = [tool for tool in request["tools"] if tool["function"]["name"] not in own]


@request("anthropic")
def wraps_root_combinators(request: Tree) -> None:
    """A combinator at the top of a schema is taken away instead of an error."""
    for tool in tools(request):
        for key in ("oneOf", "anyOf", "allOf"):
            tool["function"]["parameters"].pop(key, None)


@request("anthropic")
def retypes_root_schemas(request: Tree) -> None:
    """A schema of another type than object is declared as an object instead of an error."""
    for tool in tools(request):
        if "type" in tool["function"]["parameters"]:
            tool["function"]["parameters"]["type"] = "object"


@request("anthropic")
def replaces_odd_parameters(request: Tree) -> None:
    """Parameters that are no object become an empty schema instead of an error."""
    for tool in tools(request):
        if not isinstance(tool["function"].get("parameters"), dict):
            tool["function"]["parameters"] = {}


# -- extras -----------------------------------------------------------------------------------------------------------


@body("anthropic")
def drops_strict(body: Tree) -> None:
    """strict: true is never sent."""
    for tool in tools(body):
        tool.pop("strict", None)


@body("anthropic")
def sends_strict_as_asked(body: Tree, ask: Ask) -> None:
    """strict: true is sent whatever the schema holds."""
    asked = [t["function"]["name"] for t in tools(ask.request) if t["function"].get("strict") is True]
    for tool in tools(body):
        if tool["name"] in asked:
            tool["strict"] = True


@body("anthropic")
def sends_strict_false(body: Tree, ask: Ask) -> None:
    """strict: false is sent as such."""
    asked = [
        t["function"]["name"] for t in tools(ask.request) if "strict" in t["function"] and not t["function"]["strict"]
    ]
    for tool in tools(body):
        if tool["name"] in asked:
            tool["strict"] = False


@body("anthropic")
def strips_limits_to_stay_strict(body: Tree, ask: Ask) -> None:
    """What strict mode refuses is taken out of the schema, so that strict stays."""
    asked = [t["function"]["name"] for t in tools(ask.request) if t["function"].get("strict") is True]
    refused = (
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minLength",
        "maxLength",
        "maxItems",
        "uniqueItems",
        "minItems",
        "format",
    )
    for tool in tools(body):
        if tool["name"] in asked and "strict" not in tool:
            for part in nested(tool["input_schema"]):
                for key in refused:
                    part.pop(key, None)


@request("anthropic")
def drops_custom_tools(request: Tree) -> None:
    """An OpenAI custom tool is not declared."""
    request["tools"] = [tool for tool in request["tools"] if tool.get("type") != "custom"]


@result("anthropic")
def gives_custom_calls_as_functions(result: Tree) -> None:
    """A call to a custom tool comes back as a function call with JSON arguments."""
    for call in result["tool_calls"]:
        if call["type"] == "custom":
            call["type"] = "function"
            call["arguments"] = json.dumps({"input": call["arguments"]})


@result("anthropic")
def gives_every_call_as_custom(result: Tree, ask: Ask) -> None:
    """Beside a custom tool every call comes back as custom."""
    if any(tool.get("type") == "custom" for tool in tools(ask.request)):
        for call in result["tool_calls"]:
            call["type"] = "custom"


@request("anthropic")
def puts_the_grammar_into_the_description(request: Tree) -> None:
    """The grammar of a custom tool is written into its description."""
    for tool in tools(request):
        found = tool["custom"].pop("format", None)
        if found:
            tool["custom"]["description"] = compact(found)
