"""`report`: make reports of results that are there already."""

from __future__ import annotations

from pathlib import Path

import click

from conformance.report import folder, html, merge
from conformance.report.merge import Column

_EXAMPLE = """\b
Example:
  toolnexus-conformance report merge go/results.jsonl python/ rust=nightly/ -o site/
"""


@click.group("report")
def command() -> None:
    """Make reports of results that are there already."""


@command.command("merge", epilog=_EXAMPLE)
@click.argument("results", nargs=-1, required=True, metavar="RESULTS…")
@click.option(
    "-o", "--output", required=True, type=click.Path(file_okay=False, path_type=Path), help="The folder to write."
)
@click.option("--title", default="toolnexus conformance", show_default=True, help="The page's title.")
def merge_(results: tuple[str, ...], output: Path, title: str) -> int:
    """Merge RESULTS into one page: clauses and cases against ports.

    Each of RESULTS is a results.jsonl, or a folder that holds one; NAME=PATH names its column. The shards of a run
    become one column. All must be of the same corpus. Beside index.html, each port gets a folder with its reports.
    """
    columns = merge.columns(merge.read(results))
    output.mkdir(parents=True, exist_ok=True)
    page = output / "index.html"
    page.write_text(html.page(columns, title), "utf-8")
    for column in columns:
        folder.write(column.results, output / column.slug)
    for column in columns:
        click.echo(f"{column.slug:<24} {_told(column)}", err=True)
    click.echo(str(page))
    return 0


def _told(column: Column) -> str:
    finished = column.results.finished
    states = ", ".join(f"{count} {state}" for state, count in finished.states.items())
    return f"exit {finished.exit_code}: {states or 'no case'}"
