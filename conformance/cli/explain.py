"""`explain`: what a word of a report means."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from conformance.authoring import meanings, telling
from conformance.authoring.casefile import Desk
from conformance.authoring.meanings import Meaning
from conformance.authoring.telling import Line
from conformance.cli import options
from conformance.faults import Fault

_EXAMPLE = options.example("explain field-dropped", "explain anthropic.results-merge", title="Examples")


def _offered(ctx: click.Context, param: click.Parameter, begun: str) -> list[CompletionItem]:
    try:
        found = list(meanings.every(Desk(ctx.params.get("fixtures"))))
    except Fault:
        return []
    return [CompletionItem(row.word, help=row.says) for row in found if row.word.startswith(begun)]


@click.command("explain", epilog=_EXAMPLE)
@options.fixtures
@options.as_json("One JSON object; without CODE, one a line.")
@click.argument("code", metavar="[CODE]", required=False, shell_complete=_offered)
def command(fixtures: Path | None, as_json: bool, code: str | None) -> int:
    """Explain a warning code, a clause or a provider's rule.

    Says what it means, where the contract speaks of it, and which cases are about it; states (n/a) and exit codes (10)
    are known, too. Without CODE, lists every word there is.
    """
    desk = Desk(fixtures)
    if code is None:
        for row in meanings.every(desk):
            click.echo(json.dumps(_brief(row)) if as_json else f"{row.kind:14} {row.word}  {row.says}")
        return 0
    found = meanings.of(code, desk)
    if as_json:
        click.echo(json.dumps(asdict(found)))
        return 0
    for line, tone in _lines(found):
        click.echo(telling.painted(line, tone))
    return 0


def _brief(found: Meaning) -> dict[str, str]:
    return {"word": found.word, "kind": found.kind, "says": found.says}


def _lines(found: Meaning) -> Iterator[Line]:
    yield f"{found.word}  ({found.kind})", "head"
    yield f"  {found.says}", ""
    for name, fact in found.facts:
        yield f"  {name:10} {fact}", ""
    for passage in found.passages:
        yield from telling.section(f"SPEC, {passage.heading}", f"  {passage.text}")
    if found.cases:
        yield from telling.section(f"{len(found.cases)} cases are about it", "")
        yield from ((f"  {name}", "") for name in found.cases[: meanings.MOST])
    if len(found.cases) > meanings.MOST:
        more = len(found.cases) - meanings.MOST
        option = f"list --clause {found.word}" if "clause" in found.kind else f"list --text '\"{found.word}\"'"
        yield f"  … and {more} more: {option}", ""
