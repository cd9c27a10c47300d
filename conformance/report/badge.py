"""`badge.json`: a shields.io endpoint (schema version 1)."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import msgspec

from conformance.report.results import Results

#: Exit codes that say nothing about the port.
_NOT_JUDGED: Final = frozenset({2, 3, 4, 5, 10, 11})


def write(results: Results, path: Path) -> None:
    """Write the file."""
    path.write_bytes(msgspec.json.format(msgspec.json.encode(badge(results)), indent=2) + b"\n")


def badge(results: Results) -> dict[str, Any]:
    """The badge: how many of the checked must and should cases hold; grey where the port was not judged."""
    label = f"toolnexus conformance {results.started.corpus}"
    if results.finished.exit_code in _NOT_JUDGED:
        return {
            "schemaVersion": 1,
            "label": label,
            "message": "could not be run",
            "color": "lightgrey",
            "isError": True,
        }
    counts = {level: _count(results, level) for level in ("must", "should")}
    message = " · ".join(f"{level} {good}/{checked}" for level, (good, checked) in counts.items() if checked)
    return {
        "schemaVersion": 1,
        "label": label,
        "message": message or "nothing checked",
        "color": _color(results, counts),
    }


def _count(results: Results, level: str) -> tuple[int, int]:
    checked = [case for case in results.cases if case.level == level and case.state != "n/a"]
    return sum(not case.red for case in checked), len(checked)


def _color(results: Results, counts: dict[str, tuple[int, int]]) -> str:
    if results.finished.exit_code == 0:
        return "brightgreen"
    good, checked = counts["must"]
    return "yellow" if checked and good == checked else "red"
