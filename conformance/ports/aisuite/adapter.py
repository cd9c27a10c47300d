"""Speaks the port protocol, version 1, for aisuite: `Client().chat.completions.create` with `anthropic:…` models."""

from __future__ import annotations

import importlib.metadata
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "_adapter"))

import aisuite
import peer

PORT = {
    "name": "aisuite",
    "language": "python",
    "version": importlib.metadata.version("aisuite"),
    "url": "https://github.com/andrewyng/aisuite",
}


def translate(message: dict[str, Any]) -> peer.Reply:
    response = asked(message, peer.chat_body(message))
    usage = response.usage.model_dump() if response.usage is not None else None
    choice = response.choices[0]
    message_out = choice.message.model_dump()
    return peer.result_of(
        {"choices": [{"finish_reason": choice.finish_reason, "message": message_out}], "usage": usage}
    )


def stream(message: dict[str, Any]) -> Generator[dict[str, Any], None, None]:
    for chunk in asked(message, {**peer.chat_body(message), "stream": True}):
        yield chunk.model_dump()


def asked(message: dict[str, Any], body: dict[str, Any]) -> Any:
    client = peer.settings(message, "headers", "anthropic_version", "read_timeout_ms")
    config: dict[str, Any] = {"api_key": client["api_key"], "base_url": client["base_url"]}
    config["max_retries"] = 0
    if headers := peer.headers_of(client):
        config["default_headers"] = headers
    if "read_timeout_ms" in client:
        config["timeout"] = client["read_timeout_ms"] / 1000
    suite = aisuite.Client({"anthropic": config})
    return suite.chat.completions.create(model=f"anthropic:{client['model']}", **body)


if __name__ == "__main__":
    peer.serve(PORT, translate, stream=stream)
