"""Speaks the port protocol, version 1, for any-llm: `AnyLLM.create("anthropic").completion`."""

from __future__ import annotations

import importlib.metadata
import os
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

os.environ["ANY_LLM_UNIFIED_EXCEPTIONS"] = "1"  # the library's own errors, its announced default
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "_adapter"))

import peer
from any_llm import AnyLLM
from any_llm.exceptions import AnyLLMError

PORT = {
    "name": "any-llm-sdk",
    "language": "python",
    "version": importlib.metadata.version("any-llm-sdk"),
    "url": "https://github.com/mozilla-ai/any-llm",
}


def translate(message: dict[str, Any]) -> peer.Reply:
    return peer.result_of(asked(message, peer.chat_body(message)).model_dump())


def stream(message: dict[str, Any]) -> Generator[dict[str, Any], None, None]:
    for chunk in asked(message, {**peer.chat_body(message), "stream": True}):
        yield chunk.model_dump()


def asked(message: dict[str, Any], body: dict[str, Any]) -> Any:
    client = peer.settings(message, "headers", "anthropic_version", "read_timeout_ms")
    headers = peer.headers_of(client)
    llm = AnyLLM.create(
        "anthropic",
        api_key=client["api_key"],
        api_base=client["base_url"],
        max_retries=0,
        **({"default_headers": headers} if headers else {}),
    )
    timeout = {"timeout": client["read_timeout_ms"] / 1000} if "read_timeout_ms" in client else {}
    return llm.completion(model=client["model"], **timeout, **body)


def read_error(wrong: BaseException) -> peer.Reply | None:
    """The unified error's own fields; what it lacks is read from the SDK error that it says it keeps."""
    if not isinstance(wrong, AnyLLMError):
        return peer.sdk_error(wrong)
    below = peer.sdk_error(wrong.original_exception) if wrong.original_exception is not None else None
    if below is None:
        return None
    own = {"type": wrong.error_type, "code": wrong.code, "param": wrong.param}
    below["error"].update({name: value for name, value in own.items() if value is not None})
    return below


if __name__ == "__main__":
    peer.serve(PORT, translate, read_error, (AnyLLMError,), stream)
