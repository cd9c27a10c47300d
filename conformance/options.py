"""What a run was asked for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from conformance.case import Level
from conformance.shard import Shard

Accept = Literal["exact", "equivalent"]


@dataclass(frozen=True, slots=True)
class Options:
    """What a run was asked for; each default is what pytest does without the option."""

    port: str = "python:toolnexus"
    fixtures: Path | None = None
    level: Level = "may"
    accept: Accept = "exact"
    cases: tuple[str, ...] = ()
    since: str | None = None
    shard: Shard | None = None
    report: Path | None = None

    def arguments(self) -> list[str]:
        """The command line that asks for the same, without what is the default, `cases`, `shard` and `report`."""
        plain = Options()
        asked = {
            "--toolnexus-port": (self.port, plain.port),
            "--toolnexus-level": (self.level, plain.level),
            "--toolnexus-accept": (self.accept, plain.accept),
            "--toolnexus-since": (self.since, plain.since),
        }
        words = [word for name, (value, default) in asked.items() if value != default for word in (name, str(value))]
        # One word, or else pytest takes the folder for one that holds tests and looks for its settings there.
        return words if self.fixtures is None else [*words, f"--toolnexus-fixtures={self.fixtures}"]
