"""Requests built in Python: what JSON cannot hold is named, never sent (`request.json-clean`)."""

from __future__ import annotations

import collections
import copy
import datetime
import decimal
import enum
import json
import types
from collections.abc import Callable, Iterator
from typing import Any

import pydantic
import pytest
from openai import pydantic_function_tool
from openai.types.chat import ChatCompletion, ChatCompletionMessage

from toolnexus import ClientConfig, InvalidRequest, TranslateRequest, decode, encode

ANTHROPIC = ClientConfig("http://127.0.0.1", "anthropic", "claude-x")
OPENAI = ClientConfig("http://127.0.0.1", "openai", "gpt-x")
BOTH = pytest.mark.parametrize("config", [ANTHROPIC, OPENAI], ids=["anthropic", "openai"])
USER = {"role": "user", "content": "hi"}
NAN, INFINITY = float("nan"), float("inf")


class Text(str):
    """A string that is not exactly one."""


class Role(str, enum.Enum):  # noqa: UP042 - that is the point
    """As people wrote enums of strings before StrEnum."""

    USER = "user"


class Limit(enum.IntEnum):
    """An integer that is not exactly one."""

    SMALL = 64


class Half(float):
    """A float that is not exactly one."""


def with_params(value: Any) -> TranslateRequest:
    return TranslateRequest([USER], params={"metadata": {"deep": [value]}})


def with_message(value: Any) -> TranslateRequest:
    return TranslateRequest([USER, {"role": "user", "content": [{"type": "text", "text": "x", "score": value}]}])


def with_tool(value: Any) -> TranslateRequest:
    parameters = {"type": "object", "properties": {"a": {"default": value}}}
    return TranslateRequest([USER], tools=[{"type": "function", "function": {"name": "f", "parameters": parameters}}])


def with_arguments(value: Any) -> TranslateRequest:
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": {"a": value}}}
    return TranslateRequest([USER, {"role": "assistant", "tool_calls": [call]}, {"role": "tool", "tool_call_id": "c"}])


PLACES: dict[str, tuple[Callable[[Any], TranslateRequest], str]] = {
    "params": (with_params, "/params/metadata/deep/0"),
    "message": (with_message, "/messages/1/content/0/score"),
    "tool": (with_tool, "/tools/0/function/parameters/properties/a/default"),
    "arguments": (with_arguments, "/messages/1/tool_calls/0/function/arguments/a"),
}


@BOTH
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    "value",
    [
        NAN,
        INFINITY,
        -INFINITY,
        Half("nan"),
        b"bytes",
        bytearray(b"bytes"),
        {1, 2},
        frozenset({1}),
        1j,
        decimal.Decimal("1.10"),
        datetime.datetime(2026, 1, 1),
        object(),
        range(3),
        Role,
        len,
        10**5000,
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, int) else repr(value)[:12],
)
def test_what_json_cannot_hold_is_an_invalid_request_at_its_pointer(
    value: Any, place: str, config: ClientConfig
) -> None:
    build, pointer = PLACES[place]
    with pytest.raises(InvalidRequest) as error:
        encode(build(value), config)
    assert error.value.pointer == pointer


@BOTH
def test_a_key_that_is_no_string_is_an_invalid_request_at_its_object(config: ClientConfig) -> None:
    for key in (1, None, True, b"k", ("a",)):
        with pytest.raises(InvalidRequest) as error:
            encode(TranslateRequest([USER, {**USER, "x": {"ok": {key: 1}}}]), config)
        assert error.value.pointer == "/messages/1/x/ok"


@BOTH
def test_pointers_escape_what_rfc_6901_escapes(config: ClientConfig) -> None:
    with pytest.raises(InvalidRequest) as error:
        encode(TranslateRequest([USER], params={"a/b": {"c~d": NAN}}), config)
    assert error.value.pointer == "/params/a~1b/c~0d"


@BOTH
@pytest.mark.parametrize(
    ("holder", "pointer"), [("message", "/messages/1"), ("tool", "/tools/0"), ("params", "/params/x")]
)
@pytest.mark.parametrize("cycle", ["object", "list", "wide list", "careful"])
def test_a_cycle_is_an_invalid_request_at_what_holds_it(
    cycle: str, holder: str, pointer: str, config: ClientConfig
) -> None:
    around: Any = {} if cycle in ("object", "careful") else []
    if cycle == "object":
        around["self"] = around
    elif cycle == "careful":
        # A subclass of str takes the other walk.
        around["self"] = {"text": Text("x"), "back": around}
    else:
        around.extend([around] * (2 if cycle == "wide list" else 1))
    requests = {
        "message": TranslateRequest([USER, {**USER, "x": around}]),
        "tool": TranslateRequest([USER], tools=[{"type": "function", "function": {"name": "f", "parameters": around}}]),
        "params": TranslateRequest([USER], params={"x": around}),
    }
    with pytest.raises(InvalidRequest) as error:
        encode(requests[holder], config)
    assert error.value.pointer == pointer


def nested(levels: int, leaf: Any, kind: str) -> Any:
    value = leaf
    for level in range(levels):
        value = {"a": value} if kind == "objects" or (kind == "mixed" and level % 2) else [value]
    return value


@BOTH
@pytest.mark.parametrize("kind", ["objects", "lists", "mixed"])
@pytest.mark.parametrize("leaf", [1, Text("x")], ids=["plain", "careful"])
def test_512_levels_are_carried_and_one_more_is_refused(kind: str, leaf: Any, config: ClientConfig) -> None:
    encode(TranslateRequest([{**USER, "x": nested(511, leaf, kind)}], params={"y": nested(512, leaf, kind)}), config)
    for request, pointer in (
        (TranslateRequest([USER, {**USER, "x": nested(512, leaf, kind)}]), "/messages/1"),
        (TranslateRequest([USER], params={"y": nested(513, leaf, kind)}), "/params/y"),
        (TranslateRequest([USER], params={"y": nested(100_000, leaf, kind)}), "/params/y"),
    ):
        with pytest.raises(InvalidRequest) as error:
            encode(request, config)
        assert error.value.pointer == pointer


@BOTH
def test_subclasses_of_json_types_are_sent_as_what_they_are(config: ClientConfig) -> None:
    request = TranslateRequest(
        [
            collections.OrderedDict(role=Role.USER, content=Text("hi")),
            types.MappingProxyType({Text("role"): "user", "content": "x"}),
        ],
        max_tokens=Limit.SMALL,
        params={"temperature": Half(0.5)},
    )
    sent = json.loads(encode(request, config).body)
    assert sent["messages"] == [{"role": "user", "content": "hi"}, {"role": "user", "content": "x"}]
    assert (sent["max_tokens"], sent["temperature"]) == (64, 0.5)


@BOTH
def test_tuples_are_lists(config: ClientConfig) -> None:
    part = {"type": "text", "text": "hi"}
    lists = encode(TranslateRequest([{"role": "user", "content": [part]}], params={"stop": ["a"]}), config)
    tuples = encode(TranslateRequest(({"role": "user", "content": (part,)},), params={"stop": ("a",)}), config)
    assert tuples.body == lists.body


@BOTH
def test_iterators_are_read_once_and_stay_readable(config: ClientConfig) -> None:
    tool = {"type": "function", "function": {"name": "f"}}
    request = TranslateRequest((message for message in [USER]), tools=iter([tool]))
    assert encode(request, config).body == encode(TranslateRequest([USER], tools=[tool]), config).body
    assert encode(request, config).body == encode(request, config).body


class Stack:
    """Iterable, and nothing else."""

    def __iter__(self) -> Iterator[Any]:
        return iter([USER])


@BOTH
def test_any_iterable_of_messages_is_read_and_a_string_or_mapping_is_a_mistake(config: ClientConfig) -> None:
    assert encode(TranslateRequest(Stack()), config).body == encode(TranslateRequest([USER]), config).body
    for mistake in ("hi", b"hi", USER, 5, True):
        with pytest.raises(InvalidRequest) as error:
            encode(TranslateRequest(mistake), config)
        assert error.value.pointer == "/messages"


@BOTH
def test_the_callers_objects_are_never_changed(config: ClientConfig) -> None:
    messages: list[Any] = [
        {"role": "system", "content": [{"type": "text", "text": "s", "cache_control": {"type": "ephemeral"}}]},
        {
            "role": "user",
            "content": [
                {"type": "image", "mimeType": "image/jpg", "data": "iVBORw0KGgo="},
                {"type": "text", "text": "\ud800"},
            ],
        },
        {
            "role": "assistant",
            "content": "  ",
            "tool_calls": [{"id": "a b", "type": "function", "function": {"name": "f g", "arguments": "{"}}],
        },
        {"role": "tool", "tool_call_id": "a b", "content": ({"type": "text", "text": "x"},)},
        {"role": "assistant", "content": "so "},
    ]
    tools = [{"type": "function", "function": {"name": "f", "parameters": {"properties": {}}, "strict": True}}]
    choice = {
        "type": "allowed_tools",
        "allowed_tools": {"mode": "auto", "tools": [{"type": "function", "function": {"name": "f"}}]},
    }
    params = {"metadata": {"a": [1]}, "stop": ["x"], "reasoning_effort": "low", "stream": None}
    given = (messages, tools, choice, params)
    before = copy.deepcopy(given)
    encode(TranslateRequest(messages, tools=tools, tool_choice=choice, params=params), config)
    assert given == before


# -- objects with model_dump -------------------------------------------------------------------------------------------


COMPLETION = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1,
    "model": "gpt-x",
    "choices": [
        {
            "index": 0,
            "finish_reason": "tool_calls",
            "message": {
                "role": "assistant",
                "content": None,
                "refusal": None,
                "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1.10}'}}],
                "reasoning_content": "hm",
            },
        }
    ],
}


def test_the_openai_sdks_message_is_sent_with_what_the_reply_had_and_nothing_else() -> None:
    message = ChatCompletion.model_validate(COMPLETION).choices[0].message
    request = TranslateRequest([USER, message, {"role": "tool", "tool_call_id": "c1", "content": "x"}])
    sent = json.loads(encode(request, OPENAI).body)["messages"][1]
    assert sent == COMPLETION["choices"][0]["message"]  # type: ignore[index]


def test_the_openai_sdks_message_is_read_like_its_mapping() -> None:
    message = ChatCompletion.model_validate(COMPLETION).choices[0].message
    result = {"role": "tool", "tool_call_id": "c1", "content": "x"}
    by_object = encode(TranslateRequest([USER, message, result]), ANTHROPIC)
    by_mapping = encode(TranslateRequest([USER, COMPLETION["choices"][0]["message"], result]), ANTHROPIC)  # type: ignore[index]
    assert by_object.body == by_mapping.body
    assert b'"input":{"a": 1.10}' in by_object.body
    assert by_object.warnings == by_mapping.warnings


@BOTH
def test_calls_of_the_openai_sdk_may_stand_in_a_mapping(config: ClientConfig) -> None:
    message = ChatCompletion.model_validate(COMPLETION).choices[0].message
    turn = {"role": "assistant", "content": None, "tool_calls": message.tool_calls}
    sent = encode(TranslateRequest([USER, turn, {"role": "tool", "tool_call_id": "c1", "content": "x"}]), config)
    assert b'"c1"' in sent.body
    assert b"1.10" in sent.body


class Weather(pydantic.BaseModel):
    """Tells the weather."""

    city: str


class Named(pydantic.BaseModel):
    """A choice as a model; its type is a default that nobody set."""

    type: str = "function"
    function: dict[str, str]
    note: str | None = None


class Settings(pydantic.BaseModel):
    """Params as a model."""

    temperature: float = 0.5
    seed: int | None = None


@BOTH
def test_tools_choice_and_params_may_be_models(config: ClientConfig) -> None:
    tool = pydantic_function_tool(Weather)
    request = TranslateRequest(
        [ChatCompletionMessage(role="assistant", content="a"), USER],
        tools=[tool],
        tool_choice=Named(function={"name": "Weather"}),
        params=Settings(),
    )
    plain = TranslateRequest(
        [{"content": "a", "role": "assistant"}, USER],
        tools=[tool],
        tool_choice={"function": {"name": "Weather"}, "type": "function"},
        params={"temperature": 0.5},
    )
    assert encode(request, config).body == encode(plain, config).body


class Old:
    """Has `model_dump`, and knows no argument of it."""

    def model_dump(self) -> dict[str, Any]:
        return {"role": "user", "content": "hi"}


class Endless:
    """Dumps to another of its kind."""

    def model_dump(self) -> Any:
        return Endless()


@BOTH
def test_model_dump_without_arguments_is_enough_and_one_that_gives_no_value_is_refused(config: ClientConfig) -> None:
    assert encode(TranslateRequest([Old()]), config).body == encode(TranslateRequest([USER]), config).body
    for bad in (Endless(), Old):
        with pytest.raises(InvalidRequest) as error:
            encode(TranslateRequest([USER, bad]), config)
        assert error.value.pointer == "/messages/1"


@BOTH
def test_a_model_that_holds_what_json_cannot_is_refused_at_its_pointer(config: ClientConfig) -> None:
    with pytest.raises(InvalidRequest) as error:
        encode(TranslateRequest([USER], params=Settings(temperature=NAN)), config)
    assert error.value.pointer == "/params/temperature"


# -- Unicode -----------------------------------------------------------------------------------------------------------


@BOTH
def test_half_a_surrogate_pair_is_replaced_with_a_warning_and_a_pair_is_one_character(config: ClientConfig) -> None:
    sent = encode(
        TranslateRequest([{"role": "user", "content": "a\ud800b"}, {"role": "user", "content": "\ud83d\ude00"}]), config
    )
    assert [message["content"] for message in json.loads(sent.body)["messages"]] == ["a\ufffdb", "😀"]
    assert [(w.code, w.pointer) for w in sent.warnings] == [("lone-surrogate", "/messages/0/content")]


def test_what_a_result_gives_back_can_be_sent_again() -> None:
    reply = b'{"content":[{"type":"text","text":"hello"}],"stop_reason":"end_turn"}'
    turn = decode(200, [], reply, ANTHROPIC).to_message()
    sent = encode(TranslateRequest([USER, turn, USER]), ANTHROPIC)
    assert json.loads(sent.body)["messages"][1] == {"role": "assistant", "content": [{"type": "text", "text": "hello"}]}
