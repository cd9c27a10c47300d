"""How a run ends: the exit code, the notes that explain it, and the word and letter of each state under pytest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from conformance import shape
from conformance.case import Case
from conformance.drivers.message import Hello
from conformance.faults import CorpusFault, Fault, PortFault
from conformance.report.events import CaseJudged, EventLog, RunFinished, judged
from conformance.verdict import KitError, NotRun

OK: Final = 0
NOT_CONFORMANT: Final = 1

#: State → letter and word; red ones are counted as pytest's failures, and `may` cases that fail are shown only.
_STATUS: Final[dict[str, tuple[str, str, Any]]] = {
    "pass": ("passed", ".", "PASSED"),
    "equivalent": ("equivalent", "~", ("EQUIVALENT", {"yellow": True})),
    "n/a": ("n/a", "-", ("N/A", {"yellow": True})),
}
_RED: Final = {
    "pass": ("P", "LISTED-BUT-PASSES"),
    "fail": ("F", "FAIL"),
    "equivalent": ("~", "EQUIVALENT"),
    "skip": ("S", "SKIP"),
    "not-run": ("N", "NOT-RUN"),
    "kit-error": ("E", "KIT-ERROR"),
}


def status(state: str, red: bool, known: bool = False) -> tuple[str, str, Any]:
    """pytest's category, letter and word for a state."""
    if known and not red:
        return "known", "k", ("KNOWN", {"yellow": True})
    if not red:
        return _STATUS.get(state, ("shown only", "m", ("SHOWN-ONLY", {"yellow": True})))
    letter, word = _RED[state]
    return "failed", letter, word


def not_started(case: Case, fault: Fault) -> CaseJudged:
    """The verdict where port or kit could not be started: not run, or the kit's fault."""
    reason = str(fault)
    verdict = NotRun(reason) if isinstance(fault, PortFault) else KitError(reason)
    return judged(case, verdict, accept="exact", ms=0.0)


def finished(log: EventLog, hello: Hello | None, exit_code: int, beside: Sequence[str]) -> RunFinished:
    """The end of a run: pytest's exit code, made 11, 10 or 1 where the cases say so (corpus-and-protocol).

    `beside` is what went wrong beside the cases.
    """
    cases = list(log.cases())
    notes = (*_notes(cases, hello), *beside)
    if exit_code not in (OK, NOT_CONFORMANT) or not cases:
        return RunFinished(exit_code, notes)
    states = {case.state for case in cases}
    if "kit-error" in states:
        return RunFinished(CorpusFault.exit_code, notes)
    if states == {"not-run"}:
        return RunFinished(PortFault.exit_code, notes)
    return RunFinished(NOT_CONFORMANT if notes else exit_code, notes)


def _notes(cases: Sequence[CaseJudged], hello: Hello | None) -> list[str]:
    """Why a run without a failed case is red all the same: never is green what was not checked."""
    notes = []
    if hello is not None and not any(style in hello.capabilities for style in shape.STYLES):
        notes.append(f"the port declares no style ({' or '.join(shape.STYLES)}), so nothing of it was checked")
    elif cases and not any(_checked(case) for case in cases):
        notes.append("no case was checked")
    elif (must := [case for case in cases if case.level == "must"]) and not any(_checked(case) for case in must):
        notes.append("no must case was checked")
    return notes


def _checked(case: CaseJudged) -> bool:
    return case.state not in ("n/a", "skip", "not-run", "kit-error")
