"""What both styles' replies share: reading a body exactly once, counts, and words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta

from toolnexus.errors import TranslateError
from toolnexus.result import Warning
from toolnexus.wire.exact import MAX_DEPTH, repair_escapes, too_deep
from toolnexus.wire.failure import HeadersIn, error_inside, invalid_response, kept

T = TypeVar("T")

Count = Annotated[int, Meta(ge=0)]
"""A token count as it should be; a reply with another one is read carefully."""

_MOST_DIGITS = 18
_DEEPEST = 2 * MAX_DEPTH
_REPAIRED = Warning("reply-repaired", "", "the reply was not valid Unicode; U+FFFD stands where it was not")


class Body:
    """One reply's body: its bytes (repaired where they were no Unicode), and the warnings of reading it."""

    __slots__ = ("_config", "_headers", "_status", "data", "warnings")

    def __init__(self, status: int, headers: HeadersIn, data: bytes, config: Any) -> None:
        self._status = status
        self._headers = headers
        self._config = config
        self.data = data[3:] if data.startswith(b"\xef\xbb\xbf") else data
        self.warnings: list[Warning] = []
        try:
            self.data.decode()
        except UnicodeDecodeError:
            self._repair()

    def read(self, decoder: Callable[[bytes], T]) -> T | None:
        """The body by a typed decoder, None where its shape is another; raises where it is no JSON, or too deep."""
        # Looked at here, for what a decoder itself refuses depends on the interpreter and on its recursion limit.
        if too_deep(self.data, _DEEPEST):
            raise self.no_answer(f"the provider's answer nests deeper than {_DEEPEST} levels")
        try:
            return decoder(self.data)
        except msgspec.ValidationError:
            return None
        except (msgspec.DecodeError, RecursionError):
            pass
        if not self.warnings:
            self._repair()
            try:
                return decoder(self.data)
            except msgspec.ValidationError:
                return None
            except (msgspec.DecodeError, RecursionError):
                pass
        raise self.no_answer(
            "the provider's answer is no JSON" if self.data.strip() else "the provider's answer is empty"
        )

    def no_answer(self, why: str) -> TranslateError:
        """The error of a 2xx without an answer: the provider's own where the body holds one (clause `error.in-200`)."""
        headers = kept(self._headers)
        inside = error_inside(self._status, headers, self.data, self._config)
        return inside or invalid_response(why, self._status, headers, self.data, self._config)

    def _repair(self) -> None:
        text, _ = repair_escapes(self.data.decode("utf-8", "replace"))
        if text.encode() != self.data:
            self.data = text.encode()
            self.warnings.append(_REPAIRED)


def count(value: Any) -> int:
    """A token count as a provider may write it: missing, null, negative and odd ones are 0."""
    if value.__class__ is int:
        return max(int(value), 0)
    if isinstance(value, float) and value.is_integer():
        return max(int(value), 0)
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= _MOST_DIGITS:
        return int(value)
    return 0


def part(value: Any, key: str) -> Any:
    """A key of an object that may be missing, null or something else."""
    return value.get(key) if isinstance(value, dict) else None
