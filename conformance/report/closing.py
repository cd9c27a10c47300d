"""The end of a run in a terminal: failures in full, a row a clause, and what to do next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

from conformance.corpus import Clause
from conformance.report.advice import groups, next_step
from conformance.report.events import CaseJudged, EventLog, RunFinished
from conformance.report.terminal import FailureText, summary

#: Failures that are told in full, and places of difference that are listed. All of them are in the report.
TOLD: Final = 25
_PLACES: Final = 12


class Screen(Protocol):
    """The part of pytest's terminal reporter that is used."""

    _tw: Any

    def section(self, title: str, sep: str = "=", **markup: bool) -> None:
        """Write a heading."""

    def write_sep(self, sep: str, title: str | None = None, **markup: bool) -> None:
        """Write a line with a title."""

    def write_line(self, line: str, **markup: bool) -> None:
        """Write a line."""


def failures(screen: Screen, log: EventLog, clauses: Mapping[str, Clause]) -> None:
    """The first failures in full, and how many there are besides."""
    red = [case for case in log.cases() if case.red]
    if not red:
        return
    screen.section("FAILURES")
    for case in red[:TOLD]:
        screen.write_sep("_", case.id, red=True, bold=True)
        FailureText(case, clauses).toterminal(screen._tw)
    if len(red) > TOLD:
        screen.write_line(
            f"… and {len(red) - TOLD} more; -v tells them all, --toolnexus-report DIR keeps all", yellow=True
        )


def counts(screen: Screen, log: EventLog, clauses: Mapping[str, Clause], *, quiet: bool) -> None:
    """The closing table, or with `quiet` its last line; then notes and advice."""
    lines = list(summary(log, clauses))
    if not lines:
        return
    screen.section("conformance")
    for line, markup in lines[-1:] if quiet else lines:
        screen.write_line(line, **markup)
    cases = list(log.cases())
    if not quiet:
        _places(screen, cases)
    finished = next((event for event in log.events if isinstance(event, RunFinished)), RunFinished(0))
    for note in finished.notes:
        screen.write_line(f"red: {note}", red=True)
    if step := next_step(cases, finished.exit_code):
        screen.write_line(f"next: {step}", bold=True)


def _places(screen: Screen, cases: Sequence[CaseJudged]) -> None:
    """Where failures begin, where there are so many of them that it helps."""
    found = groups(cases)
    if sum(len(group.cases) for group in found) <= TOLD:
        return
    screen.write_line("failures by their first difference:")
    for group in found[:_PLACES]:
        screen.write_line(f"  {len(group.cases):>5}  {group.where}  ({group.first.id})")
    if len(found) > _PLACES:
        screen.write_line(f"         … and {len(found) - _PLACES} more places")
