"""Speaks the port protocol, version 1, for pydantic-ai: `model_request_sync` with its `AnthropicModel`.

The history is written in the library's own types (`history.py`), the answer read from its `ModelResponse`.
"""

from __future__ import annotations

import importlib.metadata
import json
import sys
from collections.abc import Generator, Iterable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "_adapter"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import peer
from anthropic import AsyncAnthropic
from history import messages_of
from pydantic_ai.direct import model_request_stream_sync, model_request_sync
from pydantic_ai.exceptions import AgentRunError, ModelAPIError, UserError
from pydantic_ai.messages import ModelResponse, ModelResponseStreamEvent, PartDeltaEvent, PartStartEvent
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.tools import ToolDefinition

PORT = {
    "name": "pydantic-ai",
    "language": "python",
    "version": importlib.metadata.version("pydantic-ai-slim"),
    "url": "https://github.com/pydantic/pydantic-ai",
}

#: Chat Completions params and the library's settings for them.
SETTINGS = {
    "max_tokens": "max_tokens",
    "max_completion_tokens": "max_tokens",
    "temperature": "temperature",
    "top_p": "top_p",
    "stop": "stop_sequences",
    "seed": "seed",
    "presence_penalty": "presence_penalty",
    "frequency_penalty": "frequency_penalty",
    "logit_bias": "logit_bias",
    "parallel_tool_calls": "parallel_tool_calls",
    "service_tier": "service_tier",
    "reasoning_effort": "thinking",
    "tool_choice": "tool_choice",
}

#: What a part's text is in a chunk.
TEXTS = {"text": "content", "thinking": "reasoning_content"}


def translate(message: dict[str, Any]) -> peer.Reply:
    return result_of(model_request_sync(**request_of(message, peer.chat_body(message))))


def stream(message: dict[str, Any]) -> Generator[dict[str, Any], None, peer.Reply]:
    body = peer.chat_body(message)
    for name in ("stream", "stream_options"):  # the function's name says the first, and usage comes by itself
        body.pop(name, None)
    with model_request_stream_sync(**request_of(message, body)) as events:
        yield {"choices": [{"delta": {"role": "assistant"}}]}
        for delta in deltas_of(events):
            yield {"choices": [{"delta": delta}]}
        answer = events.response
    usage = usage_of(answer) if answer.usage.has_values() else None
    yield {"choices": [{"finish_reason": finish_of(answer)}], "usage": usage}
    return result_of(answer)


def request_of(message: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
    client = peer.settings(message, "headers", "anthropic_version", "read_timeout_ms")
    timeout = {"timeout": client["read_timeout_ms"] / 1000} if "read_timeout_ms" in client else {}
    headers = peer.headers_of(client) or None
    sdk = AsyncAnthropic(
        api_key=client["api_key"], base_url=client["base_url"], max_retries=0, default_headers=headers, **timeout
    )
    model = AnthropicModel(client["model"], provider=AnthropicProvider(anthropic_client=sdk))
    parameters = ModelRequestParameters(function_tools=[tool_of(tool) for tool in body.get("tools", [])])
    return {
        "model": model,
        "model_settings": dict(settings_of(body)),
        "model_request_parameters": parameters,
        "messages": messages_of(body.get("messages")),
    }


def settings_of(body: dict[str, Any]) -> Any:
    for name, value in body.items():
        if name in ("messages", "tools"):
            continue
        if name not in SETTINGS:
            raise peer.Cannot(f"the library has no setting for {name}")
        if name == "stop" and isinstance(value, str):
            value = [value]
        if name == "tool_choice":
            value = choice_of(value)
        if name == "reasoning_effort" and value == "none":
            value = False
        yield SETTINGS[name], value


def choice_of(choice: Any) -> Any:
    """The three words are the library's, too; a choice of one tool is a list of one name."""
    if choice in ("auto", "none", "required"):
        return choice
    if not isinstance(choice, dict) or choice.get("type") != "function" or not isinstance(choice.get("function"), dict):
        raise peer.Cannot("the library has no such tool choice")
    return [choice["function"].get("name")]


def tool_of(tool: Any) -> ToolDefinition:
    inner = tool.get("function") if isinstance(tool, dict) and tool.get("type") == "function" else None
    if not isinstance(inner, dict) or set(tool) - {"type", "function"}:
        raise peer.Cannot("the library declares function tools only, each with a name and a schema")
    if set(inner) - {"name", "description", "parameters", "strict"}:
        raise peer.Cannot("the library declares name, description, schema and strict only")
    schema = {"parameters_json_schema": inner["parameters"]} if inner.get("parameters") is not None else {}
    return ToolDefinition(
        name=inner.get("name"), description=inner.get("description"), strict=inner.get("strict"), **schema
    )


def deltas_of(events: Iterable[ModelResponseStreamEvent]) -> Iterator[dict[str, Any]]:
    """The events as deltas. The library numbers parts; a call is numbered among the calls."""
    calls: dict[int, int] = {}
    for event in events:
        if isinstance(event, PartStartEvent):
            part = event.part
            if part.part_kind == "tool-call":
                calls[event.index] = len(calls)
                head = {"id": part.tool_call_id, "type": "function"}
                yield call_delta(calls[event.index], part.args, part.tool_name, **head)
            elif part.part_kind in ("text", "thinking"):
                yield {TEXTS[part.part_kind]: part.content}
        elif isinstance(event, PartDeltaEvent):
            change = event.delta
            if change.part_delta_kind == "tool_call" and event.index in calls:
                yield call_delta(calls[event.index], change.args_delta, change.tool_name_delta)
            elif change.part_delta_kind in ("text", "thinking"):
                yield {TEXTS[change.part_delta_kind]: change.content_delta}


def call_delta(index: int, given: str | dict[str, Any] | None, name: str | None, **head: str) -> dict[str, Any]:
    arguments = json.dumps(given) if isinstance(given, dict) else given
    return {"tool_calls": [{"index": index, **head, "function": {"name": name, "arguments": arguments}}]}


def finish_of(answer: ModelResponse) -> str | None:
    return {"tool_call": "tool_calls"}.get(answer.finish_reason or "", answer.finish_reason)


def usage_of(answer: ModelResponse) -> dict[str, Any]:
    usage = answer.usage
    return {
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": usage.total_tokens,
        "prompt_tokens_details": {
            "cached_tokens": usage.cache_read_tokens,
            "cache_write_tokens": usage.cache_write_tokens,
        },
    }


def result_of(answer: ModelResponse) -> peer.Reply:
    calls = [
        {
            "id": part.tool_call_id,
            "type": "function",
            "function": {"name": part.tool_name, "arguments": part.args_as_json_str()},
        }
        for part in answer.tool_calls
    ]
    return peer.result_of(
        {
            "choices": [
                {
                    "finish_reason": finish_of(answer),
                    "message": {
                        "content": answer.text,
                        "tool_calls": calls,
                        "reasoning_content": answer.thinking,
                        "thinking_blocks": [
                            {"type": "thinking", "thinking": part.content, "signature": part.signature}
                            for part in answer.parts
                            if part.part_kind == "thinking" and part.signature and part.id != "redacted_thinking"
                        ],
                    },
                }
            ],
            "model": answer.model_name,
            "usage": usage_of(answer),
        }
    )


def read_error(wrong: BaseException) -> peer.Reply | None:
    """The library wraps the SDK's errors and keeps them as the cause."""
    if isinstance(wrong, ModelAPIError) and wrong.__cause__ is not None:
        return peer.sdk_error(wrong.__cause__)
    return peer.sdk_error(wrong)


if __name__ == "__main__":
    peer.serve(PORT, translate, read_error, (AgentRunError, UserError), stream)
