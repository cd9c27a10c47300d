"""What `Annotated[...]` metadata adds to a schema: a description and constraints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

_NUMBERS = ("integer", "number")

# msgspec.Meta, annotated_types and pydantic's Field name their constraints alike, so they are read by attribute and
# none of the three is imported: attribute → JSON type → keyword.
_CONSTRAINTS: Mapping[str, Mapping[str, str]] = {
    "ge": dict.fromkeys(_NUMBERS, "minimum"),
    "gt": dict.fromkeys(_NUMBERS, "exclusiveMinimum"),
    "le": dict.fromkeys(_NUMBERS, "maximum"),
    "lt": dict.fromkeys(_NUMBERS, "exclusiveMaximum"),
    "multiple_of": dict.fromkeys(_NUMBERS, "multipleOf"),
    "pattern": {"string": "pattern"},
    "min_length": {"string": "minLength", "array": "minItems", "object": "minProperties"},
    "max_length": {"string": "maxLength", "array": "maxItems", "object": "maxProperties"},
}


def apply(schema: dict[str, Any], metadata: Iterable[object]) -> dict[str, Any]:
    """`schema` with what the metadata says: a string is a description, known constraints become keywords."""
    described = dict(schema)
    for item in metadata:
        if isinstance(item, str):
            described["description"] = item
            continue
        _describe(described, item)
        _constrain(described, item)
        for extra in ("extra_json_schema", "json_schema_extra"):
            added = getattr(item, extra, None)
            described.update(added if isinstance(added, Mapping) else {})
        nested = getattr(item, "metadata", None)  # pydantic's Field keeps its constraints in a list of their own
        if isinstance(nested, list | tuple):
            described = apply(described, nested)
    return described


def _describe(schema: dict[str, Any], item: object) -> None:
    for attribute, keyword in (("description", "description"), ("documentation", "description"), ("title", "title")):
        value = getattr(item, attribute, None)
        if isinstance(value, str):
            schema[keyword] = value
    examples = getattr(item, "examples", None)
    if isinstance(examples, list):
        schema["examples"] = examples


def _constrain(schema: dict[str, Any], item: object) -> None:
    """The constraints of `item`, on the schema or on those arms of a union they can mean."""
    for target in schema.get("anyOf", (schema,)):
        for attribute, keywords in _CONSTRAINTS.items():
            value = getattr(item, attribute, None)
            keyword = keywords.get(str(target.get("type")))
            if keyword and isinstance(value, int | float | str) and not isinstance(value, bool):
                target[keyword] = value
