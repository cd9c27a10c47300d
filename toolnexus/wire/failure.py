"""Answers that are errors: reading them, and showing them as OpenAI would.

SPEC section 5; wire-facts B12, A9, C10, D10.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from toolnexus.errors import InvalidResponse, ProviderError
from toolnexus.wire.exact import decode, plain, repair_escapes

if TYPE_CHECKING:
    from toolnexus.config import ClientConfig

HeadersIn = Mapping[str, str] | Iterable[tuple[str, str]]

_EXCERPT = 200
_TAG = re.compile(r"<(?:script|style)\b.*?</(?:script|style)>|<[^>]*>", re.IGNORECASE | re.DOTALL)
_SPACE = re.compile(r"\s+")
_REDACTED = "[redacted]"
_BOM = b"\xef\xbb\xbf"

# Upstream's word -> the status OpenAI answers with, its type, its code (wire-facts D10).
_VIEW: dict[str, tuple[int, str, str | None]] = {
    "invalid_request_error": (400, "invalid_request_error", None),
    "INVALID_ARGUMENT": (400, "invalid_request_error", None),
    "FAILED_PRECONDITION": (400, "invalid_request_error", None),
    "OUT_OF_RANGE": (400, "invalid_request_error", None),
    "authentication_error": (401, "invalid_request_error", "invalid_api_key"),
    "UNAUTHENTICATED": (401, "invalid_request_error", "invalid_api_key"),
    "billing_error": (402, "insufficient_quota", "insufficient_quota"),
    "permission_error": (403, "invalid_request_error", None),
    "PERMISSION_DENIED": (403, "invalid_request_error", None),
    "not_found_error": (404, "invalid_request_error", None),
    "NOT_FOUND": (404, "invalid_request_error", None),
    "conflict_error": (409, "invalid_request_error", None),
    "ABORTED": (409, "invalid_request_error", None),
    "ALREADY_EXISTS": (409, "invalid_request_error", None),
    "request_too_large": (413, "invalid_request_error", "request_too_large"),
    "rate_limit_error": (429, "requests", "rate_limit_exceeded"),
    "RESOURCE_EXHAUSTED": (429, "requests", "rate_limit_exceeded"),
    "api_error": (500, "server_error", None),
    "INTERNAL": (500, "server_error", None),
    "UNKNOWN": (500, "server_error", None),
    "overloaded_error": (503, "server_error", "overloaded"),
    "UNAVAILABLE": (503, "server_error", "overloaded"),
    "timeout_error": (504, "server_error", "timeout"),
    "DEADLINE_EXCEEDED": (504, "server_error", "timeout"),
}
# OpenAI's own words, for an error inside a 2xx; their type stays as it is.
_OPENAI_STATUS = {
    "server_error": 500,
    "insufficient_quota": 429,
    "requests": 429,
    "tokens": 429,
    "rate_limit_exceeded": 429,
    "invalid_api_key": 401,
}
_BY_STATUS = {
    401: ("invalid_request_error", "invalid_api_key"),
    429: ("requests", "rate_limit_exceeded"),
    503: ("server_error", "overloaded"),
    504: ("server_error", "timeout"),
}
_CONTEXT = re.compile(
    r"prompt is too long|exceed context limit|maximum context length|input token count.*exceeds", re.I
)


def kept(headers: HeadersIn) -> HeadersIn:
    """Headers that can be read more than once."""
    return headers if isinstance(headers, Mapping) else list(headers)


def header(headers: HeadersIn, *names: str) -> str | None:
    """The first of the named headers, None where there is none.

    Names are compared without case; a repeated header is its values, comma by comma (RFC 9110 section 5.3).
    """
    found: dict[str, str] = {}
    for name, value in headers.items() if isinstance(headers, Mapping) else headers:
        name = name.lower()
        found[name] = f"{found[name]}, {value}" if name in found else value
    return next((found[name] for name in names if name in found), None)


def redact(text: str, config: ClientConfig) -> str:
    """Text without the client's credentials, wherever a provider echoes them (clause `secrets.never-shown`)."""
    for secret in config.secrets:
        text = text.replace(secret, _REDACTED)
    return text


def error_body(data: bytes) -> dict[str, Any] | None:
    """The error object of a body, opened from a one-element list; None where the body is no error.

    The object has Anthropic's or OpenAI's keys under `error`; a string `error` is its message.
    """
    data = data.removeprefix(_BOM)
    try:
        value = decode(data)
    except (msgspec.MsgspecError, RecursionError):
        text, _ = repair_escapes(data.decode("utf-8", "replace"))
        try:
            value = plain(text.encode())
        except (ValueError, RecursionError):
            return None
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if not isinstance(value, dict):
        return None
    error = value.get("error")
    if isinstance(error, str) and error:
        # The other keys of an error that is a bare string stand beside it.
        return {**value, "error": {**value, "message": error, "error": None}}
    if isinstance(error, dict):
        return value
    return {**value, "error": {}} if value.get("type") == "error" else None


def provider_error(status: int, headers: HeadersIn, data: bytes, config: ClientConfig) -> ProviderError:
    """The error of an answer outside 2xx (clause `error.provider`)."""
    body, headers = error_body(data), kept(headers)
    if body is None:
        return _bodyless(status, headers, data, config)
    return _error(status, status, headers, body, config)


def error_inside(status: int, headers: HeadersIn, data: bytes, config: ClientConfig) -> ProviderError | None:
    """The error that a 2xx holds in its body, None where it holds none (clause `error.in-200`)."""
    body = error_body(data)
    if body is None:
        return None
    return _error(_own_status(body["error"]), status, headers, body, config)


def invalid_response(why: str, status: int, headers: HeadersIn, data: bytes, config: ClientConfig) -> InvalidResponse:
    """The error of a 2xx that is no answer, with the first characters of what it was."""
    return InvalidResponse(
        why,
        status=status,
        excerpt=_excerpt(data, config),
        request_id=_maybe(header(headers, "request-id", "x-request-id"), config),
    )


def _own_status(error: dict[str, Any]) -> int:
    code = error.get("code")
    if isinstance(code, str) and len(code) == 3 and code.isascii() and code.isdigit():
        code = int(code)
    if isinstance(code, int) and not isinstance(code, bool) and 100 <= code <= 599:
        return code
    for word in (error.get("type"), error.get("code"), error.get("status")):
        if isinstance(word, str):
            if word in _VIEW:
                return _VIEW[word][0]
            if word in _OPENAI_STATUS:
                return _OPENAI_STATUS[word]
    return 502


def _error(status: int, http: int, headers: HeadersIn, body: dict[str, Any], config: ClientConfig) -> ProviderError:
    error = body["error"]
    message = _word(error.get("message"))
    code = error.get("code")
    return ProviderError(
        redact(message or f"the provider answered {http} without a message", config),
        status=status,
        type=_maybe(error.get("type") or _gemini_word(error.get("status")), config),
        param=_maybe(error.get("param"), config),
        code=_maybe(code, config) if not isinstance(code, int) or isinstance(code, bool) else code,
        request_id=_maybe(header(headers, "request-id", "x-request-id") or body.get("request_id"), config),
        retry_after=_maybe(header(headers, "retry-after"), config),
        http_status=http,
    )


def _gemini_word(status: Any) -> str | None:
    """Gemini's error word, which stands under `status`; other vendors put a number there (C10)."""
    return status if isinstance(status, str) and status in _VIEW else None


def _word(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else msgspec.json.encode(value).decode()


def _maybe(value: Any, config: ClientConfig) -> str | None:
    return None if value is None else redact(_word(value), config)


def _bodyless(status: int, headers: HeadersIn, data: bytes, config: ClientConfig) -> ProviderError:
    return ProviderError(
        _excerpt(data, config) or f"the provider answered {status} without a body",
        status=status,
        request_id=_maybe(header(headers, "request-id", "x-request-id"), config),
        retry_after=_maybe(header(headers, "retry-after"), config),
    )


def _excerpt(data: bytes, config: ClientConfig) -> str:
    # Tags are cut before the text is: a page is mostly markup.
    text = redact(data[:65536].decode("utf-8", "replace"), config)
    text = _SPACE.sub(" ", _TAG.sub(" ", text)).strip()
    return text if len(text) <= _EXCERPT else text[: _EXCERPT - 1] + "…"


def openai_view(error: ProviderError) -> tuple[int, dict[str, Any]]:
    """Status and error object, all four keys, as an OpenAI-compatible gateway would answer (wire-facts D10)."""
    known = _VIEW.get(error.type or "")
    if known is not None:
        status, kind, code = known
        if error.http_status != error.status:
            # An error inside a 2xx says its own status (clause `error.in-200`).
            status = {529: 503}.get(error.status, error.status)
    else:
        status = {529: 503}.get(error.status, error.status)
        kind, code = _BY_STATUS.get(status, ("server_error" if status >= 500 else "invalid_request_error", None))
        kind = error.type or kind
    if error.code is not None and not isinstance(error.code, int):
        code = error.code
    elif known is not None and kind == "requests" and error.retry_after is None and error.type == "rate_limit_error":
        # A spend cap has the rate limit's type and no retry-after; waiting never helps (B12).
        kind = code = "insufficient_quota"
    elif status == 400 and _CONTEXT.search(error.message):
        code = "context_length_exceeded"
    elif status == 404 and "model" in error.message.lower():
        code = "model_not_found"
    return status, {"message": error.message, "type": kind, "param": error.param, "code": code}
