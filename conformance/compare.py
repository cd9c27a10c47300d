"""Strict matching: is what a port sent exactly what a case asks for?

Object order is free, array order is not; extra keys differ, absent is not null, true is not 1, 1 is not 1.0
(corpus-and-protocol, "Matching"). This module alone judges; `differences` only shows.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Final, Literal

from conformance.tree import ABSENT, Absent, Json, NotJson, Number, join, read

Kind = Literal["missing", "unexpected", "type", "value", "not-json"]


@dataclass(frozen=True, slots=True)
class Mismatch:
    """The first place that differs: a JSON pointer and how it differs (a ledger's `signature`)."""

    pointer: str
    kind: Kind


def match(want: Json, got: Json, *, loose: bool = True) -> Mismatch | None:
    """Compare two trees; None when they are equal, else the first mismatch in the expected tree's order.

    `loose=False` takes every `$` key as data.
    """
    found = _match(want, got, loose)
    if found is None:
        return None
    kind, path = found
    pointer = ""
    for step in reversed(path):
        pointer = join(pointer, step)
    return Mismatch(pointer, kind)


#: How two nodes differ, and the steps from them up to the root of the comparison, collected on the way out.
_Found = tuple[Kind, list[str | int]]


def _match(want: Json, got: Json, loose: bool) -> _Found | None:
    if isinstance(want, dict):
        if loose and len(want) == 1:
            name, argument = next(iter(want.items()))
            if (judge := _LOOSENERS.get(name)) is not None:
                return None if judge(argument, got) else ("value", [])
        return _objects(want, got, loose) if isinstance(got, dict) else ("type", [])
    if isinstance(want, list):
        return _arrays(want, got, loose) if isinstance(got, list) else ("type", [])
    if type(want) is not type(got):
        return "type", []
    if want == got or (isinstance(want, Number) and isinstance(got, Number) and same_number(want, got)):
        return None
    return "value", []


def _objects(want: dict[str, Json], got: dict[str, Json], loose: bool) -> _Found | None:
    for key, value in want.items():
        if key not in got:
            return "missing", [key]
        if (found := _match(value, got[key], loose)) is not None:
            found[1].append(key)
            return found
    if len(got) > len(want):
        return "unexpected", [next(key for key in got if key not in want)]
    return None


def _arrays(want: list[Json], got: list[Json], loose: bool) -> _Found | None:
    for index, (left, right) in enumerate(zip(want, got, strict=False)):
        if (found := _match(left, right, loose)) is not None:
            found[1].append(index)
            return found
    if len(want) == len(got):
        return None
    return "missing" if len(want) > len(got) else "unexpected", [min(len(want), len(got))]


def is_integer(token: Number) -> bool:
    """Is the token an integer as written (`1`, not `1.0` and not `1e2`)?"""
    return token.lstrip("-").isdigit()


def same_number(want: Number, got: Number) -> bool:
    """Are two tokens the same number of the same kind? `1.10` is `1.1`; `1` is not `1.0`, nor `0` `-0`."""
    if want == got:
        return True
    if is_integer(want) or is_integer(got):
        return False
    try:
        left, right = Decimal(want), Decimal(got)
    except InvalidOperation:  # an exponent beyond Decimal's: only the same token is surely the same
        return False
    return left == right and left.is_signed() == right.is_signed()


# -- looseners --------------------------------------------------------------------------------------------------------

_TYPE_NAMES: Final = ("object", "array", "string", "integer", "number", "boolean", "null")


def type_of(value: Json | Absent) -> str:
    """JSON Schema's name of a value's type; `integer` is an integer as written."""
    if isinstance(value, Number):
        return "integer" if is_integer(value) else "number"
    if isinstance(value, str):
        return "string"
    if isinstance(value, dict):
        return "object"
    if isinstance(value, list):
        return "array"
    if value is ABSENT:
        return "absent"
    return "null" if value is None else "boolean"


def _any(argument: Json, got: Json) -> bool:
    return True


def _type(argument: Json, got: Json) -> bool:
    found = type_of(got)
    return found == argument or (argument == "number" and found == "integer")


def _regex(argument: Json, got: Json) -> bool:
    return isinstance(argument, str) and type(got) is str and re.search(argument, got) is not None


def _json(argument: Json, got: Json) -> bool:
    if type(got) is not str:
        return False
    try:
        return match(argument, read(got)) is None
    except NotJson:
        return False


def _any_of(argument: Json, got: Json) -> bool:
    return isinstance(argument, list) and any(match(choice, got) is None for choice in argument)


def _raw(argument: Json, got: Json) -> bool:
    return isinstance(got, Number) and isinstance(argument, str) and str(got) == str(argument)


def _literal(argument: Json, got: Json) -> bool:
    return match(argument, got, loose=False) is None


_LOOSENERS: Final[dict[str, Callable[[Json, Json], bool]]] = {
    "$any": _any,
    "$type": _type,
    "$regex": _regex,
    "$json": _json,
    "$any_of": _any_of,
    "$raw": _raw,
    "$literal": _literal,
}

#: The keys that loosen when they stand alone in an object; every other `$` key is data.
LOOSENERS: Final = frozenset(_LOOSENERS)


def loosener(value: Json) -> tuple[str, Json] | None:
    """The loosener's key and argument, when the value is one."""
    if isinstance(value, dict) and len(value) == 1:
        name, argument = next(iter(value.items()))
        if name in _LOOSENERS:
            return name, argument
    return None
