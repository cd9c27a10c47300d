"""The one strict walk over values that a caller built in Python (clauses `request.json-clean`, `request.unicode`).

msgspec writes NaN as `null`, bytes as base64 and sets as lists without a word, so nothing reaches its encoder that this walk has not
seen. What came as JSON bytes (`TranslateRequest.from_json`) needs no walk.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import isfinite
from typing import Any

from msgspec import Raw

from toolnexus.errors import InvalidRequest
from toolnexus.result import Warning
from toolnexus.wire.exact import MAX_DEPTH, encode, repair_text


def pointer_key(key: str) -> str:
    """A key as one step of a JSON pointer (RFC 6901)."""
    return key.replace("~", "~0").replace("/", "~1")


_INSIDE_ARGUMENTS = re.compile(r"(/messages/\d+/(?:tool_calls/\d+/function|function_call)/arguments)/.*", re.DOTALL)


def note_surrogate(pointer: str, warnings: list[Warning]) -> None:
    """Notes half a surrogate pair; in arguments given as an object, at the arguments, once (clause `request.unicode`)."""
    inside = _INSIDE_ARGUMENTS.fullmatch(pointer)
    warning = surrogate_warning(inside.group(1) if inside else pointer)
    if warning not in warnings:
        warnings.append(warning)


def surrogate_warning(pointer: str) -> Warning:
    """The warning for half a surrogate pair (B8 53)."""
    return Warning("lone-surrogate", pointer, "half of a surrogate pair is no Unicode; U+FFFD was sent in its place")


def too_nested(pointer: str) -> InvalidRequest:
    """The error for a value too deep or in a cycle, at the message, tool or param that holds it."""
    steps = pointer.split("/")
    at = "/".join(steps[: 2 if steps[1] == "tool_choice" else 3])
    return InvalidRequest(f"nested deeper than {MAX_DEPTH} levels, or in a cycle", at)


class Cleaner:
    """Turns a caller's value into plain JSON values; collects the warnings of one request in `warnings`."""

    __slots__ = ("warnings",)

    def __init__(self) -> None:
        self.warnings: list[Warning] = []

    def raw(self, value: Any, pointer: str, level: int = 0) -> Raw:
        """The JSON bytes of `value`, whose nesting starts at `level`. Raises `InvalidRequest` at the first part JSON cannot hold."""
        return Raw(encode(self.value(value, pointer, level)))

    def value(self, value: Any, pointer: str, level: int) -> Any:
        """`value` as plain JSON values; the caller's objects are read, never changed."""
        kind = value.__class__
        if kind is str:
            return self._text(value, pointer)
        if value is None or kind is bool or kind is int:
            return value
        if kind is dict:
            return self._mapping(value, pointer, level)
        if kind is list or kind is tuple:
            return self._items(value, pointer, level)
        if kind is float:
            return self._number(value, pointer)
        return self._other(value, pointer, level)

    def _text(self, value: str, pointer: str) -> str:
        if value.isascii():
            return value
        text, repaired = repair_text(value)
        if repaired:
            note_surrogate(pointer, self.warnings)
        return text

    def _number(self, value: float, pointer: str) -> float:
        if not isfinite(value):
            raise InvalidRequest(f"{value!r} is no JSON number", pointer)
        return value

    def _mapping(self, value: Mapping[Any, Any], pointer: str, level: int) -> dict[str, Any]:
        if level >= MAX_DEPTH:
            raise too_nested(pointer)
        clean: dict[str, Any] = {}
        for key, item in value.items():
            if not isinstance(key, str):
                raise InvalidRequest(f"an object key of type {type(key).__name__} is no JSON string", pointer)
            at = f"{pointer}/{pointer_key(key)}"
            clean[self._text(str(key), at)] = self.value(item, at, level + 1)
        return clean

    def _items(self, value: list[Any] | tuple[Any, ...], pointer: str, level: int) -> list[Any]:
        if level >= MAX_DEPTH:
            raise too_nested(pointer)
        return [self.value(item, f"{pointer}/{index}", level + 1) for index, item in enumerate(value)]

    def _other(self, value: Any, pointer: str, level: int) -> Any:
        if isinstance(value, str):
            return self._text(str.__str__(value), pointer)
        if isinstance(value, int):
            return int(value)
        if isinstance(value, float):
            return self._number(float(value), pointer)
        if isinstance(value, Mapping):
            return self._mapping(value, pointer, level)
        if isinstance(value, list | tuple):
            return self._items(value, pointer, level)
        dump = getattr(value, "model_dump", None)
        if callable(dump) and not isinstance(value, type):
            dumped = dump()
            if dumped is value or level >= MAX_DEPTH:
                raise InvalidRequest("model_dump() gives no JSON value", pointer)
            return self.value(dumped, pointer, level + 1)
        raise InvalidRequest(f"a value of type {type(value).__name__} is no JSON", pointer)
