"""`$defs`: the schemas a tool's schema refers to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Schema = dict[str, Any]

_PREFIX = "#/$defs/"


class Definitions:
    """The definitions of one tool under distinct names; they end at the root of its schema."""

    def __init__(self) -> None:
        self.schemas: dict[str, Schema] = {}
        self._open: dict[Any, str | None] = {}
        self._closed: dict[Any, str] = {}

    def once(self, hint: Any, name: str, write: Callable[[], Schema]) -> Schema:
        """What `write` gives, or a reference where that type is being written already: a recursive type.

        A type that refers to itself moves into `$defs`; every other is written in place.
        """
        key = _key(hint)
        if key in self._closed:
            return _reference(self._closed[key])
        if key in self._open:
            self._open[key] = self._open[key] or self._reserve(name)
            return _reference(str(self._open[key]))
        self._open[key] = None
        schema = write()
        reserved = self._open.pop(key)
        if reserved is None:
            return schema
        self.schemas[reserved] = schema
        self._closed[key] = reserved
        return _reference(reserved)

    def hoist(self, schema: Schema) -> Schema:
        """`schema` without its own `$defs`, which move here; a name that is taken by another schema gets a number."""
        own: dict[str, Schema] = schema.get("$defs", {})
        names = {name: self._name_for(name, definition) for name, definition in own.items()}
        for name, definition in own.items():
            self.schemas[names[name]] = _renamed(definition, names)
        bare = {key: value for key, value in schema.items() if key != "$defs"}
        renamed: Schema = _renamed(bare, names)
        return renamed

    def _name_for(self, name: str, definition: Schema) -> str:
        return name if self.schemas.get(name) == definition else self._reserve(name)

    def _reserve(self, name: str) -> str:
        number, free = 1, name
        while free in self.schemas:
            number += 1
            free = f"{name}{number}"
        self.schemas[free] = {}  # a place holder, so that no other takes the name
        return free


def _key(hint: Any) -> Any:
    try:
        hash(hint)
    except TypeError:  # Annotated metadata may be anything
        return repr(hint)
    return hint


def _reference(name: str) -> Schema:
    return {"$ref": f"{_PREFIX}{name}"}


def _renamed(value: Any, names: dict[str, str]) -> Any:
    if isinstance(value, list):
        return [_renamed(item, names) for item in value]
    if not isinstance(value, dict):
        return value
    renamed = {key: _renamed(item, names) for key, item in value.items()}
    target = renamed.get("$ref")
    if isinstance(target, str) and target.startswith(_PREFIX):
        name = target.removeprefix(_PREFIX)
        renamed["$ref"] = f"{_PREFIX}{names.get(name, name)}"
    return renamed
