"""Server-sent events of a streamed answer, taken apart and put together again."""

from __future__ import annotations

import re
from typing import Any

from conformance.tree import NotJson, compact, read

_LINE_ENDS = re.compile("\r\n|\n|\r")

Event = dict[str, Any]


def read_events(body: bytes) -> list[Event]:
    """The events of a body, each `{"event": name or None, "data": tree or text}`; what the end cut off is one, too."""
    text = body.decode("utf-8", "replace").removeprefix("\ufeff")
    found: list[Event] = []
    name: str | None = None
    data: list[str] = []
    for line in [*_LINE_ENDS.split(text), ""]:
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            name = value
        elif field == "data":
            data.append(value)
        elif not line:
            if data:
                found.append({"event": name, "data": _data("\n".join(data))})
            name, data = None, []
    return found


def _data(text: str) -> Any:
    try:
        return read(text)
    except (NotJson, RecursionError):
        return text


def write_event(event: Event) -> bytes:
    """An event as bytes, its data on one line."""
    name = f"event: {event['event']}\n" if event["event"] else ""
    data = event["data"] if type(event["data"]) is str else compact(event["data"])
    lines = "".join(f"data: {line}\n" for line in data.split("\n"))
    return f"{name}{lines}\n".encode("utf-8", "surrogatepass")


def of_type(events: list[Event], kind: str) -> list[Event]:
    """The data of an Anthropic stream's events of one type."""
    return [event["data"] for event in events if isinstance(event["data"], dict) and event["data"].get("type") == kind]


def choices_of(events: list[Event]) -> list[Event]:
    """The choices in the chunks of an OpenAI-style stream."""
    chunks = [event["data"] for event in events if isinstance(event["data"], dict)]
    lists = [chunk["choices"] for chunk in chunks if isinstance(chunk.get("choices"), list)]
    return [choice for found in lists for choice in found if isinstance(choice, dict)]
