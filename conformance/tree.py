"""Exact JSON trees: what `canonical.read` gives, and the few things the kit does to them.

A tree holds dict, list, str, bool, None and `Number`, a number as its token; nothing is ever rounded.
"""

from __future__ import annotations

import enum
import json
import math
import re
from collections.abc import Iterator
from json.encoder import encode_basestring
from typing import Any, Final

from conformance.canonical import Json, NotJson, Number, read

__all__ = [
    "ABSENT",
    "Absent",
    "BadPointer",
    "Json",
    "NotJson",
    "Number",
    "compact",
    "expand_repeat",
    "from_python",
    "get",
    "join",
    "numbers",
    "plain",
    "put",
    "read",
    "read_bytes",
    "steps",
]


class Absent(enum.Enum):
    """The type of `ABSENT`, which is not JSON's null."""

    ABSENT = "absent"

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = Absent.ABSENT

_NOT_ASCII = re.compile("[^\x00-\x7f]")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class BadPointer(ValueError):
    """A JSON pointer that leads nowhere; the message says where it ends."""


def read_bytes(body: bytes) -> Json:
    """Read a body that must be UTF-8 JSON; raises `NotJson`."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as wrong:
        raise NotJson(f"no UTF-8 at byte {wrong.start}", body.count(b"\n", 0, wrong.start) + 1) from None
    return read(text)


def _quoted(text: str) -> str:
    raw = encode_basestring(text)
    return raw if raw.isascii() else _LONE_SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", raw)


_CONSTANTS: Final = {True: "true", False: "false", None: "null"}


def compact(value: Json) -> str:
    """Print a tree without spaces, number tokens and key order as they are."""
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, dict):
        return "{" + ",".join([f"{_quoted(key)}:{compact(item)}" for key, item in value.items()]) + "}"
    if isinstance(value, list):
        return "[" + ",".join([compact(item) for item in value]) + "]"
    return _CONSTANTS[value]


def ascii_only(text: str) -> str:
    """The same JSON text in ASCII: a protocol line survives every locale."""
    return _NOT_ASCII.sub(lambda match: json.dumps(match[0])[1:-1], text)


def plain(value: Json) -> Any:
    """The tree as ordinary Python values, a fresh copy; integers stay exact, other numbers become floats."""
    if isinstance(value, Number):
        return int(value) if value.lstrip("-").isdigit() and len(value) <= 4000 else float(value)
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value


def from_python(value: Any, pointer: str = "") -> Json:
    """The tree of a Python port's answer; raises `BadPointer` where JSON cannot hold the value."""
    if value is None or isinstance(value, (bool, Number)):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int):
        return Number(int(value))
    if isinstance(value, float):
        # Infinity and NaN come from readers for which 1e400 is too big: no JSON number equals them.
        return Number(repr(float(value)) if math.isfinite(value) else f"({value})")
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {key: from_python(item, join(pointer, key)) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [from_python(item, join(pointer, index)) for index, item in enumerate(value)]
    raise BadPointer(f"{pointer or '/'}: JSON cannot hold {type(value).__name__}")


def join(pointer: str, step: str | int) -> str:
    """The pointer one step further (RFC 6901)."""
    if isinstance(step, int):
        return f"{pointer}/{step}"
    return f"{pointer}/{step.replace('~', '~0').replace('/', '~1')}"


def steps(pointer: str) -> list[str]:
    """The steps of a pointer, unescaped; raises `BadPointer`."""
    if pointer and not pointer.startswith("/"):
        raise BadPointer(f"{pointer}: a JSON pointer starts with /")
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]


def _index(step: str, size: int) -> int | None:
    """The place in a list; a leading zero is none (RFC 6901)."""
    if not (step.isascii() and step.isdecimal()) or (step != "0" and step.startswith("0")):
        return None
    return int(step) if int(step) < size else None


def get(value: Json, pointer: str) -> Json | Absent:
    """What stands at the pointer, or `ABSENT`."""
    for step in steps(pointer):
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and (index := _index(step, len(value))) is not None:
            value = value[index]
        else:
            return ABSENT
    return value


def put(value: Json, pointer: str, new: Json) -> Json:
    """A copy of the tree with `new` at the pointer, in place of what stands there or added; `-` appends to a list."""
    path = steps(pointer)
    return _put(value, path, new, "") if path else new


def _put(value: Json, path: list[str], new: Json, walked: str) -> Json:
    step, rest = path[0], path[1:]
    here = join(walked, step)
    if isinstance(value, dict) and (step in value or not rest):
        return {**value, step: _put(value[step], rest, new, here) if rest else new}
    if isinstance(value, list):
        index = len(value) if step == "-" and not rest else _index(step, len(value))
        if index is not None:
            item = _put(value[index], rest, new, here) if rest else new
            return [*value[:index], item, *value[index + 1 :]]
    raise BadPointer(f"{here}: nothing there")


def expand_repeat(value: Json) -> Json:
    """The tree with every `{"$repeat": [text, n]}` written out; raises `BadPointer` for a malformed one."""
    if isinstance(value, list):
        return [expand_repeat(item) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1 and "$repeat" in value:
        return _repeated(value["$repeat"])
    return {key: expand_repeat(item) for key, item in value.items()}


def _repeated(argument: Json) -> str:
    match argument:
        case [str() as text, Number() as times] if times.isdigit() and not isinstance(text, Number):
            return text * int(times)
        case _:
            raise BadPointer("$repeat takes [text, n]")


def numbers(value: Json) -> Iterator[Number]:
    """Every number of a tree."""
    if isinstance(value, Number):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from numbers(item)
    elif isinstance(value, list):
        for item in value:
            yield from numbers(item)
