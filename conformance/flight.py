"""Cases on their way to a port: some are sent ahead of their turn, and whoever brings a port down is found out.

A port says how many messages it may have at once (`max_in_flight`), while verdicts are asked for one by one. So the
next cases are sent while one is judged. What goes wrong with several on their way is tried again with each of them
alone: then it is plain which case it was. A case that must run alone anyway (a tool's alarm may carry no key) is never
sent ahead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from conformance.case import Case
from conformance.drivers import Driver, Pending
from conformance.drivers.message import Hello, for_case
from conformance.observation import Answer, Call, NoAnswer, NotStarted, Observation
from conformance.stub import Script, Stub

#: What is said where a port fails only with several cases on their way; at most so many of them are named.
_NAMED: Final = 4


@dataclass
class _Sent:
    """A case on its way; `company` tells whether another one was at some time."""

    case: Case
    script: Script
    pending: Pending
    unclaimed: int
    company: bool = False


class Flight:
    """Sends cases and observes them. `applies` says whether a case is to be sent at all."""

    def __init__(self, driver: Driver, stub: Stub, hello: Hello, applies: Callable[[Case], bool]) -> None:
        self._driver = driver
        self._stub = stub
        self._width = 1 if stub.keyless else hello.max_in_flight
        self._applies = applies
        self._number = 0
        self._order: Sequence[Case] = ()
        self._place: dict[str, int] = {}
        self._next = 0
        self._sent: dict[str, _Sent] = {}
        self._settled: dict[str, Observation] = {}
        self._strayed = len(stub.unclaimed)

    def expect(self, cases: Sequence[Case]) -> None:
        """The cases that will be asked for, in this order; without it none is sent ahead."""
        self._order = cases
        self._place = {case.id: place for place, case in enumerate(cases)}
        self._next = 0

    def observe(self, case: Case) -> Observation:
        """What was seen of a case, whatever the way in to the port."""
        if (settled := self._settled.pop(case.id, None)) is not None:
            return settled
        if case.id not in self._sent:
            while _alone(case) and self._sent:
                other = next(iter(self._sent.values())).case
                self._settled[other.id] = self._collected(other)
            self._send(case)
        self._look_ahead(case)
        return self._collected(case)

    def _collected(self, case: Case) -> Observation:
        sent = self._sent.pop(case.id)
        seen = self._land(sent)
        if sent.company and self._doubtful(sent, seen):
            return self._isolated(sent, seen)
        if self._stub.keyless and self._disturbed(case, seen):
            return self._undisturbed(case)
        return seen

    def end(self) -> None:
        """Let go of what is still on its way."""
        for sent in self._sent.values():
            self._stub.finish(sent.script)
        self._sent.clear()

    # -- sending ------------------------------------------------------------------------------------------------------

    def _send(self, case: Case) -> None:
        script = self._stub.begin(case)
        try:
            self._number += 1
            pending = self._driver.send(for_case(case, str(self._number), self._stub.url, script.key))
        except BaseException:
            self._stub.finish(script)
            raise
        new = _Sent(case, script, pending, len(self._stub.unclaimed), bool(self._sent))
        for other in self._sent.values():
            other.company = True
        self._sent[case.id] = new

    def _look_ahead(self, case: Case) -> None:
        """Send the cases after this one, up to the first that must run alone."""
        place = self._place.get(case.id)
        if self._width == 1 or place is None or _alone(case):
            return
        self._next = max(self._next, place + 1)
        while len(self._sent) < self._width and self._next < len(self._order):
            ahead = self._order[self._next]
            if _alone(ahead):
                return
            self._next += 1
            if self._applies(ahead) and ahead.id not in self._sent and ahead.id not in self._settled:
                with suppress(Exception):  # what is wrong with it shows when it is its turn
                    self._send(ahead)

    def _land(self, sent: _Sent) -> Observation:
        answered = False
        try:
            run = sent.pending.wait()
            answered = isinstance(run.outcome, Answer)
        finally:
            self._stub.finish(sent.script, answered=answered)
        script = sent.script
        return Observation(
            outcome=run.outcome,
            key=script.key,
            calls=tuple(script.calls),
            strays=tuple(script.strays),
            stderr=run.stderr,
            ms=run.ms,
            stub_fault=script.fault,
            answers=tuple(script.answers),
        )

    def _drain(self) -> list[tuple[_Sent, Observation]]:
        """Wait for everything that is on its way; what came of it is kept for its turn."""
        landed = [(sent, self._land(sent)) for sent in self._sent.values()]
        self._sent.clear()
        self._settled.update((sent.case.id, seen) for sent, seen in landed)
        return landed

    # -- finding out who it was ---------------------------------------------------------------------------------------

    def _doubtful(self, sent: _Sent, seen: Observation) -> bool:
        """Did something go wrong that another case may have done?"""
        lost = len(self._stub.unclaimed) > sent.unclaimed and len(seen.calls) < len(sent.case.exchanges)
        return lost or (isinstance(seen.outcome, NoAnswer) and not seen.outcome.certain)

    def _isolated(self, sent: _Sent, seen: Observation) -> Observation:
        """Try everything that was on its way again, each alone; from here on there is one case at a time."""
        self._width = 1
        group = [(sent, seen), *self._drain()]
        doubtful = [(sent, seen) for sent, seen in group if self._doubtful(sent, seen)]
        lost = self._take_unclaimed(min(sent.unclaimed for sent, _ in doubtful))
        alone = {sent.case.id: self._alone(sent.case) for sent, _ in doubtful}
        guilty = [found for found in alone.values() if isinstance(found.outcome, NoAnswer) or found.strays]
        if guilty:
            lost = []
        self._stub.unclaimed.extend(lost)
        names = [sent.case.id for sent, _ in doubtful]
        for sent, before in doubtful:
            found = alone[sent.case.id]
            if isinstance(found.outcome, NotStarted) or not guilty:
                found = _in_company(before, names)
            self._settled[sent.case.id] = found
        return self._settled.pop(names[0])

    def _alone(self, case: Case) -> Observation:
        self._send(case)
        return self._land(self._sent.pop(case.id))

    def _take_unclaimed(self, since: int) -> list[Call]:
        taken = self._stub.unclaimed[since:]
        del self._stub.unclaimed[since:]
        return taken

    # -- without keys -------------------------------------------------------------------------------------------------

    def _disturbed(self, case: Case, seen: Observation) -> bool:
        """Did calls come that may be another case's, or nobody's?"""
        between, self._strayed = len(self._stub.unclaimed) > self._strayed, len(self._stub.unclaimed)
        return between or bool(seen.strays) or len(seen.calls) > len(case.exchanges) * case.repeat

    def _undisturbed(self, case: Case) -> Observation:
        """Run it once more; a call that cannot be told apart from the case's own says nothing about the port."""
        seen = self._alone(case)
        if not seen.strays:
            self._take_unclaimed(0)
            self._strayed = 0
            return seen
        stray = seen.strays[0]
        what = f"{stray.method} {stray.path}"
        reason = f"calls that belong to no case came while it ran, twice ({what}): stop whatever makes them"
        return replace(seen, stub_fault=reason)


def _alone(case: Case) -> bool:
    """Must it run alone? A tool that runs raises an alarm that may not say whose tool it was."""
    return case.op != "declare" and "toolkit" in case.tree


def _in_company(seen: Observation, names: list[str]) -> Observation:
    """What was seen, saying that none of the cases does it alone."""
    if not isinstance(seen.outcome, NoAnswer):
        return seen
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    group = f"on their way were {', '.join(names[:_NAMED])}{more}, and alone none of them does this"
    return replace(seen, outcome=replace(seen.outcome, message=f"{seen.outcome.message}; {group}"))
