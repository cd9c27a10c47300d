"""A request as it reaches a provider: headers, bytes, and the body read from them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from conformance import tree

Body = dict[str, Any] | bytes | str

LONGEST_INTEGER = 4000

_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPED_SURROGATE = re.compile(r"\\u[dD]([89abAB]|[c-fC-F])[0-9a-fA-F]{2}")


class UnreadableError(ValueError):
    """The bytes are no JSON.

    When only half of a surrogate pair stands in the way (B8 53), `surrogate` is true and `body` is
    what a laxer reader makes of them.
    """

    def __init__(self, reason: str, *, surrogate: bool = False, body: Any = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.surrogate = surrogate
        self.body = body


@dataclass(frozen=True, slots=True, repr=False)
class Incoming:
    """What a provider sees of one request.

    `headers` are None when the request is judged by its body alone. `version` is Anthropic's API
    version, taken from the header where there is one.
    """

    body: Body
    headers: Mapping[str, str] | None
    version: str

    @classmethod
    def of(cls, body: Body, headers: Mapping[str, str] | None, version: str) -> Incoming:
        """The request with its header names lower-cased."""
        if headers is None:
            return cls(body, None, version)
        lowered = {name.lower(): value for name, value in headers.items()}
        return cls(body, lowered, lowered.get("anthropic-version") or version)

    def header(self, name: str) -> str:
        """A header by its lower-case name, without blanks around it; "" when absent."""
        return (self.headers or {}).get(name, "").strip()

    def size(self) -> int:
        """The body's size in bytes; for a decoded body, the characters of its strings."""
        if isinstance(self.body, bytes):
            return len(self.body)
        if isinstance(self.body, str):
            return len(self.body.encode("utf-8", "replace"))
        return sum(map(len, strings(self.body)))

    def read(self) -> Any:
        """The body as decoded JSON, with plain numbers; raises `UnreadableError`."""
        if isinstance(self.body, dict):
            return _settled(self.body)
        return _parsed(self.body)


def strings(body: object) -> Iterator[str]:
    """Every string value in a decoded body; object names are not looked at."""
    waiting: list[object] = [body]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value


def has_lone_surrogate(body: object) -> bool:
    """Whether a string holds half of a surrogate pair (B8 53)."""
    return any(not text.isascii() and _SURROGATE.search(text) for text in strings(body))


def _settled(body: dict[str, Any]) -> Any:
    exact = False
    for text in strings(body):
        exact = exact or isinstance(text, tree.Number)
        if not text.isascii() and _SURROGATE.search(text):
            raise UnreadableError("no low surrogate in string", surrogate=True, body=body)
    return tree.plain(body) if exact else body


def _parsed(body: bytes | str) -> Any:
    try:
        text = body if isinstance(body, str) else body.decode("utf-8")
        value = json.loads(text, parse_constant=_no_constant, parse_int=_integer)
    except json.JSONDecodeError as wrong:
        raise UnreadableError(f"{wrong.msg}: line {wrong.lineno} column {wrong.colno} (char {wrong.pos})") from None
    except UnicodeDecodeError as wrong:
        raise UnreadableError(f"invalid UTF-8: line 1 column {wrong.start + 1} (char {wrong.start})") from None
    except RecursionError:
        raise UnreadableError("nested too deeply") from None
    except ValueError as wrong:
        raise UnreadableError(str(wrong)) from None
    if has_lone_surrogate(value):
        raise UnreadableError(_surrogate_reason(text), surrogate=True, body=value)
    return value


def _no_constant(token: str) -> NoReturn:
    raise ValueError(f"{token} is no JSON")


def _integer(token: str) -> int | float:
    # Python refuses to read longer integers, JSON does not.
    return int(token) if len(token) <= LONGEST_INTEGER else float(token)


def _surrogate_reason(text: str) -> str:
    place = next(iter(_lone_escapes(text)), 0)
    line = text.count("\n", 0, place) + 1
    column = place - text.rfind("\n", 0, place)
    return f"no low surrogate in string: line {line} column {column} (char {place})"


def _lone_escapes(text: str) -> Iterator[int]:
    high: int | None = None
    for match in _ESCAPED_SURROGATE.finditer(text):
        if match[1] in "89abAB":
            if high is not None:
                yield high
            high = match.start()
        elif high == match.start() - 6:
            high = None
        else:
            yield match.start() if high is None else high
            high = None
    if high is not None:
        yield high
