"""What is measured: each case is our work beside the least work there could be, and the ratio it may have."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from toolnexus import ClientConfig, Tool, Toolkit, TranslateRequest, decode, encode

ANTHROPIC = ClientConfig("http://127.0.0.1", "anthropic", "claude-x", "sk-0123456789")
OPENAI = ClientConfig("http://127.0.0.1", "openai", "gpt-x", "sk-0123456789")
CONFIGS = {"anthropic": ANTHROPIC, "openai": OPENAI}

_read = msgspec.json.Decoder().decode
_write = msgspec.json.Encoder().encode


class Case(NamedTuple):
    """`base` is the least work, `ours` the same with a translation in it; `bound` is the most that may cost."""

    name: str
    base: Callable[[], Any]
    ours: Callable[[], Any]
    bound: float
    rounds: int


def tool(number: int) -> dict[str, Any]:
    """A tool with a schema of about 1 KB."""
    field = {"type": "string", "description": "A field with a description of some length."}
    parameters = {"type": "object", "properties": {f"field_{k}": field for k in range(11)}, "required": ["field_0"]}
    function = {"name": f"tool_{number}", "description": "Does a thing. " * 8, "parameters": parameters}
    return {"type": "function", "function": function}


def transcript() -> list[dict[str, Any]]:
    """200 messages, 60 of them tool calls and 60 their results."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": "You are helpful. " * 10}]
    for i in range(60):
        if i % 3 == 0:
            messages.append({"role": "user", "content": "Please look up the following thing for me and tell me. " * 4})
        arguments = json.dumps({"field_0": "alpha", "n": i, "deep": {"a": [1, 2, 3.5]}})
        call = {"id": f"call_{i}", "type": "function", "function": {"name": f"tool_{i % 40}", "arguments": arguments}}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"call_{i}", "content": "The result is some text. " * 11})
    while len(messages) < 200:
        role = "user" if len(messages) % 2 else "assistant"
        messages.append({"role": role, "content": "some more text to speak about " * 6})
    return messages


LARGE = json.dumps(
    {"model": "gpt-x", "messages": transcript(), "tools": [tool(i) for i in range(40)], "max_tokens": 100}
).encode()
SMALL = json.dumps(
    {
        "model": "gpt-x",
        "messages": [
            {"role": "user", "content": "What is the weather in Paris today, and should I take an umbrella?"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": "call_1",
                        "type": "function",
                        "function": {"name": "get_weather", "arguments": '{"city":"Paris","unit":"celsius"}'},
                    }
                ],
            },
            {"role": "tool", "tool_call_id": "call_1", "content": '{"temp": 12, "rain": true}'},
        ],
        "tools": [tool(0)],
        "max_tokens": 64,
    }
).encode()
BODIES = {"large": LARGE, "small": SMALL}

REPLIES = {
    "anthropic": json.dumps(
        {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "claude-x",
            "content": [
                {"type": "text", "text": "Let me look that up for you."},
                {"type": "tool_use", "id": "toolu_1", "name": "lookup", "input": {"key": "alpha"}},
                {"type": "tool_use", "id": "toolu_2", "name": "lookup", "input": {"key": "beta"}},
            ],
            "stop_reason": "tool_use",
            "stop_sequence": None,
            "usage": {
                "input_tokens": 9,
                "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": 0,
                "output_tokens": 2,
            },
        }
    ).encode(),
    "openai": json.dumps(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": "gpt-x",
            "choices": [
                {
                    "index": 0,
                    "message": {
                        "role": "assistant",
                        "content": "ok",
                        "refusal": None,
                        "tool_calls": [
                            {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}}
                        ],
                    },
                    "logprobs": None,
                    "finish_reason": "tool_calls",
                }
            ],
            "usage": {"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4},
        }
    ).encode(),
}


def _encode(size: str, style: str, bound: float, rounds: int) -> Case:
    body, config = BODIES[size], CONFIGS[style]
    return Case(
        f"encode {size}, {style}",
        lambda: _write(_read(body)),
        lambda: encode(TranslateRequest.from_json(body), config),
        bound,
        rounds,
    )


def _decode(style: str) -> Case:
    reply, config = REPLIES[style], CONFIGS[style]
    return Case(f"decode, {style}", lambda: _read(reply), lambda: decode(200, [], reply, config), 4.0, 200)


PURE = (
    _encode("large", "anthropic", 1.5, 2),
    _encode("large", "openai", 1.5, 2),
    _encode("small", "anthropic", 4.0, 100),
    _encode("small", "openai", 4.0, 100),
    _decode("anthropic"),
    _decode("openai"),
)
"""Without IO: msgspec's own decoding (and encoding) of the same body is the least work."""


def toolkit_cost(config: ClientConfig) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """A small call without a toolkit, and with one of 500 tools."""
    kit = Toolkit(Tool(f"kit_{i}", "Does a thing.", tool(0)["function"]["parameters"]) for i in range(500))
    request = TranslateRequest.from_json(SMALL)
    with_kit = request.with_toolkit(kit)
    return lambda: encode(request, config), lambda: encode(with_kit, config)
