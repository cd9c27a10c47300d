"""No error, in whatever form it is shown, holds a key, a header or what was said (clause `secrets.never-shown`)."""

from __future__ import annotations

import asyncio
import copy
import logging
import pickle
import traceback
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from toolnexus import (
    AsyncClient,
    Client,
    InvalidRequest,
    InvalidResponse,
    ProviderError,
    TranslateError,
    TranslateRequest,
    TranslateResult,
    TransportError,
    decode,
    encode,
)

PROMPT = "what-the-user-said"
MESSAGES = [{"role": "user", "content": PROMPT}]
STYLES = pytest.mark.parametrize("style", ["anthropic", "openai"])


def echo(status: int) -> Callable[..., Any]:
    """A provider that repeats the key it was sent, wherever it can."""

    def script(seen: Any, wire: Any) -> None:
        key = seen.header("x-api-key") or seen.header("authorization")
        error = {"type": key, "message": f"no: {key}", "code": key, "param": key}
        data = msgspec.json.encode({"type": "error", "error": error, "request_id": key})
        wire.send(f"HTTP/1.1 {status} X\r\ncontent-length: {len(data)}\r\n\r\n".encode() + data)

    return script


FAULTS: dict[str, Callable[..., Any]] = {
    "provider error": echo(401),
    "error in a 200": echo(200),
    "no answer": lambda seen, wire: wire.send(b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nnull"),
    "reset": lambda seen, wire: wire.reset(),
    "close": lambda seen, wire: wire.close(),
    "cut": lambda seen, wire: (wire.send(b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"), wire.close()),
    "no HTTP": lambda seen, wire: (wire.send(b"SSH-2.0-x\r\n\r\n"), wire.close()),
    "bad gzip": lambda seen, wire: wire.send(
        b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 4\r\n\r\nabcd"
    ),
    "stall": lambda seen, wire: wire.stall(),
    "too large": lambda seen, wire: wire.send(b"HTTP/1.1 200 OK\r\ncontent-length: 9000\r\n\r\n" + b"x" * 9000),
}


def raised(provider: Any, kind: str, style: Any, **settings: Any) -> TranslateError:
    """The error of one call that fails."""
    given = {"read_timeout_ms": 100, "retries": 1, "retry_base_ms": 0, "max_response_bytes": 5000, **settings}
    headers = {"x-note": "header-value"}

    async def call() -> None:
        async with AsyncClient(provider.url, style, "m", provider.key, headers, **given) as client:
            await client.translate(MESSAGES)

    try:
        if kind == "async":
            asyncio.run(call())
        else:
            with Client(provider.url, style, "m", provider.key, headers, **given) as client:
                client.translate(MESSAGES)
    except TranslateError as error:
        return error
    raise AssertionError("the call succeeded")


def chained(error: BaseException | None) -> list[BaseException]:
    """An error and everything that hangs on it."""
    found: list[BaseException] = []
    waiting = [error]
    while waiting:
        one = waiting.pop()
        if one is not None and one not in found:
            found.append(one)
            waiting += [one.__cause__, one.__context__]
    return found


def holds_no_frames(error: BaseException) -> None:
    """Nothing that hangs on an error keeps the exchange, and with it the request, alive."""
    assert [one for one in chained(error)[1:] if one.__traceback__ is not None] == []


def with_locals(error: BaseException) -> str:
    """What crash reporters collect: the locals of each frame but this file's, of the error and its chain."""
    shown = []
    for one in chained(error):
        for frame in traceback.TracebackException.from_exception(one, capture_locals=True).stack:
            if frame.filename != __file__:
                shown.append(f"{frame.filename} {frame.name} {frame.locals}")
    assert any("toolnexus" in frame for frame in shown)
    return "\n".join(shown)


@STYLES
@pytest.mark.parametrize("kind", ["sync", "async"])
@pytest.mark.parametrize("fault", FAULTS)
def test_no_traceback_holds_the_key_even_with_its_locals(provider: Any, fault: str, kind: str, style: str) -> None:
    provider.script = FAULTS[fault]
    error = raised(provider, kind, style)
    text = "".join(traceback.format_exception(error))
    assert provider.key not in text
    assert "Authorization" not in text
    assert "header-value" not in text
    assert PROMPT not in text
    for one in chained(error):
        for held in (str(one), repr(one), repr(vars(one)), repr(one.args)):
            assert provider.key not in held
        # httpx keeps the request, with every header, on its errors.
        assert getattr(one, "_request", None) is None
    if isinstance(error, TransportError):
        assert provider.key not in with_locals(error)
        holds_no_frames(error)


@STYLES
@pytest.mark.parametrize("kind", ["sync", "async"])
def test_a_refused_connection_holds_no_key(provider: Any, kind: str, style: str) -> None:
    provider.stop()
    error = raised(provider, kind, style)
    assert isinstance(error, TransportError)
    assert error.kind == "connect"
    assert provider.key not in with_locals(error)
    # The reason is there all the same.
    assert "ConnectError" in "".join(traceback.format_exception(error))


@STYLES
@pytest.mark.parametrize("kind", ["sync", "async"])
def test_a_call_past_its_deadline_holds_no_key(provider: Any, kind: str, style: str) -> None:
    provider.script = lambda seen, wire: wire.drip(b"HTTP/1.1 200 OK\r\n" * 100, 0.02)
    error = raised(provider, kind, style, timeout_ms=150)
    assert provider.key not in with_locals(error)
    holds_no_frames(error)


ERRORS = [
    InvalidRequest("no", "/messages/0"),
    ProviderError("no", status=429, type="t", param="p", code="c", request_id="r", retry_after="5", http_status=200),
    InvalidResponse("no", status=200, excerpt="x", request_id="r"),
    TransportError("no", kind="reset"),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_errors_survive_pickling_and_copying(error: TranslateError) -> None:
    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(other) is type(error)
        assert str(other) == str(error)
        assert other.args == error.args
        assert vars(other) == vars(error)
    if isinstance(error, ProviderError):
        assert pickle.loads(pickle.dumps(error)).to_openai() == error.to_openai()


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_every_error_is_a_translate_error_and_says_what_it_is(error: TranslateError) -> None:
    assert isinstance(error, TranslateError)
    assert "no" in str(error)
    assert type(error).__name__ in repr(error)


REQUEST: dict[str, Any] = {
    "tools": [{"type": "function", "function": {"name": "f", "description": "tool-text"}}],
    "tool_choice": "auto",
    "system": "system-text",
    "max_tokens": 5,
    "params": {"user": "user-text"},
}


def test_requests_show_which_fields_they_hold_and_nothing_of_them() -> None:
    by_values = TranslateRequest(MESSAGES, **REQUEST)
    by_body = TranslateRequest.from_json(msgspec.json.encode({"messages": MESSAGES, **REQUEST}))
    for request in (by_values, by_body):
        for other in (request, copy.copy(request), copy.deepcopy(request), pickle.loads(pickle.dumps(request))):
            for text in (repr(other), str(other), f"{other}"):
                assert "messages" in text
                for said in (PROMPT, "tool-text", "system-text", "user-text"):
                    assert said not in text


@STYLES
def test_a_copied_request_is_the_same_request(style: Any, provider: Any) -> None:
    config = Client(provider.url, style, "m", provider.key).config
    plain = {"messages": MESSAGES}
    for request in (
        TranslateRequest(MESSAGES, **REQUEST),
        TranslateRequest.from_json(msgspec.json.encode({"messages": MESSAGES, **REQUEST})),
        TranslateRequest.from_json(msgspec.json.encode(plain)),
    ):
        sent = encode(request, config)
        for other in (copy.copy(request), copy.deepcopy(request), pickle.loads(pickle.dumps(request))):
            assert encode(other, config).body == sent.body
        for text in (repr(sent), str(sent), repr(copy.copy(sent)), repr(pickle.loads(pickle.dumps(sent)))):
            assert provider.key not in text
            assert PROMPT not in text


@STYLES
def test_a_result_survives_pickling_and_shows_nothing_of_the_answer(style: Any, provider: Any) -> None:
    config = Client(provider.url, style, "m", provider.key).config
    body = provider.good(type("Seen", (), {"target": config.url})).partition(b"\r\n\r\n")[2]
    result = decode(200, [], body.replace(b"hello", b"what-it-answered"), config)
    for other in (result, copy.copy(result), copy.deepcopy(result), pickle.loads(pickle.dumps(result))):
        assert isinstance(other, TranslateResult)
        assert "what-it-answered" not in repr(other) + str(other)
        assert other.text == "what-it-answered"
        assert other.raw == result.raw
        assert other.to_message() == result.to_message()
        assert other.usage == result.usage


def test_nothing_of_ours_logs(provider: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    provider.replies(lambda seen, wire: wire.reset(), provider.good)
    provider.script = lambda seen, wire: wire.send(provider.good(seen))
    with Client(provider.url, "anthropic", "m", provider.key, retry_base_ms=0) as client:
        client.translate(MESSAGES)
        provider.script = lambda seen, wire: wire.reset()
        with pytest.raises(TransportError):
            client.translate(MESSAGES)
    ours = [record for record in caplog.records if record.name.partition(".")[0] not in ("httpx", "httpcore")]
    assert ours == []
