"""`ports`: the adapters that come with the kit, built and run."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from conformance import adapters, known
from conformance.adapters import Adapter
from conformance.cli import options
from conformance.faults import CorpusFault, PortFault
from conformance.report import merge, ports_page, results
from conformance.report.merge import Column, Source
from conformance.report.ports_page import Port
from conformance.report.results import NAME

#: Exit codes of several runs, the worst first.
_WORST = (CorpusFault.exit_code, PortFault.exit_code, 4, 3, 2, 1, 5, 0)


@click.group("ports")
def command() -> None:
    """Build and run the adapters that come with the kit: ports of the contract, other translators, templates."""


@command.command("list")
@options.as_json("One JSON object a port, for programs.")
def listed(as_json: bool) -> None:
    """Which adapters there are, and which of them are built."""
    rows = [_row(adapter) for adapter in adapters.every().values()]
    if as_json:
        for row in rows:
            click.echo(json.dumps(row))
        return
    width = max((len(str(row["name"])) for row in rows), default=0)
    for row in rows:
        built = "built" if row["installed"] else "     "
        click.echo(f"{row['name']:<{width}}  {row['kind']:<8}  {built}  {row['title']}{_versions(row['versions'])}")
    click.echo(
        f"\nbuilt in {adapters.cache() / 'ports'}; build one with: toolnexus-conformance ports install NAME", err=True
    )


def _row(adapter: Adapter) -> dict[str, object]:
    return {
        **{name: getattr(adapter, name) for name in ("name", "title", "language", "kind", "accept", "requires")},
        "versions": dict(adapter.versions),
        "gateway": adapter.gateway is not None,
        "installed": adapter.installed,
        "folder": str(adapter.folder),
    }


def _versions(versions: object) -> str:
    pairs = versions.items() if isinstance(versions, dict) else ()
    return f" ({', '.join(f'{name} {version}' for name, version in pairs)})" if pairs else ""


@command.command("install", epilog=options.example("ports install toolnexus_py"))
@click.argument("names", nargs=-1, required=True, metavar="NAME…")
@click.option("--again", is_flag=True, help="Also what is built already.")
def install(names: Sequence[str], again: bool) -> int:
    """Build adapters, each in a folder of its own, with the versions that it pins.

    Goes on with the next one where one cannot be built. Exit code 10 if any could not.
    """
    code = 0
    for adapter in adapters.named(names):
        if adapter.installed and not again:
            click.echo(f"{adapter.name}: built already")
            continue
        try:
            adapters.install(adapter)
            click.echo(f"{adapter.name}: built in {adapter.build}")
        except PortFault as wrong:
            click.echo(f"Error: {wrong}", err=True)
            code = wrong.exit_code
    return code


@command.command(
    "run",
    context_settings={"ignore_unknown_options": True},
    epilog=options.example(
        "ports run toolnexus_py", "ports run toolnexus_py litellm --report out -n 2", title="Examples"
    ),
)
@click.option(
    "--report", type=click.Path(file_okay=False, path_type=Path), help="Write each port's reports to DIR/NAME."
)
@click.argument("words", nargs=-1, required=True, type=click.UNPROCESSED, metavar="NAME… [PYTEST OPTION…]")
def run(words: Sequence[str], report: Path | None) -> int:
    """Run the corpus against adapters that are built, each with its own strength of verdict and its known failures.

    What begins with a dash, and all after it, goes to pytest: --toolnexus-level must, -k, -n 2. The exit code is the
    worst of the runs'.
    """
    first = next((place for place, word in enumerate(words) if word.startswith("-")), len(words))
    chosen = adapters.named(words[:first])
    if not chosen:
        raise click.UsageError("name a port first; see ports list")
    with _ending_with_its_gateways():
        codes = {adapter.name: _run(adapter, words[first:], report) for adapter in chosen}
    if len(codes) > 1:
        click.echo("")
        for adapter in chosen:
            code = codes[adapter.name]
            green = "conformant" if adapter.known is None else "fails as its ledger says and nowhere else"
            click.echo(f"{adapter.name}: {f'exit code {code}' if code else green}")
    return min(codes.values(), key=lambda code: _WORST.index(code) if code in _WORST else 0)


@command.command("results", epilog=options.example("ports results out/ -o RESULTS.md"))
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path), metavar="DIR")
@click.option("-o", "--output", required=True, type=click.Path(dir_okay=False, path_type=Path), help="The page.")
def results_(folder: Path, output: Path) -> int:
    """Write one Markdown page of the runs in DIR: clauses against ports, and each port's faults.

    DIR is what `ports run --report DIR` writes: a folder a port. One that is named like no adapter is a column, too,
    and stands first. All must be of the same corpus.
    """
    runs = [Source(path, path.parent.name, results.read(path)) for path in sorted(folder.glob(f"*/{NAME}"))]
    if not runs:
        raise click.UsageError(f"{folder}: no folder in it holds a {NAME}")
    columns = merge.columns(runs)
    most = max(len(column.results.cases) for column in columns)
    for column in columns:
        if (count := len(column.results.cases)) < most:
            raise click.UsageError(f"{column.slug}: its run is of {count} cases, others of {most}; give whole runs")
    there = adapters.every()
    ports = sorted((_port(column, there.get(column.slug)) for column in columns), key=lambda row: row[0])
    began = max(column.results.started.began for column in columns).partition("T")[0]
    output.write_text("\n".join(ports_page.page([port for _, port in ports], began)) + "\n", "utf-8")
    return 0


def _port(column: Column, adapter: Adapter | None) -> tuple[tuple[int, str], Port]:
    """A column of the page, and where it stands: own ports, those of the contract, other people's."""
    if adapter is None:
        return (0, column.slug), Port(column.slug, column.results.port, column.results)
    ledger = None if adapter.known is None else known.read(adapter.known)
    place = 1 + adapters.KINDS.index(adapter.kind)
    return (place, adapter.name), Port(adapter.name, adapter.title, column.results, ledger, adapter.versions)


@contextlib.contextmanager
def _ending_with_its_gateways() -> Iterator[None]:
    """SIGTERM, which CI sends, ends what was started, too; by itself it would leave a gateway behind."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _run(adapter: Adapter, more: Sequence[str], report: Path | None) -> int:
    command = [sys.executable, "-m", "pytest", "--toolnexus-conformance", *adapter.arguments()]
    command += ["--toolnexus-report", str(report / adapter.name)] if report is not None else []
    try:
        adapters.refuse_unbuilt(adapter)
        click.echo(f"== {adapter.name}: {adapter.title}")
        with adapters.started(adapter):
            return subprocess.run([*command, *more], check=False).returncode
    except PortFault as wrong:
        click.echo(f"Error: {wrong}", err=True)
        return wrong.exit_code
