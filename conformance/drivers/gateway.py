"""An OpenAI-compatible gateway whose upstream is the stub: `--toolnexus-port http://…/v1 --toolnexus-stub-port 8089`.

A gateway that hands the caller's key on has several cases on their way; one that hides keys runs one at a time. Where
no call reached the stub, a refusal is `invalid-request`; where one did, it is `provider`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import httpx

from conformance.case import Case
from conformance.drivers import Driver, Run
from conformance.drivers.chat import NoCompletion, body_for, result_of, words_for
from conformance.drivers.chunks import Streamed, events, streamed
from conformance.drivers.message import Hello, Message, reply_fault
from conformance.drivers.probe import MODELS, Upstream, probe, wait_until_ready
from conformance.faults import PortFault, UsageFault
from conformance.observation import Answer, NoAnswer, NotStarted, Outcome
from conformance.shape import STYLES
from conformance.tree import Json, NotJson, Number, compact, read_bytes

if TYPE_CHECKING:
    from conformance.options import Options
    from conformance.stub import Stub

#: How many cases are on their way where the key says whose call it is.
IN_FLIGHT: Final = 4

#: Each call has a connection of its own: a kept one may be closed by the gateway just when it is used again.
_FRESH: Final = httpx.Limits(max_keepalive_connections=0)

#: Settings of a case's client that are not looked at here; a case without retries is what a gateway has to be set to.
_NOT_SETTINGS: Final = frozenset(("style", "base_url", "model", "retries", "retry_base_ms"))

#: Where a case's client may call: what a gateway's upstream is set to.
_BASES: Final = ("{stub}", "{stub}/v1")

#: What a stream's chunks can say of a message; a call's `custom` form is none of it.
_STREAMED: Final = frozenset(("role", "content", "refusal", "reasoning_content", "tool_calls"))
_STREAMED_CALL: Final = frozenset(("id", "type", "function"))


class Gateway(Driver):
    """Posts Chat Completions bodies to `{url}/chat/completions`."""

    def __init__(self, url: str, options: Options) -> None:
        if not options.stub_port:
            raise UsageFault(
                f"{url} needs --toolnexus-stub-port N: point the gateway's upstream at http://127.0.0.1:N first"
            )
        self._url = url.rstrip("/")
        self._headers = [_header(text) for text in options.headers]
        self._named = dict(_model(text) for text in options.models)
        self._http = httpx.Client(trust_env=False, follow_redirects=False, limits=_FRESH)
        self._upstreams: dict[str, Upstream] = {}
        self._stub: Stub | None = None
        self._pool: ThreadPoolExecutor | None = None
        self._gone = ""

    def start(self, corpus: str, stub: Stub | None = None) -> Hello:
        """Wait until it answers, then see where it calls, by which model's name and with which key."""
        assert stub is not None
        self._stub = stub
        server = wait_until_ready(self._url, self._http, stub.url)
        stub.keyless = True
        said: dict[str, str] = {}
        for style in STYLES:
            name = self._named.get(style) or self._named.get("") or MODELS[style]
            found = probe(style, name, stub, self._post)
            if isinstance(found, str):
                said[name] = found
            elif found.style not in self._upstreams:
                self._upstreams[found.style] = found
        if not self._upstreams:
            self.stop()
            raise PortFault(self._unreached(stub.url, said))
        self._refuse_strange_models()
        stub.keyless = not all(found.keyed for found in self._upstreams.values())
        width = 1 if stub.keyless else IN_FLIGHT
        self._pool = ThreadPoolExecutor(width, thread_name_prefix="toolnexus-gateway")
        styles = tuple(style for style in STYLES if style in self._upstreams)
        return Hello("gateway", "http", server or "?", (*styles, "stream"), max_in_flight=width, url=self._url)

    def _unreached(self, stub: str, said: dict[str, str]) -> str:
        told = "; ".join(f"asked for {name!r} it answered {answer}" for name, answer in said.items())
        return (
            f"no call of the gateway at {self._url} reached the stub: {told}. Is that its whole base URL, with /v1? "
            f"Is its upstream {stub}? Does it know the "
            "model (--toolnexus-model NAME)? Does it want a key (--toolnexus-header 'Authorization: Bearer …')?"
        )

    def _refuse_strange_models(self) -> None:
        for style, found in self._upstreams.items():
            if found.sends not in (found.name, MODELS[style]):
                self.stop()
                raise PortFault(
                    f"asked for {found.name!r} the gateway sends its upstream the model {found.sends!r}; "
                    f"the cases are about {MODELS[style]!r}: let it send that"
                )

    # -- asking -------------------------------------------------------------------------------------------------------

    def cannot(self, case: Case) -> tuple[str, ...]:
        """Everything of a case that a caller of a gateway cannot say or see."""
        return tuple(self._cannot(case))

    def _cannot(self, case: Case) -> Iterator[str]:
        upstream = self._upstreams.get(case.style)
        if upstream is None:
            return
        client = case.client
        yield from (f"client.{name}" for name in client if name not in _NOT_SETTINGS and client[name] != "{key}")
        if client["base_url"] not in _BASES:
            yield "client.base_url"
        if client.get("retries") != Number("0"):
            yield "client.retries"
        if upstream.name != upstream.sends and client["model"] != upstream.sends:
            yield f"model {client['model']}"
        if any(other.name == client["model"] for other in self._upstreams.values() if other is not upstream):
            yield f"model {client['model']} (it leads elsewhere)"
        if not upstream.keyed and any("{key}" in compact(dict(row.expect.headers)) for row in case.exchanges):
            yield "the key (the gateway hides it)"
        yield from words_for(case.request_text, stream=case.op == "stream")
        yield from _unseen(case)

    def send(self, message: Message) -> _Sent:
        """Post the message's request; the answer comes when it comes."""
        assert self._pool is not None
        return _Sent(self._pool.submit(self._run, message))

    def _run(self, message: Message) -> Run:
        if self._gone:
            return Run(NotStarted(self._gone))
        began = time.perf_counter()
        for _ in range(message.repeat):
            outcome = self._asked(message)
        return Run(outcome, (), (time.perf_counter() - began) * 1000)

    def _asked(self, message: Message) -> Outcome:
        assert self._stub is not None
        client = message.client or {}
        key, upstream = str(client["api_key"]), self._upstreams[str(client["style"])]
        name = upstream.name if upstream.name != upstream.sends else str(client["model"])
        body = body_for(message.request_text or "{}", name, stream=message.op == "stream")
        try:
            answer = self._post(body, key, upstream.style, message.deadline_ms / 1000)
        except httpx.TimeoutException:
            return NoAnswer("timeout", f"no answer within {message.deadline_ms} ms", True)
        except httpx.ConnectError as wrong:
            self._gone = f"the gateway at {self._url} is gone: {wrong}"
            return NoAnswer("died", self._gone, True)
        except httpx.HTTPError as wrong:
            return NoAnswer("protocol", f"the gateway broke off its answer: {wrong}", True)
        if answer.status_code >= 300:
            refused = _refused(answer, touched=self._stub.reached(key) > 0)
            return Answer({"deltas": [], **refused.value}, openai=True) if message.op == "stream" else refused
        return _read_stream(answer) if message.op == "stream" else _read_plain(answer)

    def _post(self, body: bytes, key: str, style: str, seconds: float = 30.0) -> httpx.Response:
        """One call. A stream that is cut is read as far as it came."""
        assert self._stub is not None
        headers = httpx.Headers({"authorization": f"Bearer {key}", "content-type": "application/json"})
        for name, value in self._headers:
            filled = value.replace("{stub}", self._stub.url).replace("{key}", key).replace("{style}", style)
            headers[name] = filled
        url = f"{self._url}/chat/completions"
        until = time.monotonic() + seconds
        with self._http.stream("POST", url, content=body, headers=headers, timeout=seconds) as answer:
            pieces: list[bytes] = []
            try:
                for piece in answer.iter_bytes():
                    pieces.append(piece)
                    if time.monotonic() > until:
                        raise httpx.ReadTimeout("the answer goes on and on")
            except httpx.RemoteProtocolError:
                if "text/event-stream" not in answer.headers.get("content-type", ""):
                    raise
            return httpx.Response(answer.status_code, headers=_plain(answer.headers), content=b"".join(pieces))

    def stop(self) -> None:
        """Close the connections; the gateway itself is not ours to end."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
        self._http.close()


@dataclass(frozen=True, slots=True)
class _Sent:
    future: Future[Run]

    def wait(self) -> Run:
        return self.future.result()


# -- reading ----------------------------------------------------------------------------------------------------------


def _plain(headers: httpx.Headers) -> list[tuple[bytes, bytes]]:
    """The headers of a body that has been decoded, as bytes: a gateway may send more than ASCII."""
    return [row for row in headers.raw if row[0].lower() not in (b"content-encoding", b"transfer-encoding")]


def _refused(answer: httpx.Response, *, touched: bool) -> Answer:
    kind = "provider" if touched or answer.status_code >= 500 else "invalid-request"
    error: dict[str, Json] = {"kind": kind, "status": Number(answer.status_code)}
    error["retry_after"] = answer.headers.get("retry-after")
    try:
        match read_bytes(answer.content):
            case {"error": {"message": str() as message}}:
                error["message"] = message
    except NotJson:
        pass
    return Answer({"error": error}, openai=True)


def _read_plain(answer: httpx.Response) -> Outcome:
    try:
        return _checked({"result": result_of(read_bytes(answer.content))})
    except NotJson as wrong:
        return NoAnswer("protocol", f"the gateway's {answer.status_code} is no JSON ({wrong.message})", True)
    except NoCompletion as wrong:
        return NoAnswer("protocol", f"the gateway's {answer.status_code} is no chat.completion: {wrong}", True)


def _read_stream(answer: httpx.Response) -> Outcome:
    kind = answer.headers.get("content-type", "")
    if "text/event-stream" not in kind:
        return NoAnswer("protocol", f"the gateway answered a stream with {kind or 'no content type'}", True)
    found: Streamed = streamed(events(answer.content))
    if found.done:
        try:
            return _checked({"deltas": found.deltas, "result": result_of(found.completion())})
        except NoCompletion as wrong:
            return NoAnswer("protocol", f"the gateway's chunks add up to no chat.completion: {wrong}", True)
    error: dict[str, Json] = {"kind": "provider", "message": found.broken}
    return Answer({"deltas": found.deltas, "error": error}, openai=True)


def _checked(value: dict[str, Json]) -> Outcome:
    fault = reply_fault({"id": "gateway", **value})
    if fault is None:
        return Answer(value, openai=True)
    return NoAnswer("protocol", f"the gateway's answer {fault.partition('; right is')[0]}", True)


# -- what a caller can say and see ------------------------------------------------------------------------------------


def _unseen(case: Case) -> Iterator[str]:
    """What a case expects of the result that no Chat Completions answer shows."""
    result = case.result or {}
    if "raw" in result:
        yield "raw (the provider's own reply)"
    if case.op != "stream":
        return
    message = result.get("message")
    if isinstance(message, dict) and not _can_stream(message):
        yield "message (its extras, in a stream)"
    if any(isinstance(call, dict) and call.get("type") == "custom" for call in _list(result.get("tool_calls"))):
        yield "custom calls in a stream"


def _can_stream(message: dict[str, Json]) -> bool:
    calls = [set(call) for call in _list(message.get("tool_calls")) if isinstance(call, dict)]
    return set(message) <= _STREAMED and all(call <= _STREAMED_CALL for call in calls)


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _header(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon or not name.strip():
        raise UsageFault(f"{name!r} is no header; write --toolnexus-header 'NAME: VALUE'")
    return name.strip(), value.strip()


def _model(text: str) -> tuple[str, str]:
    """A model's name for one style, or for both (`""`)."""
    style, equals, name = text.partition("=")
    if equals and style not in STYLES:
        raise UsageFault(f"{text!r} is no model; write NAME, or {' or '.join(f'{known}=NAME' for known in STYLES)}")
    return (style, name) if equals else ("", text)
