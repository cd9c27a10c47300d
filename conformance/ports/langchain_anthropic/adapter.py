"""Speaks the port protocol, version 1, for langchain-anthropic: `ChatAnthropic(…).bind_tools(…).invoke(…)`.

Both ends are langchain's own: `convert_to_messages` reads the OpenAI history, `convert_to_openai_messages` writes the
answer. langchain hands on the provider's stop reason as it is; `FINISH` only gives it the other name.
"""

from __future__ import annotations

import importlib.metadata
import os
import sys
import warnings
from collections.abc import Generator
from pathlib import Path
from typing import Any

if os.environ.get("PYTHONHASHSEED") != "0":  # langchain sends sampling in the order of a set: the same in each run
    os.environ["PYTHONHASHSEED"] = "0"
    os.execv(sys.executable, sys.orig_argv)

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "_adapter"))
warnings.simplefilter("ignore")

import peer  # noqa: E402
from langchain_anthropic import ChatAnthropic  # noqa: E402
from langchain_core.exceptions import LangChainException  # noqa: E402
from langchain_core.messages import AIMessage, AIMessageChunk, convert_to_messages, convert_to_openai_messages  # noqa: E402

PORT = {
    "name": "langchain-anthropic",
    "language": "python",
    "version": importlib.metadata.version("langchain-anthropic"),
    "url": "https://github.com/langchain-ai/langchain",
}

FINISH = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "content_filter",
}

#: Chat Completions params that ChatAnthropic has under another or the same name.
PARAMS = {
    "max_completion_tokens": "max_tokens",
    "max_tokens": "max_tokens",
    "temperature": "temperature",
    "top_p": "top_p",
    "stop": "stop_sequences",
    "reasoning_effort": "reasoning_effort",
}


def translate(message: dict[str, Any]) -> peer.Reply:
    body = peer.chat_body(message)
    return result_of(model_for(message, body).invoke(convert_to_messages(body.get("messages"))))


def stream(message: dict[str, Any]) -> Generator[dict[str, Any], None, peer.Reply | None]:
    body = peer.chat_body(message)
    for name in ("stream", "stream_options"):  # calling `stream` says the first, and usage comes by itself
        body.pop(name, None)
    whole: Any = None
    calls: dict[Any, int] = {}
    for piece in model_for(message, body).stream(convert_to_messages(body.get("messages"))):
        yield chunk_of(piece, calls, first=whole is None)
        whole = piece if whole is None else whole + piece
    return result_of(whole) if whole is not None else None


def model_for(message: dict[str, Any], body: dict[str, Any]) -> Any:
    client = peer.settings(message, "headers", "anthropic_version", "read_timeout_ms")
    asked = {name: value for name, value in body.items() if name not in ("messages", "tools", "tool_choice")}
    bound = {"parallel_tool_calls": asked.pop("parallel_tool_calls")} if "parallel_tool_calls" in asked else {}
    options = model_options(client, asked)
    model: Any = ChatAnthropic(**options)
    if "tools" in body:
        if "tool_choice" in body:
            bound["tool_choice"] = choice_of(body["tool_choice"])
        model = model.bind_tools(body["tools"], **bound)
    elif bound or "tool_choice" in body:
        raise peer.Cannot("a tool choice is bound with its tools")
    return model


def model_options(client: dict[str, Any], asked: dict[str, Any]) -> dict[str, Any]:
    options: dict[str, Any] = {
        "model": client["model"],
        "base_url": client["base_url"],
        "api_key": client["api_key"],
        "max_retries": 0,
    }
    if headers := peer.headers_of(client):
        options["default_headers"] = headers
    if "read_timeout_ms" in client:
        options["timeout"] = client["read_timeout_ms"] / 1000
    if unknown := set(asked) - set(PARAMS):
        raise peer.Cannot(f"ChatAnthropic has no {', '.join(sorted(unknown))}")
    for name, value in asked.items():
        options[PARAMS[name]] = [value] if name == "stop" and isinstance(value, str) else value
    return options


def choice_of(choice: Any) -> Any:
    """OpenAI's words for a choice in langchain's: a tool's bare name forces it."""
    if choice == "required":
        return "any"
    if choice == "none":
        return {"type": "none"}
    if isinstance(choice, dict) and choice.get("type") == "function" and isinstance(choice.get("function"), dict):
        return choice["function"].get("name")
    return choice


def result_of(answer: AIMessage) -> peer.Reply:
    said = convert_to_openai_messages(answer)
    return peer.result_of(
        {
            "choices": [
                {
                    "finish_reason": finish_of(answer, called=bool(said.get("tool_calls"))),
                    "message": {**said, "content": answer.text, "reasoning_content": thought_of(answer)},
                }
            ],
            "model": answer.response_metadata.get("model_name"),
            "usage": usage_of(answer),
        }
    )


def chunk_of(piece: AIMessageChunk, calls: dict[Any, int], *, first: bool) -> dict[str, Any]:
    """A piece as a chunk. langchain numbers calls by their blocks: `calls` has for each its number among the calls."""
    begun = {"role": "assistant"} if first else {}
    fragments = [
        {
            "index": calls.setdefault(call["index"], len(calls)),
            **({"id": call["id"], "type": "function"} if call["id"] is not None else {}),
            "function": {"name": call["name"], "arguments": call["args"]},
        }
        for call in piece.tool_call_chunks
    ]
    delta = {**begun, "content": piece.text, "reasoning_content": thought_of(piece), "tool_calls": fragments}
    finish = finish_of(piece, called=bool(calls)) if piece.chunk_position == "last" else None
    return {
        "choices": [{"delta": delta, "finish_reason": finish}],
        "usage": usage_of(piece) if piece.usage_metadata else None,
    }


def finish_of(answer: AIMessage, *, called: bool) -> str | None:
    reason = answer.response_metadata.get("stop_reason")
    return "tool_calls" if called else FINISH.get(reason, reason)


def thought_of(answer: AIMessage) -> str | None:
    return "".join(block.get("thinking", "") for block in answer.content if is_thinking(block)) or None


def is_thinking(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") == "thinking"


def usage_of(answer: AIMessage) -> dict[str, Any]:
    usage: Any = answer.usage_metadata or {}
    details = usage.get("input_token_details") or {}
    return {
        "prompt_tokens": usage.get("input_tokens"),
        "completion_tokens": usage.get("output_tokens"),
        "total_tokens": usage.get("total_tokens"),
        "prompt_tokens_details": {
            "cached_tokens": details.get("cache_read"),
            "cache_write_tokens": details.get("cache_creation"),
        },
        "completion_tokens_details": {"reasoning_tokens": (usage.get("output_token_details") or {}).get("reasoning")},
    }


if __name__ == "__main__":
    peer.serve(PORT, translate, own_errors=(LangChainException,), stream=stream)
