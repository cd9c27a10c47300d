"""The loopback proxy between a real client and a provider: passes everything on, and keeps what it saw.

Replies are passed on as they come, so that streams stay streams.
"""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, Final
from urllib.parse import urlsplit

import httpx
from werkzeug.wrappers import Request, Response

from conformance.authoring.loopback import Loopback
from conformance.authoring.recording.seen import Headers, Recorded
from conformance.faults import UsageFault

#: Headers that belong to one connection (RFC 9110, section 7.6.1), or that the way on sets itself.
_OWN: Final = frozenset(
    {
        *("connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "te", "trailer"),
        *("transfer-encoding", "upgrade", "host", "content-length"),
    }
)

#: Of a reply also what no longer holds once its body is decoded.
_OWN_REPLY: Final = _OWN | {"content-encoding"}

#: How long a provider may think between two bytes, in seconds.
_PATIENCE: Final = httpx.Timeout(600, connect=10)


class Proxy:
    """Use as a context manager. `url` is what the client takes for the provider; `take` gives what was seen, in order.

    `upstream` is the provider's address; the path of a call is put behind it. Calls are kept when their reply is over;
    one that could not be passed on, or whose reply broke off, is told to `trouble` and not kept.
    """

    def __init__(self, upstream: str, port: int, trouble: Callable[[str], None]) -> None:
        parts = urlsplit(upstream)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UsageFault(f"{upstream!r} is no provider's address; write one such as https://api.example.com")
        self._upstream = upstream.rstrip("/")
        self._trouble = trouble
        self._client = httpx.Client(timeout=_PATIENCE, follow_redirects=False)
        self._seen: queue.SimpleQueue[Recorded] = queue.SimpleQueue()
        self._server = Loopback(self._pass_on, port)

    def __enter__(self) -> Proxy:
        self._server.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.__exit__()
        self._client.close()

    @property
    def url(self) -> str:
        """The proxy's address."""
        return self._server.url

    def take(self, seconds: float | None = None) -> Recorded | None:
        """The next call that was seen whole, waiting for it; None when there is none in time."""
        with suppress(queue.Empty):
            return self._seen.get(timeout=seconds)
        return None

    def _pass_on(self, request: Request) -> Response:
        url = f"{self._upstream}{request.environ['REQUEST_URI']}"  # as the client wrote it
        headers = [(name, value) for name, value in request.headers.items() if name.lower() not in _OWN]
        kept = [(name, value) for name, value in headers if name.lower() != "accept-encoding"]
        sent = self._client.build_request(
            request.method, url, headers=[*kept, ("accept-encoding", "identity")], content=request.get_data()
        )
        try:
            reply = self._client.send(sent, stream=True)
        except httpx.HTTPError as wrong:
            self._trouble(f"{request.method} {request.path}: {self._upstream} cannot be reached: {wrong}")
            return Response(f"recording proxy: {wrong}\n", 502, {"content-type": "text/plain"})
        head: Any = [(name, value) for name, value in reply.headers.multi_items() if name.lower() not in _OWN_REPLY]
        return Response(self._pieces(request, tuple(headers), url, reply), reply.status_code, head)

    def _pieces(self, request: Request, headers: Headers, url: str, reply: httpx.Response) -> Iterator[bytes]:
        """The reply's body as it comes; at its end the exchange is kept."""
        body = bytearray()
        try:
            for piece in reply.iter_bytes():
                body += piece
                yield piece
        except httpx.HTTPError as wrong:
            self._trouble(f"{request.method} {request.path}: the reply broke off: {wrong}")
            return
        finally:
            reply.close()
        self._seen.put(
            Recorded(
                request.method,
                url,
                headers,
                request.get_data(),
                reply.status_code,
                tuple(reply.headers.multi_items()),
                bytes(body),
            )
        )
