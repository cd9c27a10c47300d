"""`list`: which cases there are, and which clauses want for more."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import click

from conformance import corpus as corpora
from conformance.authoring import choose
from conformance.case import Case
from conformance.cli import options
from conformance.cli.checks.bench import Bench
from conformance.corpus import LEVELS
from conformance.coverage import Row

_EXAMPLE = options.example(
    "list --style anthropic --area 'tool-*' --level must",
    "list --state fail --results report/ --json",
    "list --uncovered",
    title="Examples",
)


@click.command("list", epilog=_EXAMPLE)
@options.fixtures
@options.filters
@click.option("--uncovered", is_flag=True, help="List clauses instead: those that want for cases.")
@options.as_json("One JSON object a line, for programs.")
def command(fixtures: Path | None, wanted: choose.Wanted, uncovered: bool, as_json: bool) -> int:
    """List cases by what they are about.

    A line holds level, id and title, with --results the state before them; with --json it is an object with everything
    one chooses by. Options add up: a case has to fit them all, and one of the values of an option given twice (all of
    the clauses).
    """
    root = corpora.find(fixtures)
    if uncovered:
        return _uncovered(Bench.load(root), wanted, as_json)
    chosen = choose.cases(corpora.read(root), wanted)
    states = choose.states(wanted.results)
    for case in chosen:
        click.echo(json.dumps(_row(case, states)) if as_json else _line(case, states))
    counts = Counter(case.level for case in chosen if case.variant is None)
    shown = ", ".join(f"{counts[name]} {name}" for name in LEVELS)
    variants = sum(case.variant is not None for case in chosen)
    click.echo(f"{counts.total()} cases ({shown}), {variants} variants", err=True)
    return 0


def _line(case: Case, states: dict[str, str]) -> str:
    state = f"{states.get(case.id, '-'):10} " if states else ""
    return f"{state}{case.level:6} {case.id}  {case.title}"


def _row(case: Case, states: dict[str, str]) -> dict[str, object]:
    return {
        "id": case.id,
        "level": case.level,
        "title": case.title,
        "clauses": case.clauses,
        "requires": case.needs,
        "features": sorted(case.features),
        "since": case.since,
        "file": str(case.path),
        **({"state": states.get(case.id)} if states else {}),
    }


def _uncovered(bench: Bench, wanted: choose.Wanted, as_json: bool) -> int:
    rows = [row for row in bench.rows() if row.missing() is not None and _asked(row, wanted)]
    for row in rows:
        click.echo(json.dumps(_clause(row)) if as_json else f"{row.clause.level:6} {row.clause.id}  {row.missing()}")
    click.echo(f"{len(rows)} clauses want for cases" if rows else "every clause has its cases", err=True)
    return 0


def _asked(row: Row, wanted: choose.Wanted) -> bool:
    levels = LEVELS[: LEVELS.index(wanted.level) + 1]
    fits = [row.clause.id.startswith(clause) for clause in wanted.clauses]
    return row.clause.level in levels and (not fits or any(fits))


def _clause(row: Row) -> dict[str, object]:
    return {
        "clause": row.clause.id,
        "level": row.clause.level,
        "cases": row.cases,
        "negative": row.negative,
        "missing": row.missing(),
    }
