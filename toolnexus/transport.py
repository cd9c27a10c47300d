"""The one place that touches the network: an HTTP post by httpx, its answer whole or live, its failures as ours."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import httpx

from toolnexus.call import Answer, Live, Send
from toolnexus.errors import InvalidResponse, TransportError
from toolnexus.watch import POLL_S, Watch, deadline_passed, watched

if TYPE_CHECKING:
    # Where it is needed it is loaded already; importing it here would cost every sync program its start.
    import asyncio

T = TypeVar("T")

DEFAULT_LIMIT = 64 * 1024 * 1024
"""The largest answer that is read, in decoded bytes."""

# Connections kept for the next calls, and for how long; there are as many as calls at once.
KEPT = 100
KEPT_S = 30.0

_EVENT_STREAM = "text/event-stream"


@dataclass(frozen=True)
class Limits:
    """How long one attempt may take to connect and between two reads, and how much it may bring."""

    connect_s: float = 10.0
    read_s: float = 600.0
    body_bytes: int = DEFAULT_LIMIT


# What httpx raises, the nearest kind first (clause `error.transport`).
_FAILURES: tuple[tuple[type[Exception], str, str], ...] = (
    (httpx.ConnectTimeout, "timeout", "timed out while connecting to the provider"),
    (httpx.PoolTimeout, "timeout", "timed out while connecting to the provider"),
    (httpx.TimeoutException, "timeout", "timed out while waiting for the provider's answer"),
    (httpx.ConnectError, "connect", "the provider could not be reached"),
    (httpx.ProxyError, "connect", "the proxy did not let the call through"),
    (httpx.DecodingError, "reset", "the provider's answer could not be decompressed"),
    (httpx.TransportError, "reset", "the connection broke before the provider's answer was complete"),
)
_FAILED = (httpx.HTTPError, httpx.StreamError, RuntimeError)


def failure(error: Exception) -> TransportError:
    """An httpx failure as ours, saying which (clause `error.transport`).

    httpx keeps the request, with its headers, on its errors: what is chained is a copy without it, and a complaint
    about our own headers, which would quote them, is not chained at all (clause `secrets.never-shown`).
    """
    for kind_of_error, kind, message in _FAILURES:
        if isinstance(error, kind_of_error):
            made = TransportError(message, kind=kind)
            if isinstance(error, httpx.RequestError) and not isinstance(error, httpx.LocalProtocolError):
                # Its text may quote the answer, and an answer may echo a key: the kind of error is what helps.
                made.__cause__ = type(error)(f"{type(error).__name__} of {type(error).__module__}")
            return made
    return TransportError(f"the exchange failed: {type(error).__name__}", kind="closed")


class _Bounded:
    """Counts an answer's bytes against the limit; raises where it is too large, too late, or no longer wanted."""

    __slots__ = ("_limit", "_size", "_watch")

    def __init__(self, limit: int, watch: Watch) -> None:
        self._limit = limit
        self._size = 0
        self._watch = watch

    def count(self, chunk: bytes) -> bytes:
        self._size += len(chunk)
        if self._size > self._limit:
            raise InvalidResponse(f"the provider's answer is larger than {self._limit} bytes")
        self._watch.left()
        return chunk


def build(client: httpx.Client | httpx.AsyncClient, send: Send, limits: Limits, left: float | None) -> httpx.Request:
    """The httpx request, no timeout of it beyond what is left of the call.

    A header that the injected client sets itself is united with ours where several values make sense.
    """
    request = send.request
    headers = list(request.headers)
    shared = client.headers.get("anthropic-beta")
    if shared:
        own = next((value for name, value in headers if name == "anthropic-beta"), "")
        flags = [flag.strip() for flag in f"{shared},{own}".split(",") if flag.strip()]
        headers = [pair for pair in headers if pair[0] != "anthropic-beta"]
        headers.append(("anthropic-beta", ",".join(dict.fromkeys(flags))))
    # As bytes, since httpx takes text for ASCII only; RFC 9110 section 5.5 allows the rest of Latin-1.
    raw = [(name.encode(), value.encode("latin-1")) for name, value in headers]
    connect = limits.connect_s if left is None else min(limits.connect_s, left)
    read = limits.read_s if left is None else min(limits.read_s, left)
    timeout = httpx.Timeout(connect=connect, read=read, write=read, pool=connect)
    return client.build_request(request.method, request.url, headers=raw, content=request.body, timeout=timeout)


def _is_live(send: Send, response: httpx.Response) -> bool:
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    return send.live and response.is_success and kind == _EVENT_STREAM


# -- sync --------------------------------------------------------------------------------------------------------------


class LiveSource:
    """The chunks of an answer that is still coming: `read` gives the next, None at its end."""

    def __init__(self, response: httpx.Response, limits: Limits, watch: Watch) -> None:
        self._response = response
        self._chunks = response.iter_bytes()
        self._bounded = _Bounded(limits.body_bytes, watch)
        self._watch = watch

    def read(self) -> bytes | None:
        """The next chunk, None at the end. Raises `TransportError` where the connection breaks."""
        return _guarded(self._watch, self.next)

    def next(self) -> bytes | None:
        """`read`, for who guards the whole exchange."""
        chunk = next(self._chunks, None)
        return None if chunk is None else self._bounded.count(chunk)

    def close(self) -> None:
        """Ends the exchange; the connection is not used again unless the answer was read to its end."""
        self._response.close()


def post(client: httpx.Client, send: Send, limits: Limits, watch: Watch) -> Answer | Live:
    """Sends one request and reads its answer whole, or to its first byte where it is live.

    Redirects are not followed: they would carry the key elsewhere. On connections of our own the watch ends any wait;
    of an injected client, it is asked between two chunks.
    """
    left = watch.left()

    def exchange() -> Answer | Live:
        response = client.send(build(client, send, limits, left), stream=True, follow_redirects=False)
        try:
            source = LiveSource(response, limits, watch)
            headers = response.headers
            if _is_live(send, response):
                return Live(response.status_code, headers, source.next() or b"", source)
            answer = Answer(response.status_code, headers, b"".join(iter(source.next, None)))
        except BaseException:
            response.close()
            raise
        response.close()
        return answer

    return _guarded(watch, exchange)


def _guarded(watch: Watch, act: Callable[[], T]) -> T:
    """What `act` gives; an httpx failure in it as ours, the end of the call before all others."""
    try:
        with watched(watch):
            return act()
    except TransportError as error:
        failed = TransportError(error.message, kind=error.kind)
    except _FAILED as error:
        failed = failure(error)
    # Outside the except block: nothing of httpx's error, nor of the frames it came through, hangs on ours.
    watch.left()
    raise failed


# -- async -------------------------------------------------------------------------------------------------------------


class AsyncLiveSource:
    """`LiveSource`, awaited."""

    def __init__(self, response: httpx.Response, limits: Limits, watch: Watch) -> None:
        self._response = response
        self._chunks = response.aiter_bytes()
        self._bounded = _Bounded(limits.body_bytes, watch)
        self._watch = watch

    async def read(self) -> bytes | None:
        """The next chunk, None at the end. Raises `TransportError` where the connection breaks."""
        return await _aguarded(self._watch, self.next)

    async def next(self) -> bytes | None:
        """`read`, for who guards the whole exchange."""
        chunk = await anext(self._chunks, None)
        return None if chunk is None else self._bounded.count(chunk)

    async def aclose(self) -> None:
        """Ends the exchange; the connection is not used again unless the answer was read to its end."""
        await self._response.aclose()


async def apost(client: httpx.AsyncClient, send: Send, limits: Limits, watch: Watch) -> Answer | Live:
    """`post`, awaited; the watch ends any wait, whoever made the connections."""
    left = watch.left()

    async def exchange() -> Answer | Live:
        response = await client.send(build(client, send, limits, left), stream=True, follow_redirects=False)
        try:
            source = AsyncLiveSource(response, limits, watch)
            headers = response.headers
            if _is_live(send, response):
                return Live(response.status_code, headers, await source.next() or b"", source)
            chunks = []
            while (chunk := await source.next()) is not None:
                chunks.append(chunk)
        except BaseException:
            await response.aclose()
            raise
        await response.aclose()
        return Answer(response.status_code, headers, b"".join(chunks))

    return await _aguarded(watch, exchange)


async def _aguarded(watch: Watch, act: Callable[[], Awaitable[T]]) -> T:
    import asyncio

    try:
        async with asyncio.timeout(watch.left()) as scope:
            with _polled(watch, scope):
                return await act()
    except TimeoutError:
        failed = deadline_passed()
    except TransportError as error:
        failed = TransportError(error.message, kind=error.kind)
    except _FAILED as error:
        failed = failure(error)
    watch.left()
    raise failed


@contextmanager
def _polled(watch: Watch, scope: asyncio.Timeout) -> Iterator[None]:
    """Ends the scope soon after the watch's token is set."""
    token = watch.token
    if token is None:
        yield
        return
    from asyncio import get_running_loop

    loop = get_running_loop()
    handle: asyncio.TimerHandle

    def look() -> None:
        nonlocal handle
        if token.is_set():
            scope.reschedule(loop.time())
        else:
            handle = loop.call_later(POLL_S, look)

    handle = loop.call_later(POLL_S, look)
    try:
        yield
    finally:
        handle.cancel()
