"""`diff`: what changed between two runs."""

from __future__ import annotations

import json
from pathlib import Path

import click

from conformance.report import diff, results
from conformance.report.diff import Comparison

_EXAMPLE = """\b
Example, as a comment on a pull request:
  toolnexus-conformance diff main/ head/ > comment.md || gh pr comment --body-file comment.md
"""

_WORSE = 1


@click.command("diff", epilog=_EXAMPLE)
@click.argument("old", type=click.Path(exists=True, path_type=Path), metavar="OLD")
@click.argument("new", type=click.Path(exists=True, path_type=Path), metavar="NEW")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a changed case, for programs.")
def command(old: Path, new: Path, as_json: bool) -> int:
    """Tell what changed from the run OLD to the run NEW, as Markdown; what got worse comes first.

    OLD and NEW are results.jsonl files or folders that hold one; the shards of a run are merged first (report merge).
    Exit code 1 where a case got worse: it passed, and now it fails, is not checked or did not run.
    """
    found = diff.compare(results.read(old), results.read(new))
    for line in _rows(found) if as_json else diff.markdown(found):
        click.echo(line)
    return _WORSE if found.of("regression") else 0


def _rows(found: Comparison) -> list[str]:
    return [
        json.dumps(
            {
                "kind": change.kind,
                "id": change.id,
                "old": None if change.old is None else change.old.state,
                "new": None if change.new is None else change.new.state,
            }
        )
        for change in found.changes
    ]
