"""The corpus under lint: its cases as text and values, its contract, and every check by name."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance import coverage as cover
from conformance.canonical import NotJson
from conformance.cli.checks import form, looseners, meaning, vendors
from conformance.cli.checks.duplicates import alike
from conformance.cli.checks.lock import Lock
from conformance.cli.checks.source import Fault, Source
from conformance.corpus import Corpus
from conformance.faults import CorpusFault

Check = Callable[[Source], Iterator[Fault]]


@dataclass(frozen=True)
class Bench:
    """The corpus under lint: its folder, its contract, the cases that could be read, and the faults of the others."""

    root: Path
    corpus: Corpus
    cases: Sequence[Source]
    unread: Sequence[Fault] = ()

    @classmethod
    def load(cls, root: Path, paths: Iterable[Path] = ()) -> Bench:
        """Read the files below the paths, or else the whole corpus."""
        cases: list[Source] = []
        unread: list[Fault] = []
        for path in case_files(tuple(paths) or (root / "cases",)):
            try:
                cases.append(Source.load(_near(path)))
            except NotJson as wrong:
                unread.append(Fault(_near(path), wrong.line, "", wrong.message, "json"))
        return cls(root, Corpus(root, ()), cases, unread)

    def of_a_case(self) -> dict[str, Check]:
        """The checks of one case, in the order their faults are shown."""
        return {
            "schema": form.check_schema,
            "canonical": form.check_canonical,
            "path": form.check_path,
            "variants": form.check_variants,
            "finished": form.check_finished,
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

    def faults(self, skipped: Collection[str] = ()) -> list[Fault]:
        """What is wrong with each case, the skipped checks left out."""
        return [fault for case in self.cases for fault in self.of_one(case, skipped)]

    def of_one(self, case: Source, skipped: Collection[str] = ()) -> Iterator[Fault]:
        """The faults of one case. A case of the wrong shape is judged no further: the rest would be noise."""
        checks = {name: check for name, check in self.of_a_case().items() if name not in skipped}
        misshapen = list(checks.pop("schema")(case))
        yield from misshapen
        if not misshapen:
            for check in checks.values():
                yield from check(case)

    # -- all cases together -------------------------------------------------------------------------------------------

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


def case_files(paths: Iterable[Path]) -> Iterator[Path]:
    """Each JSON file named or below a named folder, sorted within its folder."""
    for path in paths:
        yield from sorted(path.rglob("*.json")) if path.is_dir() else (path,)


def _near(path: Path) -> Path:
    """The path as somebody in this folder would write it."""
    return path.relative_to(Path.cwd()) if path.is_absolute() and path.is_relative_to(Path.cwd()) else path


def _no_test(root: Path, test: str | None) -> str | None:
    """Whether a clause's unit test is missing; only a checkout has tests to look at."""
    if test is None or not (root.parent / "tests").is_dir():
        return None
    path, _, name = test.partition("::")
    file = root.parent / path
    there = file.is_file() and f"def {name.partition('[')[0]}(" in file.read_text("utf-8")
    return None if there else f"is checked by {test}, which does not exist"
