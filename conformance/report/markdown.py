"""`summary.md`: a run as Markdown, for the step summary of a CI job."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from conformance.corpus import LEVELS
from conformance.report.advice import groups, next_step
from conformance.report.events import CaseJudged
from conformance.report.mark import code, folded, prose, some, table
from conformance.report.results import Results
from conformance.report.terminal import Tally, brief, tallies

#: Rows of each list; a step summary holds 1 MiB, and nobody reads that.
_MOST: Final = 50


def write(results: Results, path: Path) -> None:
    """Write the file."""
    path.write_text("\n".join(summary(results)) + "\n", "utf-8")


def summary(results: Results) -> Iterator[str]:
    """The lines: the verdict, the counts, what to do next, and what is behind them."""
    cases, clauses = results.cases, tallies(results.cases, results.clauses, results.started.accept)
    red = [case for case in cases if case.red]
    broken = [row for row in clauses if row.passed < row.checked]
    yield f"## {'✅' if results.finished.exit_code == 0 else '❌'} {prose(results.port)} {_verdict(results, len(red))}"
    yield ""
    yield _facts(results)
    yield ""
    yield from _states(cases)
    for note in results.finished.notes:
        yield from ("", f"**Red:** {prose(note)}")
    if step := next_step(cases, results.finished.exit_code):
        yield from ("", f"**Next:** {prose(step.text)} {code(step.command)}".rstrip())
    if red:
        yield from ("", "### Where failures begin", "", *_groups(cases))
    if broken:
        yield from ("", "### Clauses that do not hold", "", *_clauses(broken, results))
    if red:
        lines = [f"- {code(case.id)} ({case.level}) {case.state}, {prose(brief(case))}" for case in red]
        yield from ("", *folded(f"{len(red)} cases that count against the port", some(lines, _MOST, "cases")))
    if clauses:
        yield from ("", *folded(f"All {len(clauses)} clauses", _clauses(clauses, results)))


def _verdict(results: Results, red: int) -> str:
    match results.finished.exit_code:
        case 0:
            return "conforms"
        case 1:
            return f"does not conform: {red} of {len(results.cases)} cases count against it"
        case 10:
            return "could not be run"
        case 11:
            return "was not judged: a fault in kit or corpus"
        case code:
            return f"was not judged: the run ended with exit code {code}"


def _facts(results: Results) -> str:
    run = results.started
    facts = [
        f"Corpus {run.corpus} ({code(run.corpus_hash[:19])})",
        f"kit {run.kit}",
        f"port {code(run.spec)} ({prose(run.language)})",
        f"level {run.level}",
        f"accept {run.accept}",
    ]
    facts += [f"since {run.since}"] if run.since else []
    facts += [f"shard {run.shard}"] if run.shard else []
    return f"{', '.join(facts)}, {len(results.cases)} cases in {results.finished.seconds:.1f} s."


def _states(cases: Iterable[CaseJudged]) -> Iterator[str]:
    counts: dict[str, dict[str, int]] = {}
    for case in cases:
        row = counts.setdefault(case.state, dict.fromkeys(LEVELS, 0))
        row[case.level] = row.get(case.level, 0) + 1
    rows = [(state, *(row[level] for level in LEVELS)) for state, row in counts.items()]
    return table(["", *LEVELS], rows, numbers=len(LEVELS))


def _groups(cases: tuple[CaseJudged, ...]) -> Iterator[str]:
    found = groups(cases)
    rows = [(code(group.where), code(group.first.id), len(group.cases)) for group in found[:_MOST]]
    yield from table(["first difference", "begin with", "cases"], rows, numbers=1)
    if len(found) > _MOST:
        yield from ("", f"… and {len(found) - _MOST} more places")


def _clauses(rows: list[Tally], results: Results) -> Iterator[str]:
    texts = results.clauses
    return table(
        ["clause", "level", "says", "pass", "n/a"],
        (
            (
                code(row.clause),
                row.level,
                prose(texts[row.clause].text) if row.clause in texts else "",
                f"{row.passed}/{row.checked}",
                row.not_applicable or "",
            )
            for row in rows
        ),
        numbers=2,
    )
