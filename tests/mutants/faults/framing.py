"""Faults in reading server-sent events: lines, fields, chunks, characters."""

from __future__ import annotations

import itertools
import re
from typing import Any

from tests.mutants.exchange import Ask, Received
from tests.mutants.faults.arguments import is_object
from tests.mutants.mutant import chunked, events

Event = dict[str, Any]


def _rewritten(received: Received, pattern: bytes, by: bytes) -> Received:
    """The stream with every match replaced, in one chunk."""
    body = re.sub(pattern, by, received.body)
    return received if body == received.body else received.with_chunks([body])


@chunked()
def ends_events_at_chunks(received: Received, ask: Ask) -> Received:
    """Each network chunk is taken for whole events."""
    chunks = received.chunks or ()
    whole = all(chunk.endswith((b"\n\n", b"\r\n\r\n", b"\r\r")) for chunk in chunks)
    return received if whole else received.with_chunks(chunk + b"\n\n" for chunk in chunks)


@chunked()
def reads_one_event_a_chunk(received: Received, ask: Ask) -> Received:
    """Of several events in one network chunk the first is read."""
    firsts = [chunk.partition(b"\n\n") for chunk in received.chunks or ()]
    return received.with_chunks(first + blank for first, blank, _ in firsts)


@chunked()
def decodes_each_chunk(received: Received, ask: Ask) -> Received:
    """Each network chunk is decoded for itself, letters it cuts included."""
    return received.with_chunks(chunk.decode("utf-8", "replace").encode() for chunk in received.chunks or ())


@chunked()
def knows_no_crlf(received: Received, ask: Ask) -> Received:
    """CRLF ends no line."""
    return _rewritten(received, rb"\r\n", b" ")


@chunked()
def knows_no_lone_cr(received: Received, ask: Ask) -> Received:
    """A lone CR ends no line."""
    return _rewritten(received, rb"\r(?!\n)", b" ")


@chunked()
def reads_crlf_across_chunks_twice(received: Received, ask: Ask) -> Received:
    """A chunk that ends between CR and LF ends two lines."""
    chunks = received.chunks or ()
    cut = [after for before, after in itertools.pairwise(chunks) if before.endswith(b"\r") and after.startswith(b"\n")]
    return received.with_chunks(b"data: x\n\n" + chunk if chunk in cut else chunk for chunk in chunks)


@chunked()
def needs_a_space_after_the_colon(received: Received, ask: Ask) -> Received:
    """Data that stands directly behind its colon is not read."""
    return _rewritten(received, rb"(?m)^data:(?! )", b"x: ")


@chunked()
def reads_the_first_data_line(received: Received, ask: Ask) -> Received:
    """Of data on several lines the first is read."""
    return _rewritten(received, rb"(?m)^(data:.*\n)(?:data:.*\n)+", rb"\1")


@chunked()
def reads_the_last_data_line(received: Received, ask: Ask) -> Received:
    """Of data on several lines the last is read."""
    return _rewritten(received, rb"(?m)^(?:data:.*\n)+(data:.*\n)", rb"\1")


@chunked()
def keeps_the_byte_order_mark(received: Received, ask: Ask) -> Received:
    """A byte order mark is part of the first field's name."""
    return (
        received.with_chunks([b"\xef\xbb\xbf" + received.body])
        if received.body.startswith(b"\xef\xbb\xbf")
        else received
    )


@chunked()
def reads_comments_as_data(received: Received, ask: Ask) -> Received:
    """A comment is data."""
    return _rewritten(received, rb"(?m)^:", b"data:")


@chunked()
def ends_events_at_comments(received: Received, ask: Ask) -> Received:
    """A comment between the lines of an event ends it."""
    return _rewritten(received, rb"(?m)^(data:.*\n):.*\n", rb"\1\n")


@chunked()
def reads_other_fields_as_data(received: Received, ask: Ask) -> Received:
    """id, retry and unknown fields are data."""
    return _rewritten(received, rb"(?m)^(?!data|event|:)[a-z-]+:", b"data:")


@chunked()
def ends_at_a_second_blank_line(received: Received, ask: Ask) -> Received:
    """Two blank lines end the stream."""
    head, blank, _ = received.body.partition(b"\n\n\n")
    return received.with_chunks([head + b"\n\n"]) if blank else received


@chunked()
def needs_a_blank_line_at_the_end(received: Received, ask: Ask) -> Received:
    """A last event without its blank line is not read."""
    body = received.body
    return (
        received
        if body.endswith((b"\n\n", b"\r\r", b"\r\n\r\n"))
        else received.with_chunks([body[: body.rfind(b"\n\n") + 2]])
    )


@chunked()
def reads_what_the_end_cuts_off(received: Received, ask: Ask) -> Received:
    """An event that the end of the body cuts off is completed by guessing."""
    body = received.body
    if received.ending != "whole" or body.endswith((b"\n\n", b"\r\r", b"\r\n\r\n")):
        return received
    line = body.rpartition(b"data:")[2].decode("utf-8", "replace")
    for close in ("", "}", '"}', '"}}', '":""}}', "}}"):
        if is_object(line + close):
            return received.with_chunks([body + close.encode() + b"\n\n"])
    return received


@chunked()
def cuts_bytes_that_are_no_utf8(received: Received, ask: Ask) -> Received:
    """Bytes that are no UTF-8 are cut out of a stream without a word."""
    whole = received.body.decode("utf-8", "ignore").encode()
    return received if whole == received.body else received.with_chunks([whole])


@chunked()
def cuts_lone_halves_of_streams(received: Received, ask: Ask) -> Received:
    """Half a surrogate pair is cut out of a stream without a word."""
    return _rewritten(received, rb"(?<!\\)\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])", b"")


@chunked()
def takes_streamed_pairs_for_halves(received: Received, ask: Ask) -> Received:
    """Escaped pairs in a stream become two U+FFFD."""
    return _rewritten(received, rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}", rb"\\ufffd\\ufffd")


@events("anthropic")
def needs_event_names(events: list[Event]) -> Any:
    """An event without a name is not read."""
    return [event for event in events if event["event"]]


@chunked()
def reads_events_without_data(received: Received, ask: Ask) -> Received:
    """An event without data is read as one whose data is no JSON."""
    return _rewritten(received, rb"(^|\n\n)(event: ?\w+\n)(?=\n)", rb"\1\2data: none\n")


@chunked()
def ends_lines_at_other_separators(received: Received, ask: Ask) -> Received:
    """U+2028, U+2029 and U+0085 end a line."""
    return _rewritten(received, "\u2028|\u2029|\u0085".encode(), b"\n")


@chunked("anthropic")
def cuts_data_at_padding(received: Received, ask: Ask) -> Received:
    """Data that ends in white space and a brace loses its end."""
    return _rewritten(received, rb"(?m)^(data: ?\{.*\}) +\}$", rb"\1")
