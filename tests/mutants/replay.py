"""Running a mutant over a case without a network, exactly.

The reference runs once over every case, against the kit's own stub; what it sent and what came back is its trace. The
reference is a function of what it is asked and what it is answered, and so is a mutant, which only adds an edit of its
own at one seam. Hence, case by case:

1. an edit that leaves everything in the trace as it was leaves the verdict as it was (one that changes what follows a
   failed attempt, where none failed, too);
2. else the case runs again, the recorded answers in place of the stub's. The stub answers what its script says,
   whatever was sent, so that the recorded answer is the one that it would give; past the script's end there is its
   422. Time is counted, not spent: only waits and stalled answers take any.

`test_replay` holds this against the stub.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NoReturn
from unittest import mock

import httpx

from conformance import checks
from conformance.case import Case, Reply
from conformance.compare import match
from conformance.differences import Difference
from conformance.drivers.message import DEADLINE_MS, Hello, for_case, read_hello, reply_fault
from conformance.observation import ALARM, Answer, Call, NoAnswer, Observation, Outcome
from conformance.providers import equivalence
from conformance.replies import encode
from conformance.stub import MARKER, Stub
from conformance.tree import BadPointer, Json, from_python
from conformance.verdict import State, judge, not_applicable, state_of
from tests.mutants.exchange import Ask, Ending, Received, Sent, pairs
from tests.mutants.mutant import Mutant
from tests.mutants.port import Port, Provider
from toolnexus.call import Answer as Answered
from toolnexus.call import Live, Send
from toolnexus.errors import TransportError
from toolnexus.transport import Limits
from toolnexus.watch import deadline_passed

_UNSCRIPTED: Final = Received(422, ((MARKER, "unscripted"), ("content-type", "application/json")), b'{"type":"error"}')


@dataclass
class Exchanged:
    """One exchange as the reference had it; `stalled` is an answer of which nothing ever came."""

    sent: Sent
    got: Received | TransportError
    wire: bytes | None
    stalled: bool = False


@dataclass
class Trace:
    """The reference's run of one case."""

    case: Case
    message: dict[str, Any]
    key: str
    stub: str
    exchanges: list[Exchanged] = field(default_factory=list)
    answer: dict[str, Any] = field(default_factory=dict)
    state: State = "not-run"

    @property
    def failed(self) -> bool:
        """Whether an attempt failed, so that the client's policy had a say."""
        return "result" not in self.answer or len(self.exchanges) != self.case.repeat


class Hung(BaseException):
    """The port takes longer than the kit waits."""


class Recorded(Provider):
    """Answers as the stub did in a trace; `calls` and `strays` are what the stub would have seen."""

    def __init__(self, trace: Trace, port: Port) -> None:
        self._trace = trace
        self._port = port
        self._now = 0.0
        self.calls: list[Call] = []
        self.strays: list[Call] = []

    def clock(self) -> float:
        """Counted seconds."""
        return self._now

    def wait(self, seconds: float) -> None:
        """Counts the seconds; past the kit's patience the port hangs."""
        self._now += seconds
        if self._now > DEADLINE_MS / 1000:
            raise Hung

    def post(self, sent: Sent, ask: Ask, step: Send, limits: Limits) -> Received:
        """The recorded answer to the call of that number."""
        if step.deadline is not None and self._now >= step.deadline:
            raise deadline_passed()
        exchange = self._taken(sent)
        if exchange is None:
            ask.wire = None
            return _UNSCRIPTED
        ask.wire = exchange.wire
        if exchange.stalled:
            self.stall(step, limits)
        if isinstance(exchange.got, TransportError):
            raise TransportError(exchange.got.message, kind=exchange.got.kind)
        return exchange.got

    def stall(self, step: Send, limits: Limits) -> NoReturn:
        """Counts the time until the client gives up."""
        left = None if step.deadline is None else step.deadline - self._now
        self.wait(limits.read_s if left is None else min(limits.read_s, left))
        if left is not None and left <= limits.read_s:
            raise deadline_passed()
        raise TransportError("timed out while waiting for the provider's answer", kind="timeout")

    def _taken(self, sent: Sent) -> Exchanged | None:
        """The exchange that answers a call, as the stub finds it; None where no script has one."""
        path, headers = _head(self._port._http, sent.url, sent.headers)
        call = Call("POST", path, (*headers, ("content-length", str(len(sent.body)))), sent.body)
        if path == ALARM or not any(self._trace.key in value for _, value in call.headers):
            self.strays.append(call)
            return None
        self.calls.append(call)
        exchanges = self._trace.exchanges
        turn = len(self.calls) - 1
        return exchanges[turn] if turn < len(exchanges) else None


@lru_cache(maxsize=8192)
def _head(
    http: httpx.Client, url: str, headers: tuple[tuple[str, str], ...]
) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Path and headers of a request as httpx puts it on the wire, its own headers included, without the length."""
    raw = [(name.encode(), value.encode("latin-1")) for name, value in headers]
    request = http.build_request("POST", url, headers=raw)
    rows = request.headers.multi_items()
    return request.url.raw_path.decode("ascii"), tuple(row for row in rows if row[0] != "content-length")


class Kit:
    """The corpus, the reference's traces of it, and the running of mutants over them. Use as a context manager."""

    def __init__(self, cases: Sequence[Case], fixtures: Path) -> None:
        self._fixtures = fixtures
        self._port = Port()
        self.hello: Hello = read_hello(from_python(self._port.hello()))
        self._normal_forms: Any = None
        self.cases = tuple(case for case in cases if not_applicable(case, self.hello) is None)
        self.traces: list[Trace] = []

    def record(self, stub: Stub) -> None:
        """Runs the reference over every case, against the stub."""
        self._stub = stub
        with contextlib.closing(_Recording()) as port:
            for number, case in enumerate(self.cases):
                trace = self._recorded(case, str(number), stub, port)
                if trace.state != "pass":  # cases about time fail on a machine that is busy with something else
                    trace = self._recorded(case, str(number), stub, port)
                self.traces.append(trace)

    def posted(self, mutant: Mutant, case: Case) -> State:
        """The verdict on a mutant that really posts to the stub."""
        with self._stub.script(case) as script, contextlib.closing(Port(mutant)) as port:
            message = for_case(case, "1", self._stub.url, script.key).value()
            outcome, stderr = _outcome(port, message)
        trace = Trace(case, message, script.key, self._stub.url)
        return self._state(trace, outcome, tuple(script.calls), tuple(script.strays), stderr)

    def _recorded(self, case: Case, number: str, stub: Stub, port: _Recording) -> Trace:
        with stub.script(case) as script:
            message = for_case(case, number, stub.url, script.key).value()
            trace = port.trace = Trace(case, message, script.key, stub.url)
            outcome, stderr = _outcome(port, message)
        trace.state = self._state(trace, outcome, tuple(script.calls), tuple(script.strays), stderr)
        return trace

    def state(self, mutant: Mutant | None, trace: Trace) -> State:
        """The verdict on a mutant for one case; without a mutant, that on the reference replayed."""
        if mutant is not None and not touches(mutant, trace):
            return trace.state
        self._port.mutant = mutant
        provider = self._port.provider = Recorded(trace, self._port)
        outcome, stderr = _outcome(self._port, trace.message)
        return self._state(trace, outcome, tuple(provider.calls), tuple(provider.strays), stderr)

    def _state(
        self, trace: Trace, outcome: Outcome, calls: tuple[Call, ...], strays: tuple[Call, ...], stderr: tuple[str, ...]
    ) -> State:
        seen = Observation(outcome, trace.key, calls, strays, stderr)
        with mock.patch.object(checks, "between", _first_difference):
            return state_of(judge(trace.case, seen, self.hello, trace.stub, self._equivalences))

    def _equivalences(self) -> Any:
        if self._normal_forms is None:
            self._normal_forms = equivalence.NormalForms(self._fixtures / "equivalences.json")
        return self._normal_forms


def _first_difference(want: Json, got: Json, at: str = "") -> tuple[Difference, ...]:
    """The first difference, as the judge found it: all of them, for people, take deepdiff a hundred times as long."""
    found = match(want, got)
    assert found is not None
    return (Difference(at + found.pointer, found.kind, None, None),)


class _Recording(Port):
    """The reference, keeping a trace of what it does."""

    trace: Trace

    def handle(self, message: dict[str, Any]) -> dict[str, Any]:
        self.trace.answer = super().handle(message)
        return self.trace.answer

    def _sent(self, step: Send, do: Any, limits: Limits) -> Any:
        scripted = self.trace.case.exchanges
        reply = scripted[len(self.trace.exchanges) % len(scripted)].reply if scripted else Reply()
        sent = Sent(step.request.url, pairs(step.request.headers), step.request.body)

        def keep(got: Received | TransportError) -> None:
            stalled = reply.fault == "stall" and isinstance(got, TransportError)
            self.trace.exchanges.append(Exchanged(sent, got, _wire(reply), stalled))

        try:
            answer = do(step)
        except TransportError as wrong:
            keep(wrong)
            raise
        if isinstance(answer, Answered):
            keep(Received(answer.status, pairs(answer.headers), answer.body))
            return answer
        keep(_streamed(answer, reply))
        if not _pieces(reply):
            answer = Live(answer.status, answer.headers, answer.first, _Kept(answer.source, self.trace.exchanges[-1]))
        return answer


class _Kept:
    """A live answer whose pieces no script names, kept as it is read."""

    def __init__(self, source: Any, exchange: Exchanged) -> None:
        self._source = source
        self._exchange = exchange

    def read(self) -> bytes | None:
        got = self._exchange.got
        assert isinstance(got, Received)
        try:
            chunk: bytes | None = self._source.read()
        except TransportError:
            self._exchange.got = got.with_chunks([got.body], "broken")
            raise
        if chunk is not None:
            self._exchange.got = got.with_chunks([got.body + chunk])
        return chunk

    def close(self) -> None:
        self._source.close()


def _pieces(reply: Reply) -> tuple[bytes, ...]:
    """The pieces in which a streamed reply is written; which of them arrive together is chance."""
    return encode(reply).pieces if reply.kind in ("sse", "chunks") else ()


_ENDINGS: Final[dict[str | None, Ending]] = {"close-mid-body": "broken", "stall": "stalled"}


def _streamed(answer: Live, reply: Reply) -> Received:
    """A live answer whole, as its script has it; where that says nothing, what has come so far."""
    ending = _ENDINGS.get(reply.fault, "whole")
    return Received(answer.status, pairs(answer.headers), b"", ()).with_chunks(_pieces(reply) or [answer.first], ending)


def _wire(reply: Reply) -> bytes | None:
    """All that the socket carries, where a case says so."""
    if reply.kind == "wire":
        return encode(reply).wire
    if reply.fault == "close-mid-body":
        return encode(reply).cut_short()
    return None


def _outcome(port: Port, message: dict[str, Any]) -> tuple[Outcome, tuple[str, ...]]:
    """What a port answers, as the kit's driver would say it, and what it wrote to stderr."""
    written = io.StringIO()
    with contextlib.redirect_stderr(written):
        outcome = _answered(port, message)
    return outcome, tuple(written.getvalue().splitlines()[-64:])


def _answered(port: Port, message: dict[str, Any]) -> Outcome:
    try:
        tree = from_python(port.handle(message))
    except Hung:
        return NoAnswer("timeout", "the port hung")
    except BadPointer as wrong:
        return NoAnswer("protocol", str(wrong))
    except Exception as wrong:
        return NoAnswer("raised", repr(wrong))
    fault = reply_fault(tree)
    return Answer(tree) if fault is None and isinstance(tree, dict) else NoAnswer("protocol", str(fault))


def touches(mutant: Mutant, trace: Trace) -> bool:
    """Whether a mutant changes anything in the reference's run of a case."""
    return any(before is not after for before, after in _seen_by(mutant, trace))


def _seen_by(mutant: Mutant, trace: Trace) -> Iterator[tuple[Any, Any]]:
    """Each value the mutant is shown in the trace, and what it makes of it."""
    ask = Ask(trace.message)
    spoil = mutant.spoil
    if mutant.level == "exchanges":  # may do anything
        yield None, mutant
    if mutant.level == "makes" and trace.failed:  # what follows a failed attempt
        yield None, mutant
    if mutant.level == "asks":
        yield trace.message, spoil(trace.message, ask)
    for one in trace.exchanges:
        if mutant.level == "sends":
            yield one.sent, spoil(one.sent, ask)
        ask.wire = one.wire
        if mutant.level == "reads" and isinstance(one.got, Received):
            yield one.got, spoil(one.got, ask)
        ask.exchanges.append((one.sent, one.got))
    if mutant.level == "answers":
        yield trace.answer, spoil(trace.answer, ask)
