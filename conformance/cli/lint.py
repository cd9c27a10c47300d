"""`lint`: is the corpus itself right?"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from conformance import corpus as corpora
from conformance import coverage as cover
from conformance.canonical import NotJson
from conformance.cli import CORPUS_FAULT
from conformance.cli.checks import form, looseners, meaning, vendors
from conformance.cli.checks.duplicates import alike
from conformance.cli.checks.lock import Lock
from conformance.cli.checks.source import Fault, Source
from conformance.cli.fmt import case_files
from conformance.corpus import Corpus
from conformance.faults import CorpusFault

Check = Callable[[Source], Iterator[Fault]]

#: Flag → the check it leaves out, and what it accepts.
RELAXATIONS = {
    "--without-sdk-types": ("sdk-types", "Leave out the vendors' types (they need the dev extra)."),
    "--without-provider-rules": ("provider-rules", "Leave out the providers' rules."),
    "--allow-other-layout": ("canonical", "Accept files that `fmt` would change."),
    "--allow-any-host": ("hosts", "Accept hosts that may be real."),
    "--allow-unlocked-ids": ("ids-lock", "Leave out ids.lock, while cases are being written."),
    "--allow-thin-coverage": ("coverage", "Accept clauses with too few cases."),
    "--allow-duplicates": ("duplicates", "Accept cases that differ only in words."),
    "--allow-stale-table": ("coverage-table", "Accept an old coverage table in README.md."),
}


@dataclass(frozen=True)
class Bench:
    """The corpus under lint: its folder, its contract, the cases that could be read."""

    root: Path
    corpus: Corpus
    cases: Sequence[Source]

    def of_a_case(self) -> dict[str, Check]:
        """The checks of one case, in the order their faults are shown."""
        return {
            "schema": form.check_schema,
            "canonical": form.check_canonical,
            "path": form.check_path,
            "variants": form.check_variants,
            "clauses": lambda case: meaning.check_clauses(case, self.corpus),
            "requires": meaning.check_requires,
            "outcome": meaning.check_outcome,
            "looseners": looseners.check_looseners,
            "hosts": form.check_text,
            "warnings": meaning.check_warnings,
            "provenance": meaning.check_provenance,
            "deviates": meaning.check_deviations,
            "provider-rules": vendors.check_rules,
            "sdk-types": vendors.check_types,
        }

    def of_the_corpus(self) -> dict[str, Callable[[], Iterator[Fault]]]:
        """The checks of all cases together."""
        return {
            "ids-lock": lambda: self.lock().check(self.ids()),
            "duplicates": self.duplicates,
            "coverage": self.thin,
            "coverage-table": self.stale,
        }

    def ids(self) -> list[str]:
        return [case.id for case in self.cases]

    def lock(self) -> Lock:
        return Lock.load(self.root / "ids.lock")

    def duplicates(self) -> Iterator[Fault]:
        """Cases that check one thing twice."""
        for first, *others in alike(self.cases):
            for case in others:
                yield case.fault("duplicates", "", f"differs only in words from {first.id}; it counts once")

    def rows(self) -> list[cover.Row]:
        """The coverage of each demanded clause; duplicates count once."""
        twice = {case.id for _, *others in alike(self.cases) for case in others}
        clauses = json.loads((self.root / "clauses.json").read_text("utf-8"))
        once = [case for case in self.cases if case.id not in twice]
        return cover.coverage(cover.demanded(self.corpus), clauses.get("negative", ()), once)

    def thin(self) -> Iterator[Fault]:
        """Clauses with too few cases, or whose test does not exist."""
        path = self.root / "clauses.json"
        for row in self.rows():
            missing = row.missing() or _no_test(self.root, cover.test_of(row.clause))
            if missing:
                yield Fault(path, 1, "", f"{row.clause.id} ({row.clause.level}) {missing}", "coverage")

    def table(self) -> str:
        """The coverage table and the counts above it."""
        variants = sum(len(case.value.get("variants") or ()) for case in self.cases)
        counts = f"{len(self.cases)} cases and {variants} variants of them, corpus {self.corpus.version}."
        return f"\n{counts}\n\n{cover.table(self.rows())}\n"

    def page(self) -> Path:
        """The page that shows the table."""
        return self.root / "README.md"

    def stale(self) -> Iterator[Fault]:
        """A coverage table that is not today's."""
        if self.page().is_file() and self.rewritten() != self.page().read_text("utf-8"):
            yield Fault(self.page(), 1, "", "the coverage table is old: run lint --write-coverage", "coverage-table")

    def rewritten(self) -> str:
        """The page with today's table."""
        text = cover.rewritten(self.page().read_text("utf-8"), self.table())
        if text is None:
            raise CorpusFault(self.page(), "", f"has no place for the table: {cover.BEGIN} … {cover.END}")
        return text


def _no_test(root: Path, test: str | None) -> str | None:
    """Whether a clause's unit test is missing; only a checkout has tests to look at."""
    if test is None or not (root.parent / "tests").is_dir():
        return None
    path, _, name = test.partition("::")
    file = root.parent / path
    there = file.is_file() and f"def {name.partition('[')[0]}(" in file.read_text("utf-8")
    return None if there else f"is checked by {test}, which does not exist"


def _relaxations(function: Callable[..., int]) -> Callable[..., int]:
    for flag, (check, text) in reversed(RELAXATIONS.items()):
        function = click.option(flag, check.replace("-", "_"), is_flag=True, help=text)(function)
    return function


@click.command("lint")
@click.option("--fixtures", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Another corpus.")
@click.option("--update-lock", is_flag=True, help="Write ids.lock: add new ids, retire those that went.")
@click.option("--write-coverage", is_flag=True, help="Write the coverage table in README.md.")
@_relaxations
@click.argument("paths", nargs=-1, type=click.Path(exists=True, path_type=Path))
def command(
    paths: tuple[Path, ...], fixtures: Path | None, update_lock: bool, write_coverage: bool, **relaxed: bool
) -> int:
    """Check the corpus, or of it only the given files and folders, and say what is wrong, one line each.

    With PATHS, what concerns the whole corpus (ids.lock, duplicates, coverage) is left out. Exit code 11 if anything
    is wrong.
    """
    if paths and (update_lock or write_coverage):
        raise click.UsageError("--update-lock and --write-coverage need the whole corpus: leave PATHS out")
    root = corpora.find(fixtures)
    cases, faults = _load(paths or (root / "cases",))
    bench = Bench(root, Corpus(root, ()), cases)
    skipped = {check.replace("_", "-") for check, on in relaxed.items() if on}
    faults += _cases_faults(bench, skipped)
    if not paths:
        _write(bench, update_lock, write_coverage)
        faults += [fault for name, check in bench.of_the_corpus().items() if name not in skipped for fault in check()]
    for fault in faults:
        click.echo(str(fault))
    click.echo(f"{len(cases)} cases, {len(faults)} faults", err=True)
    return CORPUS_FAULT if faults else 0


def _load(paths: Iterable[Path]) -> tuple[list[Source], list[Fault]]:
    cases: list[Source] = []
    faults: list[Fault] = []
    for path in case_files(paths):
        try:
            cases.append(Source.load(_near(path)))
        except NotJson as wrong:
            faults.append(Fault(_near(path), wrong.line, "", wrong.message, "json"))
    return cases, faults


def _near(path: Path) -> Path:
    """The path as somebody in this folder would write it."""
    return path.relative_to(Path.cwd()) if path.is_absolute() and path.is_relative_to(Path.cwd()) else path


def _cases_faults(bench: Bench, skipped: set[str]) -> list[Fault]:
    checks = {name: check for name, check in bench.of_a_case().items() if name not in skipped}
    return [fault for case in bench.cases for fault in _of_one(case, checks)]


def _of_one(case: Source, checks: dict[str, Check]) -> Iterator[Fault]:
    """The faults of one case. A case of the wrong shape is judged no further: the rest would be noise."""
    misshapen = list(checks["schema"](case))
    yield from misshapen
    if not misshapen:
        for name, check in checks.items():
            if name != "schema":
                yield from check(case)


def _write(bench: Bench, update_lock: bool, write_coverage: bool) -> None:
    """Write what was asked for; an id that came back keeps ids.lock as it is."""
    if write_coverage:
        bench.page().write_text(bench.rewritten(), "utf-8")
    if update_lock:
        lock = bench.lock()
        if not list(lock.returned(bench.ids())):
            lock.path.write_text(lock.updated(bench.ids()), "utf-8")
