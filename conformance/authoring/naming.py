"""A new case's id, place, clauses and level: what is free, and what goes together."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from conformance import shape
from conformance.authoring.casefile import Desk
from conformance.authoring.choose import FOLDERS
from conformance.cli.checks.lock import Lock
from conformance.cli.checks.meaning import RANK
from conformance.faults import UsageFault

#: What stands for the clause of a draft whose author knows none yet; lint refuses it.
NO_CLAUSE: Final = "todo.clause"


@dataclass(frozen=True, slots=True)
class Naming:
    """A new case: its id and file, its clauses, and the level and version that follow from them."""

    name: str
    path: Path
    clauses: tuple[str, ...]
    level: str
    since: str

    @property
    def style(self) -> str:
        """The id's first part."""
        return self.name.partition("/")[0]


def fresh(desk: Desk, name: str, clauses: Sequence[str], folder: Path | None = None) -> Naming:
    """A new case with this id; raises `UsageFault` for a malformed or used id and for an unknown clause."""
    try:
        shape.CASE.keys["id"](name)
    except shape.Misshapen as wrong:
        raise UsageFault(f"the id {name!r} {wrong.message}") from None
    if name.partition("/")[0] not in FOLDERS:
        raise UsageFault(f"the id {name!r} must begin with {', '.join(FOLDERS)}")
    path = desk.place(name) if folder is None else folder / f"{name}.json"
    if path.exists():
        raise UsageFault(f"{path} is there already; ids never change, so write another name")
    if name in Lock.load(desk.root / "ids.lock").retired:
        raise UsageFault(f"{name} went for good (ids.lock); write another name")
    known = desk.corpus.clauses
    for clause in clauses:
        if clause not in known:
            near = difflib.get_close_matches(clause, known, 1)
            hint = f"did you mean {near[0]}?" if near else "explain lists them"
            raise UsageFault(f"no clause {clause}; {hint}")
    levels = [known[clause].level for clause in clauses]
    level = min(levels, key=RANK.__getitem__, default="should")
    return Naming(name, path, tuple(clauses) or (NO_CLAUSE,), level, desk.corpus.version)
