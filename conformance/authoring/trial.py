"""One case tried on one port: what was seen, raw, and the verdict with all its evidence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import msgspec

from conformance.case import Case
from conformance.checks import Equivalences
from conformance.drivers.message import Hello, for_case
from conformance.observation import Observation
from conformance.options import Options
from conformance.providers import equivalence
from conformance.report import evidence, explain
from conformance.report.events import CaseJudged, judged
from conformance.session import Session
from conformance.verdict import judge


@dataclass(frozen=True, slots=True)
class Trial:
    """`seen` is None where the case was not run: the port lacks what it needs, or its way in has no words for it."""

    case: Case
    seen: Observation | None
    event: CaseJudged

    @property
    def green(self) -> bool:
        """Was everything exactly as the case says, or not to be checked?"""
        return self.event.state in ("pass", "n/a")


class Trials:
    """A port that is up, and the stub beside it."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._options = session.options

    @property
    def hello(self) -> Hello:
        """Who the port is."""
        assert self.session.hello is not None
        return self.session.hello

    def equivalences(self) -> Equivalences:
        """The normal forms under which requests mean the same."""
        return equivalence.NormalForms(self.session.fixtures / "equivalences.json")

    def run(self, case: Case) -> Trial:
        """Run a case and keep everything; secrets are out of the event, but not out of what was seen."""
        accept = self._options.accept
        lacking = self.session.lacking(case)
        if lacking is not None:
            return Trial(case, None, judged(case, lacking, accept=accept, ms=0.0))
        seen = self.session.observe(case)
        verdict = judge(case, seen, self.hello, self.session.stub.url, self.equivalences)
        event = judged(case, verdict, accept=accept, ms=seen.ms)
        again = explain.again(self._options, case.id)
        return Trial(case, seen, explained(case, seen, event, stub=self.session.stub.url, again=again))


def explained(case: Case, seen: Observation, event: CaseJudged, *, stub: str, again: str = "") -> CaseJudged:
    """The event with everything that was seen, and with help where it is no pass; secrets are out."""
    call = seen.calls[-1] if seen.calls else None
    redactor = evidence.redactor(case, stub)
    whole = msgspec.structs.replace(event, evidence=evidence.seen(case, seen, redactor), stderr=seen.stderr)
    if event.state not in ("pass", "n/a"):
        provider, by_hand = explain.provider_says(case.style, call), explain.by_hand(case.style, call, seen.key)
        whole = msgspec.structs.replace(whole, provider=provider, again=again, by_hand=by_hand)
    return redactor.event(whole)


def sent(case: Case) -> str:
    """The message that the port gets, as one line of JSON, with `{stub}` and `{key}` as the case writes them."""
    return for_case(case, "1", "{stub}", "{key}").line()


@contextmanager
def opened(options: Options) -> Iterator[Trials]:
    """Start the port and the stub, and end both; raises the faults of both sides."""
    session = Session(options)
    session.open()
    try:
        yield Trials(session)
    finally:
        session.close()
