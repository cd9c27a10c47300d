"""Encoded bodies to the byte: key order, every token of schemas and arguments (`anthropic.args-exact`)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from toolnexus import ClientConfig, TranslateRequest, decode, encode

ANTHROPIC = ClientConfig("http://127.0.0.1", "anthropic", "claude-x")
OPENAI = ClientConfig("http://127.0.0.1", "openai", "gpt-x")

# Each is a JSON object whose text no parser and printer would give back.
ARGUMENTS = {
    "key order": '{"b":1,"a":2}',
    "white space inside": '{ "a" : [ 1,\t2 ] ,\n"b":{ } }',
    "big integer": '{"n":123456789012345678901234567890}',
    "trailing zero": '{"n":1.10}',
    "beyond a float": '{"n":1e400}',
    "negative zero": '{"n":-0,"m":-0.0}',
    "exponent": '{"n":1E+2}',
    "line separator": '{"s":"a\u2028b\u2029c"}',
    "escaped line separator": '{"s":"\\u2028"}',
    "escaped slash": '{"s":"\\/"}',
    "escaped ASCII": '{"s":"\\u0041"}',
    "non-ASCII": '{"ключ":"é😀"}',
    "escaped pair": '{"s":"\\ud83d\\ude00"}',
    "empty key": '{"":{}}',
    "five thousand digits": '{"n":' + "7" * 5000 + "}",
}
SCHEMA = (
    '{ "type":"object",  "properties":{"z":{"type":"number","maximum":1.10},"a":{"$ref":"#/$defs/x"}},'
    '"$defs":{"x":{"enum":["\\u00e9","é",1E5,123456789012345678901]}},\n"required":[ "z" ] }'
)


def conversation(arguments: str) -> str:
    """A client's body with one call, its arguments as an escaped string."""
    return (
        '{"messages":[{"role":"user","content":"go"},{"role":"assistant","tool_calls":'
        '[{"id":"c1","type":"function","function":{"name":"f","arguments":' + json.dumps(arguments) + "}}]},"
        '{"role":"tool","tool_call_id":"c1","content":"done"}]}'
    )


def call(arguments: Any) -> list[dict[str, Any]]:
    """The same conversation as values."""
    function = {"name": "f", "arguments": arguments}
    return [
        {"role": "user", "content": "go"},
        {"role": "assistant", "tool_calls": [{"id": "c1", "type": "function", "function": function}]},
        {"role": "tool", "tool_call_id": "c1", "content": "done"},
    ]


def test_an_anthropic_body_has_its_keys_in_the_documented_order_whatever_the_callers_was() -> None:
    body = {
        "temperature": 0.5,
        "stop": ["x"],
        "parallel_tool_calls": False,
        "tools": [{"type": "function", "function": {"parameters": {}, "name": "f", "description": "d"}}],
        "user": "u-1",
        "top_p": 0.9,
        "max_tokens": 64,
        "service_tier": "default",
        "reasoning_effort": "low",
        "messages": [
            {"content": "be brief", "role": "system"},
            {"content": [{"image_url": {"url": "http://h/a"}, "type": "image_url"}], "role": "user"},
        ],
    }
    assert encode(TranslateRequest.from_json(json.dumps(body)), ANTHROPIC).body == (
        b'{"model":"claude-x","max_tokens":64,"system":"be brief",'
        b'"messages":[{"role":"user","content":[{"type":"image","source":{"type":"url","url":"http://h/a"}}]}],'
        b'"tools":[{"name":"f","description":"d","input_schema":{"type":"object","properties":{}}}],'
        b'"tool_choice":{"type":"auto","disable_parallel_tool_use":true},'
        b'"stop_sequences":["x"],"temperature":0.5,"top_p":0.9,"thinking":{"type":"adaptive"},'
        b'"output_config":{"effort":"low"},"metadata":{"user_id":"u-1"},"service_tier":"standard_only"}'
    )


def test_an_openai_body_has_its_own_keys_first_and_then_params_as_given() -> None:
    sent = encode(
        TranslateRequest(
            [{"content": "hi", "role": "user"}],
            tools=[{"function": {"name": "f"}, "type": "function"}],
            tool_choice="auto",
            max_tokens=64,
            params={"top_p": 1, "seed": 2},
        ),
        OPENAI,
    )
    assert sent.body == (
        b'{"model":"gpt-x","messages":[{"content":"hi","role":"user"}],"max_tokens":64,'
        b'"tools":[{"function":{"name":"f"},"type":"function"}],"tool_choice":"auto","top_p":1,"seed":2}'
    )


@pytest.mark.parametrize("arguments", ARGUMENTS.values(), ids=ARGUMENTS.keys())
@pytest.mark.parametrize("door", ["body", "values"])
def test_arguments_reach_anthropic_as_the_bytes_they_are(arguments: str, door: str) -> None:
    request = (
        TranslateRequest.from_json(conversation(arguments)) if door == "body" else TranslateRequest(call(arguments))
    )
    sent = encode(request, ANTHROPIC)
    assert b'"input":' + arguments.encode() + b"}]" in sent.body
    assert [w.code for w in sent.warnings] == ["history-without-tools"]


def test_white_space_around_arguments_is_cut_and_kept_inside() -> None:
    sent = encode(TranslateRequest(call('\n\t {"a" : 1 }\r\n ')), ANTHROPIC)
    assert b'"input":{"a" : 1 }}' in sent.body


@pytest.mark.parametrize("arguments", ARGUMENTS.values(), ids=ARGUMENTS.keys())
def test_arguments_given_as_an_object_in_a_body_keep_their_bytes(arguments: str) -> None:
    body = conversation("@").replace('"@"', arguments)
    assert b'"input":' + arguments.encode() + b"}]" in encode(TranslateRequest.from_json(body), ANTHROPIC).body


@pytest.mark.parametrize("arguments", ARGUMENTS.values(), ids=ARGUMENTS.keys())
def test_a_native_tool_use_keeps_its_bytes(arguments: str) -> None:
    block = '{"type":"tool_use", "id":"c1","name":"f","input":' + arguments + "}"
    body = (
        '{"messages":[{"role":"user","content":"go"},{"role":"assistant","content":[' + block + "]},"
        '{"role":"tool","tool_call_id":"c1","content":"done"}]}'
    )
    assert block.encode() in encode(TranslateRequest.from_json(body), ANTHROPIC).body


@pytest.mark.parametrize(
    "arguments",
    [
        '{"a":NaN}',
        '{"a":-Infinity}',
        '{"a":1,"a":2}',
        '{"b":{"a":1,"\\u0061":2}}',
        "[1]",
        "1",
        '{"a":01}',
        '{"a":1}x',
        "{",
        '{"a":' + "[" * 512 + "]" * 512 + "}",
        '{"a":"\x01"}',
        "{'a':1}",
        '{"a":1,}',
    ],
)
def test_what_is_no_object_of_json_never_becomes_one(arguments: str) -> None:
    sent = encode(TranslateRequest(call(arguments)), ANTHROPIC)
    assert json.loads(sent.body)["messages"][1]["content"][0]["input"] == {"_raw": arguments}
    assert [(w.code, w.pointer) for w in sent.warnings] == [
        ("malformed-arguments", "/messages/1/tool_calls/0/function/arguments"),
        ("history-without-tools", "/tools"),
    ]


@pytest.mark.parametrize("empty", ["", " \n", "null", None])
def test_no_arguments_are_an_empty_object(empty: str | None) -> None:
    sent = encode(TranslateRequest(call(empty)), ANTHROPIC)
    assert b'"input":{}}' in sent.body
    assert [w.code for w in sent.warnings] == ["history-without-tools"]


@pytest.mark.parametrize("config", [ANTHROPIC, OPENAI], ids=["anthropic", "openai"])
def test_a_tool_schema_of_a_body_keeps_every_token(config: ClientConfig) -> None:
    body = (
        '{"messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"f","parameters":'
        + SCHEMA
        + "}}]}"
    )
    assert SCHEMA.encode() in encode(TranslateRequest.from_json(body), config).body


def test_a_schema_without_a_type_gets_one_in_front_and_keeps_the_rest() -> None:
    tool = '{"type":"function","function":{"name":"f","parameters":@}}'
    body = '{"messages":[{"role":"user","content":"hi"}],"tools":[' + tool + "]}"
    for given, sent in (
        ('{ "b":1.10, "a":{} }', '{"type":"object","b":1.10, "a":{} }'),
        ("{ }", '{"type":"object","properties":{}}'),
        ("null", '{"type":"object","properties":{}}'),
    ):
        encoded = encode(TranslateRequest.from_json(body.replace("@", given)), ANTHROPIC).body
        assert b'"input_schema":' + sent.encode() + b"}]" in encoded


def test_an_openai_body_is_the_callers_token_for_token() -> None:
    messages = '[ {"role":"user", "x":1.10,\n"content":[{"type":"text","text":"\\u00e9\\/"}] , "y":1e400} ]'
    tools = '[ {"type":"function","function":{"name":"f" , "parameters":{"n":1E5}}} ]'
    choice = '{ "type":"function","function":{"name":"f"} }'
    sent = encode(
        TranslateRequest.from_json(
            f'{{"messages":{messages},"tools":{tools},"tool_choice":{choice},"seed":12345678901234567890123}}'
        ),
        OPENAI,
    )
    assert sent.body.decode() == (
        f'{{"model":"gpt-x","messages":{messages},"tools":{tools},"tool_choice":{choice},'
        '"seed":12345678901234567890123}'
    )


@pytest.mark.parametrize("token", ["0.70", "1e-1", "0", "-0", "1.0"])
def test_number_params_are_sent_as_written(token: str) -> None:
    body = '{"messages":[{"role":"user","content":"hi"}],"temperature":' + token + "}"
    for config in (ANTHROPIC, OPENAI):
        assert b'"temperature":' + token.encode() + b"}" in encode(TranslateRequest.from_json(body), config).body


@pytest.mark.parametrize("arguments", ARGUMENTS.values(), ids=ARGUMENTS.keys())
def test_arguments_come_back_as_the_providers_own_bytes(arguments: str) -> None:
    body = '{"content":[{"type":"tool_use","id":"c1","name":"f","input":@}],"stop_reason":"tool_use"}'
    result = decode(200, [], body.replace("@", arguments).encode(), ANTHROPIC)
    assert result.tool_calls[0].arguments == arguments


@pytest.mark.parametrize("arguments", ARGUMENTS.values(), ids=ARGUMENTS.keys())
@pytest.mark.parametrize("form", ["string", "object"])
def test_arguments_of_an_openai_reply_come_back_byte_for_byte(arguments: str, form: str) -> None:
    written = json.dumps(arguments) if form == "string" else arguments
    body = '{"choices":[{"message":{"content":null,"tool_calls":[{"id":"c1","function":{"name":"f","arguments":@}}]}}]}'
    result = decode(200, [], body.replace("@", written).encode(), OPENAI)
    assert result.tool_calls[0].arguments == arguments


@pytest.mark.parametrize("config", [ANTHROPIC, OPENAI], ids=["anthropic", "openai"])
def test_a_conversation_that_goes_round_keeps_the_bytes_of_its_arguments(config: ClientConfig) -> None:
    arguments = ARGUMENTS["white space inside"]
    replies = {
        "anthropic": '{"content":[{"type":"tool_use","id":"c1","name":"f","input":@}]}'.replace("@", arguments),
        "openai": json.dumps(
            {
                "choices": [
                    {"message": {"tool_calls": [{"id": "c1", "function": {"name": "f", "arguments": arguments}}]}}
                ]
            }
        ),
    }
    turn = decode(200, [], replies[config.style].encode(), config).to_message()
    again = TranslateRequest(
        [{"role": "user", "content": "go"}, turn, {"role": "tool", "tool_call_id": "c1", "content": ""}]
    )
    sent = encode(again, config).body
    assert (
        arguments.encode() if config.style == "anthropic" else json.dumps(arguments, ensure_ascii=False).encode()
    ) in sent
