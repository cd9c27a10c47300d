"""What a port writes, cut into lines, whatever it writes: no line is ever held that is longer than it may be."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO, Final

#: The longest line of the protocol, its end included.
LONGEST: Final = 16 * 2**20


@dataclass(frozen=True, slots=True)
class TooLong:
    """A line that was longer than it may be; only its beginning is kept."""

    begins: bytes


@dataclass
class Lines:
    """Bytes as they come, lines as they end; `rest` is the line that has begun and not ended."""

    longest: int = LONGEST
    _parts: list[bytes] = field(default_factory=list)
    _size: int = 0

    def feed(self, data: bytes) -> Iterator[bytes | TooLong]:
        """The lines that the bytes bring to their end, without it."""
        *ended, rest = data.split(b"\n")
        for piece in ended:
            self._add(piece)
            yield self._line()
        self._add(rest)

    def _add(self, piece: bytes) -> None:
        if piece and self._size < self.longest:
            self._parts.append(piece)
        self._size += len(piece)

    def _line(self) -> bytes | TooLong:
        line, size = self.rest, self._size + 1
        self._parts.clear()
        self._size = 0
        return TooLong(line[:200]) if size > self.longest else line

    @property
    def rest(self) -> bytes:
        """The line that has begun, as far as it is kept."""
        return b"".join(self._parts)


def in_pipe(pipe: IO[bytes]) -> int:
    """How many bytes of a pipe nobody has read yet; 0 where the system does not tell."""
    if os.name != "posix":
        return 0
    import fcntl
    import struct
    import termios

    return int(struct.unpack("i", fcntl.ioctl(pipe.fileno(), termios.FIONREAD, b"\0" * 4))[0])


def shown(line: bytes) -> str:
    """The beginning of a line, for people."""
    text = line[:200].decode("utf-8", "replace").strip()
    return text + ("…" if len(line) > 200 else "")
