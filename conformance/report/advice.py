"""What a reader of a long run needs after the counts: which difference is behind most failures, and what to do next."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from conformance.report.events import CaseJudged
from conformance.report.terminal import brief

_INDEX: Final = re.compile(r"(?<=/)\d+(?=/|$)|(?<=call )\d+")

#: Exit codes of runs that came to their end.
_ENDED: Final = frozenset({0, 1, 10, 11})
_LEVELS: Final = {"must": 0, "should": 1, "may": 2}


@dataclass(frozen=True, slots=True)
class Group:
    """The failures that differ first at the same place; list indices count as one."""

    where: str
    cases: tuple[CaseJudged, ...]

    @property
    def first(self) -> CaseJudged:
        """The case to begin with: of the most pressing ones that with the fewest differences."""
        return min(self.cases, key=lambda case: (*_rank(case), _differences(case), len(case.id)))


def _rank(case: CaseJudged) -> tuple[bool, int]:
    """What comes first: what is wrong before what merely differs, and of that the highest level."""
    return case.state == "equivalent", _LEVELS.get(case.level, 3)


def _differences(case: CaseJudged) -> int:
    return sum(len(check.differences) for check in case.failed_checks)


def groups(cases: Sequence[CaseJudged]) -> list[Group]:
    """The red cases by their first difference, the largest group first."""
    found: dict[str, list[CaseJudged]] = {}
    for case in cases:
        if case.red:
            found.setdefault(_where(case), []).append(case)
    ordered = sorted(found.items(), key=lambda item: -len(item[1]))
    return [Group(where, tuple(members)) for where, members in ordered]


def _where(case: CaseJudged) -> str:
    if case.state == "pass":
        return "the ledger, which lists what passes"
    for check in case.failed_checks:
        if check.differences:
            return f"{check.name}: {_INDEX.sub('#', check.differences[0].where or '/')}"
    return f"{case.state}: {brief(case)}"


@dataclass(frozen=True, slots=True)
class Step:
    """What to do next, in one line, and the command to begin with, if there is one."""

    text: str
    command: str = ""

    def __str__(self) -> str:
        return f"{self.text}: {self.command}" if self.command else self.text


def next_step(cases: Sequence[CaseJudged], exit_code: int) -> Step | None:
    """What to do next; None where there is nothing to go by: no case, or a run that did not come to its end."""
    if not cases or exit_code not in _ENDED:
        return None
    states = Counter(case.state for case in cases)
    if states["kit-error"]:
        odd = next(case for case in cases if case.state == "kit-error")
        return Step(f"a fault of kit or corpus, not of the port; please report {odd.id}: {odd.reason}")
    if states["not-run"]:
        return Step(f"the port did not get to {states['not-run']} cases: {_reason(cases, 'not-run')}")
    if red := [case for case in cases if case.red]:
        return _begin(red)
    if states["n/a"]:
        return Step(
            f"{states['n/a']} cases are not checked for want of {_missing(cases)}; declare what the port can do"
        )
    if exit_code != 0:
        return None
    known = sum(bool(case.known) for case in cases)
    left = f"nothing is new; {known} known failures are left" if known else "nothing is left to put right"
    return Step(f"{left}; hold CI to it")


def _begin(red: Sequence[CaseJudged]) -> Step:
    """The place where most of the pressing failures differ first, counted with all others that do so there."""
    most = min(map(_rank, red))
    largest = groups([case for case in red if _rank(case) == most])[0]
    there = sum(_where(case) == largest.where for case in red)
    if largest.first.state == "pass":
        return Step(f"{largest.first.reason}; begin with {largest.first.id}")
    share = f"{there} of {len(red)} failures differ" if len(red) > 1 else "the failure differs"
    return Step(f"{share} first at {largest.where}; begin with", largest.first.again or largest.first.id)


def _reason(cases: Sequence[CaseJudged], state: str) -> str:
    return next(case.reason for case in cases if case.state == state)


def _missing(cases: Sequence[CaseJudged]) -> str:
    counts = Counter(name for case in cases if case.state == "n/a" for name in case.missing)
    return ", ".join(name for name, _ in counts.most_common(4))
