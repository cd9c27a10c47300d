"""A case's reply as bytes: status, headers and the pieces in which the body is written."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final, cast

from conformance.case import Reply
from conformance.tree import Json, compact, from_python

_JSON: Final = "application/json"
_EVENTS: Final = "text/event-stream"


@dataclass(frozen=True, slots=True)
class Encoded:
    """What goes over the connection. `streamed` bodies are chunked, a chunk a piece; `wire` replaces everything."""

    status: int
    headers: tuple[tuple[str, str], ...]
    pieces: tuple[bytes, ...]
    streamed: bool = False
    wire: bytes | None = None

    @property
    def body(self) -> bytes:
        """The whole body."""
        return b"".join(self.pieces)

    def cut_short(self) -> bytes:
        """Status line, headers and a part of the body: all a broken or stalled connection ever carries."""
        length = ("Transfer-Encoding", "chunked") if self.streamed else ("Content-Length", str(len(self.body) or 1024))
        rows = "".join(f"{name}: {value}\r\n" for name, value in [*self.headers, length])
        start = f"HTTP/1.1 {self.status} {_reason(self.status)}\r\n{rows}\r\n".encode("latin-1")
        if self.streamed:
            return start + b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in self.pieces if piece)
        return start + self.body[: len(self.body) // 2]


def encode(reply: Reply) -> Encoded:
    """The bytes of a reply.

    The content type is the kind's (JSON, or an event stream for `sse` and `chunks`) unless the case sets one.
    """
    pieces: tuple[bytes, ...] = () if reply.kind is None else tuple(_PIECES[reply.kind](cast("Any", reply.payload)))
    if reply.kind == "wire":
        return Encoded(reply.status, (), (), wire=b"".join(pieces))
    streamed = reply.kind in ("sse", "chunks")
    headers = dict(reply.headers)
    if not any(name.lower() == "content-type" for name in headers):
        headers["Content-Type"] = _EVENTS if streamed else _JSON
    return Encoded(reply.status, tuple(headers.items()), pieces, streamed)


def from_provider(answer: dict[str, Any]) -> Reply:
    """The reply of a provider's rules: `status`, `headers?` and one body kind, as in a case."""
    kind = next((kind for kind in _PIECES if kind in answer), None)
    return Reply(
        status=int(answer.get("status", 200)),
        headers=dict(answer.get("headers", {})),
        kind=kind,
        payload=None if kind is None else from_python(answer[kind]),
    )


def _reason(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unassigned"


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _piece(value: Json) -> bytes:
    return base64.b64decode(str(value["base64"])) if isinstance(value, dict) else _utf8(str(value))


def _event(event: dict[str, Json]) -> bytes:
    data = event["data"]
    lines = data.split("\n") if type(data) is str else [compact(data)]
    name = f"event: {event['event']}\n" if "event" in event else ""
    return _utf8(name + "".join(f"data: {line}\n" for line in lines) + "\n")


def _events(events: list[dict[str, Json]]) -> Iterator[bytes]:
    return (_event(event) for event in events)


_PIECES: Final[dict[str, Callable[[Any], Iterator[bytes]]]] = {
    "json": lambda payload: iter([_utf8(compact(payload))]),
    "text": lambda payload: iter([_utf8(payload)]),
    "base64": lambda payload: iter([base64.b64decode(payload)]),
    "sse": _events,
    "chunks": lambda payload: (_piece(item) for item in payload),
    "wire": lambda payload: iter([_piece(payload)]),
}
