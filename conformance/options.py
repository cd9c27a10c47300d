"""What a run was asked for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from conformance.case import Level
from conformance.shard import Shard

_SECRET: Final = re.compile(r"auth|key|token|secret|cookie|password", re.IGNORECASE)

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
    known: Path | None = None
    #: Of a gateway: where its upstream is, what it is sent beside the body, and what it calls the models.
    stub_port: int = 0
    headers: tuple[str, ...] = ()
    models: tuple[str, ...] = ()

    def arguments(self) -> list[str]:
        """The command line that asks for the same, without what is the default, `cases`, `shard` and `report`."""
        plain = Options()
        asked = {
            "--toolnexus-port": (self.port, plain.port),
            "--toolnexus-stub-port": (self.stub_port, plain.stub_port),
            "--toolnexus-level": (self.level, plain.level),
            "--toolnexus-accept": (self.accept, plain.accept),
            "--toolnexus-since": (self.since, plain.since),
            "--toolnexus-known": (self.known, plain.known),
        }
        words = [word for name, (value, default) in asked.items() if value != default for word in (name, str(value))]
        words += [word for model in self.models for word in ("--toolnexus-model", model)]
        words += [word for header in self.headers for word in ("--toolnexus-header", _named(header))]
        # One word, or else pytest takes the folder for one that holds tests and looks for its settings there.
        return words if self.fixtures is None else [*words, f"--toolnexus-fixtures={self.fixtures}"]


def _named(header: str) -> str:
    """A header without its value, where that may be a secret."""
    name, colon, _ = header.partition(":")
    return f"{name}{colon} …" if _SECRET.search(name) else header
