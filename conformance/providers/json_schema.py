"""JSON Schemas inside a request: walking them, and the ones that are obviously no schema.

A full check against the 2020-12 metaschema costs milliseconds a tool; this table holds what the services are known to
refuse (wire-facts B8 19c): an unknown `type`, a `required` that is no list, a `$ref` that leads nowhere, and keywords
of a wrong type such as draft-04's boolean `exclusiveMinimum`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from conformance.providers.at import At

Schema = Mapping[str, Any]

TYPES = frozenset(("object", "array", "string", "number", "integer", "boolean", "null"))

_ONE = (
    "additionalProperties",
    "not",
    "if",
    "then",
    "else",
    "items",
    "contains",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
)
_LISTS = ("anyOf", "allOf", "oneOf", "prefixItems")
_MAPS = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")


def subschemas(schema: object, at: At) -> Iterator[tuple[Schema, At]]:
    """The schema and every schema inside it, with their places; what is no object is passed over."""
    waiting: list[tuple[object, At]] = [(schema, at)]
    while waiting:
        value, place = waiting.pop()
        if not isinstance(value, dict):
            continue
        yield value, place
        inner = [(value[key], place / key) for key in _ONE if key in value]
        for key in _LISTS:
            listed = value.get(key)
            if isinstance(listed, list):
                inner += [(item, place / key / index) for index, item in enumerate(listed)]
        for key in _MAPS:
            named = value.get(key)
            if isinstance(named, dict):
                inner += [(item, place / key / name) for name, item in named.items()]
        waiting += reversed(inner)


def faults(schema: Schema, at: At) -> Iterator[tuple[At, str]]:
    """The places where a schema is obviously none, each with the reason."""
    for part, place in subschemas(schema, at):
        for key, value in part.items():
            check = _KEYWORDS.get(key)
            if check and not check(value):
                yield place / key, f"{key!r} has a value of a wrong type"
        ref = part.get("$ref")
        if isinstance(ref, str) and resolve(schema, ref) is None:
            yield place / "$ref", f"{ref!r} leads nowhere"


def resolve(root: Schema, ref: str) -> object | None:
    """What a local reference points to, or None; an anchor or another document is not followed: `{}`."""
    if ref == "#":
        return root
    if not ref.startswith("#/"):
        return {}
    target: object = root
    for step in ref.removeprefix("#/").split("/"):
        target = _below(target, step.replace("~1", "/").replace("~0", "~"))
        if target is None:
            return None
    return target


def _below(target: object, step: str) -> object | None:
    if isinstance(target, dict):
        return target.get(step)
    if isinstance(target, list) and step.isdecimal() and int(step) < len(target):
        found: object = target[int(step)]
        return found
    return None


def _is_schema(value: object) -> bool:
    return isinstance(value, (dict, bool))


def _is_schema_list(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(_is_schema(item) for item in value)


def _is_schema_map(value: object) -> bool:
    return isinstance(value, dict) and all(_is_schema(item) for item in value.values())


def _is_type(value: object) -> bool:
    words = value if isinstance(value, list) and value else [value]
    return all(isinstance(word, str) and word in TYPES for word in words)


def _is_strings(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_count(value: object) -> bool:
    # The metaschema's integer: 3.0 is one.
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0 and value == int(value)


def _is(python: type) -> Callable[[object], bool]:
    return lambda value: isinstance(value, python)


_KEYWORDS: Mapping[str, Callable[[object], bool]] = {
    "type": _is_type,
    "required": _is_strings,
    "enum": _is(list),
    "$ref": _is(str),
    "pattern": _is(str),
    "format": _is(str),
    "title": _is(str),
    "description": _is(str),
    "uniqueItems": _is(bool),
    "multipleOf": _is_number,
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _is_number),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"), _is_count),
    **dict.fromkeys(_ONE, _is_schema),
    **dict.fromkeys(_LISTS, _is_schema_list),
    **dict.fromkeys(_MAPS, _is_schema_map),
}
