"""A ledger written anew from a run and the list of a port's faults: an entry stands for as many cases as it may."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import tomlkit

from conformance.attribution import Fault, unindexed
from conformance.known import MOST_MATCHES, SAID_NOTHING, failing, pattern
from conformance.report.events import CaseJudged

#: An entry whose cases fail in more ways than this names them without their indices.
_MOST_SIGNATURES: Final = 2

_HEAD: Final = """\
# Written by `toolnexus-conformance known write`: what these failures come of is told in the list of faults.
"""


@dataclass(frozen=True)
class Unexplained:
    """A failure that comes of no fault in the list."""

    case: str
    check: str
    signature: str
    reason: str = ""


@dataclass
class Written:
    """A ledger's text, the failures that it could not explain, and the faults that explain none."""

    text: str
    entries: int
    unexplained: list[Unexplained] = field(default_factory=list)
    unused: list[Fault] = field(default_factory=list)


def ledger(cases: Sequence[CaseJudged], accept: str, faults: Sequence[Fault]) -> Written:
    """The ledger of a run over the whole corpus; what is shown only (level may) needs no fault."""
    groups: dict[tuple[int, str, str], dict[str, str]] = {}
    unexplained = []
    judged = [case for case in cases if case.state not in SAID_NOTHING]
    for case in judged:
        for check, signature in failing(case, accept).items():
            fault = next((fault for fault in faults if fault.explains(case, check, signature)), None)
            if fault is not None:
                groups.setdefault((fault.number, check, unindexed(signature)), {})[case.id] = signature
            elif case.level != "may":
                unexplained.append(Unexplained(case.id, check, signature, case.reason))
    names = _Names([case.id for case in cases], frozenset(case.id for case in judged))
    tables = []
    for (number, check, _), found in sorted(groups.items()):
        fault = faults[number - 1]
        tables += [_table(fault, glob, check, names.signatures(glob, found)) for glob in names.covering(found)]
    used = {number for number, _, _ in groups}
    unused = [fault for fault in faults if fault.number not in used]
    return Written("\n".join([_HEAD, *tables]), len(tables), unexplained, unused)


def _table(fault: Fault, glob: str, check: str, signatures: Sequence[str]) -> str:
    table = tomlkit.table()
    table.add("case", glob)
    table.add("check", check)
    table.add("signature", signatures[0] if len(signatures) == 1 else list(signatures))
    table.add("because", fault.says)
    table.add("issue", fault.issue)
    if fault.wont_fix:
        table.add("wont_fix", True)
    entries, document = tomlkit.aot(), tomlkit.document()
    entries.append(table)
    document.append("known", entries)
    return document.as_string()


class _Names:
    """The names of all cases, and of those that a run judged: an entry may stand for no other."""

    def __init__(self, every: Sequence[str], judged: frozenset[str]) -> None:
        self._every = every
        self._judged = judged
        self._found: dict[str, tuple[str, ...]] = {}

    def covering(self, failed: Mapping[str, str]) -> Iterator[str]:
        """Few globs that stand for these cases and for no judged one besides; a name where no glob gains anything."""
        left = dict.fromkeys(failed)
        while left:
            best = next(iter(left))
            covered = [best]
            for glob in _globs(best):
                matched = self._matched(glob)
                news = [name for name in matched if name in left]
                if len(news) > len(covered) and failed.keys() >= set(matched):
                    best, covered = glob, news
            for name in covered:
                del left[name]
            yield best

    def signatures(self, glob: str, failed: Mapping[str, str]) -> list[str]:
        """How the cases of an entry fail."""
        exact = list(dict.fromkeys(failed[name] for name in failed if pattern(glob).fullmatch(name)))
        return exact if len(exact) <= _MOST_SIGNATURES else list(dict.fromkeys(unindexed(text) for text in exact))

    def _matched(self, glob: str) -> tuple[str, ...]:
        """The judged cases that a glob stands for; none where it stands for too many."""
        if glob not in self._found:
            fits = pattern(glob).fullmatch
            every = [name for name in self._every if fits(name)]
            few = len(every) <= MOST_MATCHES
            self._found[glob] = tuple(name for name in every if name in self._judged) if few else ()
        return self._found[glob]


def _globs(case: str) -> Iterator[str]:
    """Globs that a case is one of: its folder, the beginnings of its name, its variants."""
    file, bracket, _ = case.partition("[")
    folder, _, stem = file.rpartition("/")
    yield f"{folder}/*"
    yield from (f"{folder}/{stem[: match.end()]}*" for match in re.finditer("-", stem))
    yield f"{file}*"
    if bracket:
        yield f"{file}[*]"
