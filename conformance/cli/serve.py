"""`serve`: the cases over plain HTTP, for test suites in other languages."""

from __future__ import annotations

import json
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import click

from conformance import corpus as corpora
from conformance.authoring.loopback import Loopback
from conformance.authoring.service.app import Service
from conformance.authoring.service.attempts import Attempts
from conformance.cli import options
from conformance.cli.ending import interruptible
from conformance.options import Accept, Options
from conformance.report import exits, folder, results
from conformance.report.events import EventLog, RunFinished, RunStarted
from conformance.stub import Stub

_EXAMPLE = options.example("serve --listen 8090 &", title="Example") + (
    "\n  curl http://127.0.0.1:8090/cases/anthropic/finish/end-turn-is-stop\n  curl http://127.0.0.1:8090/openapi.json"
)


@click.command("serve", epilog=_EXAMPLE)
@options.fixtures
@click.option("--listen", type=click.IntRange(0, 65535), default=0, help="The service's port; 0 is any free one.")
@click.option("--stub-port", type=click.IntRange(0, 65535), default=0, help="The stub's port, likewise.")
@click.option("--accept", type=click.Choice(("exact", "equivalent")), default="exact", help="What passes.")
@click.option("--name", default="served", show_default=True, help="The port's name in reports.")
@click.option(
    "--report", type=click.Path(file_okay=False, path_type=Path), help="Write results and JUnit there, at the end."
)
@options.as_json("Print the addresses as one JSON object: url, stub, cases.")
def command(
    fixtures: Path | None,
    listen: int,
    stub_port: int,
    accept: Accept,
    name: str,
    report: Path | None,
    as_json: bool,
) -> int:
    """Serve cases over HTTP, with the stub beside them.

    A test suite in any language lists the cases (GET /cases), takes one (GET /cases/ID: the request, and a client that
    points at the stub with the case's key), makes the call, posts what came of it (POST /cases/ID/result) and gets the
    verdict (also GET /cases/ID/verdict). GET /openapi.json describes it all. Listens on 127.0.0.1 only.

    Runs until Ctrl-C or SIGTERM, then tells how the cases went; exit code 1 if one was red.
    """
    if report is not None:
        folder.make(report)
    began = time.monotonic()
    corpus = corpora.read(corpora.find(fixtures))
    with Stub(stub_port) as stub:
        attempts = Attempts(corpus, stub, accept)
        with Loopback(Service(attempts), listen) as server:
            _say(server.url, stub.url, len(corpus.cases), as_json)
            with interruptible():
                _until_told()
    log = _log(attempts, Options(port=name, accept=accept), name)
    if report is not None:
        folder.write(results.from_log(log, corpus, Options(port=name), seconds=time.monotonic() - began), report)
    return _told(log)


def _say(url: str, stub: str, cases: int, as_json: bool) -> None:
    click.echo(json.dumps({"url": url, "stub": stub, "cases": cases}) if as_json else url)
    click.echo(f"{cases} cases; the stub is {stub}; Ctrl-C ends", err=True)


def _until_told() -> None:
    with suppress(KeyboardInterrupt):
        while True:
            time.sleep(0.5)


def _log(attempts: Attempts, options: Options, name: str) -> EventLog:
    """The run as other runs are told: the latest verdict on each case."""
    log = EventLog()
    log.add(
        RunStarted(
            port=name,
            spec="serve",
            language="?",
            version="?",
            capabilities=(),
            corpus=attempts.corpus.version,
            level=options.level,
            accept=options.accept,
        )
    )
    for event in attempts.verdicts.values():
        log.add(event)
    red = any(event.red for event in attempts.verdicts.values())
    log.add(exits.finished(log, None, exits.NOT_CONFORMANT if red else exits.OK, _lost(attempts)))
    return log


def _lost(attempts: Attempts) -> list[str]:
    calls = attempts.stub.unclaimed
    return [f"{len(calls)} calls reached the stub without a case's key"] if calls else []


def _told(log: EventLog) -> int:
    finished = next(event for event in log.events if isinstance(event, RunFinished))
    states = Counter(case.state for case in log.cases())
    click.echo(", ".join(f"{count} {state}" for state, count in states.items()) or "no case was judged", err=True)
    for case in log.cases():
        if case.red:
            click.echo(f"{case.state}  {case.id}", err=True)
    for note in finished.notes:
        click.echo(f"red: {note}", err=True)
    return finished.exit_code
