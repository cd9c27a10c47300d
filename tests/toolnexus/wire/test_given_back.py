"""What a provider answered can always be sent back, and what a caller wrote natively keeps its pairing."""

from __future__ import annotations

import asyncio
import json
import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from toolnexus import AsyncClient, Client, ClientConfig, ProviderError, StreamDecoder, TranslateRequest, decode, encode

KEY = "sk-SECRET/KEY+0123456789=="
ANTHROPIC = ClientConfig("http://127.0.0.1", "anthropic", "m", api_key=KEY)
OPENAI = ClientConfig("http://127.0.0.1/v1", "openai", "m", api_key=KEY)
USER = {"role": "user", "content": "x"}


def sent(messages: list[Any]) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(encode(TranslateRequest(messages), ANTHROPIC).body)
    return body


def call(arguments: str) -> dict[str, Any]:
    function = {"name": "f", "arguments": arguments}
    return {"role": "assistant", "content": None, "tool_calls": [{"id": "a", "type": "function", "function": function}]}


RESULT = {"role": "tool", "tool_call_id": "a", "content": "r"}


@pytest.mark.parametrize("arguments", ["\ufeff{}", ' \ufeff{"a":1}', '\ufeff{"a":"\\u0041"}'])
def test_arguments_behind_a_byte_order_mark_are_kept_aside(arguments: str) -> None:
    assert sent([USER, call(arguments), RESULT])["messages"][1]["content"][0]["input"] == {"_raw": arguments}


@pytest.mark.parametrize("extra", ["1e999", '{"deep":[1e999]}'])
@pytest.mark.parametrize("key", ["zz", "reasoning_content", "audio"])
def test_a_number_beyond_json_is_not_given_back(key: str, extra: str) -> None:
    reply = b'{"choices":[{"message":{"content":"x","%b":%b}}]}' % (key.encode(), extra.encode())
    message = decode(200, {}, reply, OPENAI).to_message()
    assert key not in message
    encode(TranslateRequest([USER, message, USER]), OPENAI)


@pytest.mark.parametrize("calls", ["5", "true", "1.5", '{"a":1}'])
def test_calls_that_are_no_list_are_none(calls: str) -> None:
    reply = b'{"choices":[{"message":{"content":"x","tool_calls":%b}}]}' % calls.encode()
    assert decode(200, {}, reply, OPENAI).to_message() == {"role": "assistant", "content": "x"}


@pytest.mark.parametrize(
    "block",
    [
        {"type": "thinking", "signature": "s"},
        {"type": "redacted_thinking", "signature": "q"},
        {"type": "thinking", "thinking": {"a": 1}, "signature": "s"},
        {"type": "thinking", "thinking": "t", "signature": ""},
    ],
)
def test_thinking_that_the_provider_would_refuse_is_not_given_back(block: dict[str, Any]) -> None:
    message = decode(200, {}, json.dumps({"content": [block]}).encode(), ANTHROPIC).to_message()
    assert "thinking_blocks" not in message


@pytest.mark.parametrize("mark", [{}, {"cache_control": {"type": "ephemeral"}}])
def test_a_native_call_and_its_result_keep_one_id(mark: dict[str, Any]) -> None:
    native = {"type": "tool_use", "id": "a b", "name": "f", "input": {}, **mark}
    for result in (
        {"role": "tool", "tool_call_id": "a b", "content": "r"},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a b", "content": "r", **mark}]},
    ):
        turns = sent([USER, {"role": "assistant", "content": [native]}, result])["messages"]
        call_id = turns[1]["content"][0]["id"]
        assert call_id == turns[2]["content"][0]["tool_use_id"]
        assert " " not in call_id


def test_a_native_id_used_again_is_sent_once() -> None:
    turn = {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "f", "input": {}}]}
    turns = sent([USER, turn, RESULT, turn, RESULT])["messages"]
    assert turns[1]["content"][0]["id"] != turns[3]["content"][0]["id"]
    assert turns[3]["content"][0]["id"] == turns[4]["content"][0]["tool_use_id"]


@pytest.mark.parametrize("shown", [KEY, KEY.replace("/", "\\/"), KEY.replace("/", "&#47;"), KEY.replace("/", "%2F")])
@pytest.mark.parametrize("before", [0, 180, 190])
def test_a_key_shows_in_no_form_and_no_cut(shown: str, before: int) -> None:
    with pytest.raises(ProviderError) as caught:
        decode(401, {"request-id": KEY, "retry-after": KEY}, b"<p>" + b"x" * before + shown.encode(), ANTHROPIC)
    error = caught.value
    assert "SECRET" not in f"{error} {error.request_id} {error.retry_after} {error.to_openai()}"


def feed(config: ClientConfig, *events: bytes) -> tuple[StreamDecoder, list[dict[str, Any]]]:
    decoder = StreamDecoder(config)
    deltas = [delta for event in events for delta in decoder.feed(b"data: " + event + b"\n\n")]
    return decoder, [delta.to_openai() for delta in deltas]


STOP = b'{"type":"message_stop"}'


def test_a_block_that_begins_again_loses_nothing() -> None:
    begin = b'{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}'
    text = b'{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"hi"}}'
    decoder, deltas = feed(ANTHROPIC, begin, text, begin, text, STOP)
    assert decoder.result().text == "hihi"
    assert deltas[0] == {"role": "assistant", "content": ""}


def test_bytes_that_are_no_unicode_are_repaired_in_every_event() -> None:
    begin = b'{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"\xed\xa0\x80"}}'
    decoder, _ = feed(ANTHROPIC, begin, STOP)
    assert set(decoder.result().text) == {"\ufffd"}
    assert [warning.code for warning in decoder.result().warnings] == ["reply-repaired"]


def test_a_call_that_waits_for_its_name_does_not_hold_up_the_next() -> None:
    first = b'{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}}]}'
    second = first.replace(b'"index":0,"function":{', b'"index":1,"id":"c","function":{"name":"f",')
    decoder, _ = feed(OPENAI, first, second, b"[DONE]")
    assert [call.name for call in decoder.result().tool_calls] == ["", "f"]


class Provider(BaseHTTPRequestHandler):
    """Answers with the text it was sent."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        data = json.dumps({"content": [{"type": "text", "text": body["messages"][0]["content"]}]}).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def base() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_an_async_client_serves_one_event_loop_after_another(base: str) -> None:
    client = AsyncClient(base, "anthropic", "m", api_key="key-for-tests")

    async def ask(text: str) -> str:
        return (await client.translate([{"role": "user", "content": text}])).text

    assert [asyncio.run(ask(text)) for text in ("a", "b", "c")] == ["a", "b", "c"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only POSIX forks; CI runs there")
def test_a_forked_child_reads_no_answer_of_its_parent(base: str) -> None:
    with Client(base, "anthropic", "m", api_key="key-for-tests") as client:
        client.translate([USER])
        child = os.fork()
        name = "parent" if child else "child"
        right = all(
            client.translate([{"role": "user", "content": f"{name} {n}"}]).text == f"{name} {n}" for n in range(20)
        )
        if not child:
            os._exit(0 if right else 1)
        assert right
        assert os.waitpid(child, 0)[1] == 0
