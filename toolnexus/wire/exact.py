"""Exact JSON: values travel as the bytes they are.

`msgspec.Raw` splices bytes into a body and slices them out of a reply, so no number is reparsed and no key reordered.
What Raw does not check is checked here: duplicate keys, nesting, lone surrogates, Unicode (design.md, "Exact JSON").
"""

from __future__ import annotations

import json
import re
from math import isfinite
from typing import Any

import msgspec
from msgspec import Raw

MAX_DEPTH = 512
"""Levels of nesting that are carried; more is refused (clauses `request.json-clean`, `anthropic.args-malformed`)."""
INSIDE = MAX_DEPTH - 2
"""Levels left for a content part, which stands in a list of its message, and a schema, in a function of its tool."""

encode = msgspec.json.Encoder().encode
decode = msgspec.json.Decoder().decode
_encode_lines = msgspec.json.Encoder().encode_lines
_decode_lines = msgspec.json.Decoder().decode_lines
decode_fields = msgspec.json.Decoder(dict[str, Raw]).decode
decode_items = msgspec.json.Decoder(list[Raw]).decode
decode_string = msgspec.json.Decoder(str).decode

EMPTY_OBJECT = Raw(b"{}")

_BRACE, _END_BRACE = b"{}"

# A pair of escapes, half a pair, any other escape: in this order, so that each is consumed whole and `\\ud800` (an
# escaped backslash) is no surrogate.
_ESCAPES = re.compile(
    r"(\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\.", re.DOTALL
)
_SURROGATES = re.compile("[\ud800-\udfff]")
_PAIRS = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_NESTING = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[{]|[\]}]', re.DOTALL)

# A string, or one of the words that Python's reader takes for a number.
_NO_NUMBERS = re.compile(rb'"(?:[^"\\]|\\.)*"|(-?Infinity|NaN)', re.DOTALL)
_MOST_DIGITS = 4000


class NotExact(ValueError):
    """A JSON text that cannot be carried as it is; `str()` says why."""


def repair_escapes(text: str) -> tuple[str, bool]:
    """JSON text with each lone surrogate escape replaced by `\\ufffd`, and whether there was one (B8 53, F3)."""
    if "\\ud" not in text and "\\uD" not in text:
        return text, False
    repaired = _ESCAPES.sub(lambda m: "\\ufffd" if m.group(2) else m.group(0), text)
    return repaired, repaired != text


def repair_text(text: str) -> tuple[str, bool]:
    """A string with each lone surrogate replaced by U+FFFD, and whether there was one (B8 53)."""
    if text.isascii() or _SURROGATES.search(text) is None:
        return text, False
    # Code units that form a pair are one character, not two faults.
    paired = _PAIRS.sub(lambda m: m.group().encode("utf-16", "surrogatepass").decode("utf-16"), text)
    repaired = _SURROGATES.sub("\ufffd", paired)
    return repaired, repaired != paired


def depth(data: bytes) -> int:
    """The deepest nesting of a JSON text, brackets inside strings not counted."""
    deepest = level = 0
    for match in _NESTING.finditer(data):
        token = match.group()
        if token in b"[{":
            level += 1
            deepest = max(deepest, level)
        elif token in b"]}":
            level -= 1
    return deepest


def too_deep(data: bytes, levels: int = MAX_DEPTH, longest: int | None = None) -> bool:
    """Whether a JSON text nests deeper than `levels`; its length or its brackets' number decides almost always.

    `data` may be several texts in a row; `longest` is then the length of the longest.
    """
    length = len(data) if longest is None else longest
    if length <= 2 * levels:
        return False
    # An object that holds another takes five bytes, {"":} around it; most texts of this length have few lists.
    room = levels - length // 5
    at = data.find(b"[")
    while at >= 0 and room > 0:
        at = data.find(b"[", at + 1)
        room -= 1
    return room <= 0 and data.count(b"{") + data.count(b"[") > levels and depth(data) > levels


def all_object_bytes(texts: list[str]) -> bool:
    """Whether each text is a JSON object that can travel as the bytes it is, looked at together, which is cheap.

    A no says nothing of any of them: then `object_bytes` does.
    """
    try:
        # A line is read by itself, so that no text can lend another its brackets; a text of several lines is a no.
        data = "\n".join(texts).encode()
        values = _decode_lines(data)
    except (UnicodeEncodeError, msgspec.MsgspecError, RecursionError):
        return False
    if len(values) != len(texts) or {value.__class__ for value in values} != {dict} or b"\\u" in data:
        return False
    if [text for text in texts if text[0] != "{" or text[-1] != "}"]:
        return False
    # As in `object_bytes`: a duplicate key is dropped by decoding, and with it a colon.
    return _encode_lines(values).count(b":") == data.count(b":") and not too_deep(data)


def object_bytes(text: str) -> tuple[Raw, bool]:
    """The bytes of a JSON object given as text, and whether a lone surrogate in it was replaced.

    Every token, key order and white space inside stay as written (clause `anthropic.args-exact`). Raises `NotExact` for
    anything that is no JSON object, holds a duplicate key or nests too deep (clause `anthropic.args-malformed`).
    """
    try:
        data = text.encode()
        if b"\\u" not in data:
            value = decode(data)
            # A duplicate key is dropped by decoding, and with it a colon; without \u escapes nothing else changes their
            # number.
            colons = data.count(b":")
            if (
                value.__class__ is dict
                and (colons == len(value) or encode(value).count(b":") == colons)
                and (len(data) <= 2 * MAX_DEPTH or not too_deep(data))
            ):
                return Raw(data if data[0] == _BRACE and data[-1] == _END_BRACE else data.strip()), False
    except (UnicodeEncodeError, msgspec.MsgspecError, RecursionError):
        pass
    return _object_bytes_carefully(text)


def _object_bytes_carefully(text: str) -> tuple[Raw, bool]:
    text, raw_surrogate = repair_text(text)
    text, escaped_surrogate = repair_escapes(text)
    data = text.strip(" \t\n\r").encode()
    if too_deep(data):
        raise NotExact(f"nested deeper than {MAX_DEPTH} levels")
    try:
        # Numbers stay text: 1e400 and 5,000-digit integers are JSON, whatever a float or an int can hold.
        # As text: of bytes, json would skip a byte order mark, which no JSON value begins with.
        value = json.loads(
            data.decode(), object_pairs_hook=_unique, parse_int=str, parse_float=str, parse_constant=_constant
        )
    except RecursionError as error:  # pragma: no cover - the depth was checked
        raise NotExact("nested too deep") from error
    except NotExact:
        raise
    except ValueError as error:
        raise NotExact(f"no JSON: {error}") from None
    if not isinstance(value, dict):
        raise NotExact("no JSON object")
    return Raw(data), raw_surrogate or escaped_surrogate


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise NotExact("a key stands twice in one object")
    return value


def _constant(name: str) -> Any:
    raise NotExact(f"{name} is no JSON")


def plain(data: bytes | Raw) -> Any:
    """A JSON text as plain Python values; numbers beyond a float become infinity only here, in what is shown."""
    try:
        return decode(data)
    except msgspec.MsgspecError:
        # As text: of bytes, json would let half a surrogate pair pass.
        return json.loads(bytes(data).decode(), parse_int=_integer)


def _integer(text: str) -> int | float:
    # Python reads no integer of more digits (`sys.set_int_max_str_digits`); no float holds one either.
    return int(text) if len(text) <= _MOST_DIGITS else float(text)


def all_finite(value: Any) -> bool:
    """Whether JSON can hold every number of a plain value; one beyond a float was read as infinity."""
    if isinstance(value, float):
        return isfinite(value)
    if isinstance(value, dict):
        return all(all_finite(item) for item in value.values())
    return not isinstance(value, list) or all(all_finite(item) for item in value)


def where(data: bytes) -> str:
    """Where a text stops being JSON: `line L column C: reason`, for error messages."""
    try:
        json.loads(data, parse_constant=_constant)
    except NotExact as error:
        found = next(match for match in _NO_NUMBERS.finditer(data) if match.group(1))
        line = data.count(b"\n", 0, found.start()) + 1
        column = found.start() - data.rfind(b"\n", 0, found.start())
        return f"line {line} column {column}: {error}"
    except json.JSONDecodeError as error:
        return f"line {error.lineno} column {error.colno}: {error.msg}"
    except UnicodeDecodeError as error:
        return f"byte {error.start}: no UTF-8"
    except RecursionError:
        return "nested too deep"
    except ValueError as error:
        return str(error)
    return "a number or string that no JSON value can hold"
