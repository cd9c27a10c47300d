"""A run: the corpus, the port and the stub together, and one case after the other through them."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

import msgspec

from conformance import corpus as corpora
from conformance import known
from conformance.case import Case
from conformance.checks import Equivalences
from conformance.corpus import Corpus
from conformance.drivers import Driver, driver_for
from conformance.drivers.message import Hello
from conformance.faults import Fault
from conformance.flight import Flight
from conformance.known import Ledger
from conformance.observation import Observation
from conformance.options import Options
from conformance.report import evidence, explain
from conformance.report.events import CaseJudged, EventLog, RunStarted, judged
from conformance.stub import Stub
from conformance.verdict import KitError, NotApplicable, judge, not_applicable


class Session:
    """One run. `open` starts stub and port and greets it, `close` ends both; raises the faults of both sides."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.log = EventLog()
        self.fixtures = corpora.find(options.fixtures)
        self.driver: Driver = driver_for(options)
        self.stub = Stub(options.stub_port)
        self.hello: Hello | None = None
        self.opened = False
        self.ledger: Ledger | None = None if options.known is None else known.read(options.known)
        self._flight: Flight | None = None

    @cached_property
    def corpus(self) -> Corpus:
        """The corpus; only the named files of it, when cases are named."""
        names = {case.partition("[")[0] for case in self.options.cases}
        return corpora.read(self.fixtures, names or None)

    @cached_property
    def cases(self) -> tuple[Case, ...]:
        """The cases the options choose."""
        wanted, shard = self.options, self.options.shard
        chosen = corpora.choose(self.corpus, level=wanted.level, since=wanted.since, ids=wanted.cases)
        return chosen if shard is None else tuple(case for case in chosen if shard.holds(case.id))

    def open(self) -> None:
        """Start everything; what was started is ended again where something fails."""
        self.stub = Stub(self.options.stub_port)
        self.stub.__enter__()
        self.opened = True
        try:
            self.hello = self.driver.start(self.corpus.version, self.stub)
        except BaseException:
            self.close()
            raise
        self._flight = Flight(self.driver, self.stub, self.hello, lambda case: self.lacking(case) is None)
        wanted, hello = self.options, self.hello
        self.log.add(
            RunStarted(
                port=hello.name,
                spec=wanted.port,
                language=hello.language,
                version=hello.version,
                capabilities=hello.capabilities,
                corpus=self.corpus.version,
                level=wanted.level,
                accept=wanted.accept,
                since=wanted.since,
                shard=None if wanted.shard is None else str(wanted.shard),
                began=datetime.now(UTC).isoformat(timespec="seconds"),
            )
        )

    def close(self) -> None:
        """End port and stub."""
        if self.opened:
            self.opened = False
            try:
                if self._flight is not None:
                    self._flight.end()
                self.driver.stop()
            finally:
                self.stub.__exit__()

    def expect(self, cases: Sequence[Case]) -> None:
        """The cases that will be run, in order, so that a port that takes several at once gets some ahead."""
        assert self._flight is not None
        self._flight.expect(cases)

    def run(self, case: Case) -> CaseJudged:
        """Run one case and judge it; a fault of the kit's own is a verdict, too."""
        assert self.hello is not None
        lacking = self.lacking(case)
        if lacking is not None:
            return judged(case, lacking, accept=self.options.accept, ms=0.0)
        try:
            seen = self.observe(case)
            verdict = judge(case, seen, self.hello, self.stub.url, self._equivalences)
            event = judged(case, verdict, accept=self.options.accept, ms=seen.ms)
            if event.state not in ("pass", "n/a"):
                event = self._explained(case, seen, event)
            if self.ledger is not None:
                event = self.ledger.judged(event, self.options.accept)
            return event if self.options.report is None else self._with_evidence(case, seen, event)
        except Exception as wrong:  # whatever the kit itself does wrong must not look like the port's doing
            return judged(case, KitError(_brief(wrong)), accept=self.options.accept, ms=0.0)

    def observe(self, case: Case) -> Observation:
        """Run a case and say what was seen, whatever the way in to the port."""
        assert self._flight is not None
        return self._flight.observe(case)

    def notes(self) -> list[str]:
        """What went wrong beside the cases; a run with any of it is red."""
        calls = [call for call in self.stub.unclaimed if not self.stub.keyless or call.method == "POST"]
        shown = ", ".join(f"{call.method} {call.path}" for call in calls[:3])
        lost = [f"{len(calls)} calls reached the stub that belong to no case: {shown}"] if calls else []
        late = [f"{call.method} {call.path} was called for {case} after its reply" for case, call in self.stub.late[:3]]
        return [*self.driver.faults, *lost, *late]

    def unknown_entries(self) -> list[str]:
        """Entries of the ledger that stand for no case of the corpus; raises `UsageFault` for one too wide."""
        if self.ledger is None:
            return []
        if self.options.cases:
            return self.ledger.notes((name for name, _ in corpora.files(self.fixtures)), whole=False)
        return self.ledger.notes((case.id for case in self.corpus.cases), whole=True)

    def lacking(self, case: Case) -> NotApplicable | None:
        """Why a case need not be run, if so: what the port lacks, or what the way in to it has no words for."""
        assert self.hello is not None
        found = not_applicable(case, self.hello)
        if found is None and (cannot := self.driver.cannot(case)):
            return NotApplicable(cannot)
        return found

    def _explained(self, case: Case, seen: Observation, event: CaseJudged) -> CaseJudged:
        """The event with all that helps whoever has to put the case right."""
        call = seen.calls[-1] if seen.calls else None
        found = msgspec.structs.replace(
            event,
            provider=explain.provider_says(case.style, call),
            again=explain.again(self.options, case.id),
            by_hand=explain.by_hand(case.style, call, seen.key),
            stderr=seen.stderr,
        )
        return evidence.redactor(case, self.stub.url).event(found)

    def _with_evidence(self, case: Case, seen: Observation, event: CaseJudged) -> CaseJudged:
        found = evidence.seen(case, seen, evidence.redactor(case, self.stub.url))
        return msgspec.structs.replace(event, evidence=found)

    @cached_property
    def _normal_forms(self) -> Equivalences:
        from conformance.providers import equivalence  # only where a request does not match

        return equivalence.NormalForms(self.fixtures / "equivalences.json")

    def _equivalences(self) -> Equivalences:
        return self._normal_forms


def _brief(wrong: Exception) -> str:
    """The fault in one line; for one nobody foresaw, with the place."""
    if isinstance(wrong, Fault):
        return str(wrong)
    place = traceback.extract_tb(wrong.__traceback__)[-1]
    return f"{type(wrong).__name__}: {wrong} ({Path(place.filename).name}:{place.lineno})"
