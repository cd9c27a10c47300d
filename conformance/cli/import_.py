"""`import`: a case from an HTTP Archive file, as browsers and proxies save them."""

from __future__ import annotations

from pathlib import Path

import click

from conformance.authoring.casefile import Desk
from conformance.authoring.naming import fresh
from conformance.authoring.recording import draft, har
from conformance.cli import drafting, options
from conformance.faults import UsageFault

_EXAMPLE = options.example("import openai/drift/usage-in-strings session.har --clause openai.drift")


@click.command("import", epilog=_EXAMPLE)
@options.fixtures
@click.option("--entry", "entries", multiple=True, type=click.IntRange(1), help="Of several calls, this one.")
@drafting.described
@click.argument("archive", metavar="HAR", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def command(archive: Path, entries: tuple[int, ...], fixtures: Path | None, drafted: drafting.Drafted) -> int:
    """Make a case from a HAR file.

    Takes the file's calls to the provider's endpoint (of the style that ID begins with). Where there are several, they
    are listed, and --entry says which; the same body sent again after a failure is a retry, and one case.

    What is replaced, when nothing is written, and what is left to do is as for record.
    """
    desk = Desk(fixtures)
    named = fresh(desk, drafted.name, drafted.clauses, drafted.output)
    found = har.calls(archive, named.style)
    if entries and max(entries) > len(found):
        raise UsageFault(f"{archive} holds {len(found)} calls, and no entry {max(entries)}")
    if len(found) > 1 and not entries:
        for number, item in enumerate(found, 1):
            click.echo(f"{number}  {item.method} {item.target} → {item.status}", err=True)
        raise UsageFault(f"{archive} holds {len(found)} calls; choose with --entry")
    chosen = [found[number - 1] for number in entries] if entries else found
    return drafting.kept(desk, draft.drafts(chosen, drafted.wanted(named), drafted.allowed), drafted)
