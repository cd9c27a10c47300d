"""`results.jsonl`: a run as a file. A header with the corpus' hash and all versions, a line a case, a footer.

The lines are the events of the log; every other report can be made again from the file alone.
"""

from __future__ import annotations

import importlib.metadata
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

import msgspec

from conformance import fingerprint
from conformance.case import Case
from conformance.corpus import Clause, Corpus
from conformance.faults import UsageFault
from conformance.options import Options
from conformance.report import evidence
from conformance.report.events import (
    CaseJudged,
    ClauseRow,
    Event,
    EventLog,
    RunFinished,
    RunStarted,
    judged,
)
from conformance.report.redact import command
from conformance.verdict import NotRun

#: The version of the format; a reader refuses a newer one.
FORMAT: Final = 1
NAME: Final = "results.jsonl"


@dataclass(frozen=True)
class Results:
    """One run, or the shards of one: the header, the cases by name, the footer."""

    started: RunStarted
    cases: tuple[CaseJudged, ...]
    finished: RunFinished

    @cached_property
    def clauses(self) -> dict[str, Clause]:
        """The clauses of the run's corpus by id, in the contract's order."""
        rows = self.started.clauses
        return {row.id: Clause(row.id, row.level, row.text, row.ref, since="", checked_by="") for row in rows}

    @property
    def port(self) -> str:
        """Who was judged, for people."""
        return f"{self.started.port} {self.started.version}"


def from_log(log: EventLog, corpus: Corpus, options: Options, *, seconds: float) -> Results:
    """The results of the run that the log tells of."""
    by_id = {case.id: case for case in corpus.cases}
    finished = next((event for event in reversed(log.events) if isinstance(event, RunFinished)), RunFinished(3))
    cases = tuple(_whole(event, by_id[event.id]) for event in in_order(log.cases()))
    return Results(
        _header(log.started or _nobody(options, corpus), corpus),
        cases,
        msgspec.structs.replace(finished, seconds=round(seconds, 3), states=count(cases)),
    )


def not_started(corpus: Corpus, cases: Iterable[Case], options: Options, exit_code: int, reason: str) -> Results:
    """The results of a run whose port could not be started: nothing was checked, and the report says so."""
    events = in_order(_whole(judged(case, NotRun(reason), accept=options.accept, ms=0.0), case) for case in cases)
    started = _header(_nobody(options, corpus), corpus)
    return Results(started, events, RunFinished(exit_code, (reason,), states=count(events)))


def count(cases: Iterable[CaseJudged]) -> dict[str, int]:
    """How many cases are in each state."""
    return dict(sorted(Counter(case.state for case in cases).items()))


def in_order(cases: Iterable[CaseJudged]) -> tuple[CaseJudged, ...]:
    """The cases by file and then by variant: the same order whoever ran them, and in how many processes."""
    return tuple(sorted(cases, key=lambda case: (case.name, case.id)))


def _whole(event: CaseJudged, case: Case) -> CaseJudged:
    return msgspec.structs.replace(evidence.shortened(event), about=evidence.about(case))


def _nobody(options: Options, corpus: Corpus) -> RunStarted:
    """The header where the port never said who it is."""
    return RunStarted(
        port=command(options.port),
        spec=options.port,
        language="?",
        version="?",
        capabilities=(),
        corpus=corpus.version,
        level=options.level,
        accept=options.accept,
        since=options.since,
        shard=None if options.shard is None else str(options.shard),
    )


def _header(started: RunStarted, corpus: Corpus) -> RunStarted:
    return msgspec.structs.replace(
        started,
        spec=command(started.spec),
        format=FORMAT,
        kit=kit_version(),
        corpus_hash=fingerprint.of(corpus.fixtures),
        clauses=tuple(ClauseRow(row.id, row.level, row.text, row.ref) for row in corpus.clauses.values()),
    )


def kit_version() -> str:
    """The version of the kit; "0" in a checkout that is not installed."""
    try:
        return importlib.metadata.version("toolnexus-conformance")
    except importlib.metadata.PackageNotFoundError:
        return "0"


# -- the file ---------------------------------------------------------------------------------------------------------


def write(results: Results, path: Path) -> None:
    """Write the file; UTF-8, one JSON object a line."""
    events: list[Event] = [results.started, *results.cases, results.finished]
    path.write_bytes(b"".join(msgspec.json.encode(event) + b"\n" for event in events))


def read(path: Path) -> Results:
    """Read a results file, or the one in a folder; raises `UsageFault` for what is none, or is not whole."""
    path = path / NAME if path.is_dir() else path
    try:
        lines = path.read_bytes().splitlines()
    except OSError as wrong:
        raise UsageFault(f"{path}: {wrong.strerror}") from None
    _check_format(lines[0] if lines else b"", path)
    decode = msgspec.json.Decoder(Event).decode
    events: list[Event] = []
    for number, line in enumerate(lines, 1):
        try:
            events.append(decode(line))
        except msgspec.MsgspecError as wrong:
            raise UsageFault(f"{path}: line {number}: {wrong}") from None
    match events:
        case [RunStarted() as started, *cases, RunFinished() as finished]:
            found = tuple(event for event in cases if isinstance(event, CaseJudged))
            return Results(started, found, finished)
        case _:
            raise UsageFault(f"{path}: the run did not end: there is no footer")


def _check_format(line: bytes, path: Path) -> None:
    try:
        header = msgspec.json.decode(line)
    except msgspec.MsgspecError:
        header = None
    if not isinstance(header, Mapping) or header.get("event") != "run-started":
        raise UsageFault(f"{path}: no results file: the first line is no header")
    if header.get("format") != FORMAT:
        raise UsageFault(f"{path}: format {header.get('format')}; this kit reads format {FORMAT}")
