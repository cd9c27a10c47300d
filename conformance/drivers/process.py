"""A port as a process: `cmd:node port.mjs`, one process for all cases, JSON lines over its pipes."""

from __future__ import annotations

import json
import shlex
import threading
from typing import Final

from conformance.drivers import Run
from conformance.drivers.child import Child
from conformance.drivers.message import Hello, Message, hello, read_hello
from conformance.faults import PortFault, UsageFault
from conformance.observation import Answer, NoAnswer, NotStarted

#: How long a port may take to say hello, in seconds.
STARTUP_S: Final = 30.0

#: How often a port that died or hung is started again.
MOST_RESTARTS: Final = 3


class Process:
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
        self._lock = threading.Lock()

    def start(self, corpus: str) -> Hello:
        """Start the command and greet the port."""
        self._corpus = corpus
        try:
            child = Child(self._argv)
        except OSError as wrong:
            raise PortFault(f"the port cannot be started: {self._argv[0]}: {wrong.strerror or wrong}") from None
        self._child = child
        outcome = child.ask(json.dumps(hello(corpus), separators=(",", ":")), seconds=STARTUP_S)
        if isinstance(outcome, Answer):
            return read_hello(outcome.value)
        child.kill()
        said = child.stderr_since(0)
        last = f"; its last words: {said[-1]}" if said else ""
        reason = outcome.message if isinstance(outcome, (NoAnswer, NotStarted)) else ""
        raise PortFault(f"the port 'cmd:{self._command}' did not say hello: {reason}{last}")

    def run(self, message: Message) -> Run:
        """Send the message; a port that died before is started again, a few times."""
        child = self._living()
        if isinstance(child, NotStarted):
            return Run(child)
        mark = child.stderr_mark()
        outcome = child.ask(message.line(), message.id, message.deadline_ms / 1000)
        if isinstance(outcome, NoAnswer) and outcome.kind == "timeout":
            child.kill()  # it may be stuck for good, and whatever it says later would be a stranger's reply
        return Run(outcome, child.stderr_since(mark))

    def _living(self) -> Child | NotStarted:
        with self._lock:
            assert self._child is not None
            if self._child.ended is None:
                return self._child
            if self._restarts == MOST_RESTARTS:
                return NotStarted(f"the port ended {MOST_RESTARTS + 1} times, last with {self._child.ended}")
            self._restarts += 1
            self._child.kill()
            try:
                self.start(self._corpus)
            except PortFault as wrong:
                self._restarts = MOST_RESTARTS
                return NotStarted(str(wrong))
            return self._child

    def stop(self) -> None:
        """Say goodbye and end the port's whole process group."""
        if self._child is not None:
            self._child.farewell('{"op":"bye"}')
