"""The grid: clauses and cases against ports, as one HTML file that needs nothing else.

What the grid draws is one compact JSON value. What a cell opens is far more and seldom looked at: it is kept in
compressed blocks of neighbouring cases, which the page reads one by one when a cell is opened.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import msgspec

from conformance.corpus import LEVELS
from conformance.report.events import CaseJudged
from conformance.report.merge import Column
from conformance.report.results import Results, in_order

#: Cases in a block: neighbours are alike, so that they compress well together.
BLOCK: Final = 16

#: State → its letter in the grid's data; upper case where it counts against the port, `_` for none.
LETTERS: Final = {
    "pass": "p",
    "equivalent": "e",
    "fail": "f",
    "n/a": "n",
    "skip": "s",
    "not-run": "r",
    "kit-error": "k",
}
_NONE: Final = "_"

_SCRIPTS: Final = ("json.js", "data.js", "rows.js", "grid.js", "filters.js", "pairs.js", "detail.js", "main.js")


def page(columns: Sequence[Column], title: str = "toolnexus conformance") -> str:
    """The whole page."""
    from jinja2 import Environment, PackageLoader
    from markupsafe import Markup

    environment = Environment(loader=PackageLoader("conformance.report", "site"), autoescape=True, trim_blocks=True)

    def source(name: str) -> Markup:
        assert environment.loader is not None
        return Markup(environment.loader.get_source(environment, name)[0])

    cases = in_order({case.id: case for column in columns for case in column.results.cases}.values())
    return environment.get_template("grid.html.j2").render(
        title=title,
        style=source("grid.css"),
        script=Markup("\n").join(source(name) for name in _SCRIPTS),
        data=Markup(_embedded(_data(columns, cases))),
        blocks=Markup("\n").join(Markup(block) for block in _blocks(columns, cases)),
        columns=columns,
        first=columns[0].results.started,
        cases=len(cases),
        made=max(column.results.started.began for column in columns),
        totals=_totals,
    )


def _embedded(value: Any) -> str:
    """JSON that can stand in a script element."""
    return msgspec.json.encode(value).decode().replace("<", "\\u003c")


# -- what the grid draws ----------------------------------------------------------------------------------------------


def _data(columns: Sequence[Column], cases: Sequence[CaseJudged]) -> dict[str, Any]:
    clauses = {row.id: number for number, row in enumerate(columns[0].results.started.clauses)}
    for case in cases:
        for clause in case.clauses:
            clauses.setdefault(clause, len(clauses))
    known = columns[0].results.clauses
    return {
        "levels": LEVELS,
        "block": BLOCK,
        "clauses": [
            [name, known[name].level, known[name].text, known[name].ref] if name in known else [name, "", "", ""]
            for name in clauses
        ],
        "ports": [_port(column) for column in columns],
        "cases": [_case(case, clauses) for case in cases],
        "states": [_states(column, cases) for column in columns],
    }


def _port(column: Column) -> dict[str, Any]:
    run = column.results.started
    return {"slug": column.slug, "name": run.port, "version": run.version, "accept": run.accept}


def _case(case: CaseJudged, clauses: dict[str, int]) -> list[Any]:
    title = case.about.title if case.about is not None else ""
    level = LEVELS.index(case.level) if case.level in LEVELS else len(LEVELS) - 1
    return [case.id, title, level, [clauses[name] for name in case.clauses]]


def _states(column: Column, cases: Sequence[CaseJudged]) -> str:
    found = {case.id: _letter(case) for case in column.results.cases}
    return "".join(found.get(case.id, _NONE) for case in cases)


def _letter(case: CaseJudged) -> str:
    letter = LETTERS[case.state]
    return letter.upper() if case.red else letter


def _totals(results: Results) -> Iterator[tuple[str, int, int]]:
    """Of each level: how many of its checked cases do not count against the port."""
    for level in LEVELS:
        checked = [case for case in results.cases if case.level == level and case.state != "n/a"]
        if checked:
            yield level, sum(case.state in ("pass", "equivalent") and not case.red for case in checked), len(checked)


# -- what a cell opens ------------------------------------------------------------------------------------------------


def _blocks(columns: Sequence[Column], cases: Sequence[CaseJudged]) -> Iterator[str]:
    by_port = [{case.id: case for case in column.results.cases} for column in columns]
    for start in range(0, len(cases), BLOCK):
        block = [_whole(case, [port.get(case.id) for port in by_port]) for case in cases[start : start + BLOCK]]
        yield base64.b64encode(_deflated(msgspec.json.encode(block))).decode()


def _deflated(data: bytes) -> bytes:
    squeezed = zlib.compressobj(9, zlib.DEFLATED, -15)
    return squeezed.compress(data) + squeezed.flush()


def _whole(case: CaseJudged, seen: Iterable[CaseJudged | None]) -> dict[str, Any]:
    return {"about": case.about, "why": case.why, "ports": [None if one is None else _cell(one) for one in seen]}


def _cell(case: CaseJudged) -> dict[str, Any]:
    return {
        "state": case.state,
        "red": case.red,
        "ms": case.ms,
        "reason": case.reason,
        "known": case.known,
        "checks": case.checks,
        "provider": case.provider,
        "again": case.again,
        "by_hand": case.by_hand,
        "stderr": case.stderr,
        "evidence": case.evidence,
    }
