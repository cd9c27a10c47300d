"""`bless`: make what a port does the expectation of cases, with a reason, when nobody objects."""

from __future__ import annotations

import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

import click

from conformance.authoring import blessing, casefile, telling, trial
from conformance.authoring.blessing import Proposal
from conformance.authoring.change import CLASSES, Change
from conformance.cli import options
from conformance.cli.checks.bench import Bench
from conformance.corpus import Clause
from conformance.options import Options
from conformance.tree import Absent, compact

_EXAMPLE = options.example(
    "bless --dry-run 'anthropic/finish/*'",
    "bless anthropic/finish/pause-turn-is-stop-with-a-warning --reason 'a paused turn is a cut one'",
    title="Examples",
)

#: Nothing was blessed, although something moved.
_MOVED: Final = 1

#: A value is shown so far, in characters.
_WIDTH: Final = 160

#: Changes that are alike are summed up, in at most so many lines.
_LINES: Final = 12

_NUMBER: Final = re.compile(r"/\d+(?=/|$)")


@click.command("bless", epilog=_EXAMPLE)
@options.target
@click.option("--reason", help="Why the new expectation is right; kept in each case's source note.")
@click.option("--dry-run", is_flag=True, help="Only show what moved; exit 1 if anything did.")
@click.option(
    "--only", multiple=True, type=click.Choice(CLASSES), help="Only cases all of whose changes are of these classes."
)
@options.as_json("With --dry-run: one JSON object a case that moved.")
@click.argument("ids", nargs=-1, metavar="[ID]…", shell_complete=options.offered_cases)
def command(
    target: Options,
    reason: str | None,
    dry_run: bool,
    only: tuple[str, ...],
    as_json: bool,
    ids: tuple[str, ...],
) -> int:
    """Show what moved between cases and a port, and bless it.

    ID is a case's id, a pattern such as 'anthropic/finish/*', or a case file; without any, the whole corpus is tried.
    Each place that moved is one of three: create (the case said nothing there), fix (it said something else), trim (it
    said what no longer comes). What a case asks, and what its provider answers, never changes.

    You are asked before anything is written. Nothing is, where the provider's rules or the vendors' types object to
    what the port sends, or in CI (the variable CI is set). Exit code 1 if something moved and was not blessed.
    """
    if not dry_run:
        _check(reason, as_json)
    desk = casefile.Desk(target.fixtures)
    files = desk.files(ids)
    bench = Bench(desk.root, desk.corpus, ())
    with trial.opened(replace(target, cases=tuple(file.name for file in files))) as trials:
        found = [moved for file in _tried(files) if (moved := blessing.propose(file, trials, bench)) is not None]
    if as_json:
        for proposal in found:
            click.echo(json.dumps(_row(proposal)))
    else:
        _show(found, desk.corpus.clauses)
        _overview(found)
    ready = [moved for moved in found if not moved.objections and (not only or moved.classes <= set(only))]
    click.echo(_summary(len(files), found, ready), err=True)
    if dry_run or not ready:
        return _MOVED if found else 0
    assert reason is not None
    written = _written(ready, reason)
    return written if len(ready) == len(found) else _MOVED


def _check(reason: str | None, as_json: bool) -> None:
    """What has to be said before anything may be written."""
    if os.environ.get("CI", "").lower() not in ("", "0", "false"):
        raise click.UsageError("expectations are blessed by people: bless writes nothing in CI (--dry-run shows)")
    if as_json:
        raise click.UsageError("--json goes with --dry-run")
    if reason is None or not reason.strip():
        raise click.UsageError("give a --reason: why is the new expectation right? (--dry-run only shows what moved)")


def _tried(files: Sequence[casefile.CaseFile]) -> Iterator[casefile.CaseFile]:
    """The files one after the other, with a bar on a terminal: a whole corpus takes a while."""
    if not sys.stderr.isatty():
        yield from files
        return
    with click.progressbar(files, label="trying cases", file=sys.stderr) as bar:
        yield from bar


def _written(ready: Sequence[Proposal], reason: str) -> int:
    """Ask, and write."""
    if not click.confirm(f"Write this to {len(ready)} case file(s)?", default=False, err=True):
        click.echo("nothing written", err=True)
        return _MOVED
    for proposal in ready:
        proposal.because(" ".join(reason.split())).write()
        click.echo(str(proposal.file.path))
    click.echo("titles and reasons are as they were: read whether they are still true", err=True)
    return 0


# -- shown ------------------------------------------------------------------------------------------------------------


def _show(found: Sequence[Proposal], clauses: Mapping[str, Clause]) -> None:
    """Each case with its changes; a clause is told in full where it comes first."""
    told: set[str] = set()
    for proposal in found:
        case = proposal.file.cases[0]
        _say(f"{case.id}  ({case.level})  {case.title}", "head")
        for name in case.clauses:
            _say(f"  {'clause':9} {name}" if name in told else telling.clause(name, clauses), "")
        told.update(case.clauses)
        for change in proposal.changes:
            _say(f"  {change.kind:6} {change.pointer}", "")
            for line in change.lines:
                _say(f"         {_cut(line)}", "want" if line.startswith("+") else "got")
        if proposal.kept:
            _say(f"  keep   as they were: {', '.join(f'[{name}]' for name in proposal.kept)}", "")
        for objection in proposal.objections:
            _say(f"  not blessed: {objection}", "bad")
        _say("", "")


def _overview(found: Sequence[Proposal]) -> None:
    """The same change in many cases as one line: what a changed mapping did, at a glance."""
    counts = Counter(_alike(change) for moved in found for change in moved.changes)
    often = [(line, count) for line, count in counts.most_common(_LINES) if count > 1]
    if not often:
        return
    _say("what moved more than once", "head")
    for line, count in often:
        _say(f"  {count:4} x {_cut(line)}", "")
    _say("", "")


def _alike(change: Change) -> str:
    """A change without the variant's name and the numbers in its pointer."""
    pointer = _NUMBER.sub("/#", re.sub(r"^\[.*?\] ", "", change.pointer))
    return f"{change.kind} {pointer}  {'  '.join(change.lines)}"


def _say(line: str, tone: str) -> None:
    click.echo(telling.painted(line, tone))


def _cut(text: str) -> str:
    return text if len(text) <= _WIDTH else f"{text[:_WIDTH]}… ({len(text)} characters)"


def _summary(tried: int, found: Sequence[Proposal], ready: Sequence[Proposal]) -> str:
    counts = Counter(change.kind for moved in found for change in moved.changes)
    classes = ", ".join(f"{counts[name]} {name}" for name in CLASSES)
    refused = sum(bool(moved.objections) for moved in found)
    if not found:
        return f"{tried} cases tried, nothing moved"
    return f"{tried} cases tried, {len(found)} moved ({classes}); {len(ready)} can be blessed, {refused} cannot"


def _row(proposal: Proposal) -> dict[str, object]:
    return {
        "id": proposal.file.name,
        "file": str(proposal.file.path),
        "changes": [_change(change) for change in proposal.changes],
        "kept": proposal.kept,
        "objections": proposal.objections,
    }


def _change(change: Change) -> dict[str, object]:
    sides = {"old": change.old, "new": change.new}
    texts = {name: compact(value) for name, value in sides.items() if not isinstance(value, Absent)}
    return {"class": change.kind, "pointer": change.pointer, **texts}
