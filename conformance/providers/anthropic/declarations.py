"""What the service demands of the tools and of the choice among them (wire-facts B5, B6, B8 17-23)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from conformance.providers import json_schema
from conformance.providers.anthropic.conversation import Conversation
from conformance.providers.anthropic.rules import RULES
from conformance.providers.at import BODY, At
from conformance.providers.violation import Violation

COMBINATORS = ("oneOf", "allOf", "anyOf")
PORTABLE_NAME = 64

Tool = tuple[Mapping[str, Any], At]


def declared(body: Mapping[str, Any]) -> list[Tool]:
    """The tools of a body with their places."""
    tools = body.get("tools")
    listed = enumerate(tools if isinstance(tools, list) else [])
    return [(tool, BODY / "tools" / index) for index, tool in listed if isinstance(tool, dict)]


def custom(body: Mapping[str, Any]) -> list[Tool]:
    """The caller's own tools, their places tagged as schema messages name them."""
    return [(tool, at.tagged("custom")) for tool, at in declared(body) if tool.get("type") in (None, "custom")]


def names_are_unique(talk: Conversation) -> Iterator[Violation]:
    """B8 18: two tools of one name."""
    seen: set[str] = set()
    for tool, at in declared(talk.body):
        name = tool.get("name")
        if isinstance(name, str):
            if name in seen:
                yield RULES["b8-18-tool-names-unique"].broken(at / "name")
            seen.add(name)


def names_are_portable(talk: Conversation) -> Iterator[Violation]:
    """B8 17: the documentation says 64 characters, the service takes 128."""
    for tool, at in custom(talk.body):
        name = tool.get("name")
        if isinstance(name, str) and PORTABLE_NAME < len(name) <= 128:
            yield RULES["b8-17-tool-name-long"].broken(at / "name")


def schemas_are_schemas(talk: Conversation) -> Iterator[Violation]:
    """B8 19, 19b, 19c: an object schema without a combinator at its top."""
    for tool, at in custom(talk.body):
        schema = tool.get("input_schema")
        if isinstance(schema, dict):
            yield from _schema(schema, at / "input_schema")


def _schema(schema: Mapping[str, Any], at: At) -> Iterator[Violation]:
    if "type" not in schema:
        yield RULES["b8-19-input-schema"].broken(at / "type")
    elif schema["type"] != "object":
        yield RULES["b2-choice"].broken(at / "type", want="'object'")
    if any(word in schema for word in COMBINATORS):
        yield RULES["b8-19b-combinator"].broken(at)
    fault = next(json_schema.faults(schema, at), None)
    if fault is not None:
        place, reason = fault
        yield RULES["b8-19c-invalid-schema"].broken(at, reason=f"{place.dotted}: {reason}")


def examples_fit(talk: Conversation) -> Iterator[Violation]:
    """B5: input examples validate against the tool's schema."""
    for tool, at in custom(talk.body):
        examples, schema = tool.get("input_examples"), tool.get("input_schema")
        if isinstance(examples, list) and isinstance(schema, dict) and not any(json_schema.faults(schema, at)):
            for index, example in enumerate(examples):
                reason = _mismatch(schema, example)
                if reason:
                    yield RULES["b5-input-example"].broken(at / "input_examples" / index, reason=reason)


def _mismatch(schema: Mapping[str, Any], example: object) -> str:
    # Imported here: few bodies hold examples, and the library takes longer to load than every rule together.
    from jsonschema import Draft202012Validator

    fault = next(iter(Draft202012Validator(schema).iter_errors(example)), None)
    return fault.message if fault else ""


def one_tool_is_loaded(talk: Conversation) -> Iterator[Violation]:
    """B5: not every tool is deferred."""
    tools = declared(talk.body)
    if tools and all(tool.get("defer_loading") is True for tool, _ in tools):
        yield RULES["b5-all-deferred"].broken(BODY / "tools")


def choices_have_tools(talk: Conversation) -> Iterator[Violation]:
    """B8 20, 21: a choice among declared tools."""
    choice = talk.body.get("tool_choice")
    if not isinstance(choice, dict):
        return
    tools = declared(talk.body)
    if not tools:
        yield RULES["b8-20-choice-without-tools"].broken(BODY / "tool_choice")
    elif choice.get("type") == "tool" and choice.get("name") not in [tool.get("name") for tool, _ in tools]:
        yield RULES["b8-21-choice-unknown-tool"].broken(BODY / "tool_choice" / "name", name=choice.get("name"))


CHECKS = (
    names_are_unique,
    names_are_portable,
    schemas_are_schemas,
    examples_fit,
    one_tool_is_loaded,
    choices_have_tools,
)
