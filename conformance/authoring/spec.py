"""The contract's page, toolnexus/SPEC.md: its table of warning codes, and where it speaks of something."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import conformance
from conformance.faults import KitFault

#: Section 7: `code`, where its pointers lead, and what it says.
_ROW: Final = re.compile(r"^\| `([a-z-]+)` \| (\w+) \| (.+?) \|$", re.MULTILINE)
_HEADING: Final = re.compile(r"^#+ (.+)$")


@dataclass(frozen=True, slots=True)
class Code:
    """A warning code: whether its pointers lead into the request, the reply or the config, and what it says."""

    code: str
    into: str
    says: str


@dataclass(frozen=True, slots=True)
class Passage:
    """A paragraph, list item or table row of the page, and the heading above it."""

    heading: str
    text: str


@functools.cache
def text() -> str:
    """The page; it is beside the kit, in a checkout as in a wheel."""
    page = Path(conformance.__file__).resolve().parent.parent / "toolnexus" / "SPEC.md"
    try:
        return page.read_text("utf-8")
    except OSError as wrong:
        raise KitFault(f"{page}: {wrong.strerror}") from None


@functools.cache
def codes() -> dict[str, Code]:
    """The closed list of warning codes, in the page's order."""
    _, found, section = text().partition("Warning codes\n")
    if not found:
        raise KitFault("toolnexus/SPEC.md has no section called Warning codes")
    return {row[0]: Code(*row) for row in _ROW.findall(section)}


def passages(word: str) -> list[Passage]:
    """Where the page names a code or a clause between backquotes; not the table of codes itself."""
    quoted = f"`{word}`"
    return [found for found in _passages() if quoted in found.text and not _ROW.match(found.text)]


def _passages() -> Iterator[Passage]:
    heading, lines = "", list[str]()
    for line in [*text().split("\n"), ""]:
        begins = line.startswith(("- ", "| ", "#")) or not line.strip()
        if begins and lines:
            yield Passage(heading, " ".join(lines))
            lines = []
        if title := _HEADING.match(line):
            heading = title[1]
        elif line.strip():
            lines.append(line.strip())
