"""The ledger of known failures: what a run may fail without being red, and exactly how.

A TOML file, one `[[known]]` table an entry. An entry that is wrong (its case passes, or fails in another way) makes the
run as red as a new failure: a ledger that is not held to the truth hides the next fault.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final

import msgspec

from conformance import toml_tables
from conformance.checks import CHECKS
from conformance.faults import UsageFault
from conformance.report.events import CaseJudged

#: How many cases and variants one entry may stand for.
MOST_MATCHES: Final = 20

#: What an entry may say, and what it must.
KEYS: Final = ("case", "check", "signature", "because", "issue", "wont_fix")
_REQUIRED: Final = KEYS[:-1]

#: How a refused case (`skip`) is written: there was no result.
SKIPPED: Final = {"result": "outcome skip"}

#: States in which a case says nothing of the port.
SAID_NOTHING: Final = ("n/a", "not-run", "kit-error")

#: What stands before what a ledger says of a case that had a reason of its own.
COMPLAINT: Final = "; known failure "

#: An index in a signature, for which `#` may stand.
INDEX: Final = re.compile(r"(?<=/)\d+(?=/| |$)|(?<=call )\d+")


@dataclass(frozen=True)
class Entry:
    """One known failure: which cases, which check, and how it fails (`signatures`: first differing place and kind)."""

    number: int
    case: str
    check: str
    signatures: tuple[str, ...]
    because: str
    issue: str
    wont_fix: bool = False

    @property
    def is_glob(self) -> bool:
        """Does it stand for several cases?"""
        return "*" in self.case or "?" in self.case

    def matches(self, case: str) -> bool:
        """Is this the case? `*` and `?` stand for any letters, everything else for itself."""
        return pattern(self.case).fullmatch(case) is not None

    def accepts(self, signature: str) -> bool:
        """Is this how it fails? `#` in a signature stands for any index."""
        return signature in self.signatures or INDEX.sub("#", signature) in self.signatures

    def __str__(self) -> str:
        return f"known failure {self.number} ({self.case}, {self.check})"


@cache
def pattern(glob: str) -> re.Pattern[str]:
    """The expression for an id or glob; the brackets of a variant are no set of letters."""
    return re.compile(re.escape(glob).replace(r"\*", ".*").replace(r"\?", "."), re.DOTALL)


def failing(event: CaseJudged, accept: str) -> dict[str, str]:
    """The checks of a case that failed, each with its signature."""
    if event.state == "skip":
        return SKIPPED
    bad = ("fail",) if accept == "equivalent" else ("fail", "equivalent")
    return {check.name: signature(check.differences[0]) for check in event.checks if check.state in bad}


def signature(difference: Any) -> str:
    """The first differing place and the kind of difference."""
    return f"{difference.where or '/'} {difference.kind}"


@dataclass(frozen=True)
class Ledger:
    """The entries of a file."""

    path: Path
    entries: tuple[Entry, ...]

    @cached_property
    def _globs(self) -> list[Entry]:
        return [entry for entry in self.entries if entry.is_glob]

    @cached_property
    def _exact(self) -> dict[str, list[Entry]]:
        found: dict[str, list[Entry]] = {}
        for entry in self.entries:
            if not entry.is_glob:
                found.setdefault(entry.case, []).append(entry)
        return found

    def _of(self, case: str) -> list[Entry]:
        return [*self._exact.get(case, ()), *(entry for entry in self._globs if entry.matches(case))]

    def entry(self, case: str, check: str, signature: str) -> Entry | None:
        """The entry that tells of a failure, if one does."""
        right = (entry for entry in self._of(case) if entry.check == check and entry.accepts(signature))
        return next(right, None)

    def judged(self, event: CaseJudged, accept: str) -> CaseJudged:
        """The verdict as the ledger sees it: not red where all of it is known, red where an entry is wrong."""
        entries = self._of(event.id)
        if not entries or event.state in SAID_NOTHING:
            return event
        found = failing(event, accept)
        known, wrong = [], []
        for check in dict.fromkeys(entry.check for entry in entries):
            listed = [entry for entry in entries if entry.check == check]
            right = [entry for entry in listed if check in found and entry.accepts(found[check])]
            known.extend(right[:1])
            if not right:
                wrong.append(f"{listed[0]} {_how(listed[0], found.get(check))}")
        if wrong:
            return msgspec.structs.replace(event, red=True, reason="; ".join([*filter(None, [event.reason]), *wrong]))
        because = tuple(f"{entry.check}: {entry.because} ({entry.issue})" for entry in known)
        new = set(found) - {entry.check for entry in known}
        return msgspec.structs.replace(event, red=event.red and bool(new), known=because)

    def notes(self, ids: Iterable[str], *, whole: bool) -> list[str]:
        """Entries that stand for no case of the corpus; raises `UsageFault` for one that stands for too many.

        Without the `whole` corpus, `ids` are files alone, and variants are not looked for.
        """
        known = list(ids)
        notes = []
        for entry in self.entries:
            glob = entry.case if whole else entry.case.partition("[")[0]
            count = sum(pattern(glob).fullmatch(case) is not None for case in known)
            if count > MOST_MATCHES and whole:
                raise UsageFault(f"{self.path}: {entry} stands for {count} cases; at most {MOST_MATCHES} may be listed")
            if not count:
                notes.append(f"{entry} of {self.path.name} is no case of the corpus")
        return notes


def _how(entry: Entry, found: str | None) -> str:
    if found is None:
        return "does not fail: take it off the list"
    return f"fails in another way: {found}, not {' or '.join(entry.signatures)}"


# -- reading ----------------------------------------------------------------------------------------------------------


def read(path: Path) -> Ledger:
    """Read a ledger; raises `UsageFault` naming the entry and the field."""
    rows = toml_tables.read(path, "known", "a ledger")
    return Ledger(path, tuple(_entry(row, number, path) for number, row in enumerate(rows, 1)))


def _entry(row: dict[str, Any], number: int, path: Path) -> Entry:
    for message in _faults(row):
        name = f" ({row['case']})" if isinstance(row.get("case"), str) else ""
        raise UsageFault(f"{path}: known failure {number}{name}: {message}")
    signatures = row["signature"] if isinstance(row["signature"], list) else [row["signature"]]
    texts = {key: row[key] for key in ("case", "check", "because", "issue")}
    return Entry(number, signatures=tuple(signatures), wont_fix=row.get("wont_fix", False), **texts)


def _faults(row: dict[str, Any]) -> Iterator[str]:
    for key in row:
        if key not in KEYS:
            yield f"{key}: unknown; known are {', '.join(KEYS)}"
    for key in _REQUIRED:
        value = row.get(key)
        values = value if key == "signature" and isinstance(value, list) and value else [value]
        if not all(isinstance(text, str) and text.strip() for text in values):
            yield f"{key}: must be there, a text with something in it; {_MEANING[key]}"
    if row.get("check") not in CHECKS:
        yield f"check: must be one of {', '.join(CHECKS)}"
    if not isinstance(row.get("wont_fix", False), bool):
        yield "wont_fix: must be true or false"


_MEANING: Final = {
    "case": "a case's id, or a glob",
    "check": f"one of {', '.join(CHECKS)}",
    "signature": "the first place that differs, and how: '/messages/3 unexpected'",
    "because": "what the failure means for whoever uses the port",
    "issue": "where it is reported",
}
