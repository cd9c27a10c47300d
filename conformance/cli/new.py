"""`new`: a case to begin with."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import click

from conformance.authoring import casefile, scaffold
from conformance.authoring.casefile import Desk
from conformance.authoring.choose import FOLDERS
from conformance.authoring.expectation import Tree
from conformance.authoring.naming import fresh
from conformance.cli import options

_EXAMPLE = options.example(
    "new anthropic/tool-results/three-results --clause anthropic.results-merge --template results",
    "new --style openai --area drift --name usage-in-strings --clause openai.drift",
    title="Examples",
)

_KINDS = ("spec", "report", "fuzz", "recorded")


@click.command("new", epilog=_EXAMPLE)
@options.fixtures
@click.option("--style", type=click.Choice(FOLDERS), help="With --area and --name, in place of ID.")
@click.option("--area", help="The id's second part.")
@click.option("--name", "last", help="The id's third part: the rule in a few words, with dashes.")
@click.option(
    "--clause",
    "clauses",
    multiple=True,
    required=True,
    shell_complete=options.offered_clauses,
    help="What it checks; level and version follow from it.",
)
@click.option(
    "--template", type=click.Choice([*scaffold.TEMPLATES]), help="What it looks like; text, or declare for that style."
)
@click.option("--title", help="The expectation in one line.")
@click.option("--why", help="What goes wrong in practice where it is broken.")
@click.option("--source", type=click.Choice(_KINDS), default="spec", show_default=True, help="Where it comes from.")
@click.option("--ref", help="The section, or the public thread (owner/repo#number).")
@click.argument("case_id", metavar="[ID]", required=False)
def command(
    fixtures: Path | None,
    style: str | None,
    area: str | None,
    last: str | None,
    clauses: tuple[str, ...],
    template: str | None,
    title: str | None,
    why: str | None,
    source: str,
    ref: str | None,
    case_id: str | None,
) -> int:
    """Write a new case to begin with.

    The case runs and passes as it stands; put in the one thing it is about. What you do not say with --title, --why and
    --ref is marked TODO, and lint asks for it. Prints the new file's path. An id never changes, so choose it well: the
    style, the area, and the rule in a few words.
    """
    desk = Desk(fixtures)
    named = fresh(desk, _name(case_id, style, area, last), clauses)
    template = template or ("declare" if named.style == "declare" else "text")
    casefile.write(named.path, cast("Tree", scaffold.case(named, template, source, ref, title, why)))
    click.echo(str(named.path))
    click.echo("next: change what it asks and expects, then fmt, lint and run it", err=True)
    return 0


def _name(case_id: str | None, *parts: str | None) -> str:
    given = [part for part in parts if part is not None]
    if case_id is not None and not given:
        return case_id
    if case_id is None and len(given) == len(parts):
        return "/".join(given)
    raise click.UsageError("name the case as ID (style/area/name), or with --style, --area and --name together")
