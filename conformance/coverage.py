"""How many cases check each clause of the contract, and the table that shows it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from conformance.corpus import Clause, Corpus, version

#: How many cases a clause needs (corpus-and-protocol, "Clauses and levels").
NEEDED: Final[Mapping[str, int]] = {"must": 3, "should": 2, "may": 0}
BEGIN: Final = "<!-- coverage: written by `lint --write-coverage`, do not edit -->"
END: Final = "<!-- end of coverage -->"


class Citing(Protocol):
    """What coverage needs of a case: what it cites, and whether it expects an error or a warning."""

    @property
    def cited(self) -> Iterable[str]: ...

    @property
    def negative(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Row:
    """How well one clause is covered; `negative` counts the cases that expect an error or a warning."""

    clause: Clause
    cases: int
    negative: int
    wants_negative: bool

    def missing(self) -> str | None:
        """What the clause still lacks, in words; None when it has enough."""
        if test_of(self.clause) is not None:
            return None
        needed = NEEDED[self.clause.level]
        if self.cases < needed:
            return f"has {self.cases} of {needed} cases"
        if self.wants_negative and not self.negative:
            return "has no case that expects an error or a warning"
        return None


def test_of(clause: Clause) -> str | None:
    """The test of a clause that no case can express, as `path::name`; None for a clause the corpus checks."""
    kind, _, test = clause.checked_by.partition(": ")
    return test if kind == "unit" else None


def demanded(corpus: Corpus) -> list[Clause]:
    """The clauses that this version of the corpus has to cover, in the contract's order."""
    return [clause for clause in corpus.clauses.values() if version(clause.since) <= version(corpus.version)]


def coverage(clauses: Iterable[Clause], wants_negative: Iterable[str], cases: Iterable[Citing]) -> list[Row]:
    """One row a clause. `wants_negative` names the clauses that need a case expecting an error or a warning.

    Cases that differ only in words are to be given once.
    """
    wanting = frozenset(wants_negative)
    kept = list(clauses)
    counts: dict[str, list[bool]] = {clause.id: [] for clause in kept}
    for case in cases:
        for cited in counts.keys() & set(case.cited):
            counts[cited].append(case.negative)
    return [Row(row, len(counts[row.id]), sum(counts[row.id]), row.id in wanting) for row in kept]


def table(rows: Iterable[Row]) -> str:
    """The rows as a Markdown table."""
    head = ["| clause | level | cases | with an error or a warning | checked by |", "|---|---|---:|---:|---|"]
    return "\n".join([*head, *map(_line, rows)])


def _line(row: Row) -> str:
    test = test_of(row.clause)
    by = f"`{test}`" if test else "corpus"
    return f"| `{row.clause.id}` | {row.clause.level} | {row.cases} | {row.negative} | {by} |"


def rewritten(page: str, text: str) -> str | None:
    """The page with `text` between the two markers; None when it has no such place."""
    head, begin, rest = page.partition(BEGIN)
    _, end, tail = rest.partition(END)
    return f"{head}{BEGIN}\n{text}\n{END}{tail}" if begin and end else None
