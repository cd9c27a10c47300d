"""The official client as a second user of the sample gateway: what it makes of answers, streams and errors."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import openai
import pytest

from conformance.case import Case, parse
from conformance.stub import Script, Stub

HI: Any = [{"role": "user", "content": "What is the weather in Paris?"}]
TOOL: Any = {
    "type": "function",
    "function": {
        "name": "weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}
TEXT = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-x",
    "content": [{"type": "text", "text": "Sunny."}],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 9, "cache_read_input_tokens": 4, "output_tokens": 2},
}
CALLS = {
    **TEXT,
    "content": [
        {"type": "text", "text": "Let me look."},
        {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {"city": "Paris"}},
        {"type": "tool_use", "id": "toolu_2", "name": "weather", "input": {"city": "Łódź"}},
    ],
    "stop_reason": "tool_use",
}


def data(kind: str, **more: Any) -> dict[str, Any]:
    return {"event": kind, "data": {"type": kind, **more}}


STREAM = [
    data("message_start", message={**TEXT, "content": [], "usage": {"input_tokens": 9, "output_tokens": 1}}),
    data("content_block_start", index=0, content_block={"type": "text", "text": ""}),
    data("content_block_delta", index=0, delta={"type": "text_delta", "text": "Let me "}),
    data("content_block_delta", index=0, delta={"type": "text_delta", "text": "look."}),
    data("content_block_stop", index=0),
    data("content_block_start", index=1, content_block={**CALLS["content"][1], "input": {}}),
    data("content_block_delta", index=1, delta={"type": "input_json_delta", "partial_json": '{"city":'}),
    data("content_block_delta", index=1, delta={"type": "input_json_delta", "partial_json": '"Paris"}'}),
    data("content_block_stop", index=1),
    data("message_delta", delta={"stop_reason": "tool_use"}, usage={"output_tokens": 12}),
    data("message_stop"),
]


def scripted(reply: dict[str, Any]) -> Case:
    """A case for the stub: any call gets the reply."""
    tree = {
        "id": "kit/openai/client",
        "title": "The official client",
        "level": "may",
        "clauses": ["call.once"],
        "requires": ["anthropic"],
        "why": "To see what it makes of the gateway.",
        "source": {"kind": "spec", "ref": "the kit"},
        "since": "1.0",
        "client": {"style": "anthropic", "base_url": "{stub}", "model": "claude-x", "retries": 0},
        "request": {},
        "exchanges": [{"expect": {}, "reply": reply}],
        "result": {},
    }
    return parse(json.dumps(tree).encode(), "kit/openai/client", Path("x"))[0]


@pytest.fixture
def asked(gateway: Callable[..., str]) -> Iterator[Callable[..., tuple[openai.OpenAI, Script]]]:
    """A client of the gateway, and the script of what its provider answers."""
    with Stub() as stub:
        url = gateway(stub.url)
        clients: list[openai.OpenAI] = []

        def begin(reply: dict[str, Any]) -> tuple[openai.OpenAI, Script]:
            script = stub.begin(scripted(reply))
            clients.append(openai.OpenAI(base_url=url, api_key=script.key, max_retries=0))
            return clients[-1], script

        yield begin
        for client in clients:
            client.close()


def ask(client: openai.OpenAI, **more: Any) -> Any:
    return client.chat.completions.create(model="claude-x", messages=HI, max_tokens=64, **more)


def test_a_plain_answer(asked: Any) -> None:
    client, script = asked({"json": TEXT})
    answer = ask(client)
    (choice,) = answer.choices
    assert (choice.message.content, choice.message.refusal, choice.finish_reason) == ("Sunny.", None, "stop")
    assert (answer.object, answer.model) == ("chat.completion", "claude-x")
    assert (answer.usage.prompt_tokens, answer.usage.completion_tokens, answer.usage.total_tokens) == (13, 2, 15)
    assert answer.usage.prompt_tokens_details.cached_tokens == 4
    assert json.loads(script.calls[0].body)["messages"] == HI
    assert script.calls[0].path == "/v1/messages"


def test_tools_there_and_back(asked: Any) -> None:
    client, script = asked({"json": CALLS})
    message = ask(client, tools=[TOOL], tool_choice="required").choices[0].message
    assert message.content == "Let me look."
    assert [(call.id, call.function.name) for call in message.tool_calls] == [
        ("toolu_1", "weather"),
        ("toolu_2", "weather"),
    ]
    assert [json.loads(call.function.arguments)["city"] for call in message.tool_calls] == ["Paris", "Łódź"]
    sent = json.loads(script.calls[0].body)
    assert sent["tools"][0]["input_schema"] == TOOL["function"]["parameters"]
    assert sent["tool_choice"] == {"type": "any"}


def test_the_clients_own_message_goes_back_into_the_history(asked: Any) -> None:
    client, _ = asked({"json": CALLS})
    message = ask(client, tools=[TOOL]).choices[0].message
    client, script = asked({"json": TEXT})
    results: Any = [{"role": "tool", "tool_call_id": call.id, "content": "sunny"} for call in message.tool_calls]
    history = [*HI, message, *results]
    answer = client.chat.completions.create(model="claude-x", messages=history, tools=[TOOL], max_tokens=64)
    assert answer.choices[0].message.content == "Sunny."
    turns = json.loads(script.calls[0].body)["messages"]
    assert [turn["role"] for turn in turns] == ["user", "assistant", "user"]
    assert [block["tool_use_id"] for block in turns[2]["content"]] == ["toolu_1", "toolu_2"]


def test_a_stream(asked: Any) -> None:
    client, _ = asked({"sse": STREAM})
    chunks = list(ask(client, tools=[TOOL], stream=True, stream_options={"include_usage": True}))
    assert len({chunk.id for chunk in chunks}) == 1
    assert {chunk.object for chunk in chunks} == {"chat.completion.chunk"}
    assert chunks[0].choices[0].delta.role == "assistant"
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices) == "Let me look."
    pieces = [piece for chunk in chunks if chunk.choices for piece in chunk.choices[0].delta.tool_calls or []]
    assert (pieces[0].index, pieces[0].id, pieces[0].function.name) == (0, "toolu_1", "weather")
    assert json.loads("".join(piece.function.arguments for piece in pieces)) == {"city": "Paris"}
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices][-1] == "tool_calls"
    assert [chunk.usage for chunk in chunks[:-1]] == [None] * (len(chunks) - 1)
    assert (chunks[-1].choices, chunks[-1].usage.total_tokens) == ([], 21)


def test_a_stream_whose_usage_nobody_asked_for(asked: Any) -> None:
    client, _ = asked({"sse": STREAM})
    chunks = list(ask(client, tools=[TOOL], stream=True))
    assert all(chunk.usage is None and chunk.choices for chunk in chunks)


def test_the_clients_own_helper_reads_the_stream(asked: Any) -> None:
    client, _ = asked({"sse": STREAM})
    with client.chat.completions.stream(model="claude-x", messages=HI, tools=[TOOL], max_tokens=64) as stream:
        final = stream.get_final_completion()
    assert final.choices[0].message.content == "Let me look."
    assert final.choices[0].message.tool_calls[0].function.arguments == '{"city":"Paris"}'


@pytest.mark.parametrize(
    ("status", "kind", "raised", "code"),
    [
        (400, "invalid_request_error", openai.BadRequestError, None),
        (401, "authentication_error", openai.AuthenticationError, "invalid_api_key"),
        (403, "permission_error", openai.PermissionDeniedError, None),
        (404, "not_found_error", openai.NotFoundError, None),
        (429, "rate_limit_error", openai.RateLimitError, "rate_limit_exceeded"),
        (500, "api_error", openai.InternalServerError, None),
        (529, "overloaded_error", openai.InternalServerError, "overloaded"),
    ],
)
def test_the_providers_errors(asked: Any, status: int, kind: str, raised: Any, code: str | None) -> None:
    error = {"type": "error", "error": {"type": kind, "message": "no"}}
    client, script = asked({"status": status, "json": error, "headers": {"retry-after": "7", "request-id": "req_1"}})
    with pytest.raises(raised) as caught:
        ask(client)
    assert (caught.value.body["message"], caught.value.code) == ("no", code)
    assert caught.value.request_id == "req_1"
    assert caught.value.response.headers["retry-after"] == "7"
    assert len(script.calls) == 1


def test_the_callers_faults_never_reach_the_provider(asked: Any) -> None:
    client, script = asked({"json": TEXT})
    orphan: Any = [*HI, {"role": "tool", "tool_call_id": "nobody", "content": "x"}]
    with pytest.raises(openai.BadRequestError) as caught:
        client.chat.completions.create(model="claude-x", messages=orphan, max_tokens=64)
    assert caught.value.param == "/messages/1"
    assert script.calls == []


def test_a_provider_that_breaks_off(asked: Any) -> None:
    client, _ = asked({"fault": "reset-before-reply"})
    with pytest.raises(openai.InternalServerError) as caught:
        ask(client)
    assert caught.value.status_code == 502


def test_a_stream_that_breaks_raises_after_what_had_come(asked: Any) -> None:
    client, _ = asked({"sse": [*STREAM[:3], data("error", error={"type": "overloaded_error", "message": "busy"})]})
    chunks = iter(ask(client, stream=True))
    texts = [next(chunks).choices[0].delta.content for _ in range(2)]
    assert texts == ["", "Let me "]
    with pytest.raises(openai.APIError, match="busy"):
        next(chunks)
