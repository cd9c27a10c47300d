"""Choosing cases by what one knows of them: place, level, clause, words, and how they went in a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from conformance import corpus as corpora
from conformance.case import Case, Level
from conformance.corpus import Corpus
from conformance.faults import UsageFault
from conformance.report import results
from conformance.shape import STYLES
from conformance.tree import compact
from conformance.verdict import STATES

#: The first folders of the corpus.
FOLDERS: Final = (*STYLES, "declare")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a case must be; the defaults are every case. `states` need a run, `results`."""

    styles: tuple[str, ...] = ()
    areas: tuple[str, ...] = ()
    level: Level = "may"
    clauses: tuple[str, ...] = ()
    capabilities: tuple[str, ...] = ()
    since: str | None = None
    text: str = ""
    states: tuple[str, ...] = ()
    results: Path | None = None


def cases(corpus: Corpus, wanted: Wanted) -> tuple[Case, ...]:
    """The cases that fit everything asked for; raises `UsageFault` for a state without a run or an unknown version."""
    tests = [test(wanted) for test in _TESTS]
    chosen = corpora.choose(corpus, level=wanted.level, since=wanted.since)
    return tuple(case for case in chosen if all(test(case) for test in tests))


def states(path: Path | None) -> dict[str, str]:
    """The state of each case of a run, by id; nothing without one."""
    return {} if path is None else {case.id: case.state for case in results.read(path).cases}


Test = Callable[[Case], bool]


def _style(wanted: Wanted) -> Test:
    return lambda case: not wanted.styles or case.name.partition("/")[0] in wanted.styles


def _area(wanted: Wanted) -> Test:
    def fits(case: Case) -> bool:
        area = case.name.split("/")[1]
        return not wanted.areas or any(fnmatchcase(area, pattern) for pattern in wanted.areas)

    return fits


def _clause(wanted: Wanted) -> Test:
    return lambda case: all(any(cited.startswith(clause) for cited in case.clauses) for clause in wanted.clauses)


def _capability(wanted: Wanted) -> Test:
    return lambda case: set(wanted.capabilities) <= set(case.needs)


def _text(wanted: Wanted) -> Test:
    words = wanted.text.casefold()
    return lambda case: not words or any(words in text.casefold() for text in _texts(case))


def _texts(case: Case) -> Iterator[str]:
    yield case.id
    yield compact(case.tree)


def _state(wanted: Wanted) -> Test:
    if not wanted.states:
        return lambda case: True
    if wanted.results is None:
        raise UsageFault("--state needs a run: name it with --results, as --toolnexus-report wrote it")
    if unknown := set(wanted.states) - set(STATES):
        raise UsageFault(f"no case is ever {', '.join(sorted(unknown))}; states are {', '.join(STATES)}")
    found = states(wanted.results)
    return lambda case: found.get(case.id) in wanted.states


_TESTS: Final[tuple[Callable[[Wanted], Test], ...]] = (_style, _area, _clause, _capability, _text, _state)
