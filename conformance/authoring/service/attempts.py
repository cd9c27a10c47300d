"""Cases handed out and judged: who takes a case gets a key, and what is given back under it is held against the case.

A case may be taken any number of times, also at once; each attempt has a key of its own. What was expected is never
given away, only what differs.
"""

from __future__ import annotations

import itertools
import threading
import time
from dataclasses import dataclass, field
from typing import Final

from conformance.authoring.trial import explained
from conformance.case import OPTIONAL, Case
from conformance.checks import Equivalences
from conformance.corpus import Corpus
from conformance.drivers.message import Hello, for_case, reply_fault
from conformance.observation import Answer, Observation
from conformance.options import Accept
from conformance.providers import equivalence
from conformance.report.events import CaseJudged, judged
from conformance.shape import STYLES
from conformance.stub import Script, Stub
from conformance.tree import Json
from conformance.verdict import judge

#: Attempts at one case that may be open at once; the oldest is given up for a new one.
_MOST: Final = 16


class NoSuchCase(LookupError):
    """The service has no case with this id."""


class NoAttempt(LookupError):
    """A result came for a case that nobody took, or that was judged already."""


class BadReply(ValueError):
    """What was given back is no reply of the protocol; the message says where and shows a right one."""


@dataclass(frozen=True)
class Attempt:
    """One attempt at a case: the message's id, and what the stub sees of it."""

    number: str
    case: Case
    script: Script
    began: float = field(default_factory=time.perf_counter)


class Attempts:
    """The cases of a corpus, as they are taken and judged; used from many threads."""

    def __init__(self, corpus: Corpus, stub: Stub, accept: Accept = "exact") -> None:
        self.corpus = corpus
        self.stub = stub
        self.verdicts: dict[str, CaseJudged] = {}
        self._accept = accept
        self._cases = {case.id: case for case in corpus.cases}
        self._open: dict[str, list[Attempt]] = {}
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._normal_forms: Equivalences = equivalence.NormalForms(corpus.fixtures / "equivalences.json")

    def take(self, case_id: str) -> str:
        """Open an attempt: the message for the port, as the protocol has it, in one line of JSON."""
        case = self.case(case_id)
        with self._lock:
            attempts = self._open.setdefault(case.id, [])
            if len(attempts) == _MOST:
                self.stub.finish(attempts.pop(0).script)
            attempt = Attempt(str(next(self._numbers)), case, self.stub.begin(case))
            attempts.append(attempt)
        return for_case(case, attempt.number, self.stub.url, attempt.script.key).line()

    def give_back(self, case_id: str, reply: Json) -> CaseJudged:
        """Judge an attempt by what came of it: the one whose message's id the reply carries, else the latest."""
        case = self.case(case_id)
        whole = {"id": self._latest(case), **reply} if isinstance(reply, dict) else reply
        if (fault := reply_fault(whole)) is not None:
            raise BadReply(f"the reply {fault}")
        assert isinstance(reply, dict)
        attempt = self._closed(case, reply.get("id"))
        event = self._judged(attempt, reply)
        self.verdicts[case_id] = event
        return event

    def case(self, case_id: str) -> Case:
        """The case with this id; raises `NoSuchCase`."""
        if case_id not in self._cases:
            raise NoSuchCase(case_id)
        return self._cases[case_id]

    def _latest(self, case: Case) -> str:
        """The id of the latest attempt that is open; some id where there is none."""
        with self._lock:
            attempts = self._open.get(case.id)
            return attempts[-1].number if attempts else "0"

    def _closed(self, case: Case, number: Json) -> Attempt:
        with self._lock:
            attempts = self._open.get(case.id, [])
            named = [attempt for attempt in attempts if number in (None, attempt.number)]
            if not named:
                raise NoAttempt(f"{case.id} is in nobody's hands: GET it before each result")
            attempts.remove(named[-1])
        self.stub.finish(named[-1].script)
        return named[-1]

    def _judged(self, attempt: Attempt, reply: dict[str, Json]) -> CaseJudged:
        case, script = attempt.case, attempt.script
        seen = Observation(
            outcome=Answer(reply),
            key=script.key,
            calls=tuple(script.calls),
            strays=tuple(script.strays),
            ms=(time.perf_counter() - attempt.began) * 1000,
            stub_fault=script.fault,
            answers=tuple(script.answers),
        )
        verdict = judge(case, seen, _hello(reply), self.stub.url, lambda: self._normal_forms)
        event = judged(case, verdict, accept=self._accept, ms=seen.ms)
        return explained(case, seen, event, stub=self.stub.url)


def _hello(reply: dict[str, Json]) -> Hello:
    """What the reply shows that its port can do: warnings and pointers are judged where there are any to judge."""
    error = reply.get("error")
    shown = {"warnings": "warnings" in reply, "pointers": isinstance(error, dict) and "pointer" in error}
    more = [name for name, there in shown.items() if there]
    return Hello("", "", "", (*STYLES, *OPTIONAL, *more))
