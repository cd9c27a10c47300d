"""OpenAI's envelopes around a translated answer: `chat.completion`, its chunks, and errors."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterator
from typing import Any

from toolnexus import (
    Delta,
    InvalidRequest,
    InvalidResponse,
    ProviderError,
    TranslateError,
    TranslateResult,
    TransportError,
    Usage,
)


def completion(result: TranslateResult) -> dict[str, Any]:
    """A whole answer."""
    message = {**result.to_message(), "refusal": result.refusal}
    choice = {"index": 0, "message": message, "finish_reason": result.finish_reason, "logprobs": None}
    return {
        "id": f"chatcmpl-{uuid.uuid4().hex}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": result.model,
        "choices": [choice],
        "usage": usage(result.usage),
    }


def usage(counted: Usage) -> dict[str, Any]:
    """Token counts with their details."""
    return {
        "prompt_tokens": counted.prompt_tokens,
        "completion_tokens": counted.completion_tokens,
        "total_tokens": counted.total_tokens,
        "prompt_tokens_details": {
            "cached_tokens": counted.cached_tokens,
            "cache_write_tokens": counted.cache_write_tokens,
        },
        "completion_tokens_details": {"reasoning_tokens": counted.reasoning_tokens},
    }


class Chunks:
    """The chunks of one streamed answer; with `counted` each has a `usage`, and the last one is nothing but that."""

    def __init__(self, model: str, *, counted: bool) -> None:
        self._head = {
            "id": f"chatcmpl-{uuid.uuid4().hex}",
            "object": "chat.completion.chunk",
            "created": int(time.time()),
            "model": model,
        }
        self._counted = counted

    def of(self, delta: Delta) -> Iterator[bytes]:
        """The events of a delta."""
        if delta.usage is None:
            choice = {"index": 0, "delta": delta.to_openai(), "finish_reason": delta.finish_reason, "logprobs": None}
            yield event({**self._head, "choices": [choice], **({"usage": None} if self._counted else {})})
        elif self._counted:
            yield event({**self._head, "choices": [], "usage": usage(delta.usage)})


def event(value: Any) -> bytes:
    """A server-sent event."""
    return b"data: " + json.dumps(value).encode() + b"\n\n"


def error(wrong: TranslateError) -> tuple[int, dict[str, Any], dict[str, str]]:
    """Status, body and headers of a failure, as OpenAI would answer."""
    match wrong:
        case InvalidRequest():
            return 400, _body(wrong.message, "invalid_request_error", param=wrong.pointer or None), {}
        case ProviderError():
            headers = {"retry-after": wrong.retry_after, "x-request-id": wrong.request_id}
            # A redirection of the provider's is none of the gateway's.
            status = wrong.openai_status if wrong.openai_status >= 400 else 502
            return status, wrong.to_openai(), {name: value for name, value in headers.items() if value}
        case TransportError(kind="timeout"):
            return 504, _body(wrong.message, "server_error", code="timeout"), {}
        case TransportError() | InvalidResponse():
            return 502, _body(wrong.message, "server_error"), {}
    raise wrong


def _body(message: str, kind: str, *, param: str | None = None, code: str | None = None) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}
