"""What a run looks like in a terminal: the text of a failure, and the summary (corpus-and-protocol, section 3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from conformance.corpus import Clause
from conformance.report.events import CaseJudged, CheckRow, DifferenceRow, EventLog

#: How many differences of one check are shown.
_MOST: Final = 20

#: How much of a value is shown, and how much of it before the first difference.
_WIDTH: Final = 200
_LEAD: Final = 60

_VERBS: Final = {
    "pass": "LISTED BUT PASSES",
    "fail": "FAIL",
    "equivalent": "EQUIVALENT",
    "skip": "SKIP",
    "not-run": "NOT RUN",
    "kit-error": "KIT ERROR",
}

Paint = Callable[[str, str], str]


class Writer(Protocol):
    """The part of pytest's terminal writer that is used."""

    def line(self, s: str = "", **markup: bool) -> None:
        """Write a line."""


def failure(event: CaseJudged, clauses: Mapping[str, Clause]) -> Iterator[tuple[str, str]]:
    """The lines of a failure, each with its tone: `head`, `want`, `got` or ``."""
    checks = " ".join(check.name for check in event.failed_checks)
    yield (
        f"{_VERBS.get(event.state, event.state)}  {event.id:<52} {event.level}{' · ' if checks else ''}{checks}",
        "head",
    )
    for number, clause in enumerate(event.clauses):
        text = clauses[clause].text if clause in clauses else "(no such clause)"
        yield _labelled("requirement" if number == 0 else "", f"{clause}: {text}")
    for label, text in (("why", event.why), ("reason", event.reason)):
        if text:
            yield _labelled(label, text)
    if event.state == "equivalent":
        yield _labelled("accept", "passes with --toolnexus-accept equivalent")
    for check in event.failed_checks:
        yield from _differences(check)
    for label, text in (("provider", event.provider), ("again", event.again), ("by hand", event.by_hand)):
        if text:
            yield _labelled(label, text)
    for line in event.stderr:
        yield _labelled("stderr", line)


def _labelled(label: str, text: str) -> tuple[str, str]:
    return f"  {label:<12} {text}", ""


def _differences(check: CheckRow) -> Iterator[tuple[str, str]]:
    shown = check.differences[:_MOST]
    width = min(max((len(row.where or "/") for row in shown), default=0), 40) + 2
    for row in shown:
        yield from _difference(row, width)
    if len(check.differences) > _MOST:
        yield f"  … and {len(check.differences) - _MOST} more", ""


def _difference(row: DifferenceRow, width: int) -> Iterator[tuple[str, str]]:
    want, got = _cut(row.want, row.got)
    where = f"  {row.where or '/':<{width}} "
    if want is None:
        yield f"{where}+ got  {got}   (unexpected)", "got"
        return
    yield f"{where}- want {want}", "want"
    yield f"{' ' * len(where)}+ got  {'(absent)' if got is None else got}", "got"


def _cut(want: str | None, got: str | None) -> tuple[str | None, str | None]:
    """Both values, cut alike, so that the place where they part stays in sight."""
    longest = max(len(text) for text in (want or "", got or ""))
    if longest <= _WIDTH:
        return want, got
    begin = max(0, _common(want, got) - _LEAD) if want is not None and got is not None else 0
    return _window(want, begin), _window(got, begin)


def _common(want: str, got: str) -> int:
    return next((n for n, (left, right) in enumerate(zip(want, got, strict=False)) if left != right), 0)


def _window(text: str | None, begin: int) -> str | None:
    if text is None or len(text) <= _WIDTH:
        return text
    piece = text[begin : begin + _WIDTH]
    return f"{'…' if begin else ''}{piece}{'…' if begin + _WIDTH < len(text) else ''} ({len(text)} characters)"


_MARKUP: Final[Mapping[str, Mapping[str, bool]]] = {
    "head": {"bold": True, "red": True},
    "want": {"green": True},
    "got": {"red": True},
    "": {},
}


@dataclass(frozen=True)
class FailureText:
    """A failure as pytest shows it: coloured on a terminal, plain everywhere else."""

    event: CaseJudged
    clauses: Mapping[str, Clause]

    def toterminal(self, tw: Writer) -> None:
        """Write it; the writer leaves colour out where there is no terminal."""
        for line, tone in failure(self.event, self.clauses):
            tw.line(line, **_MARKUP[tone])

    def __str__(self) -> str:
        return "\n".join(line for line, _ in failure(self.event, self.clauses))

    @property
    def reprcrash(self) -> Crash:
        """What the short summary and JUnit show in one line."""
        return Crash(brief(self.event))


@dataclass(frozen=True, slots=True)
class Crash:
    """pytest's shape of a one-line reason."""

    message: str


def brief(event: CaseJudged) -> str:
    """The verdict in one line: the first difference of each failed check, or the reason."""
    firsts = [
        f"{check.name}: {check.differences[0].where or '/'}" for check in event.failed_checks if check.differences
    ]
    return "; ".join(firsts) or event.reason or event.state


# -- summary ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Tally:
    """One clause in a run: how many of its cases were checked and passed, and how many could not be checked."""

    clause: str
    level: str
    passed: int
    checked: int
    not_applicable: int


def tallies(cases: Iterable[CaseJudged], clauses: Mapping[str, Clause], accept: str) -> list[Tally]:
    """One row a clause that the run touched, in the contract's order; variants count with their case."""
    by_clause: dict[str, dict[str, list[str]]] = {}
    for case in cases:
        for clause in case.clauses:
            by_clause.setdefault(clause, {}).setdefault(case.name, []).append(case.state)
    known = [clause for clause in clauses if clause in by_clause]
    unknown = sorted(clause for clause in by_clause if clause not in clauses)
    return [_tally(clause, clauses, by_clause[clause], accept) for clause in [*known, *unknown]]


def _tally(clause: str, clauses: Mapping[str, Clause], files: Mapping[str, list[str]], accept: str) -> Tally:
    good = {"pass", "equivalent"} if accept == "equivalent" else {"pass"}
    checked = [[state for state in states if state != "n/a"] for states in files.values()]
    checked = [states for states in checked if states]
    return Tally(
        clause,
        clauses[clause].level if clause in clauses else "?",
        passed=sum(all(state in good for state in states) for states in checked),
        checked=len(checked),
        not_applicable=len(files) - len(checked),
    )


def summary(log: EventLog, clauses: Mapping[str, Clause]) -> Iterator[tuple[str, Mapping[str, bool]]]:
    """The lines of the summary with their markup: a row a clause, then the totals."""
    started, cases = log.started, list(log.cases())
    if started is None or not cases:
        return
    yield f"port {started.port} {started.version} ({started.language}), corpus {started.corpus}", {}
    rows = tallies(cases, clauses, started.accept)
    width = max(len(row.clause) for row in rows)
    for row in rows:
        more = f"  n/a {row.not_applicable}" if row.not_applicable else ""
        text = f"  {row.clause:<{width}}  {row.level:<6}  {row.passed}/{row.checked}{more}"
        yield text, {} if row.passed == row.checked else {"red": row.level != "may", "yellow": row.level == "may"}
    states = Counter(case.state for case in cases)
    total = ", ".join(f"{count} {state}" for state, count in states.items())
    yield f"{len(cases)} cases: {total}{_known(cases)}", {}


def _known(cases: Iterable[CaseJudged]) -> str:
    """How many of the failures the ledger has."""
    failed = [case for case in cases if case.state in ("fail", "equivalent", "skip")]
    known = sum(bool(case.known) and not case.red for case in failed)
    return "" if not known else f", {'all' if known == len(failed) else known} of them known"
