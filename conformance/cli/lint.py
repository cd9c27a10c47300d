"""`lint`: is the corpus itself right?"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import click

from conformance import corpus as corpora
from conformance.cli import CORPUS_FAULT, options
from conformance.cli.checks.bench import Bench
from conformance.cli.checks.source import Fault

_EXAMPLE = options.example(
    "lint fixtures/cases/anthropic/finish", "lint --update-lock --write-coverage", title="Examples"
)

#: Flag → the check it leaves out, and what it accepts.
RELAXATIONS = {
    "--without-sdk-types": ("sdk-types", "Leave out the vendors' types (they need the dev extra)."),
    "--without-provider-rules": ("provider-rules", "Leave out the providers' rules."),
    "--allow-other-layout": ("canonical", "Accept files that `fmt` would change."),
    "--allow-any-host": ("hosts", "Accept hosts that may be real."),
    "--allow-unfinished": ("finished", "Accept drafts: TODO texts, and outcomes that say nothing."),
    "--allow-unlocked-ids": ("ids-lock", "Leave out ids.lock, while cases are being written."),
    "--allow-thin-coverage": ("coverage", "Accept clauses with too few cases."),
    "--allow-duplicates": ("duplicates", "Accept cases that differ only in words."),
    "--allow-stale-table": ("coverage-table", "Accept an old coverage table in README.md."),
}


def _relaxations(function: Callable[..., int]) -> Callable[..., int]:
    for flag, (check, text) in reversed(RELAXATIONS.items()):
        function = click.option(flag, check.replace("-", "_"), is_flag=True, help=text)(function)
    return function


@click.command("lint", epilog=_EXAMPLE)
@options.fixtures
@click.option("--update-lock", is_flag=True, help="Write ids.lock: add new ids, retire those that went.")
@click.option("--write-coverage", is_flag=True, help="Write the coverage table in README.md.")
@options.as_json("One JSON object a fault, for programs.")
@_relaxations
@click.argument("paths", nargs=-1, type=click.Path(exists=True, path_type=Path))
def command(
    paths: tuple[Path, ...],
    fixtures: Path | None,
    update_lock: bool,
    write_coverage: bool,
    as_json: bool,
    **relaxed: bool,
) -> int:
    """Check the corpus, or of it only the given files.

    Says what is wrong, one line each: the schema, the clauses, the providers' rules, the vendors' own types, and more.
    With PATHS (files and folders), what concerns the whole corpus (ids.lock, duplicates, coverage) is left out. Exit
    code 11 if anything is wrong.
    """
    if paths and (update_lock or write_coverage):
        raise click.UsageError("--update-lock and --write-coverage need the whole corpus: leave PATHS out")
    bench = Bench.load(corpora.find(fixtures), paths)
    skipped = {check.replace("_", "-") for check, on in relaxed.items() if on}
    faults = [*bench.unread, *bench.faults(skipped)]
    if not paths:
        _write(bench, update_lock, write_coverage)
        faults += [fault for name, check in bench.of_the_corpus().items() if name not in skipped for fault in check()]
    for fault in faults:
        click.echo(json.dumps(_row(fault)) if as_json else str(fault))
    click.echo(f"{_counted(len(bench.cases), 'case')}, {_counted(len(faults), 'fault')}", err=True)
    return CORPUS_FAULT if faults else 0


def _counted(count: int, thing: str) -> str:
    return f"{count} {thing}{'' if count == 1 else 's'}"


def _row(fault: Fault) -> dict[str, object]:
    return {
        "file": str(fault.path),
        "line": fault.line,
        "pointer": fault.pointer,
        "check": fault.check,
        "message": fault.message,
    }


def _write(bench: Bench, update_lock: bool, write_coverage: bool) -> None:
    """Write what was asked for; an id that came back keeps ids.lock as it is."""
    if write_coverage:
        bench.page().write_text(bench.rewritten(), "utf-8")
    if update_lock:
        lock = bench.lock()
        if not list(lock.returned(bench.ids())):
            lock.path.write_text(lock.updated(bench.ids()), "utf-8")
