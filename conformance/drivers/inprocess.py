"""A port in this process: `python:toolnexus`, or `python:package.module:factory` for any Python translator.

`factory()` gives an object with `hello()` and `handle(message)`, sync or async, which take and give the protocol's
messages as plain values. Everything runs on one worker thread, so that a port that hangs costs its own case only.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import inspect
import io
import os
import queue
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from conformance.drivers import Driver, Run
from conformance.drivers.message import Hello, Message, hello, read_hello, reply_fault
from conformance.environ import scrubbed_process
from conformance.faults import PortFault, UsageFault
from conformance.observation import Answer, NoAnswer, NotStarted, Outcome
from conformance.tree import BadPointer, from_python

if TYPE_CHECKING:
    from conformance.stub import Stub

_OWN: Final = {"toolnexus": "conformance.drivers.reference:port"}

#: A worker given up on keeps its thread; more than these and the rest is not run.
_MOST_ABANDONED: Final = 3


class InProcess(Driver):
    """Runs a Python port; `spec` is what follows `python:`."""

    def __init__(self, spec: str) -> None:
        self._spec = _full(spec)
        self._environ = contextlib.ExitStack()
        self._worker = _Worker()
        self._abandoned = 0
        self._port: Any = None

    def start(self, corpus: str, stub: Stub | None = None) -> Hello:
        """Import the port, make it and greet it."""
        self._environ.enter_context(scrubbed_process())
        try:
            self._port = _named(self._spec)()
            said = self._worker.run(lambda: _hello(self._port, corpus), 30.0)
        except UsageFault:
            raise
        except Exception as wrong:
            raise PortFault(f"the port python:{self._spec} failed to start: {_brief(wrong)}") from None
        if said is _LATE:
            raise PortFault(f"the port python:{self._spec} did not answer hello within 30 s")
        try:
            return read_hello(from_python(said))
        except BadPointer as wrong:
            raise PortFault(f"the port's hello: {wrong}") from None

    def send(self, message: Message) -> _Later:
        """The port gets the message when its outcome is asked for: one at a time."""
        return _Later(self, message)

    def run(self, message: Message) -> Run:
        """Hand the message to the port; what it prints meanwhile is kept."""
        if self._abandoned > _MOST_ABANDONED:
            return Run(NotStarted(f"the port hung in {self._abandoned} cases and was given up"))
        began = time.perf_counter()
        written = io.StringIO()
        with contextlib.redirect_stderr(written), contextlib.redirect_stdout(written):
            outcome = self._outcome(message)
        ms = (time.perf_counter() - began) * 1000
        return Run(outcome, tuple(written.getvalue().splitlines()[-64:]), ms)

    def _outcome(self, message: Message) -> Outcome:
        try:
            reply = self._worker.run(lambda: self._port.handle(message.value()), message.deadline_ms / 1000)
        except Exception as wrong:
            return NoAnswer("raised", f"the port raised {_brief(wrong)}")
        if reply is _LATE:
            self._abandoned += 1
            self._worker = _Worker()
            return NoAnswer("timeout", f"no reply within {message.deadline_ms} ms")
        try:
            tree = from_python(reply)
        except BadPointer as wrong:
            return NoAnswer("protocol", f"the reply {wrong}")
        if (fault := reply_fault(tree)) is not None:
            return NoAnswer("protocol", f"the reply {fault}")
        assert isinstance(tree, dict)
        return Answer(tree)

    def stop(self) -> None:
        """Let the port close what it holds, and put the environment back."""
        with contextlib.suppress(Exception):
            close = getattr(self._port, "close", None)
            if close is not None:
                self._worker.run(close, 5.0)
        self._worker.stop()
        self._environ.close()


@dataclass(frozen=True, slots=True)
class _Later:
    """A message that the port has not seen yet."""

    driver: InProcess
    message: Message

    def wait(self) -> Run:
        """Hand it over."""
        return self.driver.run(self.message)


def make(spec: str) -> Any:
    """The port that `python:{spec}` names; raises `UsageFault`."""
    return _named(_full(spec))()


def _full(spec: str) -> str:
    full = _OWN.get(spec, spec)
    module, _, factory = full.partition(":")
    if not module or not factory:
        raise UsageFault(f"unknown port 'python:{spec}'; write python:toolnexus or python:package.module:factory")
    return full


def _named(spec: str) -> Callable[[], Any]:
    """The factory; modules of the folder one stands in are found, too, after everything that is installed."""
    module, _, name = spec.partition(":")
    here = os.getcwd()
    if here not in sys.path:
        sys.path.append(here)
    try:
        found: Any = importlib.import_module(module)
        for step in name.split("."):
            found = getattr(found, step)
    except (ImportError, AttributeError) as wrong:
        raise UsageFault(f"unknown port python:{spec}: {wrong}") from None
    if not callable(found):
        raise UsageFault(f"unknown port python:{spec}: {name} is no factory")
    return found  # type: ignore[no-any-return]


def _hello(port: Any, corpus: str) -> Any:
    """A port may take the hello message, or nothing."""
    return port.hello(hello(corpus)) if inspect.signature(port.hello).parameters else port.hello()


def _brief(wrong: BaseException) -> str:
    text = str(wrong).split("\n", 1)[0]
    return f"{type(wrong).__name__}: {text}" if text else type(wrong).__name__


_LATE: Final = object()


class _Worker:
    """One thread, and on it one event loop for ports whose `handle` is a coroutine."""

    def __init__(self) -> None:
        self._work: queue.SimpleQueue[Callable[[], Any] | None] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[tuple[Any, BaseException | None]] = queue.SimpleQueue()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def run(self, work: Callable[[], Any], seconds: float) -> Any:
        """The work's value, `_LATE` when it takes too long; raises what it raises."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._serve, name="toolnexus-port", daemon=True)
            self._thread.start()
        self._work.put(work)
        try:
            value, wrong = self._done.get(timeout=seconds)
        except queue.Empty:
            self._work.put(None)
            return _LATE
        if wrong is not None:
            raise wrong
        return value

    def stop(self) -> None:
        """End the thread, if it is not stuck."""
        if self._thread is not None:
            self._work.put(None)
            self._thread.join(timeout=1)

    def _serve(self) -> None:
        while (work := self._work.get()) is not None:
            try:
                value = work()
                self._done.put((self._awaited(value) if inspect.isawaitable(value) else value, None))
            except BaseException as wrong:  # the port's SystemExit must not end the run
                self._done.put((None, wrong if isinstance(wrong, Exception) else RuntimeError(repr(wrong))))
        if self._loop is not None:
            self._loop.close()

    def _awaited(self, value: Any) -> Any:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
        return self._loop.run_until_complete(value)
