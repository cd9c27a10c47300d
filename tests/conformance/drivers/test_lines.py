"""Lines of a port, whatever it writes."""

from __future__ import annotations

import os

import pytest

from conformance.drivers.lines import Lines, TooLong, in_pipe, shown


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
def test_the_cutting_of_the_bytes_does_not_matter(size: int) -> None:
    data = b"one\n\ntwo\r\nthree"
    lines = Lines()
    found = [line for at in range(0, len(data), size) for line in lines.feed(data[at : at + size])]
    assert found == [b"one", b"", b"two\r"]
    assert lines.rest == b"three"


def test_a_line_is_as_long_as_it_may_be_with_its_end() -> None:
    lines = Lines(longest=10)
    assert list(lines.feed(b"x" * 9 + b"\n" + b"y" * 10 + b"\nz\n")) == [b"x" * 9, TooLong(b"y" * 10), b"z"]


def test_of_a_line_that_is_too_long_only_the_beginning_is_kept() -> None:
    lines = Lines(longest=1000)
    for _ in range(10_000):
        assert not list(lines.feed(b"x" * 1000))
    assert len(lines.rest) <= 2000
    (found,) = lines.feed(b"\n")
    assert found == TooLong(b"x" * 200)


def test_what_is_in_a_pipe_can_be_counted() -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb", 0) as reader, os.fdopen(writing, "wb", 0) as writer:
        writer.write(b"x" * 10)
        assert in_pipe(reader) == in_pipe(writer) == 10
        reader.read(4)
        assert in_pipe(writer) == 6


def test_a_line_is_shown_short() -> None:
    assert shown(b" x\xff ") == "x\ufffd"
    assert shown(b"x" * 201) == "x" * 200 + "…"
