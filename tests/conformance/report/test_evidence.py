"""What a report keeps of a case."""

from __future__ import annotations

import json
from typing import Any

import pytest

from conformance.observation import Answer, Call, NoAnswer, NotStarted, Observation
from conformance.replies import Encoded
from conformance.report import evidence
from conformance.report.events import CheckRow, DifferenceRow
from conformance.report.evidence import LONGEST_BODY, LONGEST_STRING
from conformance.report.redact import Redactor
from conformance.tree import Number, compact

KEY = "case-0123456789ab-000001"
SHOWN = Redactor("http://127.0.0.1:4711", "")


def call(body: bytes = b"{}", path: str = "/v1/messages") -> Call:
    return Call("POST", path, (("Host", "127.0.0.1:4711"), ("x-api-key", KEY)), body)


def seen(make_case: Any, **values: Any) -> Any:
    return evidence.seen(make_case(), Observation(**{"outcome": Answer({}), "key": KEY, **values}), SHOWN)


def test_a_call_is_kept_as_it_came(make_case: Any) -> None:
    first, second = call(b'{ "n": 1.10 }'), call()
    answered = Encoded(200, (("Content-Type", "application/json"),), (b'{"a":', b"1e400}"))
    found = seen(make_case, calls=(first, second), answers=((first, answered, None),))
    assert found.calls[0].body == '{ "n": 1.10 }'
    assert found.calls[0].headers == (("Host", "{stub}"), ("x-api-key", "{key}"))
    assert (found.calls[0].reply.status, found.calls[0].reply.body) == (200, '{"a":1e400}')
    assert found.calls[1].reply is None


def test_what_was_done_to_the_connection_is_told(make_case: Any) -> None:
    first = call()
    reply = seen(make_case, calls=(first,), answers=((first, Encoded(200, (), ()), "stall"),)).calls[0].reply
    assert reply.fault == "stall"
    wire = Encoded(200, (), (), wire=b"HTTP/1.1 100\r\n\r\n\xff")
    assert seen(make_case, calls=(first,), answers=((first, wire, None),)).calls[0].reply.body.endswith("\\xff")


def test_a_call_that_belongs_to_no_script_is_kept_apart(make_case: Any) -> None:
    found = seen(make_case, strays=(call(path="/_alarm"),))
    assert (found.calls, found.strays[0].path) == ((), "/_alarm")


@pytest.mark.parametrize(
    ("outcome", "text"),
    [
        (Answer({"id": "17", "result": {"n": Number("1.10"), "key": KEY}}), '{"result":{"n":1.10,"key":"{key}"}}'),
        (NoAnswer("timeout", "no reply within 5000 ms"), "(timeout: no reply within 5000 ms)"),
        (NotStarted("gone"), "(not started: gone)"),
    ],
)
def test_the_answer_is_json_text_or_why_there_is_none(make_case: Any, outcome: Any, text: str) -> None:
    assert seen(make_case, outcome=outcome).answer == text


def test_long_texts_are_cut_and_still_told_apart(make_case: Any) -> None:
    bodies = [json.dumps({"a": "x" * LONGEST_BODY + end, "b": 1}).encode() for end in "12"]
    first, second = (row.body for row in seen(make_case, calls=tuple(map(call, bodies))).calls)
    assert first != second
    assert len(first) < 2 * LONGEST_STRING
    assert f"({LONGEST_BODY + 1} characters, sha256 " in first
    assert json.loads(first)["b"] == 1


def test_a_long_body_that_is_no_json_is_cut(make_case: Any) -> None:
    assert len(seen(make_case, calls=(call(b"<" * 10 * LONGEST_BODY),)).calls[0].body) < LONGEST_STRING


def test_a_long_text_in_an_answer_is_cut(make_case: Any) -> None:
    answer = Answer({"result": {"text": "y" * 10 * LONGEST_BODY}})
    assert len(seen(make_case, outcome=answer).answer) < LONGEST_STRING


def test_many_short_texts_are_cut_as_a_whole(make_case: Any) -> None:
    answer = Answer({"result": {"texts": ["y" * 100] * 10 * (LONGEST_BODY // 100)}})
    assert len(seen(make_case, outcome=answer).answer) < LONGEST_STRING


def test_the_case_is_kept_with_all_it_asks_and_wants(make_case: Any) -> None:
    case = make_case(request_params={"top_k": 3}, warnings=[{"code": "field-dropped", "pointer": "/messages/0/name"}])
    found = evidence.about(case)
    assert (found.title, found.style, found.since) == (case.title, "anthropic", "1.0")
    assert found.request == compact(case.tree["request"])
    assert found.parts == '{"request_params":{"top_k":3}}'
    assert (found.wanted[0].method, found.wanted[0].path) == ("POST", "/v1/messages")
    assert json.loads(found.wanted[0].body)["messages"] == [{"role": "user", "content": "hi"}]
    assert json.loads(found.outcome)["result"]["text"] == "hello"
    assert found.warnings == '[{"code":"field-dropped","pointer":"/messages/0/name"}]'


def test_expected_headers_are_a_line_each(make_case: Any) -> None:
    exchange = make_case().tree["exchanges"][0]
    expect = {**exchange["expect"], "headers": {"x-api-key": "{key}", "a": {"$regex": "b"}}, "present_headers": ["c"]}
    case = make_case(exchanges=[{**exchange, "expect": {**expect, "absent_headers": ["d"]}}], loose={"/x": "y"})
    assert evidence.about(case).wanted[0].headers.split("\n") == [
        "x-api-key: {key}",
        'a: {"$regex":"b"}',
        "c: (present)",
        "d: (absent)",
    ]


def test_what_the_case_itself_says_is_no_secret(make_case: Any) -> None:
    case = make_case(
        client={"style": "anthropic", "base_url": "{stub}", "model": "m", "headers": {"x-api-key": "mine"}}
    )
    assert evidence.redactor(case, "http://127.0.0.1:1").header("x-api-key", "mine") == "mine"
    assert evidence.redactor(make_case(), "http://127.0.0.1:1").header("x-api-key", "mine") == "(hidden)"


def test_deltas_are_kept_as_they_are_compared(make_case: Any) -> None:
    case = make_case(stream=True, deltas=[{"content": "a"}, {"content": "b"}])
    answer = Answer({"deltas": [{"content": "a"}, {"content": ""}, {"content": "c"}], "result": {"text": "ac"}})
    assert json.loads(evidence.about(case).outcome)["deltas"] == [{"content": "ab"}]
    assert json.loads(seen(make_case, outcome=answer).answer)["deltas"] == [{"content": "ac"}]


def test_a_long_difference_is_cut_to_where_it_parts(make: Any) -> None:
    same = "x" * 10 * LONGEST_STRING
    rows = (DifferenceRow("/a", "value", f'"{same}1"', f'"{same}2{same}"'), DifferenceRow("/b", "missing", f'"{same}"'))
    case = make("a/b/c", "fail", checks=(CheckRow("request", "fail", rows),))
    short, gone = evidence.shortened(case).checks[0].differences
    assert short.want is not None
    assert short.got is not None
    assert short.want.startswith("…x")
    assert short.want.endswith('1"… (40003 characters)')
    assert "x2x" in short.got
    assert max(len(short.want), len(short.got), len(gone.want or "")) < LONGEST_STRING
    assert gone.got is None


def test_what_is_short_stays_whole(make: Any) -> None:
    case = make("a/b/c", "fail")
    assert evidence.shortened(case) == case
