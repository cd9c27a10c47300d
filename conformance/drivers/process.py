"""A port as a process: `cmd:node port.mjs`, one process for all cases, JSON lines over its pipes."""

from __future__ import annotations

import json
import shlex
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from conformance.drivers import Driver, Run
from conformance.drivers.child import Child, Slot
from conformance.drivers.message import Hello, Message, hello, read_hello
from conformance.faults import PortFault, UsageFault
from conformance.observation import Answer, NoAnswer, NotStarted

if TYPE_CHECKING:
    from conformance.stub import Stub

#: How long a port may take to say hello, in seconds.
STARTUP_S: Final = 30.0

#: How often a port that died or hung is started again.
MOST_RESTARTS: Final = 3

#: How long a port that let a case's deadline pass may stay silent after that, in seconds, before it counts as hung.
GRACE_S: Final = 1.0


class Process(Driver):
    """Runs a port's command; `command` is shell-quoted, and no shell runs it."""

    def __init__(self, command: str) -> None:
        self._command = command
        try:
            self._argv = shlex.split(command)
        except ValueError as wrong:
            raise UsageFault(f"unknown port 'cmd:{command}': {wrong}") from None
        self._child: Child | None = None
        self._corpus = ""
        self._restarts = 0
        self._flying = 0
        self._last = "hello"
        self._told: list[str] = []
        #: Did it leave by itself when told goodbye? None before that.
        self.left: bool | None = None

    @property
    def faults(self) -> tuple[str, ...]:  # type: ignore[override]
        """What no case can be blamed for: words and deaths between cases."""
        return tuple(self._told)

    def start(self, corpus: str, stub: Stub | None = None) -> Hello:
        """Start the command and greet the port."""
        self._corpus = corpus
        try:
            child = Child(self._argv)
        except (OSError, ValueError) as wrong:
            why = wrong.strerror if isinstance(wrong, OSError) else None
            raise PortFault(f"the port cannot be started: {self._argv[0]}: {why or wrong}") from None
        self._child = child
        slot = child.send(json.dumps(hello(corpus), separators=(",", ":")))
        outcome = child.collect(slot, slot.sent + STARTUP_S)
        try:
            if isinstance(outcome, Answer):
                return read_hello(outcome.value)
            reason = "" if outcome is None else _silence(outcome)
            last = child.stderr.last()
            more = f"; its last words: {last}" if last else ""
            raise PortFault(f"the port 'cmd:{self._command}' {reason}{more}")
        except PortFault:
            child.kill()
            raise

    def send(self, message: Message) -> Flying | Grounded:
        """Send the message; a port that died or hung before is started again, a few times."""
        child = self._living()
        if isinstance(child, NotStarted):
            return Grounded(child)
        return self._sent(message, child)

    def _sent(self, message: Message, child: Child) -> Flying:
        self._flying += 1
        mark = child.stderr.mark()
        slot = child.send(message.line(), message.id, message.case)
        # A port may take messages one after the other, so that each waits for those before it.
        patience = message.deadline_ms / 1000 * self._flying
        return Flying(self, message, child, slot, mark, patience)

    def landed(self, case: str) -> None:
        """A message has its outcome, that of a case that the port has seen if it is named."""
        self._flying -= 1
        self._last = case or self._last

    def _living(self) -> Child | NotStarted:
        child = self._child
        assert child is not None
        gone = child.ended or _hung(child)
        if gone is None:
            return child
        self._tell(child)
        if self._restarts == MOST_RESTARTS:
            return NotStarted(f"the port ended {MOST_RESTARTS + 1} times, last with {gone}")
        self._restarts += 1
        child.kill()
        try:
            self.start(self._corpus)
        except PortFault as wrong:
            self._restarts = MOST_RESTARTS
            return NotStarted(str(wrong))
        return self._child or NotStarted("the port is gone")

    def _tell(self, child: Child) -> None:
        """Keep what went wrong in one life of the port."""
        self._told.extend(child.faults)
        child.faults.clear()
        if child.ended is not None and not child.died_at_work:
            self._told.append(f"the port ended by itself ({child.ended}), after {self._last}")

    def stop(self) -> None:
        """Say goodbye and end the port's whole process group."""
        if self._child is not None:
            self._tell(self._child)
            self.left = self._child.farewell('{"op":"bye"}')
            self._told.extend(self._child.faults)
            self._child.faults.clear()


def _silence(outcome: NoAnswer | NotStarted) -> str:
    """Why there was no hello; a port that died says so by itself."""
    died = isinstance(outcome, NoAnswer) and outcome.kind == "died"
    return outcome.message.removeprefix("the port ") if died else f"did not say hello: {outcome.message}"


def _hung(child: Child) -> str | None:
    """Is it silent since a deadline passed? A stalled reply ends with its case, and may wake it."""
    while (since := child.silent) is not None and child.ended is None:
        if time.monotonic() - since > GRACE_S:
            return "a case it never came back from"
        time.sleep(0.005)
    return child.ended


@dataclass(frozen=True, slots=True)
class Flying:
    """A message on its way; `patience` in seconds from when it was sent."""

    driver: Process
    message: Message
    child: Child
    slot: Slot
    mark: int
    patience: float

    def wait(self) -> Run:
        """Its outcome; where the port already hangs in another case, it is not waited for to the end."""
        until = self.slot.sent + self.patience
        if (since := self.child.silent) is not None:
            until = min(until, since + GRACE_S)
        outcome = self.child.collect(self.slot, until)
        self.driver.landed("" if self.slot.unread else self.slot.case)
        if self.slot.unread and isinstance(outcome, NoAnswer):  # the port died of something else
            return self.driver.send(self.message).wait()
        secret = str((self.message.client or {}).get("api_key", ""))
        ms = (self.slot.answered - self.slot.sent) * 1000
        return Run(outcome, self.child.stderr.since(self.mark, secret), ms)


@dataclass(frozen=True, slots=True)
class Grounded:
    """A message that could not be sent."""

    outcome: NotStarted

    def wait(self) -> Run:
        """Why not."""
        return Run(self.outcome)
