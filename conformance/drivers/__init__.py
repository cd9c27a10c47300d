"""The ways in to a port: each takes the same messages and gives the same outcomes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from conformance.drivers.message import Hello, Message
from conformance.faults import UsageFault
from conformance.observation import Outcome


@dataclass(frozen=True, slots=True)
class Run:
    """How one message went: its outcome, and what the port wrote to stderr meanwhile."""

    outcome: Outcome
    stderr: tuple[str, ...] = ()


class Driver(Protocol):
    """A way to a port; `run` may be called from several threads, up to the port's `max_in_flight`."""

    def start(self, corpus: str) -> Hello:
        """Start the port and greet it; raises `PortFault`."""

    def run(self, message: Message) -> Run:
        """Send a message and wait for its outcome, at most its deadline; never raises for what the port does."""

    def stop(self) -> None:
        """End the port."""


def driver_for(spec: str) -> Driver:
    """The driver that `--toolnexus-port` names: `python:…` or `cmd:…`; raises `UsageFault`."""
    kind, _, rest = spec.partition(":")
    if kind == "python" and rest:
        from conformance.drivers.inprocess import InProcess

        return InProcess(rest)
    if kind == "cmd" and rest.strip():
        from conformance.drivers.process import Process

        return Process(rest)
    raise UsageFault(
        f"unknown port {spec!r}; write python:toolnexus, python:package.module:factory or cmd:node port.mjs"
    )
