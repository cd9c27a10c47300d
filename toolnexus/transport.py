"""The one place that touches the network: an HTTP post by httpx, its answer whole, its failures as `TransportError`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import httpx

from toolnexus.call import Answer, Send
from toolnexus.errors import InvalidResponse, TransportError

DEFAULT_LIMIT = 64 * 1024 * 1024
"""The largest answer that is read, in decoded bytes."""


class CancelToken(Protocol):
    """Anything that can say it was set: `threading.Event`, `asyncio.Event`, or one's own."""

    def is_set(self) -> bool:
        """Whether the call is to stop."""


@dataclass(frozen=True)
class Limits:
    """How long one attempt may take to connect and between two reads, and how much it may bring."""

    connect_s: float = 10.0
    read_s: float = 600.0
    body_bytes: int = DEFAULT_LIMIT


def deadline_passed() -> TransportError:
    """The call's own time is over (clause `retry.deadline`)."""
    return TransportError("the call's timeout_ms passed before an answer came", kind="timeout")


def cancelled() -> TransportError:
    """The caller's token was set."""
    return TransportError("the call was cancelled", kind="cancelled")


def timeouts(limits: Limits, left: float | None) -> httpx.Timeout:
    """httpx's timeouts for one attempt, none beyond what is left of the call."""
    connect = limits.connect_s if left is None else min(limits.connect_s, left)
    read = limits.read_s if left is None else min(limits.read_s, left)
    return httpx.Timeout(connect=connect, read=read, write=read, pool=connect)


def failure(error: Exception) -> TransportError:
    """An httpx failure as ours, saying which (clause `error.transport`). Its text holds no header and no body."""
    if isinstance(error, httpx.ConnectTimeout | httpx.PoolTimeout):
        return TransportError("timed out while connecting to the provider", kind="timeout")
    if isinstance(error, httpx.TimeoutException):
        return TransportError("timed out while waiting for the provider's answer", kind="timeout")
    if isinstance(error, httpx.ConnectError):
        return TransportError("the provider could not be reached", kind="connect")
    if isinstance(error, httpx.DecodingError):
        return TransportError("the provider's answer could not be decompressed", kind="reset")
    if isinstance(error, httpx.TransportError):
        return TransportError("the connection broke before the provider's answer was complete", kind="reset")
    return TransportError(f"the exchange failed: {type(error).__name__}", kind="closed")


class Collector:
    """Gathers an answer's chunks under a size limit, a deadline and a cancel token."""

    __slots__ = ("_chunks", "_clock", "_deadline", "_limit", "_size", "_token")

    def __init__(self, limit: int, deadline: float | None, clock: Callable[[], float], token: CancelToken | None) -> None:
        self._chunks: list[bytes] = []
        self._size = 0
        self._limit = limit
        self._deadline = deadline
        self._clock = clock
        self._token = token

    def add(self, chunk: bytes) -> None:
        """One more chunk. Raises where the answer is too large, too late, or no longer wanted."""
        self._size += len(chunk)
        if self._size > self._limit:
            raise InvalidResponse(f"the provider's answer is larger than {self._limit} bytes")
        if self._deadline is not None and self._clock() > self._deadline:
            raise deadline_passed()
        if self._token is not None and self._token.is_set():
            raise cancelled()
        self._chunks.append(chunk)

    def body(self) -> bytes:
        """All of it."""
        return self._chunks[0] if len(self._chunks) == 1 else b"".join(self._chunks)


def build(client: httpx.Client | httpx.AsyncClient, send: Send, timeout: httpx.Timeout) -> httpx.Request:
    """The httpx request; a header the injected client sets itself is united where several values make sense."""
    request = send.request
    headers = list(request.headers)
    shared = client.headers.get("anthropic-beta")
    if shared:
        own = next((value for name, value in headers if name == "anthropic-beta"), "")
        flags = [flag.strip() for flag in f"{shared},{own}".split(",") if flag.strip()]
        headers = [pair for pair in headers if pair[0] != "anthropic-beta"]
        headers.append(("anthropic-beta", ",".join(dict.fromkeys(flags))))
    return client.build_request(request.method, request.url, headers=headers, content=request.body, timeout=timeout)


def post(
    client: httpx.Client, send: Send, limits: Limits, clock: Callable[[], float], token: CancelToken | None
) -> Answer:
    """Sends one request and reads its answer whole. Redirects are not followed: they would carry the key elsewhere."""
    left = None if send.deadline is None else send.deadline - clock()
    if left is not None and left <= 0:
        raise deadline_passed()
    try:
        request = build(client, send, timeouts(limits, left))
        response = client.send(request, stream=True, follow_redirects=False)
        try:
            collector = Collector(limits.body_bytes, send.deadline, clock, token)
            for chunk in response.iter_bytes():
                collector.add(chunk)
        finally:
            response.close()
    except (httpx.HTTPError, httpx.StreamError, RuntimeError) as error:
        raise _late(send.deadline, clock) or failure(error) from _cause(error)
    return Answer(response.status_code, list(response.headers.multi_items()), collector.body())


async def apost(
    client: httpx.AsyncClient, send: Send, limits: Limits, clock: Callable[[], float], token: CancelToken | None
) -> Answer:
    """`post`, awaited; here the deadline also ends an answer that never finishes its headers."""
    left = None if send.deadline is None else send.deadline - clock()
    if left is not None and left <= 0:
        raise deadline_passed()
    try:
        async with asyncio.timeout(left):
            request = build(client, send, timeouts(limits, left))
            response = await client.send(request, stream=True, follow_redirects=False)
            try:
                collector = Collector(limits.body_bytes, send.deadline, clock, token)
                async for chunk in response.aiter_bytes():
                    collector.add(chunk)
            finally:
                await response.aclose()
    except TimeoutError as error:
        raise deadline_passed() from _cause(error)
    except (httpx.HTTPError, httpx.StreamError, RuntimeError) as error:
        raise _late(send.deadline, clock) or failure(error) from _cause(error)
    return Answer(response.status_code, list(response.headers.multi_items()), collector.body())


def _late(deadline: float | None, clock: Callable[[], float]) -> TransportError | None:
    return deadline_passed() if deadline is not None and clock() >= deadline else None


def _cause(error: Exception) -> Exception | None:
    """The cause to chain: httpx keeps the request, with its headers, on its errors, so a copy without it is chained."""
    bare: Any = type(error).__new__(type(error))
    try:
        bare.args = error.args
        if isinstance(error, httpx.RequestError):
            bare._request = None
    except AttributeError:
        return None
    return bare if isinstance(bare, Exception) else None
