"""`show`: one case, for people."""

from __future__ import annotations

from pathlib import Path

import click

from conformance.authoring import casefile, telling
from conformance.canonical import write
from conformance.cli import options

_EXAMPLE = options.example(
    "show anthropic/tool-results/two-results-one-turn",
    "show --json anthropic/tool-results/two-results-one-turn",
    title="Examples",
)


@click.command("show", epilog=_EXAMPLE)
@options.fixtures
@options.as_json("The case as it is run: the file, or with the variant applied.")
@click.argument("case_id", metavar="ID", shell_complete=options.offered_cases)
def command(fixtures: Path | None, as_json: bool, case_id: str) -> int:
    """Show one case: what it demands, why, and its data.

    ID is a case's id, case[variant] for one of its variants, or a case file.
    """
    desk = casefile.Desk(fixtures)
    case, file = desk.case(case_id)
    if as_json:
        click.echo(write(case.tree))
        return 0
    for line, tone in telling.case(case, file.cases[0], desk.corpus.clauses):
        click.echo(telling.painted(line, tone))
    return 0
