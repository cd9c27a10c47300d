"""A file that is nothing but TOML tables of one name: a ledger, a list of faults."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from conformance.faults import UsageFault


def read(path: Path, name: str, what: str) -> list[dict[str, Any]]:
    """The `[[name]]` tables of a file; raises `UsageFault` for a file that cannot be read, or holds something else."""
    try:
        value = tomllib.loads(path.read_text("utf-8"))
    except OSError as wrong:
        raise UsageFault(f"{path}: {wrong.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as wrong:
        raise UsageFault(f"{path}: {wrong}") from None
    if strange := value.keys() - {name}:
        raise UsageFault(f"{path}: {', '.join(sorted(strange))}: {what} is nothing but [[{name}]] tables")
    rows = value.get(name, [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise UsageFault(f"{path}: write [[{name}]], in two brackets")
    return rows
