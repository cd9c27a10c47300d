"""What failures mean: a maintainer's list of a port's faults, by which each failing case finds the fault behind it.

A TOML file, one `[[fault]]` table each. The first fault that fits a failure explains it, so the special ones stand
before the general ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from conformance import toml_tables
from conformance.checks import CHECKS
from conformance.faults import UsageFault
from conformance.known import COMPLAINT, INDEX, pattern
from conformance.report.events import CaseJudged

#: What a fault may say; `says` and `issue` it must, and one of the others by which it is found.
KEYS: Final = ("says", "issue", "cases", "check", "signature", "reason", "wont_fix")
_GLOBS: Final = ("cases", "signature", "reason")


@dataclass(frozen=True)
class Fault:
    """One fault of a port: what it does and what that means for a user, and which failures come of it.

    `cases`, `signatures` and `reasons` are globs, of which one has to fit; none at all fit everything. A signature's
    indices are written `#`.
    """

    number: int
    says: str
    issue: str
    cases: tuple[str, ...] = ()
    check: str = ""
    signatures: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    wont_fix: bool = False

    def explains(self, case: CaseJudged, check: str, signature: str) -> bool:
        """Does this failure come of it?"""
        return (
            self.check in ("", check)
            and _fits(self.cases, case.id)
            and (_fits(self.signatures, signature) or _fits(self.signatures, unindexed(signature)))
            and _fits(self.reasons, case.reason.partition(COMPLAINT)[0])
        )

    def __str__(self) -> str:
        return f"fault {self.number} ({self.says})"


def unindexed(signature: str) -> str:
    """A signature for any index."""
    return INDEX.sub("#", signature)


def _fits(globs: tuple[str, ...], text: str) -> bool:
    return not globs or any(pattern(glob).fullmatch(text) for glob in globs)


def read(path: Path) -> tuple[Fault, ...]:
    """Read a list of faults; raises `UsageFault` naming the table and the field."""
    rows = toml_tables.read(path, "fault", "a list of faults")
    return tuple(_fault(row, number, path) for number, row in enumerate(rows, 1))


def _fault(row: dict[str, Any], number: int, path: Path) -> Fault:
    for message in _wrong(row):
        raise UsageFault(f"{path}: fault {number}: {message}")
    cases, signatures, reasons = (_listed(row.get(key, [])) for key in _GLOBS)
    return Fault(
        number, row["says"], row["issue"], cases, row.get("check", ""), signatures, reasons, row.get("wont_fix", False)
    )


def _listed(value: Any) -> tuple[str, ...]:
    return tuple(value) if isinstance(value, list) else (value,)


def _wrong(row: dict[str, Any]) -> Iterator[str]:
    for key in row:
        if key not in KEYS:
            yield f"{key}: unknown; known are {', '.join(KEYS)}"
    for key in ("says", "issue"):
        if not isinstance(row.get(key), str) or not row[key].strip():
            yield f"{key}: must be there, a text with something in it"
    for key in _GLOBS:
        if not all(isinstance(text, str) and text for text in _listed(row.get(key, []))):
            yield f"{key}: must be a text or a list of texts"
    if row.get("check", CHECKS[0]) not in CHECKS:
        yield f"check: must be one of {', '.join(CHECKS)}"
    if not isinstance(row.get("wont_fix", False), bool):
        yield "wont_fix: must be true or false"
    if not any(row.get(key) for key in _GLOBS):
        yield f"one of {', '.join(_GLOBS)} must say which failures come of it"
