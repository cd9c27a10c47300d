"""Why a run cannot go on: whose side was wrong, and the exit code that says so."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar


class Fault(Exception):
    """A one-line reason; `exit_code` follows corpus-and-protocol, "Under pytest"."""

    exit_code: ClassVar[int]


class UsageFault(Fault):
    """The command line or the environment is wrong."""

    exit_code = 4


class PortFault(Fault):
    """The port could not be run, or broke the protocol."""

    exit_code = 10


class KitFault(Fault):
    """The kit itself is wrong."""

    exit_code = 11


class CorpusFault(Fault):
    """A file of the corpus is wrong: `path`, and `where` as a JSON pointer or `line N`."""

    exit_code = 11

    def __init__(self, path: Path | str, where: str, message: str) -> None:
        shown = _from_here(Path(path))
        super().__init__(f"{shown}: {where}: {message}" if where else f"{shown}: {message}")
        self.path = Path(path)
        self.where = where
        self.message = message


def _from_here(path: Path) -> Path:
    """The file as a person in this folder would name it."""
    try:
        return path.relative_to(Path.cwd())
    except ValueError:
        return path
