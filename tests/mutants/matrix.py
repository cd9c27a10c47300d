"""The kill matrix: which case tells which mutant from the reference.

The cases are shared out to processes, and each runs every mutant over its share; `replay` says how, and why that is
exact.
"""

from __future__ import annotations

import gc
import multiprocessing
import tomllib
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Final

from conformance import corpus
from conformance.stub import Stub
from tests.mutants.catalogue import MUTANTS
from tests.mutants.replay import Kit

#: A mutant that fails more of the corpus than this says nothing about any one case.
WIDEST: Final = 0.1

#: A mutant that fails more of the corpus than this is no mutant: everything fails everywhere.
LEAST_RIGHT: Final = 0.5

PROCESSES: Final = 2

IMMUNE: Final = Path(__file__).parent / "immune.toml"


@dataclass(frozen=True)
class Immunity:
    """Why cases kill no mutant; `case` is an id or a glob."""

    case: str
    because: str


@dataclass(frozen=True)
class Matrix:
    """`kills` has the cases, variants included, that each mutant fails; `wrong` those that the reference fails."""

    items: tuple[str, ...]
    kills: dict[str, frozenset[str]]
    wrong: tuple[str, ...]

    @cached_property
    def files(self) -> tuple[str, ...]:
        """The ids of the case files."""
        return tuple(dict.fromkeys(map(file_of, self.items)))

    @cached_property
    def killers(self) -> dict[str, frozenset[str]]:
        """For each mutant the files of which one case at least kills it."""
        return {name: frozenset(map(file_of, ids)) for name, ids in self.kills.items()}

    @cached_property
    def telling(self) -> Counter[str]:
        """For each file how many mutants it kills that are right nearly everywhere."""
        narrow = [files for files in self.killers.values() if len(files) <= WIDEST * len(self.files)]
        return Counter(name for files in narrow for name in files)

    def right(self, mutant: str) -> float:
        """The part of the case files that a mutant passes in full."""
        return 1 - len(self.killers[mutant]) / len(self.files)

    @property
    def survivors(self) -> list[str]:
        """Mutants that no case tells from the reference."""
        return sorted(name for name, ids in self.kills.items() if not ids)

    @property
    def hopeless(self) -> list[str]:
        """Mutants that fail more than half of the corpus."""
        return sorted(name for name in self.kills if self.right(name) < LEAST_RIGHT)

    @property
    def toothless(self) -> list[str]:
        """Case files that kill no mutant."""
        return [name for name in self.files if not self.telling[name]]


def file_of(item: str) -> str:
    """The case file of a case's or variant's id."""
    return item.partition("[")[0]


def immunities() -> tuple[Immunity, ...]:
    """The cases that need not kill a mutant, with their reasons."""
    rows = tomllib.loads(IMMUNE.read_text("utf-8")).get("immune", [])
    return tuple(Immunity(**row) for row in rows)


def is_immune(name: str, rows: tuple[Immunity, ...]) -> bool:
    """Whether a reason is given for a case file."""
    return any(fnmatchcase(name, row.case) for row in rows)


def compute(processes: int = PROCESSES) -> Matrix:
    """Runs every mutant over every case."""
    with ProcessPoolExecutor(processes, mp_context=multiprocessing.get_context("spawn")) as pool:
        shares = list(pool.map(_share, range(processes), [processes] * processes))
    kills = {name: frozenset().union(*(share.kills[name] for share in shares)) for name in MUTANTS}
    items = sorted(item for share in shares for item in share.items)
    return Matrix(tuple(items), kills, tuple(sorted(item for share in shares for item in share.wrong)))


def _share(number: int, of: int) -> Matrix:
    """Every `of`-th case, from `number` on."""
    fixtures = corpus.find()
    whole = corpus.read(fixtures)
    kit = Kit(whole.cases[number::of], fixtures)
    with Stub() as stub:
        kit.record(stub)
    gc.freeze()  # traces live as long as the process
    traces = [trace for trace in kit.traces if trace.state == "pass"]
    kills = {
        mutant.name: frozenset(trace.case.id for trace in traces if kit.state(mutant, trace) != "pass")
        for mutant in MUTANTS.values()
    }
    wrong = tuple(trace.case.id for trace in kit.traces if trace.state != "pass")
    return Matrix(tuple(trace.case.id for trace in kit.traces), kills, wrong)
