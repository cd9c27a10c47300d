"""How long a call may take, and how it is called off, whatever the provider does meanwhile (`retry.deadline`)."""

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
import trustme

from toolnexus import AsyncClient, Client, TranslateResult, TransportError

MESSAGES = [{"role": "user", "content": "hi"}]
HEADERS = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 5000\r\n\r\n"
# A call that ends in time takes less than this; one that does not takes far longer.
SOON = 6.0
Call = Callable[..., TranslateResult]


@pytest.fixture(params=["sync", "async"])
def kind(request: pytest.FixtureRequest) -> str:
    """Which of the two clients."""
    return str(request.param)


def run(kind: str, url: str, cancel: Any = None, **settings: Any) -> TranslateResult:
    """One call of a new client."""
    given = {"style": "anthropic", "model": "claude-x", "retries": 0, "base_url": url, **settings}
    if kind == "sync":
        with Client(**given) as client:
            return client.translate(MESSAGES, cancel=cancel)

    async def awaited() -> TranslateResult:
        # Made before: loading certificates takes longer than the calls here may.
        async with httpx.AsyncClient() as mine, AsyncClient(**given, http_client=mine) as client:
            return await client.translate(MESSAGES, cancel=cancel)

    return asyncio.run(awaited())


def failed(kind: str, url: str, **settings: Any) -> tuple[str, float]:
    """The kind of the error of a call that must fail, and the seconds it took."""
    started = time.monotonic()
    with pytest.raises(TransportError) as error:
        run(kind, url, **settings)
    return error.value.kind, time.monotonic() - started


STALLS: dict[str, Any] = {
    "says nothing": lambda seen, wire: wire.stall(10),
    "stops in its headers": lambda seen, wire: (wire.send(b"HTTP/1.1 200 OK\r\ncont"), wire.stall(10)),
    "stops in its body": lambda seen, wire: (wire.send(HEADERS + b'{"a"'), wire.stall(10)),
    "says 100 Continue only": lambda seen, wire: (wire.send(b"HTTP/1.1 100 Continue\r\n\r\n"), wire.stall(10)),
}
DRIPS: dict[str, Any] = {
    "drips its headers": lambda seen, wire: wire.drip(b"HTTP/1.1 200 OK\r\nx-a: " + b"y" * 1000, 0.02),
    "drips 100 Continue": lambda seen, wire: wire.drip(b"HTTP/1.1 100 Continue\r\n\r\n" * 50, 0.02),
    "drips its body": lambda seen, wire: (wire.send(HEADERS), wire.drip(b" " * 1000, 0.02)),
    "drips its chunks": lambda seen, wire: (
        wire.send(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"),
        wire.drip(b"1\r\n \r\n" * 200, 0.02),
    ),
}


@pytest.mark.parametrize("fault", STALLS)
def test_a_provider_that_stops_meets_the_read_timeout(fault: str, kind: str, provider: Any) -> None:
    provider.script = STALLS[fault]
    why, took = failed(kind, provider.url, read_timeout_ms=100)
    assert why == "timeout"
    assert 0.08 < took < SOON


def test_a_read_timeout_counts_as_a_network_failure_and_is_retried(kind: str, provider: Any) -> None:
    provider.replies(STALLS["says nothing"], lambda seen, wire: wire.send(provider.good(seen)))
    assert run(kind, provider.url, read_timeout_ms=150, retries=1, retry_base_ms=0).text == "hello"
    assert len(provider.seen) == 2


@pytest.mark.parametrize("fault", ["drips its headers", "drips its body"])
def test_a_read_timeout_is_between_two_reads_only(fault: str, kind: str, provider: Any) -> None:
    # Each byte comes in time, so only the deadline ends it.
    provider.script = DRIPS[fault]
    why, took = failed(kind, provider.url, read_timeout_ms=800, timeout_ms=1200)
    assert why == "timeout"
    assert 1.1 < took < SOON


@pytest.mark.parametrize("fault", [*STALLS, *DRIPS])
def test_the_deadline_ends_any_wait_and_is_not_retried(fault: str, kind: str, provider: Any) -> None:
    provider.script = (STALLS | DRIPS)[fault]
    why, took = failed(kind, provider.url, timeout_ms=300, retries=5, retry_base_ms=0)
    assert why == "timeout"
    assert 0.1 < took < SOON
    assert len(provider.seen) <= 1


@pytest.mark.parametrize("fault", ["stops in its headers", "drips its headers"])
def test_the_connection_of_a_call_that_was_cut_short_is_closed(fault: str, kind: str, provider: Any) -> None:
    gone = threading.Event()

    def script(seen: Any, wire: Any) -> None:
        (STALLS | DRIPS)[fault](seen, wire)
        gone.set()

    provider.script = script
    failed(kind, provider.url, timeout_ms=300)
    assert gone.wait(SOON)


def test_the_deadline_ends_retries(kind: str, provider: Any) -> None:
    provider.replies(provider.http(500, b""))
    with pytest.raises(Exception, match="500"):
        run(kind, provider.url, timeout_ms=300, retries=1000, retry_base_ms=50)
    assert 1 < len(provider.seen) < 20


def test_a_deadline_far_off_changes_nothing(kind: str, provider: Any) -> None:
    provider.script = lambda seen, wire: wire.drip(provider.good(seen), 0.0005)
    assert run(kind, provider.url, timeout_ms=20_000).text == "hello"


@pytest.fixture
def full() -> Iterator[str]:
    """A listener that accepts nobody, its queue full: connecting to it hangs."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(0)
    waiting = []
    for _ in range(4):
        client = socket.socket()
        client.setblocking(False)
        client.connect_ex(listener.getsockname())
        waiting.append(client)
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    for client in [*waiting, listener]:
        client.close()


def test_a_connection_that_never_comes_meets_the_connect_timeout(kind: str, full: str) -> None:
    why, took = failed(kind, full, connect_timeout_ms=200)
    assert why == "timeout"
    assert took < SOON


def test_a_connection_that_never_comes_meets_the_deadline(kind: str, full: str) -> None:
    why, took = failed(kind, full, timeout_ms=200)
    assert why == "timeout"
    assert took < SOON


def test_an_injected_clients_answer_meets_the_deadline_between_two_chunks(provider: Any) -> None:
    provider.script = DRIPS["drips its body"]
    with httpx.Client() as mine:
        why, took = failed("sync", provider.url, http_client=mine, timeout_ms=250)
    assert why == "timeout"
    assert took < SOON


# -- calling off -------------------------------------------------------------------------------------------------------


def then(script: Any, act: Callable[[], None]) -> Any:
    """A script, and `act` a moment after it has begun: not while the client is still being made."""

    def begun(seen: Any, wire: Any) -> None:
        timer = threading.Timer(0.1, act)
        timer.daemon = True
        timer.start()
        script(seen, wire)

    return begun


class Token:
    """A cancel token of one's own."""

    def __init__(self) -> None:
        self.set = False

    def is_set(self) -> bool:
        return self.set


@pytest.mark.parametrize("fault", [*STALLS, *DRIPS])
def test_a_token_ends_any_wait(fault: str, kind: str, provider: Any) -> None:
    event = threading.Event()
    provider.script = then((STALLS | DRIPS)[fault], event.set)
    why, took = failed(kind, provider.url, cancel=event, retries=5, retry_base_ms=0)
    assert why == "cancelled"
    assert 0.08 < took < SOON
    assert len(provider.seen) == 1


def test_a_token_of_ones_own_ends_the_wait_between_two_attempts(kind: str, provider: Any) -> None:
    token = Token()
    busy = provider.http(429, b"", retry_after="30")
    provider.script = then(lambda seen, wire: wire.send(busy), lambda: setattr(token, "set", True))
    why, took = failed(kind, provider.url, cancel=token, retries=1)
    assert why == "cancelled"
    assert took < SOON
    assert len(provider.seen) == 1


def test_a_token_that_is_set_already_means_no_call(kind: str, provider: Any) -> None:
    event = threading.Event()
    event.set()
    why, _ = failed(kind, provider.url, cancel=event)
    assert why == "cancelled"
    assert provider.seen == []


def test_a_token_that_is_never_set_changes_nothing(kind: str, provider: Any) -> None:
    def slowly(seen: Any, wire: Any) -> None:
        time.sleep(0.15)
        wire.send(provider.good(seen))

    provider.script = slowly
    assert run(kind, provider.url, cancel=threading.Event(), timeout_ms=5000).text == "hello"


def test_an_asyncio_event_is_a_token(provider: Any) -> None:
    provider.script = STALLS["says nothing"]

    async def call() -> None:
        event = asyncio.Event()
        asyncio.get_running_loop().call_later(0.1, event.set)
        async with AsyncClient(provider.url, "anthropic", "claude-x") as client:
            await client.translate(MESSAGES, cancel=event)

    with pytest.raises(TransportError) as error:
        asyncio.run(call())
    assert error.value.kind == "cancelled"


@pytest.mark.parametrize("fault", ["says nothing", "drips its body"])
def test_a_task_that_is_cancelled_ends_at_once_and_leaves_the_client_usable(fault: str, provider: Any) -> None:
    gone = threading.Event()

    def script(seen: Any, wire: Any) -> None:
        (STALLS | DRIPS)[fault](seen, wire)
        gone.set()

    async def call() -> float:
        async with AsyncClient(provider.url, "anthropic", "claude-x", timeout_ms=20_000) as client:
            provider.script = script
            task = asyncio.create_task(client.translate(MESSAGES))
            while not provider.seen:
                await asyncio.sleep(0.02)
            started = time.monotonic()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            took = time.monotonic() - started
            # What was cancelled is neither retried nor left open, and the next call is not touched by it.
            assert await asyncio.to_thread(gone.wait, SOON)
            provider.script = lambda seen, wire: wire.send(provider.good(seen))
            assert (await client.translate(MESSAGES)).text == "hello"
            assert 'status="error"} 1' in client.metrics()
            return took

    assert asyncio.run(call()) < 0.5
    assert len(provider.seen) == 2


def test_a_task_that_times_out_outside_is_the_callers_timeout(provider: Any) -> None:
    provider.script = STALLS["says nothing"]

    async def call() -> None:
        async with AsyncClient(provider.url, "anthropic", "claude-x", timeout_ms=20_000) as client:
            async with asyncio.timeout(0.1):
                await client.translate(MESSAGES)

    with pytest.raises(TimeoutError):
        asyncio.run(call())


def test_a_client_that_is_closed_meanwhile_ends_its_calls(provider: Any) -> None:
    client = Client(provider.url, "anthropic", "claude-x", retries=3, retry_base_ms=0, read_timeout_ms=300)
    provider.script = then(STALLS["says nothing"], client.close)
    with pytest.raises(TransportError) as error:
        client.translate(MESSAGES)
    assert error.value.kind == "closed"
    assert len(provider.seen) == 1


# -- over TLS and through a proxy --------------------------------------------------------------------------------------


@pytest.fixture
def tls(provider: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> str:
    """The provider behind TLS, its certificate trusted through the environment."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    provider.secure(context)
    return str(provider.url.replace("http://", "https://"))


def test_a_call_over_tls(kind: str, provider: Any, tls: str) -> None:
    assert run(kind, tls).text == "hello"


def test_an_unknown_certificate_is_a_connect_error(kind: str, tls: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")
    why, _ = failed(kind, tls)
    assert why == "connect"


@pytest.mark.parametrize("fault", ["says nothing", "stops in its body", "drips its headers", "drips its body"])
@pytest.mark.parametrize("end", ["deadline", "token"])
def test_deadline_and_token_end_any_wait_over_tls(fault: str, end: str, kind: str, provider: Any, tls: str) -> None:
    provider.script = (STALLS | DRIPS)[fault]
    if end == "deadline":
        why, took = failed(kind, tls, timeout_ms=400)
        assert why == "timeout"
    else:
        event = threading.Event()
        provider.script = then((STALLS | DRIPS)[fault], event.set)
        why, took = failed(kind, tls, cancel=event)
        assert why == "cancelled"
    assert took < SOON


def test_a_polled_read_over_tls_loses_no_byte(kind: str, provider: Any, tls: str) -> None:
    # With a token each read is many short ones; one that times out in the middle of a record must not lose it.
    provider.script = lambda seen, wire: wire.drip(provider.good(seen), 0.003)
    assert run(kind, tls, cancel=threading.Event()).text == "hello"


def test_a_proxy_of_the_environment_is_used(kind: str, provider: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", provider.url)
    assert run(kind, "http://provider.invalid:8080").text == "hello"
    (seen,) = provider.seen
    assert seen.target == "http://provider.invalid:8080/v1/messages"


@pytest.mark.parametrize("variable", ["ALL_PROXY", "HTTP_PROXY"])
def test_a_proxy_is_not_used_where_the_environment_says_so(
    variable: str, kind: str, provider: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable.lower(), "http://127.0.0.1:1")
    monkeypatch.setenv("no_proxy", "example.com,127.0.0.1")
    assert run(kind, provider.url).text == "hello"


def test_a_proxys_credentials_are_sent_to_it_and_shown_nowhere(
    kind: str, provider: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(
        "all_proxy", provider.url.replace("http://", "http://me:proxy-password@").removeprefix("http://")
    )
    run(kind, "http://provider.invalid")
    assert provider.seen[0].header("proxy-authorization") == "Basic bWU6cHJveHktcGFzc3dvcmQ="
    provider.script = lambda seen, wire: wire.close()
    with pytest.raises(TransportError) as error:
        run(kind, "http://provider.invalid")
    assert "proxy-password" not in repr(error.value) + str(error.value.__cause__)


def test_a_proxy_that_refuses_the_tunnel_is_a_connect_error(
    kind: str, provider: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("https_proxy", provider.url)
    provider.replies(provider.http(407, b""))
    why, _ = failed(kind, "https://provider.invalid")
    assert why == "connect"
    assert provider.seen[0].method == "CONNECT"
