"""Input schemas: what Anthropic refuses at the top, and which schemas its strict mode takes (wire-facts B5, B8 19)."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from toolnexus.errors import InvalidRequest
from toolnexus.wire.exact import MAX_DEPTH, too_deep

NO_ARGUMENTS = Raw(b'{"type":"object","properties":{}}')

_OBJECT = Raw(b'"object"')
# What most schemas begin with; then only oneOf, anyOf or allOf could make one that is refused, and they share a letter.
_TYPED = (b'{"type":"object",', b'{"type": "object",')


class _Top(Struct, gc=False):
    """The keys of a schema that decide whether the provider takes it; the rest is skipped, not decoded."""

    type: Raw | UnsetType = UNSET
    oneOf: Raw | UnsetType = UNSET  # noqa: N815 - JSON Schema's own name
    anyOf: Raw | UnsetType = UNSET  # noqa: N815
    allOf: Raw | UnsetType = UNSET  # noqa: N815


_decode_top = msgspec.json.Decoder(_Top).decode


def input_schema(raw: Raw | UnsetType, tool: str, function: str) -> Raw:
    """The schema as sent: the caller's bytes, with `"type":"object"` in front where it names no type.

    `function` is the pointer to what has the schema as its `parameters`. Clause `anthropic.tool-schema`. Raises
    `InvalidRequest` for what the provider refuses: no object, another type, a combinator at the top.
    """
    if raw is UNSET:
        return NO_ARGUMENTS
    data = bytes(raw)
    if data.startswith(_TYPED) and b"O" not in data:
        return raw
    try:
        top = _decode_top(raw)
    except (msgspec.MsgspecError, RecursionError):
        if data.strip() == b"null":
            return NO_ARGUMENTS
        raise InvalidRequest(f"the parameters of tool {tool!r} are no object", f"{function}/parameters") from None
    if top.oneOf is not UNSET or top.anyOf is not UNSET or top.allOf is not UNSET:
        found = next(name for name in ("oneOf", "anyOf", "allOf") if getattr(top, name) is not UNSET)
        raise InvalidRequest(
            f"the parameters of tool {tool!r} have {found} at the top, which is refused",
            f"{function}/parameters/{found}",
        )
    if top.type is UNSET:
        return _typed(data.strip())
    if top.type != _OBJECT:
        raise InvalidRequest(
            f"the parameters of tool {tool!r} are of a type other than object", f"{function}/parameters/type"
        )
    return raw


def _typed(data: bytes) -> Raw:
    inside = data[1:].lstrip()
    return NO_ARGUMENTS if inside == b"}" else Raw(b'{"type":"object",' + inside)


def refuse_deep(raw: Raw, pointer: str) -> None:
    """Raises `InvalidRequest` for a tool that nests deeper than is carried."""
    if too_deep(bytes(raw)):
        raise InvalidRequest(f"nested deeper than {MAX_DEPTH} levels", pointer)


# -- the strict subset (B5, "Strict tools / structured outputs") -------------------------------------------------------

_REFUSED = frozenset(
    {
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minLength",
        "maxLength",
        "maxItems",
        "uniqueItems",
        "oneOf",
        "not",
        "patternProperties",
    }
)
_FORMATS = frozenset({"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"})
_SCHEMA_MAPS = ("properties", "$defs", "definitions")
_SCHEMA_LISTS = ("anyOf", "allOf")


def unfit(schema: Any) -> str | None:
    """Why a schema is outside the strict subset, None where it fits."""
    if not isinstance(schema, dict):
        return "it is no object"
    return _unfit(schema, schema, ())


def _unfit(schema: Any, root: dict[str, Any], refs: tuple[str, ...]) -> str | None:
    if not isinstance(schema, dict):
        return "a subschema is no object"
    refused = _REFUSED & schema.keys()
    if refused:
        return f"{min(refused)} is not supported"
    if _is_object(schema) and schema.get("additionalProperties") is not False:
        return "an object does not say additionalProperties: false"
    if schema.get("minItems", 0) not in (0, 1):
        return "minItems above 1 is not supported"
    if "format" in schema and schema["format"] not in _FORMATS:
        return f"format {schema['format']!r} is not supported"
    return _unfit_ref(schema, root, refs) or _unfit_below(schema, root, refs)


def _is_object(schema: dict[str, Any]) -> bool:
    kind = schema.get("type")
    return (
        kind == "object" or (isinstance(kind, list) and "object" in kind) or (kind is None and "properties" in schema)
    )


def _unfit_below(schema: dict[str, Any], root: dict[str, Any], refs: tuple[str, ...]) -> str | None:
    below: list[Any] = []
    for key in _SCHEMA_MAPS:
        inner = schema.get(key, {})
        below.extend(inner.values() if isinstance(inner, dict) else [inner])
    for key in _SCHEMA_LISTS:
        inner = schema.get(key, [])
        below.extend(inner if isinstance(inner, list) else [inner])
    if "items" in schema:
        below.append(schema["items"])
    for inner in below:
        reason = _unfit(inner, root, refs)
        if reason:
            return reason
    return None


def _unfit_ref(schema: dict[str, Any], root: dict[str, Any], refs: tuple[str, ...]) -> str | None:
    ref = schema.get("$ref")
    if ref is None:
        return None
    if not isinstance(ref, str) or not ref.startswith("#"):
        return "an external $ref is not supported"
    if ref in refs or ref == "#":
        return "recursion is not supported"
    target: Any = root
    for step in ref[2:].split("/"):
        target = target.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(target, dict) else None
    return "a $ref points nowhere" if target is None else _unfit(target, root, (*refs, ref))
