"""The part of JSON Schema that strict tools and structured outputs may use (wire-facts B5)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from conformance.providers import json_schema
from conformance.providers.anthropic.conversation import Conversation
from conformance.providers.anthropic.declarations import custom
from conformance.providers.anthropic.rules import RULES
from conformance.providers.at import BODY, At
from conformance.providers.violation import Violation

FORMATS = frozenset(("date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"))
REFUSED = frozenset(
    (
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
        *("minLength", "maxLength", "maxItems", "uniqueItems"),
        *("oneOf", "not", "patternProperties"),
    )
)
REFUSED_REGEX = re.compile(r"\(\?[=!<]|\\[1-9bB]")

MOST_STRICT_TOOLS = 20
MOST_OPTIONAL = 24
MOST_UNIONS = 16

Schema = Mapping[str, Any]


def compiled(body: Mapping[str, Any]) -> list[tuple[Schema, At]]:
    """The schemas of a body that the service compiles, with their places: strict tools, then the output format."""
    strict = [
        (tool.get("input_schema"), at / "input_schema") for tool, at in custom(body) if tool.get("strict") is True
    ]
    output = body.get("output_config")
    shape = output.get("format") if isinstance(output, dict) else None
    if isinstance(shape, dict):
        strict.append((shape.get("schema"), BODY / "output_config" / "format" / "schema"))
    return [(schema, at) for schema, at in strict if isinstance(schema, dict)]


def schemas_fit_the_subset(talk: Conversation) -> Iterator[Violation]:
    """B5: a keyword outside the subset is refused; one violation a schema."""
    for schema, at in compiled(talk.body):
        fault = next(misfits(schema, at), None)
        if fault is not None:
            place, reason = fault
            yield RULES["b5-strict-schema"].broken(place, reason=reason)


def schemas_stay_small(talk: Conversation) -> Iterator[Violation]:
    """B5: limits on the whole request."""
    schemas = compiled(talk.body)
    parts = [part for schema, at in schemas for part, _ in json_schema.subschemas(schema, at)]
    optional = sum(len(_optional(part)) for part in parts)
    unions = sum("anyOf" in part or isinstance(part.get("type"), list) for part in parts)
    tools = sum(at.pointer.startswith("/tools/") for _, at in schemas)
    if tools > MOST_STRICT_TOOLS or optional > MOST_OPTIONAL or unions > MOST_UNIONS:
        yield RULES["b5-strict-limits"].broken()


def misfits(schema: Schema, at: At) -> Iterator[tuple[At, str]]:
    """Where a schema leaves the subset, each place with the reason."""
    for part, place in json_schema.subschemas(schema, at):
        yield from _closed(part, place)
        yield from _keywords(part, place)
        yield from _references(part, place)
    if _recursive(schema):
        yield at, "recursive schemas are not supported"


def _closed(part: Schema, at: At) -> Iterator[tuple[At, str]]:
    is_object = part.get("type") == "object" or "properties" in part
    if is_object and part.get("additionalProperties") is not False:
        yield at, "for 'object' type, 'additionalProperties' must be explicitly set to false"


def _keywords(part: Schema, at: At) -> Iterator[tuple[At, str]]:
    for key in sorted(REFUSED.intersection(part)):
        yield at / key, f"property {key!r} is not supported"
    if part.get("minItems") not in (None, 0, 1):
        yield at / "minItems", "'minItems' values other than 0 or 1 are not supported"
    if isinstance(part.get("format"), str) and part["format"] not in FORMATS:
        yield at / "format", f"string format {part['format']!r} is not supported"
    if any(isinstance(word, (dict, list)) for word in _listed(part.get("enum"))):
        yield at / "enum", "'enum' holds scalars only"
    pattern = part.get("pattern")
    if isinstance(pattern, str) and (found := REFUSED_REGEX.search(pattern)):
        yield at / "pattern", f"Unsupported regex feature in pattern field: {found[0]}"


def _references(part: Schema, at: At) -> Iterator[tuple[At, str]]:
    ref = part.get("$ref")
    if isinstance(ref, str) and not ref.startswith("#"):
        yield at / "$ref", "external '$ref' is not supported"
    if any(isinstance(item, dict) and "$ref" in item for item in _listed(part.get("allOf"))):
        yield at / "allOf", "'allOf' with '$ref' is not supported"


def _recursive(root: Schema) -> bool:
    """Whether some local reference leads back to a schema that holds it."""
    leads: dict[str, set[str]] = {}
    waiting = ["#"]
    while waiting:
        ref = waiting.pop()
        if ref not in leads:
            target = json_schema.resolve(root, ref)
            body = _without_definitions(target) if ref == "#" else target
            found = {
                part["$ref"] for part, _ in json_schema.subschemas(body, BODY) if isinstance(part.get("$ref"), str)
            }
            leads[ref] = found
            waiting += found
    return any(ref in _reached(ref, leads) for ref in leads)


def _reached(start: str, leads: Mapping[str, set[str]]) -> set[str]:
    reached: set[str] = set()
    waiting = list(leads[start])
    while waiting:
        ref = waiting.pop()
        if ref not in reached:
            reached.add(ref)
            waiting += leads[ref]
    return reached


def _without_definitions(schema: object) -> object:
    if not isinstance(schema, dict):
        return schema
    return {key: value for key, value in schema.items() if key not in ("$defs", "definitions")}


def _optional(part: Schema) -> set[str]:
    properties = part.get("properties")
    return set(properties if isinstance(properties, dict) else ()) - {
        name for name in _listed(part.get("required")) if isinstance(name, str)
    }


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


CHECKS = (schemas_fit_the_subset, schemas_stay_small)
