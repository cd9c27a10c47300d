"""What the Python adapters of other people's translators share: the protocol loop, and both ends' plain shapes.

An adapter gives `serve` a function from a message to a reply. It asks the library in the library's own words and reads
the answer as a user would: nothing lost is repaired here, nothing kept is spoiled. Where the library streams, it
gives a second one, from a message to OpenAI's chunks.
"""

from __future__ import annotations

import contextlib
import json
import re
import sys
from collections.abc import Callable, Generator
from typing import Any

Reply = dict[str, Any]


class Cannot(Exception):
    """The library has no way to be asked for this; the text says what is missing."""


class Unscripted(Exception):
    """The stub's word (422 and its marker header) that the library let through what the case wanted refused."""


# -- did the library reach the provider? ------------------------------------------------------------------------------

_connections = 0
_before = 0


def connections() -> int:
    """How many connections the library opened for the message in hand."""
    return _connections - _before


def _audit(event: str, _: tuple[Any, ...]) -> None:
    global _connections
    if event == "socket.connect":
        _connections += 1


# -- asking -----------------------------------------------------------------------------------------------------------

RETRIES = "retries are off: how a library tries again is no part of translating"


def request_of(message: dict[str, Any]) -> dict[str, Any]:
    """The request as a caller in Python would have it."""
    if "request" in message:
        return message["request"]
    try:
        return json.loads(message["request_text"])
    except (ValueError, RecursionError) as wrong:
        raise Cannot(f"Python's json does not read this request: {wrong}") from None


def chat_body(message: dict[str, Any]) -> dict[str, Any]:
    """The request as one Chat Completions body, without `model`: params beside the rest, top-level nulls left out."""
    request = request_of(message)
    if str(request.get("system") or "").strip():
        raise Cannot("there is no system override beside the messages")
    params = request.get("params")
    body = {name: value for name, value in request.items() if name not in ("params", "system", "model")}
    if isinstance(params, dict):
        body = {**params, **body}
    return {name: value for name, value in body.items() if value is not None}


def settings(message: dict[str, Any], *known: str) -> dict[str, Any]:
    """The client's settings; raises `Cannot` for one that is not `known`, i.e. that the library has no setting for.

    Retries are off: each library's own policy, and its waits, are no part of translating.
    """
    client: dict[str, Any] = message["client"]
    if client.get("retries") != 0:
        raise Cannot(RETRIES)
    if unknown := set(client) - {"style", "base_url", "model", "api_key", "retries", "retry_base_ms", *known}:
        raise Cannot(f"there is no setting for {', '.join(sorted(unknown))}")
    return client


def headers_of(client: dict[str, Any]) -> dict[str, str]:
    """The configured headers; the provider's version is one."""
    version = {"anthropic-version": client["anthropic_version"]} if "anthropic_version" in client else {}
    return {**version, **client.get("headers", {})}


# -- answering --------------------------------------------------------------------------------------------------------

_DETAILS = (("prompt", "cached_tokens"), ("prompt", "cache_write_tokens"), ("completion", "reasoning_tokens"))

#: What a caller sends back in the history, beside role and content.
_MESSAGE = ("tool_calls", "refusal", "reasoning_content", "thinking_blocks")
_CALL = ("id", "type", "function", "custom")

#: What a fragment of a call holds, and the function in it.
_FRAGMENT = ("index", *_CALL, "name", "arguments", "input")


def result_of(completion: dict[str, Any]) -> Reply:
    """A chat.completion, as plain values, as a result."""
    choice = completion["choices"][0]
    said = choice["message"]
    return {
        "result": {
            "text": said.get("content"),
            "tool_calls": [_call(call) for call in said.get("tool_calls") or []],
            "finish_reason": choice.get("finish_reason"),
            "usage": _counts(completion.get("usage") or {}),
            "model": completion.get("model"),
            "refusal": said.get("refusal"),
            "reasoning": _reasoning(said),
            "message": {"role": "assistant", "content": said.get("content") or None, **_kept(said)},
        }
    }


def _counts(usage: dict[str, Any]) -> dict[str, Any]:
    counts = {name: usage[name] for name in ("prompt_tokens", "completion_tokens", "total_tokens") if name in usage}
    for kind, name in _DETAILS:
        if (found := (usage.get(f"{kind}_tokens_details") or {}).get(name)) is not None:
            counts[name] = found
    return counts


def _kept(said: dict[str, Any]) -> dict[str, Any]:
    kept = {name: said[name] for name in _MESSAGE if said.get(name)}
    if "tool_calls" in kept:
        kept["tool_calls"] = [{name: call[name] for name in _CALL if name in call} for call in kept["tool_calls"]]
    return kept


def _reasoning(said: dict[str, Any]) -> Any:
    found = said.get("reasoning_content") or said.get("reasoning")
    return found.get("content") if isinstance(found, dict) else found


def _call(call: dict[str, Any]) -> dict[str, Any]:
    if call.get("type") == "custom":
        return {
            "id": call["id"],
            "type": "custom",
            "name": call["custom"]["name"],
            "arguments": call["custom"]["input"],
        }
    inner = call["function"]
    return {"id": call["id"], "type": "function", "name": inner["name"], "arguments": inner["arguments"]}


def error(kind: str, wrong: BaseException, **more: Any) -> Reply:
    """An error of a kind; what has no value is left out."""
    said = {"kind": kind, "message": str(wrong) or type(wrong).__name__, **more}
    return {"error": {name: value for name, value in said.items() if value is not None}}


def sdk_error(wrong: BaseException) -> Reply | None:
    """The error of an official SDK (anthropic and openai are made alike), wherever a library passes it on.

    Once a stream has begun, an SDK lets the errors of httpx through as they are.
    """
    names = {kind.__name__ for kind in type(wrong).__mro__}
    if "APITimeoutError" in names:
        return error("transport", wrong, type="timeout")
    if "APIConnectionError" in names or "TransportError" in names:
        return error("transport", wrong, type=connection_fault(wrong))
    if "APIResponseValidationError" in names:
        return error("invalid-response", wrong)
    if "APIStatusError" not in names:
        return None
    body: Any = wrong.body  # type: ignore[attr-defined]
    inner = body.get("error") if isinstance(body, dict) else None
    inner = inner if isinstance(inner, dict) else {}
    return error(
        "provider",
        wrong,
        status=wrong.status_code,  # type: ignore[attr-defined]
        retry_after=wrong.response.headers.get("retry-after"),  # type: ignore[attr-defined]
        request_id=getattr(wrong, "request_id", None),
        **{name: inner[name] for name in ("type", "message", "param") if isinstance(inner.get(name), str)},
        code=inner.get("code"),
    )


def connection_fault(wrong: BaseException) -> str:
    """`connect`, `timeout` or `reset`, by the name of the httpx error underneath."""
    cause: BaseException | None = wrong
    while cause is not None:
        name = type(cause).__name__
        if "Timeout" in name:
            return "timeout"
        if name in ("ConnectError", "ConnectionRefusedError"):
            return "connect"
        cause = cause.__cause__ or cause.__context__
    return "reset"


# -- streams ----------------------------------------------------------------------------------------------------------


class Streamed:
    """A stream's chunks as deltas, and what a caller adds them up to."""

    def __init__(self) -> None:
        self.deltas: list[dict[str, Any]] = []
        self._texts: dict[str, str] = {}
        self._calls: dict[Any, dict[str, str]] = {}
        self._finish: Any = None
        self._usage: Any = None
        self._model: Any = None

    def add(self, chunk: dict[str, Any]) -> None:
        """One chat.completion.chunk, as plain values: its delta, then finish and usage as deltas of their own."""
        self._model = chunk.get("model") or self._model
        choice = next(iter(chunk.get("choices") or ()), {})
        if delta := _delta(choice.get("delta") or {}):
            self.deltas.append(delta)
            self._fold(delta)
        if (finish := choice.get("finish_reason")) is not None:
            self._finish = finish
            self.deltas.append({"finish_reason": finish})
        if usage := chunk.get("usage"):
            self._usage = usage
            self.deltas.append({"usage": _counts(usage)})

    def _fold(self, delta: dict[str, Any]) -> None:
        for name in ("content", "reasoning_content", "refusal"):
            if name in delta:
                self._texts[name] = self._texts.get(name, "") + delta[name]
        for piece in delta.get("tool_calls", ()):
            kind = "custom" if "custom" in piece else "function"
            call = self._calls.setdefault(piece.get("index"), {"id": "", "kind": kind, "name": "", "given": ""})
            inner = piece.get(kind, {})
            call["id"] = call["id"] or piece.get("id", "")
            call["name"] = call["name"] or inner.get("name", "")
            call["given"] += inner.get("input" if kind == "custom" else "arguments", "")

    def completion(self) -> dict[str, Any]:
        """The chat.completion that the chunks add up to."""
        calls = [_whole_call(**call) for call in self._calls.values()]
        message = {"content": None, **self._texts, "tool_calls": calls}
        choice = {"message": message, "finish_reason": self._finish}
        return {"model": self._model, "choices": [choice], "usage": self._usage}


def _delta(said: dict[str, Any]) -> dict[str, Any]:
    """What of a chunk's delta the protocol writes: no remarks of the library's own, and nothing that says nothing."""
    known = {
        "role": said.get("role"),
        "reasoning_content": _reasoning(said),
        "content": said.get("content"),
        "refusal": said.get("refusal"),
        "tool_calls": [_piece(call) for call in said.get("tool_calls") or ()],
    }
    return {name: value for name, value in known.items() if value}


def _piece(call: dict[str, Any]) -> dict[str, Any]:
    return {name: _told(value) if isinstance(value, dict) else value for name, value in _told(call).items()}


def _told(value: dict[str, Any]) -> dict[str, Any]:
    return {name: item for name, item in value.items() if item is not None and name in _FRAGMENT}


def _whole_call(id: str, kind: str, name: str, given: str) -> dict[str, Any]:
    return {"id": id, "type": kind, kind: {"name": name, "input" if kind == "custom" else "arguments": given}}


# -- the protocol -----------------------------------------------------------------------------------------------------

Translate = Callable[[dict[str, Any]], Reply]

#: Gives the chunks of a stream as they come; what it returns is the result, where the library adds them up itself.
Stream = Callable[[dict[str, Any]], Generator[dict[str, Any], None, Reply | None]]


def serve(
    port: dict[str, str],
    translate: Translate,
    read_error: Callable[[BaseException], Reply | None] = sdk_error,
    own_errors: tuple[type[BaseException], ...] = (),
    stream: Stream | None = None,
) -> None:
    """Answer messages until `bye` or the end of input; without `stream` the port declares none.

    `read_error` reads the library's errors about the call; a ValueError or one of `own_errors` otherwise is the
    library's word about the request, or about the answer once the provider was reached. Anything else that is raised
    is a crash, and replied as a skip, which no run counts as green.
    """
    sys.addaudithook(_audit)
    out, sys.stdout = sys.stdout, sys.stderr  # what a library prints is no protocol
    capabilities = ["anthropic", *(["stream"] if stream is not None else [])]
    for line in sys.stdin.buffer:
        try:
            message = json.loads(line)
        except (ValueError, RecursionError) as wrong:
            if (found := re.search(rb'"id":"([^"]+)"', line)) is not None:
                reason = f"Python's json does not read this request: {wrong}"
                _say(out, {"id": found[1].decode(), "skip": {"reason": reason}})
            continue
        if message["op"] == "bye":
            break
        if message["op"] == "hello":
            _say(out, {"op": "hello", "protocol": 1, "port": port, "capabilities": capabilities})
        else:
            reply = _answer(message, translate, stream, lambda wrong: _fault(wrong, read_error, own_errors))
            _say(out, {"id": message["id"], **reply})


def _answer(
    message: dict[str, Any],
    translate: Translate,
    stream: Stream | None,
    fault: Callable[[Exception], Reply],
) -> Reply:
    op = message["op"]
    if op not in ("translate", "stream" if stream is not None else "") or message["client"]["style"] != "anthropic":
        return {"skip": {"reason": f"the adapter has no {op} in this style"}}
    global _before
    _before = _connections
    streamed = Streamed()
    try:
        for _ in range(message.get("repeat", 1)):
            if op == "stream" and stream is not None:
                streamed = Streamed()
                reply = {"deltas": streamed.deltas, **_heard(stream(message), streamed)}
            else:
                reply = translate(message)
        return reply
    except Exception as wrong:
        reply = fault(wrong)
        return {"deltas": streamed.deltas, **reply} if op == "stream" and "error" in reply else reply


def _heard(chunks: Generator[dict[str, Any], None, Reply | None], streamed: Streamed) -> Reply:
    """The result of a stream that came whole."""
    while True:
        try:
            streamed.add(next(chunks))
        except StopIteration as end:
            return end.value or result_of(streamed.completion())


def _fault(
    wrong: Exception,
    read_error: Callable[[BaseException], Reply | None],
    own_errors: tuple[type[BaseException], ...],
) -> Reply:
    if isinstance(wrong, Cannot):
        return {"skip": {"reason": str(wrong)}}
    if isinstance(wrong, Unscripted):
        return error("provider", wrong, status=422)
    if (reply := read_error(wrong)) is not None:
        return reply
    if isinstance(wrong, (ValueError, *own_errors)):
        return error("invalid-response" if connections() else "invalid-request", wrong)
    said = " ".join(str(wrong).split())
    return {"skip": {"reason": f"the library raised {type(wrong).__name__}: {said}"[:500]}}


def _say(out: Any, reply: Reply) -> None:
    with contextlib.suppress(ValueError):
        json.dumps(reply, allow_nan=False)
        out.write(json.dumps(reply, separators=(",", ":")) + "\n")
        out.flush()
        return
    out.write(json.dumps({"id": reply["id"], "skip": {"reason": "the library gave a number JSON cannot hold"}}) + "\n")
    out.flush()
