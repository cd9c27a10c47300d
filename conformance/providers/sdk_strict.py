"""The official SDKs' types turned into strict validators.

As they come, the SDKs' types refuse little: unknown keys pass, values are coerced, `Iterable` fields are validated only
when somebody reads them, and a union takes its first lenient member (a response class among request types, any object
beside a typed one). So the pydantic core schema of a type is rewritten before a validator is made of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic_core import SchemaValidator

Core = dict[str, Any]

# Members of a union that no JSON value is meant for: files and paths beside base64 strings.
_NOT_JSON = frozenset(("is-instance", "lax-or-strict"))
_JSON_TYPES = {
    "str": "string",
    "bool": "boolean",
    "int": "integer",
    "float": "number",
    "list": "list",
    "dict": "object",
}


def strict_validator(python_type: Any) -> SchemaValidator:
    """A validator of JSON values for an SDK type: extra keys forbidden, nothing coerced, lists consumed."""
    from pydantic import TypeAdapter
    from pydantic_core import SchemaValidator

    adapter: TypeAdapter[Any] = TypeAdapter(python_type)
    # The SDKs defer building; without this the schema is a placeholder.
    adapter.rebuild(force=True)
    schema: Any = adapter.core_schema
    return SchemaValidator(_Rewriter(schema).whole())


class _Rewriter:
    """One pass over a core schema; definitions are known by their reference."""

    def __init__(self, schema: Core) -> None:
        self.schema = schema
        self.definitions: dict[str, Core] = {}
        _collect(schema, self.definitions)

    def whole(self) -> Any:
        """The rewritten schema."""
        if self.schema["type"] != "definitions":
            return self.rewrite(self.schema)
        definitions = [self.rewrite(item) for item in self.schema["definitions"]]
        return {"type": "definitions", "schema": self.rewrite(self.schema["schema"]), "definitions": definitions}

    def rewrite(self, node: Core) -> Core:
        """One node of the schema, by its type."""
        return _REWRITES.get(node["type"], _plain)(self, node)

    def resolved(self, node: Core) -> Core:
        """The node a reference stands for."""
        while node["type"] == "definition-ref":
            node = self.definitions[node["schema_ref"]]
        return node


def _collect(node: object, found: dict[str, Core]) -> None:
    if isinstance(node, dict):
        if isinstance(node.get("ref"), str):
            found[node["ref"]] = node
        for key, value in node.items():
            if key not in ("metadata", "serialization"):
                _collect(value, found)
    elif isinstance(node, (list, tuple)):
        for value in node:
            _collect(value, found)


def _plain(_rewriter: _Rewriter, node: Core) -> Core:
    return {key: value for key, value in node.items() if key not in ("serialization", "metadata")} | (
        {"strict": True} if node["type"] in ("str", "int", "float", "bool") else {}
    )


def _typed_dict(rewriter: _Rewriter, node: Core) -> Core:
    config = node.get("config") or {}
    open_ended = "allow" in (config.get("extra_fields_behavior"), node.get("extra_behavior"))
    fields = {
        name: {
            "type": "typed-dict-field",
            "required": field.get("required", True),
            "schema": rewriter.rewrite(field["schema"]),
        }
        for name, field in node["fields"].items()
    }
    return _record(node, fields, "ignore" if open_ended else "forbid")


def _model(rewriter: _Rewriter, node: Core) -> Core:
    # A response class becomes a plain record: strict mode would want an instance, and its config allows any key.
    fields = {}
    for name, field in node["schema"]["fields"].items():
        inner = field["schema"]
        optional = inner["type"] == "default"
        schema = rewriter.rewrite(inner["schema"] if optional else inner)
        fields[field.get("validation_alias", name)] = {
            "type": "typed-dict-field",
            "required": not optional,
            "schema": schema,
        }
    return _record(node, fields, "forbid")


def _record(node: Core, fields: Core, extra: str) -> Core:
    named = {"ref": node["ref"]} if "ref" in node else {}
    return {"type": "typed-dict", "fields": fields, "extra_behavior": extra, "strict": True, **named}


def _list(rewriter: _Rewriter, node: Core) -> Core:
    return {"type": "list", "items_schema": rewriter.rewrite(node["items_schema"]), "strict": True}


def _nullable(rewriter: _Rewriter, node: Core) -> Core:
    return {"type": "nullable", "schema": rewriter.rewrite(node["schema"])}


def _dict(rewriter: _Rewriter, node: Core) -> Core:
    values = {"values_schema": rewriter.rewrite(node["values_schema"])} if "values_schema" in node else {}
    keys = {"keys_schema": rewriter.rewrite(node["keys_schema"])} if "keys_schema" in node else {}
    return {"type": "dict", "strict": True, **keys, **values}


def _json_side(rewriter: _Rewriter, node: Core) -> Core:
    return rewriter.rewrite(node["json_schema"])


def _union(rewriter: _Rewriter, node: Core) -> Core:
    members = [choice[0] if isinstance(choice, tuple) else choice for choice in node["choices"]]
    kept = _meant_for_json(rewriter, [(member, rewriter.resolved(member)) for member in members])
    tags: dict[str, Core] = {}
    for member, resolved in kept:
        for tag in _tags(rewriter, resolved):
            if tag in tags:
                return {"type": "union", "choices": [rewriter.rewrite(each) for each, _ in kept], "strict": True}
            tags[tag] = rewriter.rewrite(member)
    return {"type": "tagged-union", "choices": tags, "discriminator": _discriminator(tags)}


def _meant_for_json(rewriter: _Rewriter, members: list[tuple[Core, Core]]) -> list[tuple[Core, Core]]:
    typed = any(resolved["type"] == "typed-dict" for _, resolved in members)
    return [
        pair for pair in members if pair[1]["type"] not in _NOT_JSON and not (typed and _lenient(rewriter, pair[1]))
    ]


def _lenient(rewriter: _Rewriter, node: Core) -> bool:
    """Whether a member of a request's union lets too much through: a response class, or any object at all."""
    if node["type"] == "union":
        return all(_lenient(rewriter, rewriter.resolved(choice)) for choice in node["choices"])
    return node["type"] in ("model", "dict")


def _tags(rewriter: _Rewriter, node: Core) -> list[str]:
    if node["type"] == "literal":
        return ["string"]
    if node["type"] in ("typed-dict", "model"):
        return _literal_tags(rewriter, node) or ["object"]
    kind: str = {"generator": "list", "json-or-python": "list"}.get(node["type"]) or node["type"]
    return [_JSON_TYPES.get(kind, kind)]


def _literal_tags(rewriter: _Rewriter, node: Core) -> list[str]:
    fields = node["fields"] if node["type"] == "typed-dict" else node["schema"]["fields"]
    for key in ("type", "role"):
        if key in fields:
            schema = rewriter.resolved(fields[key]["schema"])
            nullable = schema["type"] == "nullable"
            inner = schema["schema"] if nullable else schema
            if inner["type"] == "literal":
                # A tool without a type, or with a null one, is a custom tool.
                return [f"{key}={word}" for word in inner["expected"]] + (["object"] if nullable else [])
    return []


def _discriminator(tags: Mapping[str, Core]) -> Callable[[Any], str | None]:
    keys = [key for key in ("type", "role") if any(tag.startswith(f"{key}=") for tag in tags)]

    def tag_of(value: Any) -> str | None:
        if isinstance(value, dict):
            named = [f"{key}={value[key]}" for key in keys if value.get(key) is not None]
            return next(iter(named), "object" if "object" in tags else None)
        name = _JSON_TYPES.get(type(value).__name__, "none")
        return "number" if name == "integer" and "integer" not in tags else name

    return tag_of


_REWRITES: dict[str, Callable[[_Rewriter, Core], Core]] = {
    "typed-dict": _typed_dict,
    "model": _model,
    "generator": _list,
    "list": _list,
    "nullable": _nullable,
    "dict": _dict,
    "json-or-python": _json_side,
    "union": _union,
}
