"""A sync client's connections: httpcore's pool, over sockets that know when the call must be over.

A read timeout is the time between two reads, so an answer that drips its headers byte by byte would outlive any call.
Here each read is cut to what is left of the call, and looks at its cancel token while it waits (clause
`retry.deadline`).
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.request import getproxies, proxy_bypass

import httpcore
import httpx

from toolnexus.transport import KEPT, KEPT_S
from toolnexus.watch import POLL_S, watch_of_this_thread

_WRITE_BYTES = 65536


class _Stream(httpcore.NetworkStream):
    """A socket whose every wait is watched."""

    def __init__(self, stream: httpcore.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        watch = watch_of_this_thread()
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            bound = watch.bound(None if end is None else end - time.monotonic())
            if watch.token is not None:
                bound = POLL_S if bound is None else min(bound, POLL_S)
            try:
                # Never 0, which means "do not wait at all" instead of "time out".
                return self._stream.read(max_bytes, None if bound is None else max(bound, 0.001))
            except httpcore.ReadTimeout:
                # Whose time was over: the call's (raises), the read's, or only one look's.
                watch.left()
                if end is not None and time.monotonic() >= end:
                    raise

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        for start in range(0, len(buffer), _WRITE_BYTES):
            self._stream.write(buffer[start : start + _WRITE_BYTES], watch_of_this_thread().bound(timeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        return _Stream(self._stream.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class _Backend(httpcore.SyncBackend):
    """Sockets as httpcore opens them, watched."""

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        return _Stream(super().connect_tcp(host, port, timeout, local_address, socket_options or ()))


class Transport(httpx.BaseTransport):
    """httpx's transport to one provider, over watched connections; a proxy of the environment is used as httpx does."""

    def __init__(self, url: str) -> None:
        place = httpx.URL(url)
        self._pool = _pool(place)
        # Read once: every request goes to the same place.
        self._target = httpcore.URL(
            scheme=place.raw_scheme, host=place.raw_host, port=place.port, target=place.raw_path
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Sends one request; the answer's body is still to be read."""
        with _as_httpx():
            answer = self._pool.handle_request(
                httpcore.Request(
                    request.method,
                    self._target,
                    headers=request.headers.raw,
                    content=request.stream,
                    extensions=request.extensions,
                )
            )
        return httpx.Response(answer.status, headers=answer.headers, stream=_Body(answer), extensions=answer.extensions)

    def close(self) -> None:
        """Closes every connection."""
        self._pool.close()


class _Body(httpx.SyncByteStream):
    def __init__(self, answer: httpcore.Response) -> None:
        self._answer = answer

    def __iter__(self) -> Iterator[bytes]:
        with _as_httpx():
            yield from self._answer.iter_stream()

    def close(self) -> None:
        self._answer.close()


@contextmanager
def _as_httpx() -> Iterator[None]:
    """httpcore's failures as httpx's, which have the same names."""
    try:
        yield
    except tuple(_FAILURES) as error:
        raise _FAILURES[type(error)](str(error)) from error


_FAILURES: dict[type[Exception], type[httpx.TransportError]] = {
    httpcore.ConnectError: httpx.ConnectError,
    httpcore.ConnectTimeout: httpx.ConnectTimeout,
    httpcore.PoolTimeout: httpx.PoolTimeout,
    httpcore.ReadError: httpx.ReadError,
    httpcore.ReadTimeout: httpx.ReadTimeout,
    httpcore.WriteError: httpx.WriteError,
    httpcore.WriteTimeout: httpx.WriteTimeout,
    httpcore.ProxyError: httpx.ProxyError,
    httpcore.LocalProtocolError: httpx.LocalProtocolError,
    httpcore.RemoteProtocolError: httpx.RemoteProtocolError,
}


def _pool(url: httpx.URL) -> httpcore.ConnectionPool:
    options: dict[str, Any] = {
        # Certificates cost time to load, and only https needs them.
        "ssl_context": httpx.create_ssl_context() if url.scheme == "https" else None,
        "max_keepalive_connections": KEPT,
        "keepalive_expiry": KEPT_S,
        "network_backend": _Backend(),
    }
    proxy = _proxy(url)
    if proxy is None:
        return httpcore.ConnectionPool(max_connections=None, **options)
    kind = httpcore.SOCKSProxy if proxy.url.scheme.startswith("socks5") else httpcore.HTTPProxy
    return kind(str(proxy.url), proxy_auth=proxy.raw_auth, max_connections=None, **options)


def _proxy(url: httpx.URL) -> httpx.Proxy | None:
    """The proxy that the environment names for a URL."""
    known = getproxies()
    named = known.get(url.scheme) or known.get("all")
    if not named or proxy_bypass(url.host):
        return None
    return httpx.Proxy(named if "://" in named else f"http://{named}")
