"""Schemas of an OpenAPI document as JSON Schema of their own (2020-12)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .errors import ConfigError

Schema = dict[str, Any]

_ONE = frozenset(("items", "additionalProperties", "not", "contains", "propertyNames", "if", "then", "else"))
_MANY = frozenset(("allOf", "anyOf", "oneOf", "prefixItems"))
_NAMED = frozenset(("properties", "patternProperties", "$defs", "dependentSchemas"))
_ANNOTATIONS = frozenset(
    ("nullable", "example", "discriminator", "xml", "externalDocs", "readOnly", "writeOnly", "deprecated")
)
_BOUNDS: Mapping[str, str] = {"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}


def resolve(document: Mapping[str, Any], value: Any) -> Any:
    """What a local `$ref` object stands for, followed to the end; any other value itself.

    Raises `ConfigError` for a reference out of the document, to nothing, or in a circle.
    """
    seen: set[str] = set()
    while isinstance(value, Mapping) and isinstance(value.get("$ref"), str):
        reference = value["$ref"]
        if reference in seen:
            raise ConfigError(f"reference {reference} leads in a circle")
        seen.add(reference)
        value = _at(document, reference)
    return value


def _at(document: Mapping[str, Any], reference: str) -> Any:
    if not reference.startswith("#/"):
        raise ConfigError(f"reference {reference} leads out of the document")
    value: Any = document
    for token in reference[2:].split("/"):
        key = token.replace("~1", "/").replace("~0", "~")
        if not isinstance(value, Mapping) or key not in value:
            raise ConfigError(f"reference {reference} leads nowhere")
        value = value[key]
    return value


class Schemas:
    """Rewrites schemas of one document; what they refer to is gathered in `definitions`, under distinct names.

    OpenAPI 3.0's own words become JSON Schema's (`nullable`, boolean `exclusiveMinimum`, `example`), notes for other
    tools and `x-` keys are left out, and so are read-only properties: they are not for requests.
    """

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = document
        self._names: dict[str, str] = {}
        self.definitions: dict[str, Schema] = {}

    def convert(self, schema: Any) -> Any:
        """One schema (an object, or a boolean) in JSON Schema's words."""
        if not isinstance(schema, Mapping):
            return schema
        if isinstance(schema.get("$ref"), str):
            return self._reference(schema)
        converted: Schema = {}
        for key, value in schema.items():
            if key not in _ANNOTATIONS and not key.startswith("x-"):
                converted[key] = self._keyword(key, value)
        self._bounds(converted)
        if "example" in schema and "examples" not in schema:
            converted["examples"] = [schema["example"]]
        self._without_read_only(schema, converted)
        return _nullable(converted) if schema.get("nullable") is True else converted

    def _keyword(self, key: str, value: Any) -> Any:
        if key in _NAMED and isinstance(value, Mapping):
            return {name: self.convert(item) for name, item in value.items()}
        if key in _MANY and isinstance(value, list):
            return [self.convert(item) for item in value]
        return self.convert(value) if key in _ONE else value

    def _reference(self, schema: Mapping[str, Any]) -> Schema:
        reference = schema["$ref"]
        if reference not in self._names:
            target = _at(self._document, reference)
            name = self._free(reference.rpartition("/")[2])
            self._names[reference] = name
            self.definitions[name] = {}  # keeps its place while it is written: it may refer to itself
            self.definitions[name] = self.convert(target)
        beside = {key: value for key, value in schema.items() if key in ("description", "default")}
        return {"$ref": f"#/$defs/{self._names[reference]}", **beside}

    def _free(self, name: str) -> str:
        number, free = 1, name
        while free in self.definitions:
            number += 1
            free = f"{name}{number}"
        return free

    def _bounds(self, schema: Schema) -> None:
        for exclusive, bound in _BOUNDS.items():
            flag = schema.get(exclusive)
            if isinstance(flag, bool):
                del schema[exclusive]
                if flag and bound in schema:
                    schema[exclusive] = schema.pop(bound)

    def _without_read_only(self, schema: Mapping[str, Any], converted: Schema) -> None:
        properties = schema.get("properties")
        if not isinstance(properties, Mapping):
            return
        for name, item in properties.items():
            if isinstance(item, Mapping) and item.get("readOnly") is True:
                del converted["properties"][name]
                if name in converted.get("required", ()):
                    converted["required"] = [other for other in converted["required"] if other != name]


def _nullable(schema: Schema) -> Schema:
    outside: Schema = {key: schema.pop(key) for key in ("description", "default", "examples") if key in schema}
    return {"anyOf": [schema, {"type": "null"}], **outside}
