"""OpenAI Chat Completions and its compatible servers. No IO."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolnexus.wire.openai.reply import decode
from toolnexus.wire.openai.request import encode
from toolnexus.wire.openai.stream import Chunks
from toolnexus.wire.style import WireStyle


def path(base: str) -> str:
    """`/chat/completions` below a base that has a path, else `/v1/chat/completions` (clause `openai.endpoint`)."""
    return f"{base}/chat/completions" if base else "/v1/chat/completions"


def headers(api_key: str | None, version: str) -> list[tuple[str, str]]:
    """The style's own headers (A1); it has no version header."""
    auth = [("authorization", f"Bearer {api_key}")] if api_key else []
    return [("content-type", "application/json"), *auth]


def capabilities(model: str, overrides: Mapping[str, Any] | None) -> None:
    """Nothing: what a model refuses, the server says (clause `openai.passthrough`)."""


STYLE = WireStyle(encode, decode, Chunks, path, headers, capabilities, "OPENAI_API_KEY")
