"""`known update`: bring a ledger of known failures up to date."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import click

from conformance import corpus as corpora
from conformance.cli import options
from conformance.corpus import LEVELS
from conformance.faults import UsageFault
from conformance.known import read
from conformance.options import Options
from conformance.report import results
from conformance.report.results import Results

_EXAMPLE = """\b
Examples:
  toolnexus-conformance known update known.toml --port 'cmd:node port.mjs'
  toolnexus-conformance known update known.toml --results out/
"""

_WRITE_EXAMPLE = """\b
Example:
  toolnexus-conformance known write known.toml --faults faults.toml --results out/
"""

#: Exit codes of a run after which there are results to go by.
_JUDGED = (0, 1)


@click.group("known")
def command() -> None:
    """Keep a ledger of known failures (--toolnexus-known)."""


@command.command("update", epilog=_EXAMPLE)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE")
@click.option(
    "--results", "found", type=click.Path(exists=True, path_type=Path), help="A run's results.jsonl, or its folder."
)
@click.option("--port", help="Run this port over the corpus, and go by that.")
@click.option("--accept", type=click.Choice(("exact", "equivalent")), default="exact", help="With --port: what passes.")
@click.option("--because", default="", help="What new entries say; without it they are left for you to fill in.")
@click.option("--issue", default="", help="The issue that new entries name.")
@click.option("--dry-run", is_flag=True, help="Only tell what would change.")
def update(
    file: Path, found: Path | None, port: str | None, accept: str, because: str, issue: str, dry_run: bool
) -> int:
    """Rewrite FILE so that it says how the port fails now; comments stay.

    Entries whose cases pass go, signatures follow, new failures come with an empty `because` and `issue`, without
    which the file is not read again. Refused in CI.
    """
    from conformance import known_update

    known_update.refuse_in_ci()
    if (found is None) == (port is None):
        raise click.UsageError("give a run's --results, or a --port to run")
    run = _run(port, accept) if found is None else results.read(found)
    updating = known_update.Update(run.cases, run.started.accept, because, issue)
    text = updating.of(file)
    for verb in ("removed", "changed", "added"):
        for line in getattr(updating.changes, verb):
            click.echo(f"{verb:<8} {line}")
    if not dry_run and updating.changes:
        file.write_text(text, "utf-8")
    _tell_unfinished(file, dry_run)
    return 0


@command.command("write", epilog=_WRITE_EXAMPLE)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE")
@click.option(
    "--faults", required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path), help="The port's faults."
)
@click.option(
    "--results",
    "found",
    required=True,
    type=click.Path(exists=True, path_type=Path),
    help="A run's results.jsonl, or its folder: of the whole corpus.",
)
@options.fixtures
def write(file: Path, faults: Path, found: Path, fixtures: Path | None) -> int:
    """Write FILE anew from the list of a port's faults (TOML, one [[fault]] table each).

    A fault has `says` (what the port does, and what that means for a user), `issue` (where it is reported), and by what
    its failures are known: `cases`, `check`, `signature`, `reason` (what a skip said); all globs. The first that fits
    explains a failure. Exit code 1 where failures are left that no fault explains; they are listed and stay out of
    FILE. Refused in CI.
    """
    from conformance import attribution, known_update, known_write

    known_update.refuse_in_ci()
    if file.exists() and any(file.samefile(path) for path in (faults, found, found / results.NAME) if path.exists()):
        raise click.UsageError(f"{file} is what the ledger is made from; give the ledger a file of its own")
    run = results.read(found)
    _refuse_a_part(run, found, corpora.find(fixtures))
    written = known_write.ledger(run.cases, run.started.accept, attribution.read(faults))
    file.write_text(written.text, "utf-8")
    for row in written.unexplained:
        click.echo(f"{row.case} ({row.check}): {row.signature}{f': {row.reason}' if row.reason else ''}")
    for fault in written.unused:
        click.echo(f"nothing comes of {fault}", err=True)
    click.echo(f"{written.entries} entries, {len(written.unexplained)} failures unexplained", err=True)
    return 1 if written.unexplained else 0


def _refuse_a_part(run: Results, path: Path, fixtures: Path) -> None:
    """A ledger of some cases would lose what is known of the others; raises `UsageFault`."""
    asked, corpus = run.started, corpora.read(fixtures)
    level = next(level for level in LEVELS if level == asked.level)
    wanted = {case.id for case in corpora.choose(corpus, level=level, since=asked.since)}
    if missing := wanted - {case.id for case in run.cases}:
        raise UsageFault(
            f"{path}: the run lacks {len(missing)} of {len(wanted)} cases, {min(missing)} among them; "
            "a ledger is written from a run over the whole corpus"
        )


def _run(port: str | None, accept: str) -> Results:
    with tempfile.TemporaryDirectory() as folder:
        words = Options(port=port or "", accept="equivalent" if accept == "equivalent" else "exact").arguments()
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "--toolnexus-conformance",
            "--toolnexus-report",
            folder,
            *words,
        ]
        code = subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode
        if code not in _JUDGED:
            raise UsageFault(f"the run ended with exit code {code}; there is nothing to go by")
        return results.read(Path(folder))


def _tell_unfinished(file: Path, dry_run: bool) -> None:
    if dry_run or not file.exists():
        return
    try:
        read(file)
    except UsageFault as wrong:
        click.echo(f"to do: {wrong}", err=True)
