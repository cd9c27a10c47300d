"""A case file on the desk: found by id or by path, read as it is written, and written back."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import cast

from conformance import case as cases
from conformance import corpus as corpora
from conformance.canonical import canonical
from conformance.case import Case
from conformance.corpus import Corpus
from conformance.faults import CorpusFault, UsageFault
from conformance.tree import Json, NotJson, read_bytes


@dataclass(frozen=True)
class CaseFile:
    """One file: `tree` as it is written (big texts folded), `cases` as they run (the case, then its variants)."""

    path: Path
    tree: dict[str, Json]
    cases: tuple[Case, ...]

    @classmethod
    def load(cls, path: Path, name: str | None = None) -> CaseFile:
        """Read a file; its id has to be `name`, or where that is None whatever it says. Raises `CorpusFault`."""
        try:
            data = path.read_bytes()
            tree = read_bytes(data)
        except OSError as wrong:
            raise CorpusFault(path, "", wrong.strerror or str(wrong)) from None
        except NotJson as wrong:
            raise CorpusFault(path, f"line {wrong.line}", wrong.message) from None
        said = tree.get("id") if isinstance(tree, dict) else None
        parsed = cases.parse(data, str(said) if name is None else name, path)
        return cls(path, cast("dict[str, Json]", tree), parsed)

    @property
    def name(self) -> str:
        """The id of the file's case."""
        return self.cases[0].name

    def changed(self, tree: dict[str, Json]) -> CaseFile:
        """The same file with another tree, not yet written; raises `CorpusFault` for one that cannot be run."""
        return CaseFile(self.path, tree, cases.parse(canonical(tree).encode(), self.name, self.path))

    def write(self) -> None:
        """Write the file in canonical form."""
        write(self.path, self.tree)


def write(path: Path, tree: dict[str, Json]) -> None:
    """Write a case in canonical form, with the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(canonical(tree).encode())


class Desk:
    """A corpus to pick cases from. What is asked for by name may also be the path of a case file anywhere."""

    def __init__(self, fixtures: Path | None = None) -> None:
        self.root = corpora.find(fixtures)

    @cached_property
    def corpus(self) -> Corpus:
        """The contract: version and clauses, no cases."""
        return Corpus(self.root, ())

    @cached_property
    def places(self) -> dict[str, Path]:
        """Where each case is, by id."""
        return dict(corpora.files(self.root))

    def file(self, text: str) -> CaseFile:
        """The file of a case id (of a variant: its case's), or the file at a path; raises `UsageFault`."""
        if text.endswith(".json"):
            return CaseFile.load(_existing(Path(text)))
        name = text.partition("[")[0]
        if name not in self.places:
            raise UsageFault(f"no case {name} in {self.root}{_nearest(name, list(self.places))}")
        return CaseFile.load(self.places[name], name)

    def case(self, text: str) -> tuple[Case, CaseFile]:
        """The one case, or variant, with this id (of a path the case itself), and the file it is in."""
        found = self.file(text)
        named = [case for case in found.cases if text.endswith(".json") or case.id == text]
        if not named:
            names = [case.id for case in found.cases]
            raise UsageFault(f"no case {text}{_nearest(text, names)}")
        return named[0], found

    def files(self, texts: Sequence[str]) -> list[CaseFile]:
        """The files that ids, patterns (`anthropic/finish/*`) and paths name, each once; without any, all of them."""
        found: dict[Path, CaseFile] = {}
        for text in texts or ("*",):
            for file in self._matching(text) if "*" in text else [self.file(text)]:
                found.setdefault(file.path, file)
        return list(found.values())

    def _matching(self, pattern: str) -> list[CaseFile]:
        files = [CaseFile.load(path, name) for name, path in self.places.items() if fnmatchcase(name, pattern)]
        if not files:
            raise UsageFault(f"no case matches {pattern} in {self.root}")
        return files

    def place(self, name: str) -> Path:
        """Where the file of a new case belongs."""
        return self.root / "cases" / f"{name}.json"


def _existing(path: Path) -> Path:
    if not path.is_file():
        raise UsageFault(f"{path}: no such file")
    return path


def _nearest(wanted: str, names: Sequence[str]) -> str:
    near = difflib.get_close_matches(wanted, names, 1)
    return f"; did you mean {near[0]}?" if near else ""
