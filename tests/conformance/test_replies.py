"""A case's reply as bytes."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from conformance.case import Case
from conformance.replies import Encoded, encode, from_provider


@pytest.fixture
def encoded(make_case: Any) -> Any:
    def build(**reply: Any) -> Encoded:
        case: Case = make_case(exchanges=[{"expect": {}, "reply": reply}])
        return encode(case.exchanges[0].reply)

    return build


def test_json_is_compact_and_keeps_tokens(encoded: Any) -> None:
    reply = encoded(json={"a": [1, 2.50, "é"]})
    assert reply.body == '{"a":[1,2.5,"é"]}'.encode()
    assert reply.headers == (("Content-Type", "application/json"),)
    assert not reply.streamed


def test_text_is_exact(encoded: Any) -> None:
    assert encoded(text="<html>\n").body == b"<html>\n"
    assert encoded(text={"$repeat": ["ab", 2]}).body == b"abab"


def test_base64_is_exact(encoded: Any) -> None:
    assert encoded(base64=base64.b64encode(b"\xff\x00").decode()).body == b"\xff\x00"


def test_events_are_framed_and_streamed(encoded: Any) -> None:
    reply = encoded(sse=[{"event": "ping", "data": {"a": 1}}, {"data": "two\nlines"}, {"data": "[DONE]"}])
    assert reply.pieces == (
        b'event: ping\ndata: {"a":1}\n\n',
        b"data: two\ndata: lines\n\n",
        b"data: [DONE]\n\n",
    )
    assert reply.streamed
    assert reply.headers == (("Content-Type", "text/event-stream"),)


def test_chunks_are_pieces(encoded: Any) -> None:
    reply = encoded(chunks=["a", {"base64": base64.b64encode(b"\xc3").decode()}])
    assert reply.pieces == (b"a", b"\xc3")
    assert reply.streamed


def test_wire_is_everything(encoded: Any) -> None:
    assert encoded(wire="HTTP/1.1 100 Continue\r\n\r\n").wire == b"HTTP/1.1 100 Continue\r\n\r\n"


def test_a_reply_without_a_body(encoded: Any) -> None:
    reply = encoded(status=500)
    assert (reply.status, reply.body) == (500, b"")


def test_a_content_type_of_the_case_wins_whatever_its_case(encoded: Any) -> None:
    assert encoded(text="x", headers={"content-type": "text/html"}).headers == (("content-type", "text/html"),)


def test_a_plain_body_is_cut_in_half(encoded: Any) -> None:
    head, _, body = encoded(text="abcdef", headers={"x-a": "1"}).cut_short().partition(b"\r\n\r\n")
    assert head.split(b"\r\n") == [
        b"HTTP/1.1 200 OK",
        b"x-a: 1",
        b"Content-Type: application/json",
        b"Content-Length: 6",
    ]
    assert body == b"abc"


def test_a_body_that_is_not_there_is_promised_all_the_same(encoded: Any) -> None:
    assert b"Content-Length: 1024" in encoded(status=200).cut_short()


def test_a_streamed_body_is_cut_before_its_end(encoded: Any) -> None:
    _, _, body = encoded(chunks=["abc", "", "d"]).cut_short().partition(b"\r\n\r\n")
    assert body == b"3\r\nabc\r\n1\r\nd\r\n"


def test_what_a_provider_answers_becomes_a_reply() -> None:
    reply = from_provider({"status": 400, "headers": {"request-id": "r"}, "json": {"error": {"a": 1}}})
    assert (reply.status, reply.headers) == (400, {"request-id": "r"})
    assert json.loads(encode(reply).body) == {"error": {"a": 1}}
