"""One tool in the words of each provider style (clause adapters.shape)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple

import msgspec

from .declaration import NO_ARGUMENTS, Tool

Style = Literal["openai", "anthropic", "gemini"]
Shape = Callable[[str, str, Any], dict[str, Any]]


class Fault(NamedTuple):
    """Why a provider would refuse a tool: JSON pointer (`/toolkit/3/name`) and message."""

    pointer: str
    message: str


def _openai(name: str, description: str, schema: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "description": description, "parameters": schema}}


def _anthropic(name: str, description: str, schema: Any) -> dict[str, Any]:
    return {"name": name, "description": description, "input_schema": schema}


def _gemini(name: str, description: str, schema: Any) -> dict[str, Any]:
    return {"name": name, "description": description, "parameters": schema}


SHAPES: dict[Style, Shape] = {"openai": _openai, "anthropic": _anthropic, "gemini": _gemini}


def declare(tool: Tool, style: Style) -> dict[str, Any]:
    """`tool` in the adapter's shape: plain, fresh values, schema and description as declared (adapters.shape)."""
    return SHAPES[style](tool.name, tool.description, tool.input_schema)


def encode(tool: Tool, style: Style) -> msgspec.Raw:
    """`tool` as the JSON bytes that go over the wire, keys in the shape's order.

    Anthropic style, SPEC "Tools and choice": an empty description is left out, a schema without `type` gets
    `"object"` in front and `{}` becomes an object without properties; every other byte of the schema is kept.
    """
    if style != "anthropic":
        return _raw(SHAPES[style](tool.name, tool.description, msgspec.Raw(tool.schema_json)))
    declaration = _anthropic(tool.name, tool.description, msgspec.Raw(_anthropic_schema(tool)))
    if not tool.description:
        del declaration["description"]
    return _raw(declaration)


def _raw(declaration: dict[str, Any]) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(declaration))


def _anthropic_schema(tool: Tool) -> bytes:
    schema = tool.input_schema
    if not schema:
        return msgspec.json.encode(NO_ARGUMENTS)
    if "type" in schema:
        return tool.schema_json
    return b'{"type":"object",' + tool.schema_json[1:]


_ANTHROPIC_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")  # wire-facts B5
_COMBINATORS = ("oneOf", "anyOf", "allOf")  # refused at the top only, B5


def faults(tool: Tool, style: Style, index: int) -> Iterator[Fault]:
    """What `style`'s provider refuses about `tool`, the `index`-th of its toolkit (anthropic.tool-schema).

    The other styles pass declarations through, so they know no fault.
    """
    if style != "anthropic":
        return
    at = f"/toolkit/{index}"
    if not _ANTHROPIC_NAME.fullmatch(tool.name):
        yield Fault(f"{at}/name", f"tool {tool.name!r}: a name is 1 to 128 of a-z, A-Z, 0-9, _ and -")
    schema = tool.input_schema
    if schema.get("type", "object") != "object":
        yield Fault(f"{at}/inputSchema/type", f"tool {tool.name!r}: the type of an input schema is 'object'")
    for word in _COMBINATORS:
        if word in schema:
            yield Fault(f"{at}/inputSchema/{word}", f"tool {tool.name!r}: no {word} at the top of an input schema")
