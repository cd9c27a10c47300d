"""`fmt`: put case files into canonical form."""

from __future__ import annotations

from pathlib import Path

import click

from conformance.canonical import NotJson, canonical, fixtures_root
from conformance.cli import CORPUS_FAULT, options
from conformance.cli.checks.bench import case_files
from conformance.tree import read_bytes

_EXAMPLE = options.example("fmt fixtures/cases/anthropic/finish", "fmt --check", title="Examples")


@click.command("fmt", epilog=_EXAMPLE)
@click.option("--check", is_flag=True, help="Change nothing; name the files that are not canonical and exit 11.")
@click.argument("paths", nargs=-1, type=click.Path(exists=True, path_type=Path))
def command(paths: tuple[Path, ...], check: bool) -> int:
    """Write case files in canonical form.

    PATHS are files, or folders with all below them; without any, the whole corpus. Canonical is what
    JSON.stringify(value, null, 2) prints, with the keys in the schema's order and number tokens as written.
    """
    faults = 0
    for path in case_files(paths or (fixtures_root() / "cases",)):
        try:
            changed = _format(path, keep=check)
        except NotJson as wrong:
            click.echo(f"{path}:{wrong.line}: /: {wrong.message}")
            faults += 1
            continue
        if changed:
            click.echo(f"{path}:1: /: not canonical" if check else f"formatted {path}")
            faults += check
    return CORPUS_FAULT if faults else 0


def _format(path: Path, *, keep: bool) -> bool:
    raw = path.read_bytes()
    wanted = canonical(read_bytes(raw)).encode("utf-8")
    if wanted == raw:
        return False
    if not keep:
        path.write_bytes(wanted)
    return True
