"""The shape of a case file as small tables: the quick structural check behind one-line corpus faults.

`fixtures/case.schema.json` says the same and more, for other languages and for lint; it is not read at run time
because a schema validator costs more than the run.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from conformance.tree import BadPointer, Json, Number, join, steps

Check = Callable[[Json], None]


class Misshapen(Exception):
    """A part of a case has the wrong shape; `pointer` leads to it from where the check began."""

    def __init__(self, message: str, pointer: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.pointer = pointer

    def under(self, step: str | int) -> Misshapen:
        """The same fault, seen from one level up: pointers are only built when something is wrong."""
        self.pointer = join("", step) + self.pointer
        return self


@dataclass(frozen=True, slots=True)
class Record:
    """An object with known keys: each key's check, the keys that must be there, and those that exclude each other.

    An `open` one may have other keys beside them.
    """

    keys: dict[str, Check]
    required: tuple[str, ...] = ()
    one_of: tuple[str, ...] = ()
    open: bool = False

    def __call__(self, value: Json) -> None:
        if not isinstance(value, dict):
            raise Misshapen("must be an object")
        for key, item in value.items():
            check = self.keys.get(key)
            if check is None:
                if self.open:
                    continue
                raise Misshapen(f"unknown key; known are {', '.join(self.keys)}").under(key)
            try:
                check(item)
            except Misshapen as wrong:
                raise wrong.under(key) from None
        for key in self.required:
            if key not in value:
                raise Misshapen(f"must have {key}")
        if self.one_of and len(found := [key for key in self.one_of if key in value]) > 1:
            raise Misshapen(f"has {' and '.join(found)}; one is enough")


# -- checks -----------------------------------------------------------------------------------------------------------


def anything(value: Json) -> None:
    """Payload: judged elsewhere."""


def text(value: Json) -> None:
    """A string with something in it."""
    if type(value) is not str or not value:
        raise Misshapen("must be a text")


def any_text(value: Json) -> None:
    """A string."""
    if type(value) is not str:
        raise Misshapen("must be a text")


def an_object(value: Json) -> None:
    """An object of any keys."""
    if not isinstance(value, dict):
        raise Misshapen("must be an object")


def a_list(value: Json) -> None:
    """A list of anything."""
    if not isinstance(value, list):
        raise Misshapen("must be a list")


def a_number(value: Json) -> None:
    """A number, 0 or above."""
    if not isinstance(value, Number) or value.startswith("-"):
        raise Misshapen("must be a number, 0 or above")


def true(value: Json) -> None:
    """A switch that is on, or not written at all."""
    if value is not True:
        raise Misshapen("must be true, or absent")


def pattern(form: str, meaning: str) -> Check:
    """A text of a given form."""
    compiled = re.compile(form)

    def check_pattern(value: Json) -> None:
        if type(value) is not str or compiled.fullmatch(value) is None:
            raise Misshapen(f"must be {meaning}")

    return check_pattern


def one_of(*words: str) -> Check:
    """One of a few words."""

    def check_word(value: Json) -> None:
        if type(value) is not str or value not in words:
            raise Misshapen(f"must be one of {', '.join(words)}")

    return check_word


def integer(low: int, high: int = 2**31 - 1) -> Check:
    """An integer within bounds."""

    def check_integer(value: Json) -> None:
        if not isinstance(value, Number) or not value.isdecimal() or not low <= int(value[:11]) <= high:
            raise Misshapen(f"must be an integer from {low} to {high}")

    return check_integer


def or_null(check: Check) -> Check:
    """What passes the check, or null."""

    def check_or_null(value: Json) -> None:
        if value is not None:
            check(value)

    return check_or_null


def list_of(item: Check, least: int = 0) -> Check:
    """A list whose items pass a check."""

    def check_list(value: Json) -> None:
        if not isinstance(value, list) or len(value) < least:
            raise Misshapen("must be a list" + (f" of at least {least}" if least else ""))
        for index, entry in enumerate(value):
            try:
                item(entry)
            except Misshapen as wrong:
                raise wrong.under(index) from None

    return check_list


def map_of(item: Check, key: Check = anything) -> Check:
    """An object whose keys and values pass a check."""

    def check_map(value: Json) -> None:
        if not isinstance(value, dict):
            raise Misshapen("must be an object")
        for name, entry in value.items():
            try:
                key(name)
                item(entry)
            except Misshapen as wrong:
                raise wrong.under(name) from None

    return check_map


def pointer(value: Json) -> None:
    """A JSON pointer."""
    any_text(value)
    try:
        steps(str(value))
    except BadPointer as wrong:
        raise Misshapen(str(wrong)) from None


def base64_text(value: Json) -> None:
    """Base64 of some bytes."""
    any_text(value)
    try:
        base64.b64decode(str(value), validate=True)
    except ValueError:
        raise Misshapen("must be base64") from None


def piece(value: Json) -> None:
    """Exact bytes: a text, or `{"base64": …}` where they are no UTF-8."""
    if isinstance(value, dict):
        _PIECE(value)
    else:
        any_text(value)


# -- tables -----------------------------------------------------------------------------------------------------------

_NAME = r"[a-z0-9]+(-[a-z0-9]+)*"
_PIECE: Final = Record({"base64": base64_text}, required=("base64",))
_HEADERS: Final = map_of(any_text)

STYLES: Final = ("anthropic", "openai")

CLIENT: Final = Record(
    {
        "style": one_of(*STYLES),
        "base_url": text,
        "model": text,
        "api_key": any_text,
        "headers": _HEADERS,
        "system_prompt": any_text,
        "anthropic_version": text,
        "retries": integer(0),
        "retry_base_ms": integer(0),
        "retryable_statuses": list_of(integer(100, 599)),
        "max_retry_after_s": a_number,
        "timeout_ms": integer(1),
        "connect_timeout_ms": integer(1),
        "read_timeout_ms": integer(1),
        "models": an_object,
    },
    required=("style", "base_url", "model"),
)

EXPECT: Final = Record(
    {
        "method": text,
        "path": pattern("/.*", "a path"),
        "headers": an_object,
        "present_headers": list_of(text),
        "absent_headers": list_of(text),
        "body": anything,
    }
)

_SSE: Final = Record({"event": any_text, "data": anything}, required=("data",))

REPLY: Final = Record(
    {
        "status": integer(100, 599),
        "headers": _HEADERS,
        "provider": true,
        "json": anything,
        "text": any_text,
        "base64": base64_text,
        "sse": list_of(_SSE),
        "chunks": list_of(piece),
        "wire": piece,
        "fault": one_of("reset-before-reply", "close-mid-body", "stall"),
    },
    one_of=("json", "text", "base64", "sse", "chunks", "wire"),
)

_TOKENS: Final = Record(
    dict.fromkeys(
        (
            "prompt_tokens",
            "completion_tokens",
            "total_tokens",
            "cached_tokens",
            "cache_write_tokens",
            "reasoning_tokens",
        ),
        anything,
    )
)


def usage(value: Json) -> None:
    """Token counts, null, or a loosener."""
    if value is not None and not (isinstance(value, dict) and len(value) == 1 and next(iter(value)).startswith("$")):
        _TOKENS(value)


RESULT: Final = Record(
    {
        **dict.fromkeys(("text", "tool_calls", "finish_reason", "model", "refusal", "reasoning"), anything),
        "usage": usage,
        **dict.fromkeys(("message", "raw"), anything),
    }
)

ERROR: Final = Record(
    {
        "kind": one_of("invalid-request", "provider", "transport", "invalid-response"),
        **dict.fromkeys(
            ("status", "type", "param", "code", "message", "pointer", "retry_after", "request_id"), anything
        ),
    },
    required=("kind",),
)

_HOOKS: Final = ("before_llm", "after_llm", "on_error")

CASE: Final = Record(
    {
        "id": pattern(f"{_NAME}/{_NAME}/{_NAME}", "style/area/name, in lower case"),
        "title": text,
        "level": one_of("must", "should", "may"),
        "clauses": list_of(text, 1),
        "requires": list_of(text, 1),
        "why": text,
        "source": an_object,
        "since": pattern(r"\d+\.\d+", "a version such as 1.0"),
        "loose": map_of(text, pointer),
        "deviates": map_of(text, pointer),
        "repeat": integer(2, 5),
        "client": CLIENT,
        "toolkit": list_of(an_object),
        "hooks": Record(dict.fromkeys(_HOOKS, anything)),
        "request_params": an_object,
        "body_transform": an_object,
        "request": an_object,
        "request_text": text,
        "exchanges": list_of(Record({"expect": EXPECT, "reply": REPLY}, required=("expect", "reply"))),
        "declare": Record(dict.fromkeys(("openai", "anthropic", "gemini"), a_list)),
        "stream": true,
        "deltas": list_of(an_object),
        "result": RESULT,
        "error": ERROR,
        "fired": map_of(integer(0)),
        "warnings": list_of(Record({"code": text, "pointer": pointer}, required=("code", "pointer"))),
        "variants": map_of(map_of(anything, pointer), pattern(r"[a-z0-9]+([-.][a-z0-9]+)*", "a name in lower case")),
    },
    required=("id", "title", "level", "clauses", "requires", "why", "source", "since"),
)
