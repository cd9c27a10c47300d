"""The one call that the library leaves to its caller, as plain as can be, and a stream's events."""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from typing import Any

import peer


class _Stay(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: it is an error answer like any other."""

    def redirect_request(self, *_: Any) -> None:
        return None


_DIRECT = urllib.request.build_opener(_Stay)


def post(client: dict[str, Any], body: dict[str, Any]) -> Any:
    """The one call, for a library that only converts bodies: what the provider said, as plain values."""
    with _exchange(client, body) as answer:
        return json.loads(answer.read())


def post_stream(client: dict[str, Any], body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The events of a stream, which is read whole: the library is given one after the other and sees no difference."""
    with _exchange(client, body) as answer:
        for data in _events(answer.read()):
            event = json.loads(data)
            if not isinstance(event, dict) or event.get("type") == "error":
                raise peer.Cannot("the library converts no error answers")
            yield event
            if event.get("type") == "message_stop":
                return
    raise peer.Cannot("the library reads no stream: that one broke off is its caller's to see")


def _events(body: bytes) -> Iterator[str]:
    """The data of each server-sent event; the last may lack its blank line."""
    data: list[str] = []
    for line in [*re.split("\r\n|\n|\r", body.decode(errors="replace").removeprefix("\ufeff")), ""]:
        if line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
        elif not line and data:
            yield "\n".join(data)
            data = []


@contextlib.contextmanager
def _exchange(client: dict[str, Any], body: dict[str, Any]) -> Iterator[http.client.HTTPResponse]:
    """Where the exchange itself is the subject (retries, addresses, error answers), the library has no part in it."""
    base = urllib.parse.urlsplit(client["base_url"])
    if base.path or base.query:
        raise peer.Cannot("the library converts bodies and makes no call: addresses are its caller's")
    headers = {"x-api-key": client["api_key"], "anthropic-version": "2023-06-01", "content-type": "application/json"}
    sent = json.dumps(body, allow_nan=True).encode()
    request = urllib.request.Request(f"{client['base_url']}/v1/messages", sent, headers, method="POST")
    try:
        with _DIRECT.open(request, timeout=4) as answer:
            yield answer
    except urllib.error.HTTPError as wrong:
        if wrong.headers.get("x-toolnexus-stub"):  # the case has no such call: the library should have refused it
            raise peer.Unscripted(f"the provider was called and answered {wrong.code}") from None
        raise peer.Cannot("the library converts no error answers") from None
    except (OSError, ValueError, http.client.HTTPException) as wrong:
        raise peer.Cannot(f"the library converts bodies, and there was none: {' '.join(str(wrong).split())}") from None
