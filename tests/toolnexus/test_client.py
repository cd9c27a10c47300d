"""Client and AsyncClient against a provider on loopback: what goes over the wire, and what comes of its faults."""

from __future__ import annotations

import asyncio
import gc
import gzip
import json
import threading
import time
import warnings
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from toolnexus import (
    AsyncClient,
    Client,
    InvalidRequest,
    InvalidResponse,
    ProviderError,
    Tool,
    Toolkit,
    TranslateRequest,
    TranslateResult,
    TransportError,
)

MESSAGES = [{"role": "user", "content": "hi"}]
Call = Callable[..., TranslateResult]


@pytest.fixture(params=["sync", "async"])
def kind(request: pytest.FixtureRequest) -> str:
    """Which of the two clients."""
    return str(request.param)


@pytest.fixture
def call(kind: str, provider: Any) -> Call:
    """One call of a new client: settings as `client={...}`, the rest as `translate` takes it."""

    def run(messages: Any = MESSAGES, client: dict[str, Any] | None = None, **given: Any) -> TranslateResult:
        settings = {"style": "anthropic", "model": "claude-x", "retries": 0, "base_url": provider.url, **(client or {})}
        if kind == "sync":
            with Client(**settings) as sync_client:
                return sync_client.translate(messages, **given)

        async def awaited() -> TranslateResult:
            async with AsyncClient(**settings) as async_client:
                return await async_client.translate(messages, **given)

        return asyncio.run(awaited())

    return run


def both(kind: str, provider: Any, settings: dict[str, Any], act: Callable[[Any], Any]) -> Any:
    """Runs `act(client)`; for the async client `act` may be a coroutine function or give an awaitable."""
    given = {"style": "anthropic", "model": "claude-x", "retries": 0, "base_url": provider.url, **settings}
    if kind == "sync":
        with Client(**given) as client:
            return act(client)

    async def run() -> Any:
        async with AsyncClient(**given) as client:
            outcome = act(client)
            return await outcome if hasattr(outcome, "__await__") else outcome

    return asyncio.run(run())


# -- what goes over the wire -------------------------------------------------------------------------------------------


def test_one_call_is_one_post_with_the_documented_headers(call: Call, provider: Any) -> None:
    result = call(client={"api_key": provider.key})
    assert (result.text, result.finish_reason) == ("hello", "stop")
    (seen,) = provider.seen
    assert (seen.method, seen.target) == ("POST", "/v1/messages")
    assert seen.header("x-api-key") == provider.key
    assert seen.header("anthropic-version") == "2023-06-01"
    assert seen.header("content-type") == "application/json"
    assert seen.json() == {"model": "claude-x", "max_tokens": 4096, "messages": MESSAGES}


def test_the_openai_style_posts_its_own_way(call: Call, provider: Any) -> None:
    result = call(client={"style": "openai", "model": "gpt-x", "api_key": provider.key})
    assert result.text == "hello"
    (seen,) = provider.seen
    assert seen.target == "/v1/chat/completions"
    assert seen.header("authorization") == f"Bearer {provider.key}"
    assert seen.header("x-api-key") is None


def test_the_key_of_the_environment_is_sent(call: Call, provider: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "from-the-environment")
    call()
    assert provider.seen[0].header("x-api-key") == "from-the-environment"


def test_headers_may_hold_latin_1_and_are_sent_once(call: Call, provider: Any) -> None:
    call(client={"headers": {"x-note": "café", "Content-Type": "application/json; charset=utf-8"}})
    (seen,) = provider.seen
    assert seen.header("x-note") == "café"
    assert seen.header("content-type") == "application/json; charset=utf-8"


def test_every_part_of_a_request_may_be_given_to_translate(call: Call, provider: Any) -> None:
    kit = Toolkit([Tool("from_kit", "d", {})])
    call(
        [{"role": "system", "content": "old"}, *MESSAGES],
        tools=[{"type": "function", "function": {"name": "f"}}],
        toolkit=kit,
        tool_choice="required",
        system="new",
        max_tokens=7,
        params={"temperature": 0.5},
    )
    sent = provider.seen[0].json()
    assert [tool["name"] for tool in sent["tools"]] == ["from_kit", "f"]
    assert (sent["system"], sent["max_tokens"], sent["temperature"]) == ("new", 7, 0.5)
    assert sent["tool_choice"] == {"type": "any"}


def test_a_whole_request_may_be_given_and_takes_a_toolkit_but_nothing_else(call: Call, provider: Any) -> None:
    request = TranslateRequest.from_json(b'{"messages":[{"role":"user","content":"hi"}],"max_tokens":3}')
    call(request, toolkit=Toolkit([Tool("from_kit", "d", {})]))
    assert provider.seen[0].json()["max_tokens"] == 3
    assert provider.seen[0].json()["tools"][0]["name"] == "from_kit"
    assert request.toolkit is None
    with pytest.raises(TypeError):
        call(request, max_tokens=5)
    assert len(provider.seen) == 1


def test_what_cannot_be_sent_reaches_nobody(call: Call, provider: Any) -> None:
    with pytest.raises(InvalidRequest):
        call([{"role": "tool", "tool_call_id": "x", "content": ""}])
    assert provider.seen == []
    assert provider.connections == 0


# -- connections -------------------------------------------------------------------------------------------------------


def test_connections_are_kept_for_the_next_call_even_after_an_error(kind: str, provider: Any) -> None:
    provider.replies(
        provider.http(400, {"error": {"message": "no"}}),
        provider.http(200, provider.anthropic),
    )

    def sync_act(client: Any) -> None:
        with pytest.raises(ProviderError):
            client.translate(MESSAGES)
        for _ in range(5):
            client.translate(MESSAGES)

    async def async_act(client: Any) -> None:
        with pytest.raises(ProviderError):
            await client.translate(MESSAGES)
        for _ in range(5):
            await client.translate(MESSAGES)

    both(kind, provider, {}, sync_act if kind == "sync" else async_act)
    assert len(provider.seen) == 6
    assert provider.connections == 1


def test_a_connection_the_provider_closed_in_between_costs_nothing(kind: str, provider: Any) -> None:
    def script(seen: Any, wire: Any) -> None:
        wire.send(provider.good(seen))
        wire.close()

    provider.script = script

    def sync_act(client: Any) -> None:
        for _ in range(3):
            client.translate(MESSAGES)
            time.sleep(0.05)

    async def async_act(client: Any) -> None:
        for _ in range(3):
            await client.translate(MESSAGES)
            await asyncio.sleep(0.05)

    both(kind, provider, {}, sync_act if kind == "sync" else async_act)
    assert provider.connections == 3
    assert len(provider.seen) == 3


def test_a_closed_client_makes_no_call(kind: str, provider: Any) -> None:
    async def async_act() -> None:
        client = AsyncClient(provider.url, "anthropic", "claude-x")
        await client.translate(MESSAGES)
        await client.aclose()
        await client.aclose()
        with pytest.raises(TransportError) as error:
            await client.translate(MESSAGES)
        assert error.value.kind == "closed"

    if kind == "async":
        asyncio.run(async_act())
    else:
        client = Client(provider.url, "anthropic", "claude-x")
        client.translate(MESSAGES)
        client.close()
        client.close()
        with pytest.raises(TransportError) as error:
            client.translate(MESSAGES)
        assert error.value.kind == "closed"
    assert len(provider.seen) == 1


def test_closing_a_client_closes_its_connections(kind: str, provider: Any) -> None:
    gone = threading.Event()

    def script(seen: Any, wire: Any) -> None:
        wire.send(provider.good(seen))
        if wire.stall():
            gone.set()

    provider.script = script
    both(kind, provider, {}, lambda client: client.translate(MESSAGES))
    assert gone.wait(2)


# -- an http_client of one's own ---------------------------------------------------------------------------------------


def test_an_injected_client_is_used_and_stays_open(kind: str, provider: Any) -> None:
    async def async_act() -> None:
        async with httpx.AsyncClient(headers={"x-mine": "1"}) as mine:
            async with AsyncClient(provider.url, "anthropic", "claude-x", http_client=mine) as client:
                await client.translate(MESSAGES)
            assert not mine.is_closed
            with pytest.raises(TransportError) as error:
                await client.translate(MESSAGES)
            assert error.value.kind == "closed"

    if kind == "async":
        asyncio.run(async_act())
    else:
        with httpx.Client(headers={"x-mine": "1"}) as mine:
            with Client(provider.url, "anthropic", "claude-x", http_client=mine) as client:
                client.translate(MESSAGES)
            assert not mine.is_closed
            with pytest.raises(TransportError) as error:
                client.translate(MESSAGES)
            assert error.value.kind == "closed"
    (seen,) = provider.seen
    assert seen.header("x-mine") == "1"


def test_an_injected_client_that_its_owner_closed_is_not_retried(kind: str, provider: Any) -> None:
    async def async_act() -> None:
        mine = httpx.AsyncClient()
        await mine.aclose()
        with pytest.raises(TransportError) as error:
            await AsyncClient(provider.url, "anthropic", "claude-x", http_client=mine).translate(MESSAGES)
        assert error.value.kind == "closed"

    if kind == "async":
        asyncio.run(async_act())
    else:
        mine = httpx.Client()
        mine.close()
        with pytest.raises(TransportError) as error:
            Client(provider.url, "anthropic", "claude-x", http_client=mine).translate(MESSAGES)
        assert error.value.kind == "closed"
    assert provider.seen == []


def test_beta_flags_of_an_injected_client_are_united_with_the_configured_ones(kind: str, provider: Any) -> None:
    headers = {"anthropic-beta": "shared, theirs", "x-api-key": "theirs"}
    settings = {"headers": {"anthropic-beta": "ours,shared"}, "api_key": provider.key}
    if kind == "sync":
        with httpx.Client(headers=headers) as mine:
            both(kind, provider, {**settings, "http_client": mine}, lambda client: client.translate(MESSAGES))
    else:

        async def run() -> None:
            async with httpx.AsyncClient(headers=headers) as mine:
                client = AsyncClient(provider.url, "anthropic", "claude-x", http_client=mine, **settings)
                await client.translate(MESSAGES)

        asyncio.run(run())
    (seen,) = provider.seen
    assert seen.header("anthropic-beta") == "shared,theirs,ours"
    assert seen.header("x-api-key") == provider.key


# -- redirects ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("injected", [False, True])
def test_a_redirect_is_an_error_and_the_key_goes_nowhere_else(
    status: int, injected: bool, kind: str, provider: Any
) -> None:
    provider.script = lambda seen, wire: wire.send(provider.http(status, b"", location=f"{provider.url}/elsewhere"))
    settings: dict[str, Any] = {"api_key": provider.key, "retries": 2, "retry_base_ms": 0}

    async def run() -> None:
        async with httpx.AsyncClient(follow_redirects=True) as mine:
            given = {**settings, "http_client": mine} if injected else settings
            await AsyncClient(provider.url, "anthropic", "claude-x", **given).translate(MESSAGES)

    def act() -> None:
        if kind == "async":
            asyncio.run(run())
        elif injected:
            with httpx.Client(follow_redirects=True) as mine:
                Client(provider.url, "anthropic", "claude-x", http_client=mine, **settings).translate(MESSAGES)
        else:
            Client(provider.url, "anthropic", "claude-x", **settings).translate(MESSAGES)

    with pytest.raises(ProviderError) as error:
        act()
    assert error.value.status == status
    assert [seen.target for seen in provider.seen] == ["/v1/messages"]


# -- sizes -------------------------------------------------------------------------------------------------------------


def test_an_answer_of_exactly_the_limit_is_read_and_a_byte_more_is_not(call: Call, provider: Any) -> None:
    body = json.dumps(provider.anthropic).encode()
    provider.replies(provider.http(200, body))
    assert call(client={"max_response_bytes": len(body)}).text == "hello"
    with pytest.raises(InvalidResponse, match="larger than"):
        call(client={"max_response_bytes": len(body) - 1, "retries": 2})
    assert len(provider.seen) == 2


def test_an_endless_answer_is_cut_at_the_limit(call: Call, provider: Any) -> None:
    sent = [0]

    def script(seen: Any, wire: Any) -> None:
        wire.send(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n")
        while wire.send(b"x" * 65536) and sent[0] < 200_000_000:
            sent[0] += 65536

    provider.script = script
    with pytest.raises(InvalidResponse, match="larger than"):
        call(client={"max_response_bytes": 1_000_000})
    assert sent[0] < 50_000_000


def test_a_compressed_bomb_is_cut_at_the_limit(call: Call, provider: Any) -> None:
    bomb = gzip.compress(b"0" * 50_000_000)
    assert len(bomb) < 100_000
    provider.replies(provider.http(200, bomb, content_encoding="gzip"))
    with pytest.raises(InvalidResponse, match="larger than"):
        call(client={"max_response_bytes": 1_000_000})


def test_a_compressed_answer_is_read(call: Call, provider: Any) -> None:
    provider.replies(
        provider.http(200, gzip.compress(json.dumps(provider.anthropic).encode()), content_encoding="gzip")
    )
    assert call().text == "hello"
    assert "gzip" in (provider.seen[0].header("accept-encoding") or "")


# -- answers in odd clothes --------------------------------------------------------------------------------------------


def chunked(body: bytes, size: int = 7) -> bytes:
    """A chunked body in small pieces."""
    pieces = [body[i : i + size] for i in range(0, len(body), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


def test_answers_are_read_whatever_their_framing_and_type(call: Call, provider: Any) -> None:
    body = json.dumps(provider.anthropic).encode()
    good = provider.http(200, body)
    for answer in (
        b"HTTP/1.1 100 Continue\r\n\r\n" + good,
        b"HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n" + good,
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n" + chunked(body),
        provider.http(200, body, content_type="text/html"),
        provider.http(200, body, content_type=None),
        provider.http(201, body),
        provider.http(200, b"\xef\xbb\xbf" + body),
        provider.http(200, b" \r\n" + body + b"\n"),
    ):
        provider.replies(answer)
        assert call().text == "hello"


def test_an_answer_that_ends_with_its_connection_is_read(call: Call, provider: Any) -> None:
    body = json.dumps(provider.anthropic).encode()
    provider.script = lambda seen, wire: (wire.send(b"HTTP/1.0 200 OK\r\n\r\n" + body), wire.close())
    assert call().text == "hello"


BEGUN = b'HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{"a"'
CHUNKED = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
BROKEN: dict[str, Any] = {
    "reset before reply": lambda seen, wire: wire.reset(),
    "closed before reply": lambda seen, wire: wire.close(),
    "closed in the headers": lambda seen, wire: (wire.send(b"HTTP/1.1 200 OK\r\ncontent-le"), wire.close()),
    "closed in the body": lambda seen, wire: (
        wire.send(BEGUN),
        wire.close(),
    ),
    "reset in the body": lambda seen, wire: (
        wire.send(BEGUN),
        wire.reset(),
    ),
    "bad chunking": lambda seen, wire: wire.send(CHUNKED + b"zz\r\n{}\r\n"),
    "cut chunking": lambda seen, wire: (
        wire.send(CHUNKED + b"5\r\n{"),
        wire.close(),
    ),
    "no HTTP": lambda seen, wire: (wire.send(b"220 mail.example ESMTP\r\n"), wire.close()),
    "bad gzip": lambda seen, wire: wire.send(
        b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 4\r\n\r\nabcd"
    ),
    "endless headers": lambda seen, wire: wire.send(b"HTTP/1.1 200 OK\r\n" + b"x: " + b"y" * 200_000),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_exchange_is_a_reset_that_is_retried(fault: str, call: Call, provider: Any) -> None:
    provider.script = BROKEN[fault]
    with pytest.raises(TransportError) as error:
        call(client={"retries": 1, "retry_base_ms": 0})
    assert error.value.kind == "reset"
    assert len(provider.seen) == 2
    provider.replies(BROKEN[fault], lambda seen, wire: wire.send(provider.good(seen)))
    assert call(client={"retries": 1, "retry_base_ms": 0}).text == "hello"


def test_a_refused_connection_is_a_connect_error_that_is_retried(call: Call, provider: Any) -> None:
    provider.stop()
    events: list[Any] = []
    with pytest.raises(TransportError) as error:
        call(client={"retries": 2, "retry_base_ms": 0, "on_error": events.append})
    assert error.value.kind == "connect"
    assert len(events) == 3


def test_tls_to_a_server_that_speaks_none_is_a_transport_error(call: Call, provider: Any) -> None:
    with pytest.raises(TransportError) as error:
        call(client={"base_url": provider.url.replace("http://", "https://"), "connect_timeout_ms": 2000})
    # It hangs up at the first line end, if the handshake happens to hold one.
    assert error.value.kind in ("connect", "timeout")


def test_retries_end_with_success(call: Call, provider: Any) -> None:
    provider.replies(
        provider.http(529, {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}),
        lambda seen, wire: wire.reset(),
        lambda seen, wire: wire.send(provider.good(seen)),
    )
    assert call(client={"retries": 2, "retry_base_ms": 0}).text == "hello"
    assert len({seen.body for seen in provider.seen}) == 1
    assert len(provider.seen) == 3


# -- hooks -------------------------------------------------------------------------------------------------------------


def test_hooks_may_be_an_object_or_a_mapping(call: Call, provider: Any) -> None:
    class Hooks:
        def before_llm(self, seen: Any) -> Any:
            return {"model": "hooked"}

    call(client={"hooks": Hooks()})
    call(client={"hooks": {"before_llm": lambda seen: {"model": "hooked"}}})
    assert [seen.json()["model"] for seen in provider.seen] == ["hooked", "hooked"]


def test_a_sync_hook_serves_both_clients(call: Call, provider: Any) -> None:
    fired: list[str] = []
    call(
        client={
            "hooks": {
                "before_llm": lambda seen: fired.append("before"),
                "after_llm": lambda seen: fired.append("after"),
            }
        }
    )
    assert fired == ["before", "after"]


async def renamed(seen: Any) -> Any:
    await asyncio.sleep(0)
    return {"model": "hooked"}


class Awaitable:
    """A hook whose answer is awaitable, though it is no coroutine function."""

    def __call__(self, seen: Any) -> Any:
        return renamed(seen)


@pytest.mark.parametrize("hook", [renamed, Awaitable()], ids=["function", "object"])
def test_an_async_hook_is_awaited_and_refused_by_the_sync_client(
    hook: Any, kind: str, call: Call, provider: Any
) -> None:
    if kind == "async":
        call(client={"hooks": {"before_llm": hook}})
        assert provider.seen[0].json()["model"] == "hooked"
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with pytest.raises(TypeError, match="AsyncClient"):
            call(client={"hooks": {"before_llm": hook}})
        gc.collect()
    # Nor does the coroutine lie about, never awaited; what another test left to be collected is not its doing.
    assert [text for text in (str(warning.message) for warning in caught) if "never awaited" in text] == []
    assert provider.seen == []


@pytest.mark.parametrize("setting", ["on_error", "body_transform"])
def test_on_error_and_body_transform_may_be_async_too(setting: str, kind: str, call: Call, provider: Any) -> None:
    async def answer(argument: Any) -> Any:
        return "fail" if setting == "on_error" else {**argument, "model": "transformed"}

    provider.replies(provider.http(500, b""), lambda seen, wire: wire.send(provider.good(seen)))
    given = {setting: answer, "retries": 1, "retry_base_ms": 0}
    if kind == "sync":
        with pytest.raises(TypeError, match="AsyncClient"):
            call(client=given)
    elif setting == "on_error":
        with pytest.raises(ProviderError):
            call(client=given)
        assert len(provider.seen) == 1
    else:
        call(client=given)
        assert {seen.json()["model"] for seen in provider.seen} == {"transformed"}
