"""Many calls are looked at together, and each gets exactly what it would have got alone (`anthropic.args-exact`)."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolnexus import ClientConfig, TranslateRequest, encode
from toolnexus.wire.exact import all_object_bytes

ANTHROPIC = ClientConfig("http://127.0.0.1", "anthropic", "claude-x")
GOOD = '{"city": "Paris", "n": 1.10}'
# Texts that are objects only in the company of others, or only look like one.
ODD = [
    '{},{"a":[{}',
    "{}]}",
    '{"a":1}\n{"b":2}',
    '{"a":1',
    '"b":2}',
    '{"a":1}}',
    "{",
    "}",
    "[]",
    "{}x{}",
    '{"a":1,"a":2}',
    '{"a":"\\ud800"}',
    '{"a":NaN}',
    '{"a":01}',
    '{"a":' + "[" * 600 + "]" * 600 + "}",
]
FINE = [
    GOOD,
    "{}",
    '{\n  "a": 1\n}',
    ' {"a":1} ',
    '{"a":{"b":[{"c":"x:y"}]}}',
    '{"\\u0061":1}',
    '{"a":1e400}',
    '{"é":"😀:"}',
]


def sent(texts: list[str]) -> tuple[list[Any], list[Any]]:
    """The inputs that are sent for these arguments, as bytes, and the warnings, each beside the number of its call."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    for number, text in enumerate(texts):
        call = {"id": f"c{number}", "type": "function", "function": {"name": "f", "arguments": text}}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": "ok"})
    tools = [{"type": "function", "function": {"name": "f"}}]
    encoded = encode(TranslateRequest.from_json(msgspec.json.encode({"messages": messages, "tools": tools})), ANTHROPIC)
    body = json.loads(encoded.body, parse_float=str)
    assert [turn["role"] for turn in body["messages"]] == ["user", *["assistant", "user"] * len(texts)]
    raw = msgspec.json.decode(encoded.body, type=Sent)
    inputs = [
        block.input
        for turn in raw.messages
        if turn.role == "assistant"
        for block in msgspec.json.decode(turn.content, type=list[Block])
    ]
    warnings = [(w.code, int(w.pointer.split("/")[2]) // 2) for w in encoded.warnings]
    return [bytes(each) for each in inputs], warnings


class Block(msgspec.Struct):
    """A call, its input as it was sent."""

    input: msgspec.Raw


class Turn(msgspec.Struct):
    """A turn, its content as it was sent."""

    role: str
    content: msgspec.Raw


class Sent(msgspec.Struct):
    """A body."""

    messages: list[Turn]


@settings(max_examples=120, deadline=None)
@given(st.lists(st.sampled_from([*FINE, *ODD, GOOD, GOOD, GOOD]), min_size=6, max_size=9))
def test_arguments_among_many_are_what_they_are_alone(texts: list[str]) -> None:
    inputs, warnings = sent(texts)
    alone = [sent([text]) for text in texts]
    assert inputs == [each[0][0] for each in alone]
    assert warnings == [(code, number) for number, each in enumerate(alone) for code, _ in each[1]]


@pytest.mark.parametrize("odd", ODD)
def test_one_odd_text_among_many_is_a_no(odd: str) -> None:
    for place in (0, 3, 6):
        texts = [GOOD] * 6
        texts.insert(place, odd)
        assert not all_object_bytes(texts)


def test_texts_that_are_objects_only_together_are_a_no() -> None:
    # As many values as texts, and valid JSON, were they read in one list.
    assert not all_object_bytes(['{},{"a":[{}', "{}]}"])
    assert not all_object_bytes(['{"a":1}\n{"b":2}', " "])


def test_plain_objects_are_a_yes() -> None:
    assert all_object_bytes([GOOD] * 3 + ['{"a":{"b":[1,{"c":"x:y"}]}}', '{"é":"😀"}', "{}"])
