"""The corpus: where it is, what is in it, and which cases a run takes.

Reading is strict and stops at the first fault (exit 11); choosing is by exact id, level and version.
"""

from __future__ import annotations

import contextlib
import difflib
import gc
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from conformance.case import Case, Level, load
from conformance.faults import CorpusFault, UsageFault
from conformance.tree import Json, NotJson, read_bytes

LEVELS: Final[tuple[Level, ...]] = ("must", "should", "may")


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause of the contract; `checked_by` is `corpus` or names the unit test."""

    id: str
    level: str
    text: str
    ref: str
    since: str
    checked_by: str


@dataclass(frozen=True)
class Corpus:
    """The cases found in a fixtures folder, base cases and variants, in the order of their ids."""

    fixtures: Path
    cases: tuple[Case, ...]

    @cached_property
    def _contract(self) -> tuple[str, dict[str, Clause]]:
        return _read_clauses(self.fixtures / "clauses.json")

    @property
    def version(self) -> str:
        """The corpus version, `clauses.json`'s."""
        return self._contract[0]

    @property
    def clauses(self) -> dict[str, Clause]:
        """The clauses by id, in the contract's order; read when first asked for."""
        return self._contract[1]


def find(explicit: str | os.PathLike[str] | None = None) -> Path:
    """The fixtures folder: the one named, else the checkout's, else the one inside the installed package.

    A checkout (also one installed in editable mode) wins, so that a copy left behind by a build is never read.
    """
    if explicit is not None:
        chosen = Path(explicit)
        if not (chosen / "cases").is_dir():
            raise UsageFault(f"{chosen} is no fixtures folder: it has no cases/")
        return chosen.resolve()
    package = Path(__file__).resolve().parent
    checkout = package.parent
    beside = [checkout / "fixtures"] if (checkout / "pyproject.toml").is_file() else []
    for place in [*beside, package / "fixtures"]:
        if (place / "clauses.json").is_file():
            return place
    raise UsageFault("no corpus beside the package; name one with --toolnexus-fixtures")


def files(fixtures: Path) -> Iterator[tuple[str, Path]]:
    """Every case file with the id its place gives it, sorted."""
    top = os.path.join(fixtures, "cases", "")
    found = sorted(
        os.path.join(folder, name) for folder, _, names in os.walk(top) for name in names if name.endswith(".json")
    )
    return ((path[len(top) : -len(".json")].replace(os.sep, "/"), Path(path)) for path in found)


def read(fixtures: Path, names: Iterable[str] | None = None) -> Corpus:
    """Read the corpus, or of it only the files with these ids; raises `CorpusFault` for the first broken file."""
    wanted = None if names is None else set(names)
    chosen = ((name, path) for name, path in files(fixtures) if wanted is None or name in wanted)
    with _no_collection():
        return Corpus(fixtures, tuple(case for name, path in chosen for case in load(path, name)))


@contextlib.contextmanager
def _no_collection() -> Iterator[None]:
    """Hold the garbage collector off: thousands of live objects and no cycle make it half of the reading time."""
    held = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if held:
            gc.enable()


def choose(
    corpus: Corpus, *, level: Level = "may", since: str | None = None, ids: Sequence[str] = ()
) -> tuple[Case, ...]:
    """The cases of at least `level`, known by version `since`, and with one of `ids` if any are given.

    An id names a case with its variants, or one variant as `case[name]`; raises `UsageFault` for an id nobody has.
    """
    known_ids = {case.id for case in corpus.cases}
    for wanted in ids:
        if wanted not in known_ids:
            raise UsageFault(f"no case {wanted} in {corpus.fixtures}{_nearest(wanted, corpus)}")
    levels = LEVELS[: LEVELS.index(level) + 1]
    chosen = tuple(
        case for case in corpus.cases if case.level in levels and (not ids or case.id in ids or case.name in ids)
    )
    return chosen if since is None else _known_by(since, chosen, corpus)


def _known_by(since: str, cases: tuple[Case, ...], corpus: Corpus) -> tuple[Case, ...]:
    """The cases that this version had; raises `UsageFault` for one that is yet to come, or had none of them."""
    wanted = version(since)
    if wanted > version(corpus.version):
        raise UsageFault(f"version {since} is yet to come: the corpus is {corpus.version}")
    found = tuple(case for case in cases if version(case.since) <= wanted)
    if cases and not found:
        raise UsageFault(f"version {since} had none of these cases; the corpus is {corpus.version}")
    return found


def _nearest(wanted: str, corpus: Corpus) -> str:
    """A guess at what was meant, from the variants of the case or else from all files."""
    names = [case.id for case in corpus.cases] or [name for name, _ in files(corpus.fixtures)]
    near = difflib.get_close_matches(wanted, names, 1)
    return f"; did you mean {near[0]}?" if near else ""


def version(text: str) -> tuple[int, int]:
    """A corpus version as numbers; raises `UsageFault`."""
    major, _, minor = text.partition(".")
    if not (major.isdecimal() and minor.isdecimal()):
        raise UsageFault(f"{text!r} is no corpus version; write one such as 1.0")
    return int(major), int(minor)


def _read_clauses(path: Path) -> tuple[str, dict[str, Clause]]:
    try:
        tree = read_bytes(path.read_bytes())
    except OSError as wrong:
        raise CorpusFault(path, "", wrong.strerror or str(wrong)) from None
    except NotJson as wrong:
        raise CorpusFault(path, f"line {wrong.line}", wrong.message) from None
    match tree:
        case {"corpus": str() as corpus, "clauses": [*rows]}:
            clauses = [_clause(row, path, f"/clauses/{index}") for index, row in enumerate(rows)]
            return corpus, {clause.id: clause for clause in clauses}
        case _:
            raise CorpusFault(path, "/", "must have corpus (a version) and clauses (a list)")


def _clause(row: Json, path: Path, where: str) -> Clause:
    if not isinstance(row, dict) or not all(isinstance(row.get(key), str) for key in ("id", "level", "text")):
        raise CorpusFault(path, where, "must have id, level and text")
    return Clause(**{key: str(row.get(key, "")) for key in Clause.__slots__})
