"""The event log of a run: everything a report may show, as typed values that go through JSON unchanged.

Terminal, JUnit, JSON lines and every other report render from this log alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from conformance.case import Case
from conformance.checks import Check
from conformance.verdict import Equivalent, Failed, KitError, NotApplicable, NotRun, Skipped, Verdict, state_of


class DifferenceRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """One difference; `want` and `got` are JSON text, None is absent."""

    where: str
    kind: str
    want: str | None = None
    got: str | None = None


class CheckRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """One check of a case: `pass`, `equivalent`, `fail` or `n/a`."""

    name: str
    state: str
    differences: tuple[DifferenceRow, ...] = ()


class ReplyRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the stub answered; `body` as text, `fault` what it did to the connection."""

    status: int
    headers: tuple[tuple[str, str], ...] = ()
    body: str = ""
    fault: str = ""


class CallRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """One request as the provider received it, and its answer; `body` as text, whatever was in it."""

    method: str
    path: str
    headers: tuple[tuple[str, str], ...] = ()
    body: str = ""
    reply: ReplyRow | None = None


class Evidence(msgspec.Struct, frozen=True, omit_defaults=True):
    """What was seen of a case: the calls, those that belong to no script, and the port's answer as JSON text."""

    calls: tuple[CallRow, ...] = ()
    strays: tuple[CallRow, ...] = ()
    answer: str = ""


class WantedCall(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a case expects of one request; `headers` a line each, `body` as JSON text; "" is not looked at."""

    method: str = ""
    path: str = ""
    headers: str = ""
    body: str = ""


class About(msgspec.Struct, frozen=True, omit_defaults=True):
    """The case itself, so that a report can be read without the corpus. Every payload is JSON text.

    `parts` are those that are sent beside the request; `outcome` is keyed by its kind (result, error, declare).
    """

    title: str
    why: str = ""
    style: str = ""
    since: str = ""
    client: str = ""
    request: str = ""
    parts: str = ""
    repeat: int = 1
    wanted: tuple[WantedCall, ...] = ()
    outcome: str = ""
    warnings: str = ""


class ClauseRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """One clause as the corpus of the run has it."""

    id: str
    level: str
    text: str
    ref: str = ""


class RunStarted(msgspec.Struct, frozen=True, tag="run-started", tag_field="event"):
    """A run begins: whose port, which corpus, which options.

    `corpus_hash`, `kit` and `clauses` are there in a results file alone; `shard` is `i/n`; `began` is UTC, ISO 8601.
    """

    port: str
    spec: str
    language: str
    version: str
    capabilities: tuple[str, ...]
    corpus: str
    level: str
    accept: str
    since: str | None = None
    shard: str | None = None
    began: str = ""
    format: int = 1
    kit: str = ""
    corpus_hash: str = ""
    clauses: tuple[ClauseRow, ...] = ()


class CaseJudged(msgspec.Struct, frozen=True, omit_defaults=True, tag="case", tag_field="event"):
    """One case has its verdict. `red` says whether it counts against the port; `ms` is the port's time.

    `known` is what the ledger says of its failures. `evidence` and `about` are kept for a report alone.
    """

    id: str
    name: str
    level: str
    clauses: tuple[str, ...]
    state: str
    red: bool
    ms: float = 0.0
    checks: tuple[CheckRow, ...] = ()
    reason: str = ""
    missing: tuple[str, ...] = ()
    why: str = ""
    provider: str = ""
    again: str = ""
    by_hand: str = ""
    stderr: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    evidence: Evidence | None = None
    about: About | None = None

    @property
    def failed_checks(self) -> tuple[CheckRow, ...]:
        """The checks that explain the state."""
        return tuple(check for check in self.checks if check.state in ("fail", "equivalent"))


class RunFinished(msgspec.Struct, frozen=True, tag="run-finished", tag_field="event"):
    """A run ends: its exit code, why it is red beyond its cases, how long it took, and its cases by state."""

    exit_code: int
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
    states: dict[str, int] = {}


Event = RunStarted | CaseJudged | RunFinished


class EventLog:
    """The events of a run in the order they came."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def add(self, event: Event) -> None:
        """Append an event."""
        self.events.append(event)

    @property
    def started(self) -> RunStarted | None:
        """The run's first event, if it got that far."""
        return next((event for event in self.events if isinstance(event, RunStarted)), None)

    def cases(self) -> Iterator[CaseJudged]:
        """The verdicts."""
        return (event for event in self.events if isinstance(event, CaseJudged))


def to_builtins(event: Event) -> dict[str, Any]:
    """The event as plain values, to cross from a worker process."""
    found: dict[str, Any] = msgspec.to_builtins(event)
    return found


def from_builtins(value: dict[str, Any]) -> Event:
    """The event that `to_builtins` gave."""
    event: Event = msgspec.convert(value, Event)
    return event


def judged(case: Case, verdict: Verdict, *, accept: str, ms: float) -> CaseJudged:
    """The event of a verdict, without what only a failure needs."""
    state = state_of(verdict)
    return CaseJudged(
        id=case.id,
        name=case.name,
        level=case.level,
        clauses=case.clauses,
        state=state,
        red=is_red(state, case.level, accept),
        ms=round(ms, 3),
        checks=tuple(_row(check, accept) for check in getattr(verdict, "checks", ())),
        reason=_reason(verdict),
        missing=verdict.missing if isinstance(verdict, NotApplicable) else (),
        why=case.why if isinstance(verdict, (Failed, Equivalent)) else "",
    )


def is_red(state: str, level: str, accept: str) -> bool:
    """Does a case in this state count against the port? What could not be judged does at every level but may's own."""
    if state == "equivalent":
        return accept != "equivalent" and level != "may"
    if state == "kit-error":
        return True
    return state in ("fail", "skip", "not-run") and level != "may"


def _row(check: Check, accept: str) -> CheckRow:
    """The differences that count: where equivalent requests pass, those that are more than another spelling."""
    found = check.meant if accept == "equivalent" and check.meant else check.differences
    rows = tuple(DifferenceRow(row.where, row.kind, row.want, row.got) for row in found)
    return CheckRow(check.name, check.state, rows)


def _reason(verdict: Verdict) -> str:
    match verdict:
        case NotRun(reason=reason) | KitError(reason=reason):
            return reason
        case Skipped(reason=reason, issue=issue):
            return f"{reason} ({issue})" if issue else reason
        case NotApplicable(missing=missing):
            return f"the port lacks {', '.join(missing)}"
        case _:
            return ""
