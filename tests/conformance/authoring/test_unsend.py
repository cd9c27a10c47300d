"""Reading a request back: what the translator makes of it is what the provider got."""

from __future__ import annotations

import json
from typing import Any

import pytest

import toolnexus
from conformance.authoring.recording import unsend
from conformance.tree import compact, from_python, plain


def back(style: str, body: Any) -> tuple[Any, list[str]]:
    found, left = unsend.request(style, from_python(body))  # type: ignore[arg-type]
    return found, left


def sent(request: Any, style: str = "anthropic") -> Any:
    """What our own translator sends for a request."""
    config = toolnexus.ClientConfig("http://127.0.0.1:9/v1", style, "m")  # type: ignore[arg-type]
    return json.loads(toolnexus.encode(toolnexus.TranslateRequest.from_json(compact(request)), config).body)


SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}}
TURNS = [
    {"role": "user", "content": "add"},
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
            {"type": "text", "text": "I will."},
            {"type": "tool_use", "id": "a", "name": "add", "input": {"n": 1}},
            {"type": "tool_use", "id": "b", "name": "add", "input": {}},
        ],
    },
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "a", "content": "one"},
            {
                "type": "tool_result",
                "tool_use_id": "b",
                "content": [
                    {"type": "text", "text": "see"},
                    {"type": "image", "source": {"type": "base64", "media_type": "image/gif", "data": "R0lGODlhAQAB"}},
                ],
            },
        ],
    },
    {"role": "assistant", "content": [{"type": "text", "text": "done"}]},
    {
        "role": "user",
        "content": [
            {"type": "text", "text": "and this?"},
            {"type": "image", "source": {"type": "url", "url": "https://example.com/x.png"}},
        ],
    },
]
BODY = {
    "model": "m",
    "max_tokens": 64,
    "system": "be nice",
    "messages": TURNS,
    "tools": [{"name": "add", "description": "Add.", "input_schema": SCHEMA}],
    "tool_choice": {"type": "tool", "name": "add"},
    "stop_sequences": ["END"],
    "temperature": 0.5,
    "metadata": {"user_id": "u1"},
}


def test_a_whole_conversation_goes_there_and_back() -> None:
    request, left = back("anthropic", BODY)
    assert left == []
    assert [turn["role"] for turn in request["messages"]] == [
        *("system", "user", "assistant", "tool", "tool", "assistant", "user"),
    ]
    assert sent(request) == BODY


@pytest.mark.parametrize(
    ("choice", "wanted"), [({"type": "any"}, "required"), ({"type": "auto"}, "auto"), ({"type": "none"}, "none")]
)
def test_tool_choices(choice: Any, wanted: str) -> None:
    assert back("anthropic", {**BODY, "tool_choice": choice})[0]["tool_choice"] == wanted


def test_marks_ride_along() -> None:
    marked = {"type": "text", "text": "hi", "cache_control": {"type": "ephemeral"}}
    body = {
        "model": "m",
        "max_tokens": 64,
        "system": [marked],
        "messages": [{"role": "user", "content": [marked]}],
        "tools": [{"name": "add", "input_schema": SCHEMA, "cache_control": {"type": "ephemeral"}}],
    }
    assert sent(back("anthropic", body)[0]) == body


def test_what_has_no_openai_form_stays_native_or_is_named() -> None:
    server = {"type": "web_search_20250305", "name": "web_search"}
    failed = {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "a", "content": "x", "is_error": True}],
    }
    call = {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "add", "input": {}}]}
    turns = [{"role": "user", "content": "hi"}, call, failed]
    body = {"model": "m", "max_tokens": 64, "messages": turns, "tools": [server], "thinking": {"type": "enabled"}}
    request, left = back("anthropic", body)
    assert left == ["thinking"]
    assert request["tools"] == [from_python(server)]
    assert sent(request)["messages"] == turns


def test_openai_bodies_are_requests_already() -> None:
    messages = [{"role": "user", "content": "hi"}]
    body = {"model": "m", "messages": messages, "max_tokens": 5, "seed": 7, "stream": True}
    request, left = back("openai", body)
    assert (plain(request), left) == ({"messages": messages, "max_tokens": 5, "params": {"seed": 7}}, [])
    assert sent(request, "openai") == {"model": "m", "messages": messages, "max_tokens": 5, "seed": 7}


@pytest.mark.parametrize(
    "more",
    [
        {"tool_choice": {"type": "any", "disable_parallel_tool_use": True}},
        {"output_config": {"format": {"type": "json_schema", "schema": {**SCHEMA, "additionalProperties": False}}}},
        {"thinking": {"type": "disabled"}},
        {"thinking": {"type": "adaptive"}, "output_config": {"effort": "low"}},
    ],
)
def test_params_that_stand_elsewhere(more: Any) -> None:
    body = {"model": "m", "max_tokens": 64, "messages": [{"role": "user", "content": "hi"}]}
    body |= {"tools": [{"name": "add", "input_schema": SCHEMA}], **more}
    request, left = back("anthropic", body)
    assert left == []
    assert sent(request) == body
