"""The gateway driver: what comes of a case."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any

import pytest
from fakes import EVENTS, JSON, Reply, as_json, ask, bearer, completion, honest, upstream

from conformance.drivers.gateway import Gateway
from conformance.observation import Answer, NoAnswer, NotStarted
from conformance.options import Options
from conformance.stub import Stub

# -- outcomes ---------------------------------------------------------------------------------------------------------


def outcome(
    start: Any, stub: Stub, make_case: Any, reply: Callable[..., Reply], *, touch: bool = True, **case: Any
) -> Any:
    """What comes of a case whose gateway, once probed, answers so."""
    probed = []

    def answering(body: dict[str, Any], headers: dict[str, str], stub: str) -> Reply:
        if len(probed) < 2:
            probed.append(body)
            return honest(body, headers, stub)
        if touch:
            upstream(stub, body, bearer(headers))
        return reply()

    return ask(start(answering), stub, make_case(**case))[0]


def test_an_answer(start: Any, stub: Stub, make_case: Any) -> None:
    found = outcome(start, stub, make_case, lambda: completion("hello"))
    assert isinstance(found, Answer)
    result: Any = found.value["result"]
    assert (result["text"], result["finish_reason"]) == ("hello", "stop")


@pytest.mark.parametrize(
    ("status", "touch", "kind"),
    [
        (400, False, "invalid-request"),
        (422, False, "invalid-request"),
        (400, True, "provider"),
        (502, False, "provider"),
    ],
)
def test_whose_fault_a_refusal_is(start: Any, stub: Stub, make_case: Any, status: int, touch: bool, kind: str) -> None:
    refusal = as_json({"error": {"message": "no", "type": "x"}}, status, **{"retry-after": "7"})
    found = outcome(start, stub, make_case, lambda: refusal, touch=touch)
    assert isinstance(found, Answer)
    assert found.openai
    error: Any = found.value["error"]
    assert error == {"kind": kind, "status": str(status), "retry_after": "7", "message": "no"}


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        ((200, JSON, b"<html>"), "the gateway's 200 is no JSON"),
        (as_json({"choices": []}), "the gateway's 200 is no chat.completion: it has no choices"),
        (as_json({"choices": [{"message": {"content": 7}}]}), "/result/text must be a text"),
    ],
)
def test_an_answer_that_is_none(start: Any, stub: Stub, make_case: Any, reply: Reply, says: str) -> None:
    found = outcome(start, stub, make_case, lambda: reply)
    assert isinstance(found, NoAnswer)
    assert says in found.message
    assert found.certain


def test_an_answer_that_breaks_off(start: Any, stub: Stub, make_case: Any) -> None:
    found = outcome(start, stub, make_case, lambda: (200, {**JSON, "content-length": "100"}, b"{"))
    assert isinstance(found, NoAnswer)
    assert "the gateway broke off its answer" in found.message


def test_a_gateway_that_takes_too_long(start: Any, stub: Stub, make_case: Any) -> None:
    released = threading.Event()
    probed: list[Any] = []

    def slow(body: dict[str, Any], headers: dict[str, str], stub: str) -> Reply:
        if len(probed) >= 2:
            released.wait(5)
        probed.append(body)
        return honest(body, headers, stub)

    found, _ = ask(start(slow), stub, make_case(), deadline_ms=200)
    released.set()
    assert found == NoAnswer("timeout", "no answer within 200 ms", True)


def test_a_gateway_that_goes_is_not_asked_again(stub: Stub, serve: Any, make_case: Any) -> None:
    url = serve(honest)
    driver = Gateway(url, Options(port=url, stub_port=1))
    driver.start("1.0", stub)
    driver._url = "http://127.0.0.1:9/v1"  # nobody listens there
    first, _ = ask(driver, stub, make_case())
    second, _ = ask(driver, stub, make_case())
    driver.stop()
    assert isinstance(first, NoAnswer)
    assert isinstance(second, NotStarted)
    assert "is gone" in second.message


STREAMED: dict[str, Any] = {
    "requires": ["anthropic", "stream"],
    "stream": True,
    "deltas": [{"role": "assistant"}, {"content": "hi"}, {"finish_reason": "stop"}],
}


def events(*rows: Any) -> bytes:
    texts = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    return "".join(f"data: {text}\n\n" for text in texts).encode()


def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {"id": "c", "model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def test_a_stream(start: Any, stub: Stub, make_case: Any) -> None:
    body = events(chunk({"role": "assistant", "content": ""}), chunk({"content": "hi"}), chunk({}, "stop"), "[DONE]")
    found = outcome(start, stub, make_case, lambda: (200, EVENTS, body), **STREAMED)
    assert isinstance(found, Answer)
    assert found.value["deltas"] == [{"role": "assistant", "content": ""}, {"content": "hi"}, {"finish_reason": "stop"}]
    result: Any = found.value["result"]
    assert (result["text"], result["finish_reason"]) == ("hi", "stop")


@pytest.mark.parametrize("length", [None, "1000"])
def test_a_stream_that_is_cut_is_an_error_with_its_deltas(
    start: Any, stub: Stub, make_case: Any, length: str | None
) -> None:
    headers = EVENTS if length is None else {**EVENTS, "content-length": length}
    found = outcome(start, stub, make_case, lambda: (200, headers, events(chunk({"content": "h"}))), **STREAMED)
    assert isinstance(found, Answer)
    assert found.value["deltas"] == [{"content": "h"}]
    assert found.value["error"] == {"kind": "provider", "message": "it ended without [DONE]"}


def test_a_refused_stream_has_no_deltas(start: Any, stub: Stub, make_case: Any) -> None:
    found = outcome(start, stub, make_case, lambda: as_json({"error": {}}, 429), **STREAMED)
    assert isinstance(found, Answer)
    assert found.value["deltas"] == []
    error: Any = found.value["error"]
    assert (error["kind"], error["status"]) == ("provider", "429")


def test_a_stream_that_is_none(start: Any, stub: Stub, make_case: Any) -> None:
    found = outcome(start, stub, make_case, lambda: completion("hi"), **STREAMED)
    assert isinstance(found, NoAnswer)
    assert "answered a stream with application/json" in found.message


def test_a_case_that_is_repeated_is_asked_again(start: Any, stub: Stub, make_case: Any) -> None:
    driver = start(honest)
    _, script = ask(driver, stub, make_case(repeat=2))
    assert len(script.calls) == 2
