"""The one strict walk over values that a caller built in Python (clauses `request.json-clean`, `request.unicode`).

msgspec writes NaN as `null`, bytes as base64 and sets as lists without a word, so nothing reaches its encoder that this
walk has not seen. What came as JSON bytes (`TranslateRequest.from_json`) needs no walk.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
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
    """Notes half a surrogate pair; in arguments given as an object, at the arguments, once (`request.unicode`)."""
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
        """The JSON bytes of `value`, whose nesting starts at `level`.

        Raises `InvalidRequest` at the first part that JSON cannot hold.
        """
        if _is_plain(value, level):
            # Half a surrogate pair is no Unicode, and a number of thousands of digits no int that Python would write.
            with suppress(ValueError, RecursionError):
                return Raw(encode(value))
        try:
            return Raw(encode(self.value(value, pointer, level)))
        except RecursionError:
            raise too_nested(pointer) from None

    def value(self, value: Any, pointer: str, level: int) -> Any:
        """`value` as plain JSON values; the caller's objects are read, never changed."""
        clean: list[Any] = [None]
        # One generator an open object or list, so that no depth of the caller's is a depth of Python's.
        walks = [self._put(clean, 0, value, pointer, level)]
        while walks:
            below = next(walks[-1], None)
            if below is None:
                walks.pop()
            else:
                walks.append(below)
        return clean[0]

    def _put(self, target: Any, place: Any, value: Any, pointer: str, level: int) -> _Walk:
        """Puts the clean value in its place in `target`; yields a walk for each value below it that is not a leaf."""
        value = _read(value, pointer)
        kind = value.__class__
        if kind is dict or kind is list:
            if level >= MAX_DEPTH:
                raise too_nested(pointer)
            clean: Any = {} if kind is dict else [None] * len(value)
            target[place] = clean
            yield from (self._mapping if kind is dict else self._items)(clean, value, pointer, level + 1)
        else:
            target[place] = self._text(value, pointer) if kind is str else value

    def _mapping(self, clean: dict[str, Any], value: dict[Any, Any], pointer: str, level: int) -> _Walk:
        for key, item in value.items():
            if not isinstance(key, str):
                raise InvalidRequest(f"an object key of type {type(key).__name__} is no JSON string", pointer)
            at = f"{pointer}/{pointer_key(key)}"
            yield self._put(clean, self._text(str.__str__(key), at), item, at, level)

    def _items(self, clean: list[Any], value: list[Any], pointer: str, level: int) -> _Walk:
        for index, item in enumerate(value):
            yield self._put(clean, index, item, f"{pointer}/{index}", level)

    def _text(self, value: str, pointer: str) -> str:
        text, repaired = repair_text(value)
        if repaired:
            note_surrogate(pointer, self.warnings)
        return text


_Walk = Iterator[Any]
# Python writes no integer of more than 4,300 digits (`sys.set_int_max_str_digits`).
_MOST_BITS = 14_000
_LEAVES = frozenset({str, int, bool, type(None)})
_CONTAINERS = frozenset({dict, list, tuple})


def _is_plain(value: Any, level: int) -> bool:
    """Whether a value is made of JSON's own types alone, so that it can be encoded as it is."""
    if value.__class__ not in _CONTAINERS:
        return value.__class__ in _LEAVES
    # The last container first: a cycle comes to the depth that ends the walk, however wide it is.
    open_values = [(value, level)]
    while open_values:
        container, level = open_values.pop()
        if level >= MAX_DEPTH:
            return False
        below: Any = container
        if container.__class__ is dict:
            below = container.values()
            if not all(key.__class__ is str for key in container):
                return False
        for item in below:
            kind = item.__class__
            if kind in _LEAVES:
                continue
            if kind in _CONTAINERS:
                open_values.append((item, level + 1))
            elif kind is not float or not isfinite(item):
                return False
    return True


def _read(value: Any, pointer: str) -> Any:
    """One value as JSON's own type: dict, list, str, number, boolean, None. Raises `InvalidRequest` if it is none."""
    if isinstance(value, str):
        return str.__str__(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        if value.bit_length() > _MOST_BITS:
            raise InvalidRequest("an integer of more digits than Python writes", pointer)
        return int(value)
    if isinstance(value, float):
        if not isfinite(value):
            raise InvalidRequest(f"{float(value)!r} is no JSON number", pointer)
        return float(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, list | tuple):
        return list(value)
    if callable(getattr(value, "model_dump", None)) and not isinstance(value, type):
        dumped = dumped_model(value)
        if not isinstance(dumped, Mapping | list | tuple):
            raise InvalidRequest("model_dump() gives no JSON value", pointer)
        return _read(dumped, pointer)
    raise InvalidRequest(f"a value of type {type(value).__name__} is no JSON", pointer)


def dumped_model(value: Any) -> Any:
    """What a pydantic model says: its fields, without those that nobody set and that hold nothing.

    An SDK's own message type has fields its reply never had; sent back as nulls, some servers refuse them.
    """
    try:
        return {**value.model_dump(exclude_unset=True), **value.model_dump(exclude_none=True)}
    except TypeError:
        return value.model_dump()
