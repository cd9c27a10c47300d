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
    yield "# The kill matrix"
    yield ""
    yield "<!-- Written by `python -m tests.mutants`; do not edit. -->"
    yield ""
    yield "Each mutant is the reference with one thing spoiled. The corpus has to tell every one of them from the reference,"
    yield "and every case has to tell at least one that is right on nine tenths of the corpus: a mutant that is wrong nearly"
    yield "everywhere says nothing about a case."
    yield ""
    yield f"- {killed} of {len(matrix.kills)} mutants are killed, by {len(matrix.files)} case files ({len(matrix.items)} cases with"
    yield "  their variants)."
    wide = [name for name, files in matrix.killers.items() if len(files) > WIDEST * len(matrix.files)]
    yield f"- {len(wide)} mutants fail more than a tenth of the files; they count for no case: {', '.join(f'`{n}`' for n in wide)}."
    silent = sum(not count for count in _items(matrix).values())
    yield f"- {len(matrix.toothless)} files kill none; {silent} variants kill none that another variant of their file does not need."
    yield ""


def _items(matrix: Matrix) -> Counter[str]:
    """How many mutants each case or variant kills."""
    counted = Counter(item for ids in matrix.kills.values() for item in ids)
    return Counter({item: counted[item] for item in matrix.items})


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
    yield "For each area its files, and how many mutants each kills at least and at most."
    yield ""
    yield "| area | files | least | most | least telling file |"
    yield "|---|--:|--:|--:|---|"
    for area in sorted({_area(file) for file in matrix.files}):
        own = sorted((matrix.telling[file], file) for file in matrix.files if _area(file) == area)
        yield f"| {area} | {len(own)} | {own[0][0]} | {own[-1][0]} | {own[0][1].rpartition('/')[2]} |"
    yield ""


def _immune(matrix: Matrix) -> Iterator[str]:
    yield "## Cases that kill none"
    yield ""
    for row in immunities():
        yield f"- `{row.case}`: {row.because}"
    for item in sorted(item for item, count in _items(matrix).items() if not count and item != file_of(item)):
        yield f"- variant `{item}`"
