"""A translate request as a Chat Completions body, and a `chat.completion` as a translate result."""

from __future__ import annotations

import json
from typing import Any

import pytest

from conformance.drivers.chat import NoCompletion, body_for, history_message, result_of, usage_of, words_for
from conformance.tree import from_python, read

HI = [{"role": "user", "content": "hi"}]


def body(request: dict[str, Any], **options: Any) -> Any:
    return json.loads(body_for(json.dumps(request), "m", **options))


# -- asking -----------------------------------------------------------------------------------------------------------


def test_params_stand_beside_the_rest() -> None:
    request = {
        "messages": HI,
        "tools": [],
        "tool_choice": "auto",
        "max_tokens": 64,
        "params": {"stop": "x", "top_p": 1},
    }
    assert body(request) == {
        "model": "m",
        "messages": HI,
        "tools": [],
        "tool_choice": "auto",
        "max_tokens": 64,
        "stop": "x",
        "top_p": 1,
    }


def test_the_model_is_the_gateways_and_an_empty_override_is_left_out() -> None:
    assert body({"messages": HI, "model": "theirs", "system": ""}) == {"model": "m", "messages": HI}


def test_tokens_stay_as_they_are() -> None:
    sent = body_for('{"messages":[],"params":{"seed":1.10,"x":"\\ud83d\\ude00","y":1e400}}', "m")
    assert sent == '{"model":"m","messages":[],"seed":1.10,"x":"😀","y":1e400}'.encode()


def test_a_stream_asks_for_its_usage() -> None:
    assert body({"messages": HI}, stream=True) == {
        "model": "m",
        "messages": HI,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ('{"a":1,"a":2}', '{"model":"m","a":1,"a":2}'),
        ('{"messages":NaN}', '{"model":"m","messages":NaN}'),
        ("no json", "no json"),
        ('{"a":' + "[" * 600 + "]" * 600 + "}", '{"model":"m","a":' + "[" * 600 + "]" * 600 + "}"),
    ],
)
def test_what_cannot_be_read_goes_out_as_it_is(text: str, sent: str) -> None:
    assert body_for(text, "m") == sent.encode()


@pytest.mark.parametrize(
    ("request_", "stream", "words"),
    [
        ({"messages": HI}, False, []),
        ({"messages": HI, "system": ""}, False, []),
        ({"messages": HI, "system": None, "params": None}, False, []),
        ({"messages": HI, "system": "Be brief."}, False, ["system (an override)"]),
        ({"messages": HI, "system": 7}, False, ["system (an override)"]),
        ({"messages": HI, "params": {"top_p": 1}}, False, []),
        ({"messages": HI, "params": {"tools": []}}, False, ["params.tools"]),
        ({"messages": HI, "params": {"stream": True}}, False, ["params.stream"]),
        ({"messages": HI, "seed": 1, "params": {"seed": 2}}, False, ["params.seed"]),
        ({"messages": HI, "seed": None, "params": {"seed": 2}}, False, []),
        ({"messages": HI, "params": []}, False, ["params that are no object"]),
        ({"messages": HI, "stream": True}, False, ["stream"]),
        ({"messages": HI, "stream": True}, True, []),
        ({"messages": HI, "stream_options": {"include_usage": True}}, False, []),
        ({"messages": HI, "stream_options": {}}, True, ["stream_options (a gateway's own)"]),
        ({"messages": HI, "params": {"stream_options": {}}}, True, ["params.stream_options (a gateway's own)"]),
    ],
)
def test_what_a_body_has_no_words_for(request_: dict[str, Any], stream: bool, words: list[str]) -> None:
    assert list(words_for(json.dumps(request_), stream=stream)) == words


def test_params_that_cannot_be_read_cannot_be_moved() -> None:
    assert list(words_for('{"params":{"a":1,"a":2}}')) == ["params (in a request that is no plain JSON)"]
    assert list(words_for('{"messages":[],"messages":[]}')) == []


# -- reading ----------------------------------------------------------------------------------------------------------


def completion(message: dict[str, Any], **more: Any) -> Any:
    choice = {"index": 0, "message": {"role": "assistant", "content": None, "refusal": None, **message}}
    return from_python({"id": "c", "model": "m", "choices": [{**choice, "finish_reason": "stop"}], **more})


def test_a_text() -> None:
    usage = {
        "prompt_tokens": 9,
        "completion_tokens": 2,
        "total_tokens": 11,
        "prompt_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 0, "audio_tokens": 1},
        "completion_tokens_details": {"reasoning_tokens": 1},
    }
    assert result_of(completion({"content": "hello"}, usage=usage)) == from_python(
        {
            "text": "hello",
            "tool_calls": [],
            "finish_reason": "stop",
            "usage": {
                "prompt_tokens": 9,
                "completion_tokens": 2,
                "total_tokens": 11,
                "cached_tokens": 4,
                "cache_write_tokens": 0,
                "reasoning_tokens": 1,
            },
            "model": "m",
            "refusal": None,
            "reasoning": None,
            "message": {"role": "assistant", "content": "hello"},
        }
    )


def test_calls() -> None:
    function = {"id": "a", "type": "function", "function": {"name": "f", "arguments": '{"x": 1.10}'}}
    custom = {"id": "b", "type": "custom", "custom": {"name": "g", "input": "SELECT 1"}}
    found = result_of(completion({"tool_calls": [function, custom]}))
    assert found["tool_calls"] == [
        {"id": "a", "type": "function", "name": "f", "arguments": '{"x": 1.10}'},
        {"id": "b", "type": "custom", "name": "g", "arguments": "SELECT 1"},
    ]
    assert found["message"] == {"role": "assistant", "content": None, "tool_calls": [function, custom]}


@pytest.mark.parametrize(
    ("message", "reasoning"),
    [
        ({"reasoning_content": "hm", "reasoning": "no"}, "hm"),
        ({"reasoning": "hm"}, "hm"),
        ({"reasoning": {"content": "hm"}}, None),
        ({"reasoning_content": ""}, None),
    ],
)
def test_reasoning(message: dict[str, Any], reasoning: str | None) -> None:
    assert result_of(completion(message))["reasoning"] == reasoning


def test_a_history_holds_what_says_something_and_no_remarks() -> None:
    message = {
        "role": "assistant",
        "content": "",
        "refusal": None,
        "annotations": [{"a": 1}],
        "provider_specific_fields": {"x": 1},
        "audio": {},
        "thinking_blocks": [{"type": "thinking"}],
        "tool_calls": [{"id": "a", "index": 0, "extra_content": {"s": 1}, "function": {"name": "f", "arguments": ""}}],
    }
    assert history_message(message) == {
        "role": "assistant",
        "content": None,
        "thinking_blocks": [{"type": "thinking"}],
        "tool_calls": [{"id": "a", "extra_content": {"s": 1}, "function": {"name": "f", "arguments": ""}}],
    }


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ("[]", "no choices"),
        ('{"choices":[]}', "no choices"),
        ('{"choices":[{"text":"x"}]}', "no choices"),
        ('{"choices":[{"message":{"tool_calls":{}}}]}', "no list"),
        ('{"choices":[{"message":{"tool_calls":[{"id":"a"}]}}]}', "without name or arguments"),
    ],
)
def test_what_is_no_completion(answer: str, says: str) -> None:
    with pytest.raises(NoCompletion, match=says):
        result_of(read(answer))


def test_counts_that_are_not_there_are_not_made_up() -> None:
    assert usage_of(None) is None
    assert usage_of({"prompt_tokens": 1}) == {"prompt_tokens": 1}
