"""MATRIX.md: the kill matrix for people, generated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.mutants.catalogue import MUTANTS
from tests.mutants.matrix import WIDEST, Matrix, file_of, immunities

PATH: Final = Path(__file__).parent / "MATRIX.md"

_NAMED: Final = 3


def written(matrix: Matrix) -> str:
    """The whole page."""
    return "\n".join([*_head(matrix), *_themes(matrix), *_mutants(matrix), *_areas(matrix), *_immune(matrix)]) + "\n"


def _head(matrix: Matrix) -> Iterator[str]:
    killed = sum(bool(ids) for ids in matrix.kills.values())
    wide = [f"`{name}`" for name, files in matrix.killers.items() if len(files) > WIDEST * len(matrix.files)]
    files, cases, silent = len(matrix.files), len(matrix.items), len(_silent(matrix))
    yield "# The kill matrix"
    yield ""
    yield "<!-- Written by `python -m tests.mutants`; do not edit. -->"
    yield ""
    yield "Each mutant is the reference with one thing spoiled. The corpus has to tell every one of them from the"
    yield "reference, and every case file has to tell one at least that is right on nine tenths of the corpus: a mutant"
    yield "that is wrong nearly everywhere says nothing about a case."
    yield ""
    yield f"- {killed} of {len(matrix.kills)} mutants are killed by {files} case files ({cases} cases with variants)."
    yield f"- {len(wide)} mutants fail more than a tenth of the files and count for no case: {', '.join(wide)}."
    yield f"- Files that kill none: {len(matrix.toothless)}. Cases that kill none though their file does: {silent}."
    yield ""


def _silent(matrix: Matrix) -> list[str]:
    """Cases and variants that no mutant fails, of files that kill some."""
    telling = frozenset().union(*matrix.kills.values())
    return [item for item in matrix.items if item not in telling and matrix.telling[file_of(item)]]


def _area(name: str) -> str:
    return name.rpartition("/")[0]


def _themes(matrix: Matrix) -> Iterator[str]:
    """Themes of mutants against the areas of cases that kill them."""
    yield "## Themes and areas"
    yield ""
    yield "How many mutants of a theme the cases of an area kill, the five areas that kill most."
    yield ""
    yield "| theme | mutants | killed by |"
    yield "|---|---|---|"
    for theme in sorted({mutant.theme for mutant in MUTANTS.values()}):
        own = [mutant.name for mutant in MUTANTS.values() if mutant.theme == theme]
        areas = Counter(area for name in own for area in {_area(file) for file in matrix.killers[name]})
        ranked = sorted(areas.items(), key=lambda pair: (-pair[1], pair[0]))[:5]
        yield f"| {theme} | {len(own)} | {', '.join(f'{area} {count}' for area, count in ranked)} |"
    yield ""


def _mutants(matrix: Matrix) -> Iterator[str]:
    for theme in sorted({mutant.theme for mutant in MUTANTS.values()}):
        yield f"## {theme}"
        yield ""
        yield "| mutant | the fault | files | cases | killed by |"
        yield "|---|---|--:|--:|---|"
        for mutant in MUTANTS.values():
            if mutant.theme == theme:
                yield _row(matrix, mutant.name, mutant.fault)
        yield ""


def _row(matrix: Matrix, name: str, fault: str) -> str:
    files = sorted(matrix.killers[name])
    # The files that kill fewest others say most about this one.
    telling = sorted(files, key=lambda file: (matrix.telling[file], file))[:_NAMED]
    more = f", {len(files) - _NAMED} more" if len(files) > _NAMED else ""
    shown = ", ".join(telling) + more
    return f"| {name} | {fault.replace('|', chr(92) + '|')} | {len(files)} | {len(matrix.kills[name])} | {shown} |"


def _areas(matrix: Matrix) -> Iterator[str]:
    yield "## Cases"
    yield ""
    yield "Each file with the number of mutants it kills, the broad ones left out."
    yield ""
    yield "| area | files | killers |"
    yield "|---|--:|---|"
    for area in sorted({_area(file) for file in matrix.files}):
        own = [file for file in matrix.files if _area(file) == area]
        killers = ", ".join(f"{file.rpartition('/')[2]} {matrix.telling[file]}" for file in own)
        yield f"| {area} | {len(own)} | {killers} |"
    yield ""


def _immune(matrix: Matrix) -> Iterator[str]:
    yield "## Cases that kill none"
    yield ""
    for row in immunities():
        yield f"- `{row.case}`: {row.because}"
    yield from (f"- `{item}`, though its file does" for item in _silent(matrix))
