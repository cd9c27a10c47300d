"""Speaks the port protocol, version 1, for Haystack: `AnthropicChatGenerator(…).run(…)`.

Both ends are Haystack's own: `ChatMessage.from_openai_dict_format` reads the history, `to_openai_dict_format` writes
the answer.
"""

from __future__ import annotations

import importlib.metadata
import os
import sys
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "_adapter"))

import peer
from haystack.dataclasses import ChatMessage, StreamingChunk
from haystack.tools import Tool
from haystack.utils import Secret
from haystack_integrations.components.generators.anthropic import AnthropicChatGenerator

PORT = {
    "name": "haystack-anthropic",
    "language": "python",
    "version": importlib.metadata.version("anthropic-haystack"),
    "url": "https://github.com/deepset-ai/haystack-core-integrations",
}

#: Chat Completions params whose Anthropic names the generator takes.
PARAMS = {
    "max_tokens": "max_tokens",
    "max_completion_tokens": "max_tokens",
    "temperature": "temperature",
    "top_p": "top_p",
    "stop": "stop_sequences",
}


def translate(message: dict[str, Any]) -> peer.Reply:
    return result_of(reply_to(message, peer.chat_body(message)))


def stream(message: dict[str, Any]) -> Generator[dict[str, Any], None, peer.Reply]:
    body = peer.chat_body(message)
    for name in ("stream", "stream_options"):  # a callback says the first, and usage comes by itself
        body.pop(name, None)
    pieces: list[StreamingChunk] = []
    try:
        reply = reply_to(message, body, pieces.append)
    finally:  # what the callback was told came before what is raised
        yield from (chunk_of(piece, first=piece is pieces[0]) for piece in pieces)
    if reply.meta.get("usage"):
        yield {"usage": usage_of(reply)}
    return result_of(reply)


def reply_to(
    message: dict[str, Any], body: dict[str, Any], callback: Callable[[StreamingChunk], None] | None = None
) -> ChatMessage:
    client = peer.settings(message, "headers", "anthropic_version", "read_timeout_ms")
    history = body.pop("messages", None)
    tools = [tool_of(tool) for tool in body.pop("tools", [])]
    asked = dict(settings_of(body))
    if headers := peer.headers_of(client):
        asked["extra_headers"] = headers
    if not isinstance(history, list):
        raise peer.Cannot("the library's history is a list of messages")
    os.environ["ANTHROPIC_BASE_URL"] = client["base_url"]  # the generator leaves the address to its SDK
    generator = AnthropicChatGenerator(
        api_key=Secret.from_token(client["api_key"]),
        model=client["model"],
        max_retries=0,
        timeout=client["read_timeout_ms"] / 1000 if "read_timeout_ms" in client else None,
    )
    messages = [ChatMessage.from_openai_dict_format(turn) for turn in history]
    answer = generator.run(messages, callback, generation_kwargs=asked, tools=tools or None)
    return answer["replies"][0]


def settings_of(body: dict[str, Any]) -> Any:
    for name, value in body.items():
        if name not in PARAMS:
            raise peer.Cannot(f"the generator takes Anthropic's own params, and none for {name}")
        yield PARAMS[name], [value] if name == "stop" and isinstance(value, str) else value


def tool_of(tool: Any) -> Tool:
    inner = tool.get("function") if isinstance(tool, dict) and tool.get("type") == "function" else None
    if not isinstance(inner, dict) or set(tool) - {"type", "function"}:
        raise peer.Cannot("the library declares function tools only")
    if not inner.get("parameters") or set(inner) - {"name", "description", "parameters"}:
        raise peer.Cannot("the library declares name, description and schema only, and needs a schema")
    return Tool(inner.get("name"), inner.get("description") or "", inner["parameters"], function=refuse)


def refuse(**_: Any) -> None:
    raise RuntimeError("no tool runs here")


def result_of(reply: ChatMessage) -> peer.Reply:
    said = reply.to_openai_dict_format()
    content = said.get("content")
    text = content if isinstance(content, str) else "".join(reply.texts)
    said["reasoning_content"] = reply.reasoning.reasoning_text if reply.reasoning else None
    return peer.result_of(
        {
            "choices": [{"finish_reason": reply.meta.get("finish_reason"), "message": {**said, "content": text}}],
            "model": reply.meta.get("model"),
            "usage": usage_of(reply),
        }
    )


def usage_of(reply: ChatMessage) -> dict[str, Any]:
    usage = reply.meta.get("usage") or {}
    counts = {name: usage.get(name) or 0 for name in ("prompt_tokens", "completion_tokens")}
    return {
        **counts,
        "total_tokens": sum(counts.values()),
        "prompt_tokens_details": {
            "cached_tokens": usage.get("cache_read_input_tokens"),
            "cache_write_tokens": usage.get("cache_creation_input_tokens"),
        },
    }


def chunk_of(piece: StreamingChunk, *, first: bool) -> dict[str, Any]:
    fragments = [
        {
            "index": call.index,
            **({"id": call.id, "type": "function"} if call.id is not None else {}),
            "function": {"name": call.tool_name, "arguments": call.arguments},
        }
        for call in piece.tool_calls or ()
    ]
    thought = piece.reasoning.reasoning_text if piece.reasoning else None
    begun = {"role": "assistant"} if first else {}
    delta = {**begun, "content": piece.content, "reasoning_content": thought, "tool_calls": fragments}
    return {"choices": [{"delta": delta, "finish_reason": piece.finish_reason}]}


if __name__ == "__main__":
    peer.serve(PORT, translate, stream=stream)
