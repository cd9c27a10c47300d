"""The ways in to a port: each takes the same messages and gives the same outcomes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from conformance.case import Case
from conformance.drivers.message import Hello, Message
from conformance.faults import UsageFault
from conformance.observation import Outcome

if TYPE_CHECKING:
    from conformance.options import Options
    from conformance.stub import Stub


@dataclass(frozen=True, slots=True)
class Run:
    """How one message went: its outcome, what the port wrote to stderr meanwhile, and how long it took, in ms."""

    outcome: Outcome
    stderr: tuple[str, ...] = ()
    ms: float = 0.0


class Pending(Protocol):
    """A message on its way."""

    def wait(self) -> Run:
        """Its outcome, at the latest when its deadline is over; to be called once."""


class Driver(ABC):
    """A way to a port."""

    #: What the port did wrong that no case can be blamed for; a run with any of it is red.
    faults: tuple[str, ...] = ()

    @abstractmethod
    def start(self, corpus: str, stub: Stub | None = None) -> Hello:
        """Start the port and greet it; raises `PortFault`."""

    @abstractmethod
    def send(self, message: Message) -> Pending:
        """Send a message; up to the port's `max_in_flight` may be on their way. Never raises for what the port does."""

    @abstractmethod
    def stop(self) -> None:
        """End the port."""

    def run(self, message: Message) -> Run:
        """Send a message and wait for its outcome."""
        return self.send(message).wait()

    def cannot(self, case: Case) -> tuple[str, ...]:
        """What of a case this way in has no words for, whatever the port can do."""
        return ()


def driver_for(options: Options) -> Driver:
    """The driver that the options name: `python:…`, `cmd:…` or a gateway's URL; raises `UsageFault`."""
    kind, _, rest = options.port.partition(":")
    if kind not in _DRIVERS or not rest.strip():
        raise UsageFault(
            f"unknown port {options.port!r}; write python:toolnexus, python:package.module:factory, "
            "'cmd:node port.mjs' or a gateway's http://127.0.0.1:4000/v1"
        )
    return _DRIVERS[kind](rest, options)


def _in_process(spec: str, _: Options) -> Driver:
    from conformance.drivers.inprocess import InProcess

    return InProcess(spec)


def _process(command: str, _: Options) -> Driver:
    from conformance.drivers.process import Process

    return Process(command)


def _gateway(_: str, options: Options) -> Driver:
    from conformance.drivers.gateway import Gateway

    return Gateway(options.port, options)


_DRIVERS: Final[Mapping[str, Callable[[str, Options], Driver]]] = {
    "python": _in_process,
    "cmd": _process,
    "http": _gateway,
    "https": _gateway,
}
