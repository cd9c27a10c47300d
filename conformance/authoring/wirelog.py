"""One trial in full: what the port was sent, what the stub saw and answered, what came back, and every check."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from conformance.authoring.telling import Line, section
from conformance.authoring.trial import Trial, sent
from conformance.canonical import write
from conformance.corpus import Clause
from conformance.drivers.message import Hello
from conformance.report import terminal
from conformance.report.events import CallRow, CaseJudged, ReplyRow
from conformance.tree import NotJson, read

_TONES: Final = {"head": "bad", "want": "want", "got": "got"}


def lines(trial: Trial, hello: Hello, clauses: Mapping[str, Clause]) -> Iterator[Line]:
    """The whole log, and the verdict at its end."""
    event = trial.event
    yield f"{event.id} on {hello.name} {hello.version} ({hello.language})", "head"
    if trial.seen is not None:
        yield from section("sent to the port", _pretty(sent(trial.case)))
        yield from _wire(event)
    yield from section("checks", "")
    for check in event.checks:
        yield f"  {check.name:9} {check.state}", {"pass": "", "fail": "bad"}.get(check.state, "note")
    yield "", ""
    if event.state == "pass":
        yield f"PASS  {event.id}", "good"
    elif event.state == "n/a":
        yield f"N/A  {event.id}: {event.reason}", "note"
    else:
        for line, tone in terminal.failure(event, clauses):
            yield line, _TONES.get(tone, "")


def _wire(event: CaseJudged) -> Iterator[Line]:
    assert event.evidence is not None
    calls = event.evidence.calls
    if not calls:
        yield from section("the stub saw no call", "")
    for number, call in enumerate(calls, 1):
        which = f" call {number} of {len(calls)}" if len(calls) > 1 else ""
        yield from section(f"the stub saw{which}: {call.method} {call.path}", _message(call.headers, call.body))
        yield from _reply(call.reply)
    for call in event.evidence.strays:
        yield from section(f"the stub saw a call of no script: {call.method} {call.path}", _stray(call))
    yield from section("the port gave back", _pretty(event.evidence.answer))


def _stray(call: CallRow) -> str:
    return _message(call.headers, call.body)


def _reply(reply: ReplyRow | None) -> Iterator[Line]:
    if reply is None:
        yield from section("the stub answered 422: the case has no reply for this call", "")
        return
    what = f" {reply.status}" if reply.status else ", raw"
    fault = f", then {reply.fault}" if reply.fault else ""
    yield from section(f"the stub answered{what}{fault}", _message(reply.headers, reply.body))


def _message(headers: Sequence[tuple[str, str]], body: str) -> str:
    rows = [f"{name}: {value}" for name, value in headers]
    return "\n".join([*rows, *([_pretty(body)] if body else ["(no body)"])])


def _pretty(text: str) -> str:
    """JSON in canonical layout, its tokens as they were; anything else as it is."""
    try:
        return write(read(text))
    except NotJson:
        return text
