"""The adapter for our own translator, case by case through the kit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from conformance.drivers.reference import Port
from conformance.options import Options
from conformance.report.events import CaseJudged
from conformance.session import Session


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    opened = Session(Options())
    opened.open()
    yield opened
    opened.close()


def judged(session: Session, case: Any) -> CaseJudged:
    event = session.run(case)
    assert event.state == "pass", event
    return event


TOOL = {"name": "add", "description": "Add.", "inputSchema": {"type": "object", "properties": {}}}
CALL = {"type": "tool_use", "id": "t1", "name": "add", "input": {}}


def exchange(body: Any = None, **reply: Any) -> dict[str, Any]:
    return {"expect": {} if body is None else {"body": body}, "reply": reply}


ANSWER: dict[str, Any] = {"json": {"content": [{"type": "text", "text": "ok"}]}}


def test_it_says_what_it_can_do(session: Session) -> None:
    assert session.hello is not None
    assert session.hello.name == "toolnexus"
    assert {"anthropic", "openai", "toolkit", "hooks", "declare", "pointers", "warnings"} <= set(
        session.hello.capabilities
    )


def test_a_text(session: Session, make_case: Any) -> None:
    judged(session, make_case())


def test_no_tool_of_a_toolkit_runs(session: Session, make_case: Any) -> None:
    reply = {"json": {"content": [CALL], "stop_reason": "tool_use"}}
    calls = [{"id": "t1", "name": "add", "arguments": "{}"}]
    judged(session, make_case(toolkit=[TOOL], exchanges=[exchange(**reply)], result={"tool_calls": calls}))


def test_a_tool_that_does_run_is_seen(session: Session, make_case: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from toolnexus import Client

    translate = Client.translate

    def running(self: Client, request: Any, **more: Any) -> Any:
        for tool in request.toolkit:
            tool.__wrapped__()
        return translate(self, request, **more)

    monkeypatch.setattr(Client, "translate", running)
    event = session.run(make_case(toolkit=[TOOL], exchanges=[exchange(**ANSWER)], result={"text": "ok"}))
    (check,) = event.failed_checks
    assert (check.name, check.differences[0].got) == ("calls", "a tool ran: POST /_alarm")


def test_declarations(session: Session, make_case: Any) -> None:
    none = {"request": None, "exchanges": None, "result": None, "client": None}
    declared = [{"name": "add", "description": "Add.", "input_schema": {"type": "object", "properties": {}}}]
    judged(session, make_case(**none, toolkit=[TOOL], requires=["toolkit"], declare={"anthropic": declared}))


def test_hooks_fire_and_replace(session: Session, make_case: Any) -> None:
    body = {"model": "claude-y", "max_tokens": 64, "messages": [{"role": "user", "content": "hi"}]}
    judged(
        session,
        make_case(
            hooks={"before_llm": {"replace": {"model": "claude-y"}}},
            fired={"before_llm": 1, "after_llm": 1, "before_tool": 0, "after_tool": 0},
            exchanges=[exchange(body, **ANSWER)],
            result={"text": "ok"},
        ),
    )


def test_a_decision_stops_the_retries(session: Session, make_case: Any) -> None:
    client = {"style": "anthropic", "base_url": "{stub}", "model": "m", "retries": 2, "retry_base_ms": 0}
    judged(
        session,
        make_case(
            client=client,
            hooks={"on_error": ["retry", "fail"]},
            fired={"on_error": 2},
            exchanges=[exchange(status=500), exchange(status=500)],
            result=None,
            error={"kind": "provider", "status": 500},
        ),
    )


def test_params_and_transform_shape_the_body(session: Session, make_case: Any) -> None:
    body = {"model": "claude-x", "messages": [{"role": "user", "content": "hi"}], "top_k": 3, "x": 1}
    judged(
        session,
        make_case(
            request_params={"top_k": 3},
            body_transform={"max_tokens": None, "x": 1},
            exchanges=[exchange(body, **ANSWER)],
            result={"text": "ok"},
        ),
    )


@pytest.mark.parametrize(
    ("exchanges", "error"),
    [
        ([exchange(fault="reset-before-reply")], {"kind": "transport", "type": "reset"}),
        ([exchange(text="<html>")], {"kind": "invalid-response"}),
        (
            [exchange(status=429, headers={"retry-after": "9"}, json={"error": {"type": "t", "message": "m"}})],
            {"kind": "provider", "status": 429, "type": "t", "message": "m", "retry_after": "9"},
        ),
    ],
)
def test_errors(session: Session, make_case: Any, exchanges: list[Any], error: dict[str, Any]) -> None:
    judged(session, make_case(exchanges=exchanges, result=None, error=error))


def test_a_wrong_request_is_refused_with_its_pointer(session: Session, make_case: Any) -> None:
    error = {"kind": "invalid-request", "pointer": "/messages"}
    judged(session, make_case(request={"messages": []}, exchanges=[], result=None, error=error))


def test_a_failed_round_does_not_end_a_repeated_case(session: Session, make_case: Any) -> None:
    error = {"kind": "provider", "status": 400}
    judged(session, make_case(repeat=2, exchanges=[exchange(status=400)], result=None, error=error))


def test_its_connections_are_closed() -> None:
    port = Port()
    port.close()
    assert port._http.is_closed
