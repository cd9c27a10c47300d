"""A case as people read it: what it demands and why, then what is asked, seen, answered and given back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import click

from conformance.canonical import write
from conformance.case import Case
from conformance.corpus import Clause
from conformance.tree import Json

#: A line, and how it is shown.
Line = tuple[str, str]

_STYLES: Final[Mapping[str, Mapping[str, object]]] = {
    "head": {"bold": True},
    "bad": {"fg": "red", "bold": True},
    "want": {"fg": "green"},
    "got": {"fg": "red"},
    "good": {"fg": "green", "bold": True},
    "note": {"fg": "yellow"},
}

#: The parts of a case with their headings: what goes in, and what comes out after the exchanges.
_ASKED: Final = (
    ("client", "the client"),
    ("toolkit", "its toolkit"),
    ("hooks", "its hooks"),
    ("request_params", "its request_params"),
    ("body_transform", "its body_transform, a merge patch"),
    ("request", "is asked"),
    ("request_text", "is asked, as this exact text"),
)
_GIVEN: Final = (
    ("declare", "the toolkit declares"),
    ("deltas", "the caller gets these deltas"),
    ("result", "the caller gets"),
    ("error", "the caller gets an error"),
    ("fired", "the hooks fire so often"),
    ("warnings", "with these warnings"),
    ("loose", "loosely compared"),
    ("deviates", "departs on purpose from what the vendor documents"),
)


def painted(line: str, tone: str) -> str:
    """The line with its colours; click takes them out where there is no terminal."""
    return click.style(line, **_STYLES[tone]) if tone in _STYLES else line  # type: ignore[arg-type]


def case(found: Case, base: Case, clauses: Mapping[str, Clause]) -> Iterator[Line]:
    """The lines that tell a case, which may be a variant of `base`."""
    yield f"{found.id}  ({found.level}, since {found.since})", "head"
    facts = {
        "title": found.title,
        "why": found.why,
        "source": f"{found.source['kind']}: {found.source['ref']}",
        "note": str(found.source.get("note", "")),
        "requires": ", ".join(found.needs),
        "features": ", ".join(sorted(found.features)),
        "variants": ", ".join(base.variants) if found is base else "",
        "file": str(found.path),
    }
    for name, fact in facts.items():
        if fact:
            yield f"  {name:9} {fact}", ""
    for name in found.clauses:
        yield clause(name, clauses), ""
    if found.variant is not None:
        yield from section("the variant changes", _shown(base.variants[found.variant]))
    yield from _parts(found, _ASKED)
    yield from _exchanges(found)
    yield from _parts(found, _GIVEN)
    if "warnings" not in found.tree and found.declare is None:
        yield from section("without a warning", "")


def clause(name: str, clauses: Mapping[str, Clause]) -> str:
    """A clause as a fact of a case."""
    if name not in clauses:
        return f"  {'clause':9} {name}: (no such clause)"
    row = clauses[name]
    return f"  {'clause':9} {name}: {row.text} ({row.level})"


def section(heading: str, text: str) -> Iterator[Line]:
    """A heading and what stands below it."""
    yield "", ""
    yield heading, "head"
    if text:
        yield text, ""


def _parts(found: Case, rows: Sequence[tuple[str, str]]) -> Iterator[Line]:
    for key, heading in rows:
        if key in found.tree:
            yield from section(heading, _shown(found.tree[key]))


def _exchanges(found: Case) -> Iterator[Line]:
    exchanges = found.tree.get("exchanges")
    if exchanges == []:
        yield from section("no call is made", "")
    many = f", {found.repeat} times over" if found.repeat > 1 else ""
    for number, exchange in enumerate(exchanges if isinstance(exchanges, list) else (), 1):
        if isinstance(exchange, dict):
            yield from section(f"call {number}{many}: the provider must see", _shown(exchange["expect"]))
            yield from section(f"call {number}: it answers", _shown(exchange["reply"]))


def _shown(value: Json) -> str:
    return value if type(value) is str else write(value)
