"""The event log, and what counts against a port."""

from __future__ import annotations

import json
from typing import Any

import pytest

from conformance.checks import Check
from conformance.differences import Difference
from conformance.report.events import (
    CaseJudged,
    EventLog,
    RunFinished,
    RunStarted,
    from_builtins,
    is_red,
    judged,
    to_builtins,
)
from conformance.verdict import Equivalent, Failed, KitError, NotApplicable, NotRun, Passed, Skipped, Verdict

CHECKS = (Check("request", "fail", (Difference("/a", "missing", "1", None),)), Check("calls", "pass"))
STARTED = RunStarted("p", "cmd:p", "go", "1", ("anthropic",), "1.0", "may", "exact")


@pytest.mark.parametrize(
    "event",
    [
        STARTED,
        RunFinished(1, ("no case was checked",)),
        CaseJudged("a/b/c[v]", "a/b/c", "must", ("x.y",), "pass", False),
    ],
)
def test_events_go_through_json_unchanged(event: Any) -> None:
    assert from_builtins(json.loads(json.dumps(to_builtins(event)))) == event


def test_a_failure_keeps_its_differences(make_case: Any) -> None:
    event = judged(make_case(), Failed(CHECKS), accept="exact", ms=1.23456)
    again = from_builtins(json.loads(json.dumps(to_builtins(event))))
    assert again == event
    assert isinstance(again, CaseJudged)
    (check,) = again.failed_checks
    assert (check.name, check.differences[0].where, check.differences[0].got) == ("request", "/a", None)
    assert event.why == "Without this nothing works."
    assert event.ms == 1.235


@pytest.mark.parametrize(("accept", "where"), [("exact", "/a"), ("equivalent", "/b/0")])
def test_where_equivalents_pass_only_other_differences_are_told(make_case: Any, accept: str, where: str) -> None:
    spelt, meant = Difference("/a", "missing", "1", None), Difference("/b/0", "value", "1", "2")
    check = Check("request", "fail", (spelt, meant), (meant,))
    event = judged(make_case(), Failed((check,)), accept=accept, ms=1)
    assert event.checks[0].differences[0].where == where


@pytest.mark.parametrize(
    ("verdict", "reason"),
    [
        (NotRun("gone"), "gone"),
        (KitError("oops"), "oops"),
        (Skipped("not yet", "o/r#1"), "not yet (o/r#1)"),
        (Skipped("not yet", ""), "not yet"),
        (NotApplicable(("hooks", "wire")), "the port lacks hooks, wire"),
        (Passed(CHECKS), ""),
    ],
)
def test_the_reason_of_a_verdict(make_case: Any, verdict: Verdict, reason: str) -> None:
    assert judged(make_case(), verdict, accept="exact", ms=0).reason == reason


@pytest.mark.parametrize(
    ("state", "level", "accept", "red"),
    [
        ("pass", "must", "exact", False),
        ("n/a", "must", "exact", False),
        ("fail", "must", "exact", True),
        ("fail", "should", "exact", True),
        ("fail", "may", "exact", False),
        ("equivalent", "must", "exact", True),
        ("equivalent", "must", "equivalent", False),
        ("equivalent", "may", "exact", False),
        ("skip", "must", "equivalent", True),
        ("not-run", "should", "exact", True),
        ("kit-error", "may", "exact", True),
    ],
)
def test_what_counts_against_the_port(state: str, level: str, accept: str, red: bool) -> None:
    assert is_red(state, level, accept) is red


def test_an_equivalent_case_says_what_was_not_exact(make_case: Any) -> None:
    checks = (Check("request", "equivalent", CHECKS[0].differences),)
    event = judged(make_case(), Equivalent(checks), accept="equivalent", ms=0)
    assert [check.name for check in event.failed_checks] == ["request"]
    assert not event.red


def test_the_log_keeps_the_order() -> None:
    log = EventLog()
    assert log.started is None
    log.add(STARTED)
    cases = [CaseJudged(f"a/b/{n}", f"a/b/{n}", "must", (), "pass", False) for n in range(3)]
    for case in cases:
        log.add(case)
    log.add(RunFinished(0))
    assert log.started == STARTED
    assert list(log.cases()) == cases
