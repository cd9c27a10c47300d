"""`export`: the corpus as one file, for test suites that keep a copy."""

from __future__ import annotations

from pathlib import Path

import click

from conformance import corpus as corpora
from conformance.authoring import choose, vendored
from conformance.cli import options

_EXAMPLE = options.example(
    "export --style anthropic --since 1.0 -o testdata/corpus.jsonl",
    "export --style anthropic --since 1.0 --check testdata/corpus.jsonl",
    title="Examples",
)

_DIFFERS = 1


@click.command("export", epilog=_EXAMPLE)
@options.fixtures
@options.filters
@click.option("--expanded", is_flag=True, help="Each variant a line of its own, and big texts written out.")
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="The file; stdout without it.")
@click.option(
    "--check",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Write nothing; exit 1 if this file is not what would be written.",
)
def command(
    fixtures: Path | None, wanted: choose.Wanted, expanded: bool, output: Path | None, check: Path | None
) -> int:
    """Write the corpus as one JSON Lines file.

    The first line is a header: the corpus' version and hash, the counts, and the SHA-256 of all bytes after that line.
    Then come the clauses ({"clause", "level", "text"}), then the cases, each as in its file; a file is there when the
    case or one of its variants is chosen.
    """
    corpus = corpora.read(corpora.find(fixtures))
    data = vendored.written(corpus, choose.cases(corpus, wanted), expanded=expanded)
    if check is not None:
        difference = vendored.difference(check, data)
        if difference is not None:
            click.echo(f"Error: {difference}", err=True)
        return _DIFFERS if difference else 0
    if output is None:
        click.echo(data, nl=False)
        return 0
    output.write_bytes(data)
    header, _, _ = data.partition(b"\n")
    click.echo(header.decode(), err=True)
    return 0
