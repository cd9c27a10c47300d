"""A client's body as it came: what is wrong with it is said with line and column (`error.invalid-request`)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from toolnexus import ClientConfig, InvalidRequest, TranslateRequest, encode

ANTHROPIC = ClientConfig("http://127.0.0.1", "anthropic", "claude-x")
OPENAI = ClientConfig("http://127.0.0.1", "openai", "gpt-x")
BOTH = pytest.mark.parametrize("config", [ANTHROPIC, OPENAI], ids=["anthropic", "openai"])
GOOD = b'{"messages":[{"role":"user","content":"hi"}]}'


@pytest.mark.parametrize(
    ("body", "where"),
    [
        (b"{", "line 1 column 2"),
        (b'{"messages":[}', "line 1 column 14"),
        (b'{"messages":[],\n  "tools": [,]}', "line 2 column 13"),
        (GOOD + b"\n\nx", "line 3 column 1"),
        (b'{"messages":[{"role":"user","content":"a\tb"}]}', "line 1 column 41"),
        (b'{"messages":[],\n"x":\t01}', "line 2 column 7"),
        (b'{"messages":[{"role":"user","content":"hi"}],\r\n "seed": NaN}', "line 2 column 10"),
        (b'{"a":"NaN",\n"b":[-Infinity]}', "line 2 column 6"),
        (b'{"messages":["\\x"]}', "line 1 column 15"),
        (b"nul", "line 1 column 1"),
        (b"\x00{}", "line 1 column 1"),
    ],
)
def test_a_body_that_is_no_json_is_refused_with_line_and_column(body: bytes, where: str) -> None:
    with pytest.raises(InvalidRequest, match=where) as error:
        TranslateRequest.from_json(body)
    assert error.value.pointer == ""


@pytest.mark.parametrize("body", [b"", b" \r\n\t", b"[]", b'"text"', b"null", b"5", b"true", "[]", b"\xef\xbb\xbf"])
def test_a_body_that_is_no_object_is_refused(body: bytes | str) -> None:
    with pytest.raises(InvalidRequest, match=r"empty|no JSON object"):
        TranslateRequest.from_json(body)


@pytest.mark.parametrize(
    ("body", "byte"), [(b'{"messages":"\xff"}', 13), (GOOD.decode().encode("utf-16"), 0), (b'{"a":"\xed\xa0\x80"}', 6)]
)
def test_a_body_that_is_no_utf_8_is_refused_with_the_byte(body: bytes, byte: int) -> None:
    with pytest.raises(InvalidRequest, match=rf"byte {byte}\)"):
        TranslateRequest.from_json(body)


@pytest.mark.parametrize("body", [5, None, {"messages": []}, ["x"]])
def test_a_body_that_is_no_text_is_refused(body: Any) -> None:
    with pytest.raises(InvalidRequest, match="bytes or str"):
        TranslateRequest.from_json(body)


@BOTH
@pytest.mark.parametrize(
    "body",
    [
        bytearray(GOOD),
        memoryview(GOOD),
        GOOD.decode(),
        b"\xef\xbb\xbf" + GOOD,
        "\ufeff" + GOOD.decode(),
        b" \n" + GOOD + b"\n ",
    ],
    ids=["bytearray", "memoryview", "str", "BOM", "BOM in a str", "white space"],
)
def test_every_form_of_a_body_is_the_same_body(body: Any, config: ClientConfig) -> None:
    request = TranslateRequest.from_json(body)
    assert encode(request, config).body == encode(TranslateRequest.from_json(GOOD), config).body


@BOTH
def test_of_a_key_written_twice_the_last_counts(config: ClientConfig) -> None:
    body = b'{"messages":5,"max_tokens":1,"messages":[{"role":"user","content":"hi"}],"max_tokens":2}'
    sent = json.loads(encode(TranslateRequest.from_json(body), config).body)
    assert sent["messages"] == [{"role": "user", "content": "hi"}]
    assert sent["max_tokens"] == 2


@BOTH
@pytest.mark.parametrize("number", ["1e400", "7" * 5000, "-0", "1E-999"])
@pytest.mark.parametrize(
    "body",
    [
        '{"messages":[{"role":"user","content":"hi"}],"seed":@}',
        '{"messages":[{"role":"user","content":"hi"}],"metadata":{"a":@}}',
        '{"messages":[{"role":"user","content":"hi"}],"temperature":@}',
        '{"messages":[{"role":"user","content":"hi"}],"max_tokens":@}',
        '{"messages":[{"role":"user","content":"hi"}],"n":@}',
        '{"messages":[{"role":"user","content":"hi"}],"user":@}',
        '{"messages":[{"role":"user","content":"hi"}],"parallel_tool_calls":@}',
        '{"messages":[{"role":"user","content":"hi"}],"tool_choice":{"type":"auto","x":@}}',
        '{"messages":[{"role":"user","content":"hi","x":@}]}',
        '{"messages":[{"role":"user","content":[{"type":"text","text":"a","x":@}]}]}',
        '{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"http://h/a","x":@}}]}]}',
        '{"messages":[{"role":"user","content":[{"type":"image","data":"aaaa","mimeType":"image/png","x":@}]}]}',
        '{"messages":[{"role":"user","content":[{"type":"document","source":{"type":"text","x":@}}]}]}',
        '{"messages":[{"role":"user","content":"a"},{"role":"assistant","tool_calls":[{"id":@,"function":{"name":"f"}}]}]}',
        '{"messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"f","strict":true,'
        '"parameters":{"type":"object","additionalProperties":false,"properties":{"a":{"const":@}}}}}]}',
        '{"messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","x":@,"function":{"name":"f"}}]}',
        '{"messages":[{"role":"user","content":"hi"}],"tools":[{"type":"custom","custom":{"name":"f","x":@}}]}',
        '{"messages":[{"role":"user","content":"hi"}],"tools":[{"name":@,"input_schema":{"type":"object"}}]}',
    ],
)
def test_a_number_that_python_cannot_hold_is_carried_or_refused_and_never_a_crash(
    body: str, number: str, config: ClientConfig
) -> None:
    try:
        encode(TranslateRequest.from_json(body.replace("@", number)), config)
    except InvalidRequest as error:
        assert error.pointer  # noqa: PT017 - either outcome is right, a third is not


def test_what_the_body_said_can_be_read_back() -> None:
    body = {
        "model": "gpt-x",
        "messages": [{"role": "user", "content": "hi"}],
        "tools": [{"type": "function", "function": {"name": "f"}}],
        "tool_choice": "auto",
        "max_tokens": 5,
        "seed": 7,
    }
    request = TranslateRequest.from_json(json.dumps(body))
    assert request.model == "gpt-x"
    assert request.messages == body["messages"]
    assert request.tools == body["tools"]
    assert request.tool_choice == "auto"
    assert request.max_tokens == 5
    assert request.params == {"seed": 7}
    assert request.system is None


def test_the_bodys_model_is_not_sent() -> None:
    request = TranslateRequest.from_json(b'{"model":"gpt-other","messages":[{"role":"user","content":"hi"}]}')
    for config in (ANTHROPIC, OPENAI):
        assert json.loads(encode(request, config).body)["model"] == config.model
