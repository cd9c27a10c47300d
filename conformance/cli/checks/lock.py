"""ids.lock: the ids that cases have or had. An id never changes, and one that went never comes back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from conformance.cli.checks.source import Fault

HEAD = "# The ids of all cases, written by `lint --update-lock`. A line that begins with - is an id that went for good."
CHECK = "ids-lock"


@dataclass(frozen=True, slots=True)
class Lock:
    """The ids in use and those retired, each with its line."""

    path: Path
    live: dict[str, int]
    retired: dict[str, int]

    @classmethod
    def load(cls, path: Path) -> Lock:
        """Read the file; without one there are no ids yet."""
        live: dict[str, int] = {}
        retired: dict[str, int] = {}
        rows = path.read_text("utf-8").split("\n") if path.is_file() else []
        for line, row in enumerate(rows, 1):
            if row and not row.startswith("#"):
                (retired if row.startswith("-") else live)[row.lstrip("- ")] = line
        return cls(path, live, retired)

    def check(self, ids: Iterable[str]) -> Iterator[Fault]:
        """The corpus has the live ids and no other."""
        present = set(ids)
        yield from self.returned(present)
        for new in sorted(present - self.live.keys() - self.retired.keys()):
            yield Fault(self.path, 1, "", f"{new} is new: run lint --update-lock", CHECK)
        for gone in sorted(self.live.keys() - present):
            yield Fault(
                self.path,
                self.live[gone],
                "",
                f"{gone} has no file; ids never change (--update-lock retires it)",
                CHECK,
            )

    def returned(self, ids: Iterable[str]) -> Iterator[Fault]:
        """No id comes back."""
        for back in sorted(self.retired.keys() & set(ids)):
            yield Fault(self.path, self.retired[back], "", f"{back} went for good; give the case a new id", CHECK)

    def updated(self, ids: Iterable[str]) -> str:
        """The file's text for these ids; what has gone is retired."""
        present = set(ids)
        gone = self.retired.keys() | (self.live.keys() - present)
        rows = [*sorted(present - gone), *(f"- {name}" for name in sorted(gone))]
        return "\n".join([HEAD, *rows]) + "\n"
