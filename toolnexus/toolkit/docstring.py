"""Docstrings in Google, NumPy and Sphinx style: the prose and what it says of each parameter."""

from __future__ import annotations

import inspect
import re
from collections.abc import Collection, Iterator
from typing import NamedTuple


class Docstring(NamedTuple):
    """`description` is the prose before the first section, `parameters` maps a name to its text on one line."""

    description: str
    parameters: dict[str, str]


_PARAMETER_TITLES = frozenset(
    ("args", "arguments", "params", "parameters", "other parameters", "keyword args", "keyword arguments", "attributes")
)
_RESULT_TITLES = frozenset(("returns", "return", "yields", "yield", "receives", "raises", "raise", "warns"))
_REMARK_TITLES = frozenset(
    ("warning", "warnings", "example", "examples", "note", "notes", "see also", "references", "todo", "methods")
)
_TITLES = _PARAMETER_TITLES | _RESULT_TITLES | _REMARK_TITLES
_GOOGLE_TITLE = re.compile(r"([A-Za-z][A-Za-z ]*):\s*$")
_UNDERLINE = re.compile(r"-{3,}\s*$")
_FIELD = re.compile(r"[:@](\w+)\b([^:]*):(?:\s+(.*))?$")
_FIELD_WORDS = frozenset(("param", "parameter", "arg", "argument", "key", "keyword", "ivar", "var", "cvar"))

_GOOGLE_ENTRY = re.compile(r"\*{0,2}(\w+)\s*(?:\(.*?\))?\s*:\s*(.*)$")
_NUMPY_ENTRY = re.compile(r"(\*{0,2}\w+(?:\s*,\s*\*{0,2}\w+)*)\s*(?::.*)?$")


def parse(text: str | None, names: Collection[str]) -> Docstring:
    """What a docstring says of the thing and of its parameters `names`; other names are not looked for."""
    lines = _lines(text or "")
    prose_ends = next((index for index in range(len(lines)) if _starts_section(lines, index)), len(lines))
    found: dict[str, list[str]] = {}
    for name, line in _entries(lines[prose_ends:], frozenset(names)):
        found.setdefault(name, []).append(line)
    parameters = {name: " ".join(" ".join(parts).split()) for name, parts in found.items()}
    return Docstring("\n".join(lines[:prose_ends]).strip(), {name: text for name, text in parameters.items() if text})


def _lines(text: str) -> list[str]:
    lines = inspect.cleandoc(text).splitlines()
    if len(lines) > 1 and lines[1][:1].strip() and _GOOGLE_TITLE.match(lines[0]) and not _UNDERLINE.match(lines[1]):
        # The section's title stands right behind the quotes, so cleandoc took its body's indent for the margin.
        return [lines[0], *(f"    {line}" for line in lines[1:])]
    return lines


def _starts_section(lines: list[str], index: int) -> bool:
    return _title(lines, index) is not None or _FIELD.match(lines[index]) is not None


def _title(lines: list[str], index: int) -> str | None:
    """The title of the section that starts on this line, in lower case: Google's `Args:`, NumPy's underlined one."""
    line = lines[index]
    if index + 1 < len(lines) and line[:1].strip() and _UNDERLINE.match(lines[index + 1]):
        return line.strip().lower()
    match = _GOOGLE_TITLE.match(line)
    title = match.group(1).strip().lower() if match else ""
    return title if title in _TITLES else None


def _entries(lines: list[str], names: frozenset[str]) -> Iterator[tuple[str, str]]:
    """`(name, line of its text)` for every parameter described, in the order written."""
    index = 0
    while index < len(lines):
        title = _title(lines, index)
        numpy = index + 1 < len(lines) and _UNDERLINE.match(lines[index + 1]) is not None
        if title is None:
            body = _until(lines, index + 1, indented=True)
            yield from _field(lines[index : index + 1 + len(body)], names)
            index += 1 + len(body)
            continue
        start = index + 2 if numpy else index + 1
        body = _until(lines, start, indented=not numpy)
        if title in _PARAMETER_TITLES:
            yield from _numpy(body, names) if numpy else _google(body, names)
        index = start + len(body)


def _until(lines: list[str], start: int, *, indented: bool) -> list[str]:
    """The lines from `start` that belong to one section: all the indented ones, or all up to the next section."""
    for index in range(start, len(lines)):
        line = lines[index]
        ends = bool(line[:1].strip()) if indented else _starts_section(lines, index)
        if ends:
            return lines[start:index]
    return lines[start:]


def _google(body: list[str], names: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Entries `name (type): text`; deeper lines, and lines that begin no known name, go on with the text."""
    filled = [line for line in body if line.strip()]
    margin = min((_indent(line) for line in filled), default=0)
    name = None
    for line in filled:
        entry = _GOOGLE_ENTRY.match(line.strip()) if _indent(line) == margin else None
        if entry:
            name = entry.group(1)
        if name in names and name is not None:
            yield name, entry.group(2) if entry else line


def _numpy(body: list[str], names: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Entries `name : type` or `a, b : type` at the margin, their text indented below."""
    group: list[str] = []
    for line in body:
        if line[:1].strip():
            entry = _NUMPY_ENTRY.match(line)
            group = re.findall(r"\w+", entry.group(1)) if entry else []
            continue
        for name in group:
            if name in names:
                yield name, line


def _field(lines: list[str], names: frozenset[str]) -> Iterator[tuple[str, str]]:
    """A field `:param type name: text` with its indented lines; a field of another word gives nothing."""
    field = _FIELD.match(lines[0])
    if field is None or field.group(1) not in _FIELD_WORDS:
        return
    words = field.group(2).split()
    name = words[-1].lstrip("*\\") if words else ""
    if name in names:
        yield name, field.group(3) or ""
        for line in lines[1:]:
            yield name, line


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
