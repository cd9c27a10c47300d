"""Computes the kill matrix and writes MATRIX.md: `python -m tests.mutants`; `--check` only says what is wrong."""

from __future__ import annotations

import sys
import time

from tests.mutants import matrix, table


def main() -> int:
    """Exit code 1 where something is wrong."""
    began = time.monotonic()
    found = matrix.compute()
    text = table.written(found)
    faults = list(problems(found))
    stale = not table.PATH.exists() or table.PATH.read_text("utf-8") != text
    if "--check" in sys.argv[1:]:
        faults += ["MATRIX.md is stale"] if stale else []
    else:
        table.PATH.write_text(text, "utf-8")
    sys.stdout.write("".join(f"{fault}\n" for fault in faults))
    sys.stdout.write(f"{len(found.kills)} mutants, {len(found.items)} cases, {time.monotonic() - began:.0f} s\n")
    return 1 if faults else 0


def problems(found: matrix.Matrix) -> list[str]:
    """All that the tests would fail for, one line each."""
    rows = matrix.immunities()
    return [
        *(f"the reference fails {item}" for item in found.wrong),
        *(f"no case kills {name}" for name in found.survivors),
        *(f"{name} fails more than half of the corpus" for name in found.hopeless),
        *(f"{name} kills no mutant" for name in found.toothless if not matrix.is_immune(name, rows)),
        *(f"immune.toml: {row.case} kills a mutant, or is no case" for row in idle(found, rows)),
    ]


def idle(found: matrix.Matrix, rows: tuple[matrix.Immunity, ...]) -> list[matrix.Immunity]:
    """Reasons that no case needs."""
    return [row for row in rows if not any(matrix.is_immune(name, (row,)) for name in found.toothless)]


if __name__ == "__main__":
    sys.exit(main())
