"""The little Markdown that reports need: tables, code and folded parts, whatever stands in the texts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

_TICKS = re.compile("`+")


def code(text: str) -> str:
    """The text as inline code that also fits into a table, in one line."""
    flat = " ".join(text.split()).replace("|", "\\|")
    ticks = "`" * (1 + max((len(run) for run in _TICKS.findall(flat)), default=0))
    pad = " " if flat.startswith("`") or flat.endswith("`") else ""
    return f"{ticks}{pad}{flat}{pad}{ticks}" if flat else ""


def prose(text: str) -> str:
    """The text as it reads, in one line: nothing in it is markup, a mention or a link."""
    flat = " ".join(text.split())
    return re.sub(r"([\\`*_\[\]<#|~@&])", r"\\\1", flat).replace("\\<", "&lt;")


def table(head: Sequence[str], rows: Iterable[Sequence[object]], *, numbers: int = 0) -> Iterator[str]:
    """A table; the last `numbers` columns are aligned right."""
    marks = ["---"] * (len(head) - numbers) + ["---:"] * numbers
    yield f"| {' | '.join(head)} |"
    yield f"| {' | '.join(marks)} |"
    for row in rows:
        yield f"| {' | '.join(str(cell) for cell in row)} |"


def folded(summary: str, lines: Iterable[str]) -> Iterator[str]:
    """Lines that a reader opens when wanted."""
    yield f"<details><summary>{summary}</summary>"
    yield ""
    yield from lines
    yield ""
    yield "</details>"


def some(lines: Sequence[str], most: int, what: str) -> Iterator[str]:
    """At most so many lines, and how many there are besides."""
    yield from lines[:most]
    if len(lines) > most:
        yield f"- … and {len(lines) - most} more {what}"
