"""Cache marks: at most four in one request, the last ones win (clause `anthropic.cache-control`, B8 44, 45)."""

from __future__ import annotations

from typing import Any

from msgspec import Raw, Struct

from toolnexus.errors import InvalidRequest
from toolnexus.wire.exact import plain
from toolnexus.wire.log import Log

MOST = 4

_NULL = Raw(b"null")


class Mark(Struct, gc=False):
    """A mark that was sent: the block or tool that carries it, and where the caller wrote it."""

    carrier: Any
    pointer: str


def read_mark(raw: Raw | None, pointer: str) -> Raw | None:
    """A `cache_control` value as it came. Raises `InvalidRequest` where it is no object."""
    if raw is None or raw == _NULL:
        return None
    if bytes(raw)[:1] != b"{":
        raise InvalidRequest("cache_control is no object", pointer)
    return raw


def put_mark(carrier: Any, mark: Raw, pointer: str, marks: list[Mark], log: Log) -> None:
    """Sets a mark on a block, tool or native dict; a message's mark replaces one that its last block already has."""
    for earlier in marks:
        if earlier.carrier is carrier:
            marks.remove(earlier)
            has = carrier["cache_control"] if isinstance(carrier, dict) else carrier.cache_control
            if plain(has) != plain(mark):
                lost(log, earlier.pointer, "the mark of the whole was sent in its place")
            break
    if isinstance(carrier, dict):
        carrier["cache_control"] = mark
    else:
        carrier.cache_control = mark
    marks.append(Mark(carrier, pointer))


def keep_last_four(marks: list[Mark], log: Log) -> None:
    """Takes back all but the last four marks, each with a warning.

    `marks` is in the provider's order: tools, system, messages.
    """
    for mark in marks[:-MOST]:
        if isinstance(mark.carrier, dict):
            mark.carrier.pop("cache_control", None)
        else:
            mark.carrier.cache_control = None
        lost(log, mark.pointer, "a request holds at most four cache marks; the last four were sent")


def lost(log: Log, pointer: str, message: str) -> None:
    """Notes a mark that is not sent."""
    log.warn("cache-control-dropped", pointer, message)
