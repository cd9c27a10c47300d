"""The reference port with one thing spoiled, over a real connection or over recorded answers.

Any mutant is a port of its own: `--toolnexus-port python:tests.mutants.port:loses_parallel_calls`.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable
from typing import Any, NoReturn

from conformance.drivers import reference
from tests.mutants.catalogue import MUTANTS
from tests.mutants.exchange import Ask, Ending, Received, Sent, pairs
from tests.mutants.mutant import Level, Mutant, MutantBug
from toolnexus.call import Answer, Live, Send, Timing, Wait
from toolnexus.errors import TransportError
from toolnexus.transport import Limits
from toolnexus.wire.exchange import ProviderRequest

Post = Callable[[Sent], Received]


class Provider:
    """Stands in for the network and for time, which `clock` tells in seconds."""

    def post(self, sent: Sent, ask: Ask, step: Send, limits: Limits) -> Received:
        """The answer to one request."""
        raise NotImplementedError

    def stall(self, step: Send, limits: Limits) -> NoReturn:
        """Waits for what never comes; raises what a client does then."""
        raise NotImplementedError

    def wait(self, seconds: float) -> None:
        """Lets time pass."""
        raise NotImplementedError

    def clock(self) -> float:
        """The time."""
        raise NotImplementedError


class Port(reference.Port):
    """A port; without a mutant it is the reference, without a provider it really posts."""

    def __init__(self, mutant: Mutant | None = None) -> None:
        super().__init__()
        # Cases nest 500 levels deep, and edits walk them.
        sys.setrecursionlimit(max(sys.getrecursionlimit(), 10_000))
        self.mutant = mutant
        self.provider: Provider | None = None
        self.ask = Ask({})

    def handle(self, message: dict[str, Any]) -> dict[str, Any]:
        """Run one message."""
        self.ask = Ask(message)
        answer = super().handle(self._spoiled("asks", message))
        return self._spoiled("answers", answer)

    def _spoiled(self, level: Level, value: Any) -> Any:
        """The value after the mutant, where the mutant works at that level."""
        mutant = self.mutant
        if mutant is None or mutant.level != level:
            return value
        try:
            return mutant.spoil(value, self.ask)
        except Exception as wrong:
            raise MutantBug(f"{mutant.name} crashed on {self.ask.message.get('case')}: {wrong!r}") from wrong

    def _client(self, message: dict[str, Any], hooks: Any) -> Any:
        client: Any = super()._client(message, hooks)
        provider = self.provider
        if provider is not None:
            client._plan = dataclasses.replace(client._plan, timing=Timing(provider.clock, lambda: 0.5))
        if self.mutant is not None and self.mutant.level == "makes":
            self.mutant.spoil(client)
        if self.mutant is None and provider is None and type(self) is Port:
            return client
        do = client._do

        def step_done(step: Any, cancel: Any) -> Any:
            if isinstance(step, Send):
                return self._sent(step, lambda send: do(send, cancel), client._limits)
            if isinstance(step, Wait) and provider is not None:
                return provider.wait(step.seconds)
            return do(step, cancel)

        client._do = step_done
        return client

    def _sent(self, step: Send, do: Callable[[Send], Answer | Live], limits: Limits) -> Answer | Live:
        """One step of the client's: the request through the mutant to the provider, the answer through it back."""
        asked = step.request
        ask, mutant, provider = self.ask, self.mutant, self.provider

        def post(sent: Sent) -> Received:
            if provider is not None:
                return provider.post(sent, ask, step, limits)
            request = ProviderRequest(asked.method, sent.url, sent.headers, sent.body)
            return drained(do(Send(request, step.deadline, step.live)))

        sent = self._spoiled("sends", Sent(asked.url, pairs(asked.headers), asked.body))
        try:
            exchanges = mutant is not None and mutant.level == "exchanges"
            got = mutant.spoil(post, sent, ask) if mutant is not None and exchanges else post(sent)
        except Exception as wrong:
            ask.exchanges.append((sent, wrong))
            raise
        got = self._spoiled("reads", got)
        ask.exchanges.append((sent, got))
        if got.chunks is None:
            return Answer(got.status, list(got.headers), got.body)
        source = Source(got, lambda: provider.stall(step, limits) if provider is not None else None)
        return Live(got.status, list(got.headers), source.read() or b"", source)


class Source:
    """A streamed answer as the client reads it, chunk by chunk."""

    def __init__(self, got: Received, stall: Callable[[], Any]) -> None:
        self._chunks = list(got.chunks or ())
        self._ending = got.ending
        self._stall = stall

    def read(self) -> bytes | None:
        """The next chunk, None at the end; raises where the connection breaks or nothing comes any more."""
        if self._chunks:
            return self._chunks.pop(0)
        if self._ending == "stalled":
            self._stall()
        if self._ending != "whole":
            kind = "timeout" if self._ending == "stalled" else "reset"
            raise TransportError("the connection broke before the answer was complete", kind=kind)
        return None

    def close(self) -> None:
        """Nothing to close."""


def drained(answer: Answer | Live) -> Received:
    """An answer, a streamed one read to its end."""
    if isinstance(answer, Answer):
        return Received(answer.status, pairs(answer.headers), answer.body)
    chunks = [answer.first]
    ending: Ending = "whole"
    try:
        while (chunk := answer.source.read()) is not None:
            chunks.append(chunk)
    except TransportError as wrong:
        ending = "stalled" if wrong.kind == "timeout" else "broken"
    answer.source.close()
    whole = Received(answer.status, pairs(answer.headers), b"", (), ending)
    return whole.with_chunks(chunks)


def __getattr__(name: str) -> Callable[[], Port]:
    """A factory for each mutant, by its name with underscores."""
    mutant = MUTANTS.get(name.replace("_", "-"))
    if mutant is None:
        raise AttributeError(name)
    return lambda: Port(mutant)
