"""`RESULTS.md`: how ports stand to each clause, and what each of them does wrong, as Markdown.

A port's faults are told by its ledger: failures that it gives the same reason are one fault.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import msgspec

from conformance.corpus import LEVELS
from conformance.known import Ledger, failing
from conformance.report.events import CaseJudged
from conformance.report.mark import code, prose, table
from conformance.report.results import Results
from conformance.report.terminal import Tally, tallies

#: Characters of an input that are shown; the case has all of it.
_MOST: Final = 100

_STATES: Final = ("pass", "equivalent", "fail", "skip", "not-run", "kit-error", "n/a")

#: Settings that every case's client has.
_USUAL: Final = frozenset(("style", "base_url", "model", "retries"))


@dataclass(frozen=True)
class Port:
    """One column: a port's run, its ledger, and which packages were judged (name → version)."""

    name: str
    title: str
    results: Results
    ledger: Ledger | None = None
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def anchor(self) -> str:
        """The link to its section; GitHub makes it of the heading."""
        return f"[{self.name}](#{self.name.lower()})"


@dataclass
class Told:
    """One fault and the failures that come of it: each case, and the check it fails."""

    says: str
    issue: str
    failures: list[tuple[CaseJudged, str]] = field(default_factory=list)

    @property
    def level(self) -> str:
        """The highest level of its cases."""
        return min((case.level for case, _ in self.failures), key=LEVELS.index)

    @property
    def cases(self) -> int:
        """How many cases it fails."""
        return len({case.id for case, _ in self.failures})


def page(ports: Sequence[Port], began: str) -> Iterator[str]:
    """The lines of the page. `began` is the day of the runs."""
    first = ports[0].results
    yield "# Results"
    yield ""
    yield (
        f"Made by `toolnexus-conformance ports results` of runs on {began}: corpus {first.started.corpus} "
        f"({code(first.started.corpus_hash[:19])}), {len(first.cases)} cases with their variants. Do not edit it."
    )
    yield ""
    told = {port.name: faults(port) for port in ports}
    yield from _totals(ports, told)
    yield from ("", "## Clauses", "")
    yield (
        "Of how many case files that were checked how many passed, with all their variants. A file counts for each "
        "clause that it cites, so one fault may show in several rows. n/a: none was checked, the port "
        "lacks what the cases need."
    )
    yield ""
    yield from _grid(ports)
    yield from ("", "## Faults", "")
    yield (
        "What each port does wrong, *must* before *should*, each with how many cases fail by it and the smallest of "
        "them: what goes in (the request; the provider's answer where it is the answer that is misread). "
        "`toolnexus-conformance show ID` shows the whole case."
    )
    for port in ports:
        yield from _section(port, told[port.name])


def _totals(ports: Sequence[Port], told: Mapping[str, Sequence[Told]]) -> Iterator[str]:
    seen = {state for port in ports for state in port.results.finished.states}
    states = [state for state in _STATES if state in seen]
    rows = []
    for port in ports:
        started = port.results.started
        counts = Counter(case.state for case in port.results.cases)
        streams = "yes" if "stream" in started.capabilities else "no"
        about = (port.anchor, _versions(port), started.language, started.accept, streams)
        rows.append((*about, *(counts[state] for state in states), len(told[port.name])))
    head = ["port", "versions", "language", "judged", "streams", *states, "faults"]
    return table(head, rows, numbers=len(states) + 1)


def _versions(port: Port) -> str:
    pairs = port.versions or {port.results.started.port: port.results.started.version}
    return ", ".join(f"{prose(name)} {prose(version)}" for name, version in pairs.items())


# -- the grid ---------------------------------------------------------------------------------------------------------


def _grid(ports: Sequence[Port]) -> Iterator[str]:
    columns = [{row.clause: row for row in _tallies(port)} for port in ports]
    clauses = [clause for clause in ports[0].results.clauses if any(clause in column for column in columns)]
    known = ports[0].results.clauses
    rows = (
        (code(clause), known[clause].level, *(_cell(column.get(clause)) for column in columns)) for clause in clauses
    )
    return table(["clause", "level", *(prose(port.name) for port in ports)], rows, numbers=len(ports))


def _tallies(port: Port) -> list[Tally]:
    return tallies(port.results.cases, port.results.clauses, port.results.started.accept)


def _cell(row: Tally | None) -> str:
    return "n/a" if row is None or not row.checked else f"{row.passed}/{row.checked}"


# -- the faults -------------------------------------------------------------------------------------------------------


def faults(port: Port) -> list[Told]:
    """A port's faults, the weightier first; a failure that its ledger does not tell of is one by its signature."""
    found: dict[tuple[str, str], Told] = {}
    accept = port.results.started.accept
    for case in port.results.cases:
        if not _counts(case, accept):
            continue
        for check, signature in failing(case, accept).items():
            entry = None if port.ledger is None else port.ledger.entry(case.id, check, signature)
            says, issue = f"Not explained yet: {check}, {signature}", ""
            if entry is not None:
                says, issue = entry.because, entry.issue
            found.setdefault((says, issue), Told(says, issue)).failures.append((case, check))
    return sorted(found.values(), key=lambda fault: (LEVELS.index(fault.level), -fault.cases, fault.says))


def _counts(case: CaseJudged, accept: str) -> bool:
    bad = ("fail", "skip") if accept == "equivalent" else ("fail", "skip", "equivalent")
    return case.state in bad and case.level != "may"


def _section(port: Port, told: Sequence[Told]) -> Iterator[str]:
    yield from ("", f"### {port.name}", "", f"{prose(port.title)}: {_versions(port)}.", "")
    if not told:
        yield "No fault: every case that it can be asked passes."
        return
    rows = ((prose(fault.says), _issue(fault.issue), fault.level, fault.cases, _smallest(fault)) for fault in told)
    yield from table(["what it does", "reported", "level", "cases", "smallest"], rows)


def _issue(issue: str) -> str:
    return f"[{issue.rsplit('/', 1)[-1]}]({issue})" if issue.startswith("https://") else prose(issue)


def _smallest(fault: Told) -> str:
    """The smallest of the fault's failures, one that must not be before the others."""
    _, case, text = min(
        ((LEVELS.index(case.level), len(text), case.id, text), case, text)
        for case, check in fault.failures
        for text in [_input(case, check)]
    )
    shown = text if len(text) <= _MOST else f"{text[:_MOST]}…"
    return f"{code(case.id)} {code(shown)}"


def _input(case: CaseJudged, check: str) -> str:
    """What goes in where it goes wrong: an unusual setting, the request, or the provider's answer."""
    about = case.about
    settings = [] if about is None or not about.client else msgspec.json.decode(about.client).keys() - _USUAL
    asked = "" if about is None else f"{about.request} {about.parts}".strip()
    if about is not None and settings:
        asked = f"{about.client} {asked}"
    replies = [call.reply for call in case.evidence.calls if call.reply is not None] if case.evidence else []
    if check != "result" or not replies or case.state == "skip":
        return asked
    last = replies[-1]
    words = [str(last.status) if last.status != 200 else "", last.fault, last.body]
    return " ".join(filter(None, words)) or asked
