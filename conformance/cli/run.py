"""`run`: one case on one port, with everything that went over the wire."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import click
import msgspec

from conformance.authoring import casefile, telling, trial, wirelog
from conformance.authoring.trial import Trial
from conformance.cli import options
from conformance.drivers.message import Hello
from conformance.options import Accept, Options
from conformance.report import exits
from conformance.report.events import EventLog, to_builtins

_EXAMPLE = options.example(
    "run anthropic/tool-results/two-results-one-turn --port 'cmd:node port.mjs'",
    "run 'anthropic/finish/a-call-wins-over-the-reason[refusal]' --port 'cmd:./port'",
    "run drafts/new-case.json --json",
    title="Examples",
)


@click.command("run", epilog=_EXAMPLE)
@options.target
@click.option("--accept", type=click.Choice(("exact", "equivalent")), default="exact", help="What passes.")
@options.as_json("The whole log as one JSON object.")
@click.argument("case_id", metavar="ID", shell_complete=options.offered_cases)
def command(target: Options, accept: Accept, as_json: bool, case_id: str) -> int:
    """Run one case and show its full wire log.

    Shows what was sent to the port, what the stub saw and answered, what came back, and every check. ID is a case's id,
    case[variant] for one of its variants (quote the brackets), or a case file. Keys are shown as {key}, the stub's
    address as {stub}.

    Exit code 0 for a pass, 1 otherwise (also where the port lacks what the case needs: nothing was checked), 10 where
    the port could not be run.
    """
    desk = casefile.Desk(target.fixtures)
    case, file = desk.case(case_id)
    with trial.opened(replace(target, accept=accept, cases=(case.name,))) as trials:
        found = trials.run(case)
    notes = trials.session.notes()
    code = _exit_code(found, trials.hello, notes)
    if as_json:
        click.echo(msgspec.json.encode(_row(found)).decode())
        return code
    for note in notes:
        click.echo(f"red: {note}", err=True)
    for line, tone in wirelog.lines(found, trials.hello, desk.corpus.clauses):
        click.echo(telling.painted(line, tone))
    if case.variant is None and case.variants:
        click.echo(f"its variants run by themselves: {', '.join(other.id for other in file.cases[1:])}", err=True)
    return code


def _exit_code(found: Trial, hello: Hello, notes: Sequence[str]) -> int:
    log = EventLog()
    log.add(found.event)
    return exits.finished(log, hello, exits.NOT_CONFORMANT if found.event.red else exits.OK, notes).exit_code


def _row(found: Trial) -> dict[str, object]:
    return {"sent": msgspec.Raw(trial.sent(found.case).encode()), **to_builtins(found.event)}
