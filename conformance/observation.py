"""What was seen while a case ran; the same value whichever way in the port came, and all that a verdict needs."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Literal

from conformance.replies import Encoded
from conformance.tree import Json

#: A tool of a case's toolkit posts here when it runs; none may. A key in a header says whose tool it was.
ALARM: Final = "/_alarm"


@dataclass(frozen=True)
class Call:
    """One request that reached the stub: path and query as sent, header names as sent, the exact body."""

    method: str
    path: str
    headers: tuple[tuple[str, str], ...]
    body: bytes

    @cached_property
    def header(self) -> dict[str, str]:
        """Headers by lower-case name; a repeated one is joined with a comma."""
        found: dict[str, str] = {}
        for name, value in self.headers:
            name = name.lower()
            found[name] = f"{found[name]}, {value}" if name in found else value
        return found


@dataclass(frozen=True, slots=True)
class Answer:
    """The port's reply to the message: `result`, `error`, `skip` or declarations, and what goes with it.

    `openai` where an error is what an OpenAI-compatible gateway shows of it.
    """

    value: dict[str, Json]
    openai: bool = False


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """The port did not reply to this message: it died, ran out of time, or wrote what is no reply.

    `certain` where it was this message and no other that was on its way at the time.
    """

    kind: Literal["died", "timeout", "protocol", "raised"]
    message: str
    certain: bool = False


@dataclass(frozen=True, slots=True)
class NotStarted:
    """The message was never sent: the port could not be started, or not any more."""

    message: str


Outcome = Answer | NoAnswer | NotStarted


@dataclass(frozen=True, slots=True)
class Observation:
    """`calls` came with the case's key; `strays` did not belong to the script's calls (a tool that ran, a lost key).

    `answers` are the replies that scripted calls got, each with its call and what was done to the connection.
    """

    outcome: Outcome
    key: str
    calls: tuple[Call, ...] = ()
    strays: tuple[Call, ...] = ()
    stderr: tuple[str, ...] = ()
    ms: float = 0.0
    stub_fault: str | None = field(default=None)
    answers: tuple[tuple[Call, Encoded, str | None], ...] = ()
