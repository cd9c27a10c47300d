"""Every conversation is the same request by each door: a body or values, read at once or key by key."""

from __future__ import annotations

import copy
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolnexus import ClientConfig, InvalidRequest, TranslateRequest, encode

ANTHROPIC = ClientConfig("http://127.0.0.1", "anthropic", "claude-x")
OPENAI = ClientConfig("http://127.0.0.1", "openai", "gpt-x")
MODELS = [ANTHROPIC, ClientConfig("http://127.0.0.1", "anthropic", "claude-opus-4-8", system_prompt="client's")]
QUICK = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])

# Blanks, escapes, separators, two and three byte and astral characters, and letters.
texts = st.text(st.sampled_from(' \n\t"\\/\u2028\u0085\x00éи漢😀\ufeffabc'), max_size=6)
ids = st.sampled_from(["c1", "c2", "c 3", "", "toolu_1"])
numbers = st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
objects = st.dictionaries(texts, values, max_size=3)
arguments = st.one_of(
    objects.map(lambda value: msgspec.json.encode(value).decode()),
    objects.map(lambda value: msgspec.json.format(msgspec.json.encode(value)).decode()),
    st.sampled_from(["", " ", "null", "{", "[]", '{"a":1,"a":2}', '{"a":NaN}', '{"a":"\\ud800"}', "{} "]),
    st.none(),
    objects,
)
names = st.sampled_from(["f", "g", "no name", ""])
parts = st.one_of(
    st.fixed_dictionaries({"type": st.just("text"), "text": texts}),
    st.fixed_dictionaries({"type": st.just("text"), "text": texts, "cache_control": st.just({"type": "ephemeral"})}),
    st.just({"type": "image_url", "image_url": {"url": "http://h/a.png", "detail": "low"}}),
    st.just({"type": "image_url", "image_url": "data:image/jpg;base64,iVBORw0KGgo="}),
    st.just({"type": "input_audio", "input_audio": {"data": "aaaa", "format": "mp3"}}),
    st.just({"type": "audio", "mimeType": "audio/wav", "data": "aaaa"}),
    st.just({"type": "file", "file": {"file_data": "data:application/pdf;base64,JVBERi0x", "filename": "a.pdf"}}),
    st.just({"type": "odd", "x": [1.5]}),
)
contents = texts | st.lists(parts, max_size=3) | st.none()


@st.composite
def calls(draw: st.DrawFn) -> dict[str, Any]:
    return {
        "id": draw(ids),
        "type": "function",
        "function": {"name": draw(names), "arguments": draw(arguments)},
        **draw(st.sampled_from([{}, {}, {"index": 0}, {"extra": 1}])),
    }


@st.composite
def exchanges(draw: st.DrawFn) -> list[dict[str, Any]]:
    """An assistant turn and the results of its calls, now and then one too few or too many."""
    asked = draw(st.lists(calls(), max_size=3))
    turn: dict[str, Any] = {"role": "assistant", "content": draw(contents), "tool_calls": asked or None}
    turn |= draw(st.sampled_from([{}, {}, {"refusal": "no"}, {"name": "n"}, {"reasoning_content": "hm"}]))
    results = [{"role": "tool", "tool_call_id": call["id"], "content": draw(contents)} for call in asked]
    fault = draw(st.sampled_from(["none"] * 20 + ["lost", "twice"]))
    if results and fault == "lost":
        results.pop()
    elif results and fault == "twice":
        results.append(results[0])
    return [turn, *results]


roles = st.sampled_from(["user"] * 12 + ["assistant"] * 4 + ["system"] * 2 + ["developer", "tool", "odd"])
others = st.fixed_dictionaries({"role": roles, "content": contents}).map(lambda message: [message])
messages = st.lists(exchanges() | others, max_size=4).map(lambda groups: [m for group in groups for m in group])
schemas: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.just({}),
    st.fixed_dictionaries({"type": st.just("object"), "properties": st.dictionaries(texts, objects, max_size=2)}),
    st.just({"anyOf": []}),
)
tools = st.lists(
    st.fixed_dictionaries(
        {"name": st.sampled_from(["f", "g", "h", "i j"]), "parameters": schemas},
        optional={"description": texts, "strict": st.booleans()},
    ).map(lambda function: {"type": "function", "function": function}),
    max_size=3,
)
params = st.fixed_dictionaries(
    {},
    optional={
        "temperature": st.sampled_from([0, 0.5, 1.5, -1]),
        "stop": texts | st.lists(texts, max_size=2),
        "user": texts,
        "reasoning_effort": st.sampled_from(["none", "low", "max", "odd"]),
        "seed": numbers,
        "metadata": objects,
        "parallel_tool_calls": st.booleans(),
    },
)
bodies = st.fixed_dictionaries(
    {"messages": messages},
    optional={
        "tools": tools,
        "tool_choice": st.sampled_from(
            ["auto", "none", "required", {"type": "function", "function": {"name": "f"}}, "odd"]
        ),
        "max_tokens": st.integers(-1, 100),
        "system": texts,
        "params": params,
    },
)


def outcome(request: TranslateRequest, config: ClientConfig) -> tuple[Any, ...]:
    """Everything a caller can see of an encoding."""
    try:
        sent = encode(request, config)
    except InvalidRequest as error:
        return "refused", error.pointer, error.message
    return "sent", sent.body, sent.warnings, sent.custom_tools


def by_body(body: dict[str, Any]) -> TranslateRequest:
    return TranslateRequest.from_json(msgspec.json.encode(body))


def by_values(body: dict[str, Any]) -> TranslateRequest:
    given = {"messages": None, **body}
    return TranslateRequest(given.pop("messages"), **given)


def key_by_key(body: dict[str, Any]) -> dict[str, Any]:
    """The same body with keys that say nothing, so that no message and no tool has the plain shape."""
    body = copy.deepcopy(body)
    for message in body["messages"]:
        message["odd"] = None
        for call in message.get("tool_calls") or ():
            call["odd"] = None
    for tool in body.get("tools", ()):
        tool["odd"] = None
        tool["function"]["odd"] = None
    return body


@QUICK
@given(bodies, st.sampled_from([*MODELS, OPENAI]))
def test_a_body_and_values_are_the_same_request(body: dict[str, Any], config: ClientConfig) -> None:
    assert outcome(by_body(body), config) == outcome(by_values(body), config)


@QUICK
@given(bodies, st.sampled_from(MODELS))
def test_reading_at_once_and_key_by_key_give_the_same_request(body: dict[str, Any], config: ClientConfig) -> None:
    at_once = outcome(by_body(body), config)
    careful = outcome(by_body(key_by_key(body)), config)
    assert outcome(by_values(key_by_key(body)), config) == careful
    # Of two faults each way may name another first; a request without a fault has one reading.
    assert careful[0] == at_once[0]
    if at_once[0] == "sent":
        assert careful == at_once


@QUICK
@given(bodies, st.sampled_from([*MODELS, OPENAI]))
def test_the_same_request_gives_the_same_bytes_again_and_leaves_its_values_alone(
    body: dict[str, Any], config: ClientConfig
) -> None:
    before = copy.deepcopy(body)
    request = by_values(body)
    assert outcome(request, config) == outcome(request, config)
    assert body == before
    request = by_body(body)
    assert outcome(request, config) == outcome(request, config)


@QUICK
@given(bodies)
def test_what_anthropic_is_sent_is_json_without_nulls_and_blank_texts(body: dict[str, Any]) -> None:
    kind, sent, *_ = outcome(by_body(body), ANTHROPIC)
    if kind != "sent":
        return
    value = msgspec.json.decode(sent)
    assert None not in value.values()
    for turn in value["messages"]:
        blocks = turn["content"]
        assert blocks
        for block in blocks if isinstance(blocks, list) else [{"type": "text", "text": blocks}]:
            assert block["type"] != "text" or block["text"].strip()


@pytest.mark.parametrize("config", [ANTHROPIC, OPENAI], ids=["anthropic", "openai"])
def test_the_plain_shape_is_read_at_once_and_another_is_not(config: ClientConfig) -> None:
    # Without this the comparison above would compare a way with itself.
    body: dict[str, Any] = {
        "messages": [{"role": "user", "content": "hi"}],
        "tools": [{"type": "function", "function": {"name": "f"}}],
    }
    assert by_body(body).plain_fields().plain is not None
    assert by_body(key_by_key(body)).plain_fields().plain is None
