"""A run: the corpus, the port and the stub together, and one case after the other through them."""

from __future__ import annotations

import itertools
import time
import traceback
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

import msgspec

from conformance import corpus as corpora
from conformance.case import Case
from conformance.checks import Equivalences
from conformance.corpus import Corpus
from conformance.drivers import Driver, driver_for
from conformance.drivers.message import Hello, for_case
from conformance.faults import Fault
from conformance.observation import Observation
from conformance.options import Options
from conformance.report import evidence, explain
from conformance.report.events import CaseJudged, EventLog, RunStarted, judged
from conformance.stub import Stub
from conformance.verdict import KitError, judge, not_applicable


class Session:
    """One run. `open` starts stub and port and greets it, `close` ends both; raises the faults of both sides."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.log = EventLog()
        self.fixtures = corpora.find(options.fixtures)
        self.driver: Driver = driver_for(options.port)
        self.stub = Stub()
        self.hello: Hello | None = None
        self.opened = False
        self._numbers = itertools.count(1)

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
        self.stub = Stub()
        self.stub.__enter__()
        self.opened = True
        try:
            self.hello = self.driver.start(self.corpus.version)
        except BaseException:
            self.close()
            raise
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
                self.driver.stop()
            finally:
                self.stub.__exit__()

    def run(self, case: Case) -> CaseJudged:
        """Run one case and judge it; a fault of the kit's own is a verdict, too."""
        assert self.hello is not None
        lacking = not_applicable(case, self.hello)
        if lacking is not None:
            return judged(case, lacking, accept=self.options.accept, ms=0.0)
        try:
            seen = self.observe(case)
            verdict = judge(case, seen, self.hello, self.stub.url, self._equivalences)
            event = judged(case, verdict, accept=self.options.accept, ms=seen.ms)
            if event.state not in ("pass", "n/a"):
                event = self._explained(case, seen, event)
            return event if self.options.report is None else self._with_evidence(case, seen, event)
        except Exception as wrong:  # whatever the kit itself does wrong must not look like the port's doing
            return judged(case, KitError(_brief(wrong)), accept=self.options.accept, ms=0.0)

    def observe(self, case: Case) -> Observation:
        """Run a case and say what was seen, whatever the way in to the port."""
        with self.stub.script(case) as script:
            message = for_case(case, str(next(self._numbers)), self.stub.url, script.key)
            began = time.perf_counter()
            run = self.driver.run(message)
            ms = (time.perf_counter() - began) * 1000
        return Observation(
            outcome=run.outcome,
            key=script.key,
            calls=tuple(script.calls),
            strays=tuple(script.strays),
            stderr=run.stderr,
            ms=ms,
            stub_fault=script.fault,
            answers=tuple(script.answers),
        )

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
