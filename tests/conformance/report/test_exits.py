"""How a run ends."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.drivers.message import Hello
from conformance.faults import CorpusFault, PortFault
from conformance.report.events import CaseJudged, EventLog, RunFinished
from conformance.report.exits import finished, not_started, status
from conformance.verdict import STATES

HELLO = Hello("p", "x", "1", ("anthropic",))


def ended(*states: str, exit_code: int = 0, level: str = "must", hello: Hello = HELLO, lost: Any = ()) -> RunFinished:
    log = EventLog()
    for number, state in enumerate(states):
        log.add(CaseJudged(f"a/b/{number}", f"a/b/{number}", level, (), state, False))
    return finished(log, hello, exit_code, lost)


def test_a_run_that_passes() -> None:
    assert ended("pass", "n/a") == RunFinished(0)


def test_a_run_that_fails_keeps_pytests_code() -> None:
    assert ended("pass", "fail", exit_code=1).exit_code == 1


@pytest.mark.parametrize("exit_code", [2, 3, 4, 5])
def test_what_pytest_says_of_itself_stands(exit_code: int) -> None:
    assert ended("fail", exit_code=exit_code).exit_code == exit_code


def test_nothing_selected_stays_nothing_selected() -> None:
    assert ended(exit_code=5) == RunFinished(5)


def test_a_kit_error_outweighs_failures() -> None:
    assert ended("fail", "kit-error", exit_code=1).exit_code == 11


def test_a_port_that_ran_nothing() -> None:
    assert ended("not-run", "not-run", exit_code=1).exit_code == 10
    assert ended("not-run", "fail", exit_code=1).exit_code == 1


@pytest.mark.parametrize("states", [["n/a", "n/a"], ["n/a", "skip"]])
def test_nothing_checked_is_red(states: list[str]) -> None:
    assert ended(*states) == RunFinished(1, ("no case was checked",))


def test_no_must_case_checked_is_red() -> None:
    log = EventLog()
    log.add(CaseJudged("a/b/1", "a/b/1", "must", (), "n/a", False))
    log.add(CaseJudged("a/b/2", "a/b/2", "should", (), "pass", False))
    assert finished(log, HELLO, 0, ()) == RunFinished(1, ("no must case was checked",))


def test_should_cases_alone_may_be_chosen() -> None:
    assert ended("pass", level="should") == RunFinished(0)


def test_a_port_without_a_style_is_red() -> None:
    run = ended("n/a", hello=Hello("p", "x", "1", ("warnings",)))
    assert run.exit_code == 1
    assert "declares no style" in run.notes[0]


def test_calls_of_nobody_are_red() -> None:
    run = ended("pass", lost=["1 calls reached the stub that belong to no case: POST /a"])
    assert run == RunFinished(1, ("1 calls reached the stub that belong to no case: POST /a",))


def test_each_state_has_a_letter_of_its_own() -> None:
    shown = {state: status(state, red=True)[1] for state in ("fail", "equivalent", "skip", "not-run", "kit-error")}
    shown |= {state: status(state, red=False)[1] for state in ("pass", "n/a")}
    assert set(shown) == set(STATES)
    assert len(set(shown.values())) == len(shown)


def test_what_is_not_red_is_not_counted_as_failed() -> None:
    assert status("fail", red=True)[0] == "failed"
    assert status("fail", red=False)[0] == "shown only"
    assert status("equivalent", red=False)[0] == "equivalent"


def test_a_case_that_could_not_be_started(make_case: Any) -> None:
    assert not_started(make_case(), PortFault("gone")).state == "not-run"
    assert not_started(make_case(), CorpusFault("f", "/", "bad")).state == "kit-error"
