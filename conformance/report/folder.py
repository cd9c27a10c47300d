"""The folder of `--toolnexus-report`: every report that one run gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Final

from conformance.faults import UsageFault
from conformance.report import badge, junit, markdown, results
from conformance.report.results import Results

#: File name → what writes it.
FILES: Final[Mapping[str, Callable[[Results, Path], None]]] = {
    results.NAME: results.write,
    "junit.xml": junit.write,
    "summary.md": markdown.write,
    "badge.json": badge.write,
}


def make(folder: Path) -> None:
    """Make the folder before the run; raises `UsageFault` where nothing can be written to it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=folder):
            pass
    except OSError as wrong:
        raise UsageFault(f"the report cannot be written to {folder}: {wrong.strerror}") from None


def write(found: Results, folder: Path) -> None:
    """Write every file, over those of an earlier run."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, writer in FILES.items():
        writer(found, folder / name)
