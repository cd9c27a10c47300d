"""One life of a port's process: its pipes, who is waiting for which reply, and how it ended.

Nothing here can be held up by the port: each pipe has a thread of its own, what it writes is bounded, and a port that
does not read, does not answer or does not end is left behind by whoever waits.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from typing import Any, Final

from conformance.drivers.ending import Ending, exited, wait_for
from conformance.drivers.lines import LONGEST, Lines, TooLong, in_pipe, shown
from conformance.drivers.message import reply_fault
from conformance.drivers.stderr import Stderr
from conformance.environ import scrubbed
from conformance.observation import Answer, NoAnswer, Outcome
from conformance.tree import NotJson, read_bytes

_POSIX: Final = os.name == "posix"
_HELLO: Final = ""  # what waits for the hello, which has no id

_AT_WORK: Final = "the port died while at work: "
_STILLBORN: Final = "the port died before it said hello: "

#: How long a port that closed a pipe may take to end before it counts as one that goes on without it; and how long its
#: last words are waited for when it has ended.
_AFTERWARDS_S: Final = 2.0

#: How long a reply is waited for after the last word that was none, in seconds.
LINGER_S: Final = 0.5

#: Faults that are told; a port that floods would tell thousands.
_MOST_FAULTS: Final = 10


class Slot:
    """A message that was sent, and the place its reply goes to."""

    def __init__(self, number: str, case: str = "") -> None:
        self.number = number
        self.case = case
        self.sent = time.monotonic()
        self.answered = self.sent
        self.outcome: Outcome | None = None
        #: Where the message begins in all that was written, None as long as it was not; did a port die without it?
        self.begins: int | None = None
        self.unread = False
        #: What the port did wrong while the message was on its way, and when it last did.
        self._fault = ""
        self._faulty = 0.0
        self._news = threading.Event()

    def settle(self, outcome: Outcome) -> None:
        """The reply, or why there is none; what went wrong before stands."""
        if self._fault:
            died = f"{outcome.message}; before that: " if isinstance(outcome, NoAnswer) else ""
            outcome = NoAnswer("died" if died else "protocol", died + self._fault)
        self.outcome = outcome
        self.answered = time.monotonic()

    def blame(self, fault: str) -> None:
        """The port did something wrong; the reply may still come, and is waited for a little."""
        self._fault = self._fault or fault
        self._faulty = time.monotonic()

    def wake(self) -> None:
        """There is news for whoever waits."""
        self._news.set()

    def wait(self, until: float) -> Outcome | None:
        """The outcome, or None when there is none by then."""
        while self.outcome is None:
            limit = min(until, self._faulty + LINGER_S) if self._fault else until
            if (left := limit - time.monotonic()) <= 0:
                break
            self._news.wait(left)
            self._news.clear()
        return self.outcome or (NoAnswer("protocol", self._fault) if self._fault else None)


class Child:
    """A running port. Replies are matched to waiting messages by id; everything else it writes is a fault."""

    def __init__(self, argv: Sequence[str]) -> None:
        group: dict[str, Any] = {"start_new_session": True} if _POSIX else {"creationflags": 0x200}
        self._process = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=scrubbed(os.environ),
            **group,
        )
        assert self._process.stderr is not None
        self.stderr = Stderr(self._process.stderr)
        self._lock = threading.Lock()
        self._slots: dict[str, Slot] = {}
        self._answered: dict[str, str] = {}
        self._forgiven: set[str] = set()
        self._written = Lines(LONGEST)
        self._outgoing: queue.SimpleQueue[tuple[bytes, Slot | None] | None] = queue.SimpleQueue()
        self._sent = 0
        #: When it last said something, and since when it has been silent although something is overdue.
        self.heard = time.monotonic()
        self.silent: float | None = None
        #: How it ended, and whether a message was on its way then.
        self.ended: str | None = None
        self.died_at_work = False
        #: What it did wrong while no message was on its way.
        self.faults: list[str] = []
        self._leaving = False
        self._reader = self._begin(self._read_replies)
        self._begin(self._write_lines)
        self._begin(self._watch)

    def _begin(self, work: Any) -> threading.Thread:
        thread = threading.Thread(target=work, name="toolnexus-port-pipe", daemon=True)
        thread.start()
        return thread

    # -- asking -------------------------------------------------------------------------------------------------------

    def send(self, line: str, number: str = _HELLO, case: str = "") -> Slot:
        """Send a line; its reply goes to the slot (the hello has no id)."""
        slot = Slot(number, case)
        with self._lock:
            if self.ended is not None:
                slot.settle(NoAnswer("died", self.ended if number else f"{_STILLBORN}{self.ended}"))
                return slot
            self._slots[number] = slot
        self._outgoing.put((line.encode("ascii") + b"\n", slot))
        return slot

    def collect(self, slot: Slot, until: float) -> Outcome:
        """The slot's outcome, at the latest at that time (`time.monotonic`); a reply that comes later is no fault."""
        outcome = slot.wait(until)
        with self._lock:
            self._slots.pop(slot.number, None)
            if (outcome := slot.outcome or outcome) is not None:
                if slot.outcome is None:  # what comes now still belongs to it
                    self._forgiven.add(slot.number)
                    self.silent = time.monotonic()
                return outcome
            self._forgiven.add(slot.number)
            if self.heard < slot.sent and self.silent is None:
                self.silent = time.monotonic()
            slot.answered = time.monotonic()
        begun = shown(self._written.rest)
        cut = f"; it began a line and did not end it: {begun}" if begun else ""
        return NoAnswer("timeout", f"no reply within {(until - slot.sent) * 1000:.0f} ms{cut}")

    # -- the pipes ----------------------------------------------------------------------------------------------------

    def _write_lines(self) -> None:
        pipe = self._process.stdin
        assert pipe is not None
        try:
            while (row := self._outgoing.get()) is not None:
                line, slot = row
                if slot is not None:
                    slot.begins = self._sent
                left = memoryview(line)
                while left:
                    count = os.write(pipe.fileno(), left)
                    self._sent += count
                    left = left[count:]
        except (OSError, ValueError):
            self._lost_pipe("stdin")
        with contextlib.suppress(OSError):
            pipe.close()

    def _read_replies(self) -> None:
        pipe = self._process.stdout
        assert pipe is not None
        with contextlib.suppress(OSError, ValueError):
            while data := os.read(pipe.fileno(), 1 << 16):
                self._take(data)
        self._lost_pipe("stdout")

    def _lost_pipe(self, name: str) -> None:
        """A closed pipe is the end, also where the port itself lives on."""
        if not self._wait(_AFTERWARDS_S):
            self._end(f"closed its {name} and went on without it")
            self._kill_group()

    def _watch(self) -> None:
        """Wait for the port's end; a child of it may hold its pipes open, and does not outlive it."""
        how = wait_for(self._process)
        self._kill_group(fresh=True)
        self._reader.join(_AFTERWARDS_S)
        half = shown(self._written.rest)
        self._end(f"{how} in the middle of a line: {half}" if half else str(how), how)

    def _end(self, how: str, ending: Ending | None = None) -> None:
        with self._lock:
            if self.ended is not None:
                return
            self.ended = how
            waiting = [slot for slot in self._slots.values() if slot.outcome is None]
            read = self._sent - self._unread()
            for slot in waiting:
                slot.unread = slot.begins is None or slot.begins >= read
            self.died_at_work = not all(slot.unread for slot in waiting)
            hint = f" ({ending.hint})" if ending is not None and ending.hint else ""
            for slot in waiting:
                slot.settle(NoAnswer("died", f"{_AT_WORK if slot.number else _STILLBORN}{how}{hint}"))
        for slot in waiting:
            slot.wake()

    def _unread(self) -> int:
        """How much of what was written the port never read, in bytes; 0 where that cannot be known."""
        pipe = self._process.stdin
        try:
            return 0 if pipe is None else in_pipe(pipe)
        except (OSError, ValueError):
            return 0

    # -- replies ------------------------------------------------------------------------------------------------------

    def _take(self, data: bytes) -> None:
        """Read all lines that came together before anybody is woken: a second reply may be among them."""
        stirred: list[Slot] = []
        for line in self._written.feed(data):
            stirred.extend(self._read(line))
        for slot in stirred:
            slot.wake()

    def _read(self, line: bytes | TooLong) -> list[Slot]:
        if isinstance(line, TooLong):
            return self._fault(f"a line of more than {LONGEST} bytes, which begins {shown(line.begins)}")
        if not line.strip():
            return []
        try:
            value = read_bytes(line)
        except (NotJson, RecursionError) as wrong:
            why = wrong.message if isinstance(wrong, NotJson) else "nested too deeply"
            return self._fault(f"a line on stdout that is no JSON ({why}): {shown(line)}")
        if not isinstance(value, dict):
            return self._fault(f"a line on stdout that is no message: {shown(line)}")
        if "op" in value:
            return self._hand(_HELLO, Answer(value), line)
        number = value.get("id")
        if type(number) is not str:
            wanted = " (it must be the message's, a text)" if "id" in value else ""
            return self._fault(f"a reply without an id{wanted}: {shown(line)}")
        if (fault := reply_fault(value)) is not None:
            return self._hand(number, NoAnswer("protocol", f"the reply {fault}: {shown(line)}", True), line)
        return self._hand(number, Answer(value), line)

    def _hand(self, number: str, outcome: Outcome, line: bytes) -> list[Slot]:
        with self._lock:
            self.heard, self.silent = time.monotonic(), None
            slot = self._slots.get(number)
            if number in self._forgiven:
                self._forgiven.discard(number)
                return []
            if slot is not None and slot.outcome is None:
                slot.settle(outcome)
                self._answered[number] = slot.case
                return [slot]
        return self._unasked(number, line)

    def _unasked(self, number: str, line: bytes) -> list[Slot]:
        """A reply nobody waits for: the fault of the case it answers again, if that has not been judged."""
        if number not in self._answered:
            return self._fault(f"a reply with id {number!r}, unasked: {shown(line)}")
        if not number:
            return self._fault(f"a second hello: {shown(line)}")
        what = f"a second reply with id {number!r} ({self._answered[number]})"
        fault = f"the port broke the protocol: {what}: {shown(line)}"
        with self._lock:
            if (first := self._slots.get(number)) is None:
                self.faults.append(fault)
            else:
                first.outcome = NoAnswer("protocol", fault, True)
        return []

    def _fault(self, what: str) -> list[Slot]:
        """Blame whoever is waiting: which of them it was shows when each is tried alone."""
        fault = f"the port broke the protocol: {what}"
        with self._lock:
            waiting = [slot for slot in self._slots.values() if slot.outcome is None]
            for slot in waiting:
                slot.blame(fault)
            if not waiting and len(self.faults) < _MOST_FAULTS and not self._leaving:
                self.faults.append(fault)
        return waiting

    # -- the end ------------------------------------------------------------------------------------------------------

    def farewell(self, line: str, seconds: float = 2.0) -> bool:
        """Say goodbye, give the port a moment to go by itself, then end its whole group; did it go by itself?"""
        self._leaving = True
        self._outgoing.put((line.encode("ascii") + b"\n", None))
        self._outgoing.put(None)
        went = self._wait(seconds)
        self.kill()
        return went

    def _wait(self, seconds: float) -> bool:
        until = time.monotonic() + seconds
        while not exited(self._process) and time.monotonic() < until:
            time.sleep(0.005)
        return exited(self._process)

    def kill(self) -> None:
        """End the port and every process it started."""
        self._kill_group()
        self._outgoing.put(None)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=5)

    def _kill_group(self, *, fresh: bool = False) -> None:
        """Kill the group while its id is its own: until its leader is waited for, or right after that (`fresh`)."""
        if not _POSIX:
            self._process.kill()
        elif fresh or self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
