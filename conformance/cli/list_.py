"""`list`: which cases there are."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import click

from conformance import corpus as corpora
from conformance.case import Case, Level
from conformance.corpus import LEVELS


@click.command("list")
@click.option("--fixtures", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Another corpus.")
@click.option("--level", type=click.Choice(LEVELS), default="may", help="Only this level and those above.")
@click.option(
    "--clause", "clauses", multiple=True, help="Only cases that cite this clause; a prefix such as openai. does."
)
@click.option("--requires", "capabilities", multiple=True, help="Only cases that need this style or capability.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line, for programs.")
def command(
    fixtures: Path | None, level: Level, clauses: tuple[str, ...], capabilities: tuple[str, ...], as_json: bool
) -> int:
    """List cases: id, level and title, or with --json everything one chooses by."""
    corpus = corpora.read(corpora.find(fixtures))
    chosen = [
        case
        for case in corpora.choose(corpus, level=level)
        if all(any(cited.startswith(clause) for cited in case.clauses) for clause in clauses)
        and set(capabilities) <= set(case.needs)
    ]
    for case in chosen:
        click.echo(json.dumps(_row(case)) if as_json else f"{case.level:6} {case.id}  {case.title}")
    counts = Counter(case.level for case in chosen if case.variant is None)
    shown = ", ".join(f"{counts[name]} {name}" for name in LEVELS)
    variants = sum(case.variant is not None for case in chosen)
    click.echo(f"{counts.total()} cases ({shown}), {variants} variants", err=True)
    return 0


def _row(case: Case) -> dict[str, object]:
    return {
        "id": case.id,
        "level": case.level,
        "title": case.title,
        "clauses": case.clauses,
        "requires": case.needs,
        "features": sorted(case.features),
        "since": case.since,
        "file": str(case.path),
    }
