"""Bodies and replies against the vendors' own types: a second opinion beside the rules.

Needs the SDKs of the `dev` extra, which are imported only when a check is asked for: `anthropic` 0.125.x, the last with
version 2023-06-01's sampling parameters, and `openai`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from pydantic_core import SchemaValidator


class SdkMissingError(RuntimeError):
    """An official SDK is not installed; the message says what to install."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """One thing the SDK's types refuse and the service takes or sends.

    `where` matches the dotted place of the complaint as a whole, `kind` is pydantic's error type, and
    `saying` is found in its message.
    """

    where: str
    kind: str
    because: str
    saying: str = ""

    def covers(self, where: str, kind: str, message: str) -> bool:
        """Whether a complaint is the one allowed."""
        return self.kind == kind and bool(re.fullmatch(self.where, where)) and bool(re.search(self.saying, message))


_EXTRA = "extra_forbidden"
_TAG = "union_tag_invalid"

REQUESTS_ALLOWED: Mapping[str, tuple[Allowance, ...]] = {
    "anthropic": (
        Allowance(r"speed|diagnostics", _EXTRA, "documented later than this SDK (B2)"),
        Allowance(r"thinking", _TAG, "later than this SDK (B7)", "^Input tag 'type=between_tools'"),
    ),
    "openai": (
        Allowance(
            r"messages\.\d+\.(tool_calls\.\d+\.)?(reasoning_content|reasoning|extra_content)",
            _EXTRA,
            "compatible servers need their own fields back (A10, clause openai.echo)",
        ),
    ),
}

REPLIES_ALLOWED: Mapping[str, tuple[Allowance, ...]] = {
    "anthropic": (
        Allowance(
            r"error",
            _TAG,
            "documented, absent from the SDK (B12)",
            "^Input tag 'type=(request_too_large|conflict_error)'",
        ),
        Allowance(r"error\.details", _EXTRA, "documented, absent from the SDK's error classes (B12)"),
        Allowance(r"content\.\d+\.content\.abort_reason", _EXTRA, "seen from the service in 2026 on code execution"),
    ),
    "openai": (),
}


def check_request(style: str, body: Mapping[str, Any]) -> list[str]:
    """What the SDK's request types have against a body, one line each: `place: complaint`.

    Raises `SdkMissingError` without the SDK, ValueError for an unknown style.
    """
    streaming = body.get("stream") is True
    return list(_complaints(_request(style, streaming), body, REQUESTS_ALLOWED[style]))


def check_reply(style: str, reply: Mapping[str, Any]) -> list[str]:
    """What the SDK's response types have against a plain reply or an error body, one line each.

    Raises `SdkMissingError` without the SDK, ValueError for an unknown style.
    """
    validator = _error(style) if "error" in reply else _reply(style)
    return list(_complaints(validator, reply, REPLIES_ALLOWED[style]))


def _complaints(validator: SchemaValidator, value: object, allowed: Sequence[Allowance]) -> Iterator[str]:
    from pydantic_core import ValidationError

    try:
        validator.validate_python(value)
    except ValidationError as wrong:
        for error in wrong.errors(include_url=False, include_input=False, include_context=False):
            where = _place(error["loc"])
            if not any(row.covers(where, error["type"], error["msg"]) for row in allowed):
                yield f"{where or 'body'}: {error['msg']}"


def _place(steps: tuple[str | int, ...]) -> str:
    """The place without the tags of the unions on the way."""
    return ".".join(str(step) for step in steps if not _is_tag(step))


def _is_tag(step: str | int) -> bool:
    return isinstance(step, str) and (step in ("string", "list", "object", "none") or "=" in step)


@cache
def _request(style: str, streaming: bool) -> SchemaValidator:
    return _built(_pick(style, _REQUESTS)(streaming))


@cache
def _reply(style: str) -> SchemaValidator:
    return _built(_pick(style, _REPLIES)())


@cache
def _error(style: str) -> SchemaValidator:
    return _built(_pick(style, _ERRORS)())


def _built(python_type: object) -> SchemaValidator:
    from conformance.providers.sdk_strict import strict_validator

    return strict_validator(python_type)


def _pick(style: str, table: Mapping[str, Callable[..., object]]) -> Callable[..., object]:
    if style not in table:
        raise ValueError(f"no SDK types for style {style!r}; known styles: {', '.join(table)}")

    def imported(*args: object) -> object:
        try:
            return table[style](*args)
        except ImportError as missing:
            raise SdkMissingError(f"{missing}; install toolnexus-conformance[dev]") from missing

    return imported


def _anthropic_request(streaming: bool) -> object:
    from anthropic.types import message_create_params as params

    return params.MessageCreateParamsStreaming if streaming else params.MessageCreateParamsNonStreaming


def _openai_request(streaming: bool) -> object:
    from openai.types.chat import completion_create_params as params

    return params.CompletionCreateParamsStreaming if streaming else params.CompletionCreateParamsNonStreaming


def _anthropic_reply() -> object:
    from anthropic.types import Message

    return Message


def _openai_reply() -> object:
    from openai.types.chat import ChatCompletion

    return ChatCompletion


def _anthropic_error() -> object:
    from anthropic.types.shared.error_response import ErrorResponse

    return ErrorResponse


def _openai_error() -> object:
    from openai.types.shared import ErrorObject

    # The SDK types the inner object only; the envelope is A9's.
    return dict[Literal["error"], ErrorObject]


_REQUESTS: Mapping[str, Callable[..., object]] = {"anthropic": _anthropic_request, "openai": _openai_request}
_REPLIES: Mapping[str, Callable[..., object]] = {"anthropic": _anthropic_reply, "openai": _openai_reply}
_ERRORS: Mapping[str, Callable[..., object]] = {"anthropic": _anthropic_error, "openai": _openai_error}
