"""One exchange with a real provider, as it was seen on the way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

#: How the path of a call ends, by style.
ENDINGS: Final = {"anthropic": "/messages", "openai": "/chat/completions"}

Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, repr=False)
class Recorded:
    """What was sent to `url` and what came back; header names as sent, bodies decoded. It holds secrets."""

    method: str
    url: str
    request_headers: Headers
    request_body: bytes
    status: int
    reply_headers: Headers
    reply_body: bytes

    @property
    def target(self) -> str:
        """Path and query of the call."""
        parts = urlsplit(self.url)
        return f"{parts.path}?{parts.query}" if parts.query else parts.path

    def request_header(self, name: str) -> str:
        """A header of the request, names compared without case; "" when absent."""
        return _header(self.request_headers, name)

    def reply_header(self, name: str) -> str:
        """A header of the reply, likewise."""
        return _header(self.reply_headers, name)


def _header(headers: Headers, name: str) -> str:
    return ", ".join(value for given, value in headers if given.lower() == name)


def style_of(url: str) -> str | None:
    """The style that a call's path belongs to; None for other traffic."""
    path = urlsplit(url).path.rstrip("/")
    return next((style for style, ending in ENDINGS.items() if path.endswith(ending)), None)
