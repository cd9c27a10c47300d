"""HTTP Archive files (HAR 1.2), as browsers and proxies save them: the provider calls among their entries."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from conformance.authoring.recording.seen import Headers, Recorded, style_of
from conformance.faults import UsageFault


def calls(path: Path, style: str | None) -> list[Recorded]:
    """The entries that are POSTs to a provider's endpoint, in order; raises `UsageFault` for what is no HAR file."""
    try:
        entries = json.loads(path.read_text("utf-8-sig"))["log"]["entries"]
        found = [_recorded(entry) for entry in entries if _is_call(entry, style)]
    except OSError as wrong:
        raise UsageFault(f"{path}: {wrong.strerror}") from None
    except (ValueError, KeyError, TypeError) as wrong:
        raise UsageFault(f"{path} is no HAR file: {type(wrong).__name__} {wrong}") from None
    if not found:
        raise UsageFault(f"{path} holds no POST to {'a provider' if style is None else style}'s endpoint")
    return found


def _is_call(entry: dict[str, Any], style: str | None) -> bool:
    request = entry["request"]
    return request["method"] == "POST" and style_of(request["url"]) in ((style,) if style else ("anthropic", "openai"))


def _recorded(entry: dict[str, Any]) -> Recorded:
    request, response = entry["request"], entry["response"]
    return Recorded(
        method=request["method"],
        url=request["url"],
        request_headers=_headers(request),
        request_body=_content(request.get("postData", {})),
        status=int(response["status"]),
        reply_headers=tuple(_reply_headers(response)),
        reply_body=_content(response.get("content", {})),
    )


def _headers(message: dict[str, Any]) -> Headers:
    return tuple((str(row["name"]), str(row["value"])) for row in message.get("headers", []))


def _reply_headers(response: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The reply's headers; a sanitised file may have none, but the type of its content is kept apart."""
    headers = _headers(response)
    yield from headers
    kind = response.get("content", {}).get("mimeType")
    if kind and not any(name.lower() == "content-type" for name, _ in headers):
        yield "content-type", str(kind)


def _content(content: dict[str, Any]) -> bytes:
    text = str(content.get("text", ""))
    if content.get("encoding") != "base64":
        return text.encode("utf-8", "surrogatepass")
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as wrong:
        raise ValueError(f"content that is no base64: {wrong}") from None
