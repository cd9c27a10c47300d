"""What a port writes to stderr: the last lines for each case, and every line that shows a case's key."""

from __future__ import annotations

import contextlib
import os
import re
import select
import threading
import time
from collections import deque
from collections.abc import Iterator
from typing import IO, Final

from conformance.drivers.lines import Lines, TooLong, in_pipe
from conformance.stub import KEY

#: How many lines are kept, and how much of one, in characters.
KEPT: Final = 64
_LONGEST: Final = 4000

#: How long to wait for what is still in the pipe when a case has ended, in seconds.
_LINGER_S: Final = 0.1

#: The line that names what a program died of, whatever it writes after that; and a line that says nothing of it.
_TELLING: Final = re.compile(r"^(?!\s).*(?:Error\b.*:|Exception|\bpanic)")
_SIGNATURE: Final = re.compile(r"^Node\.js v\d")

_POSIX: Final = os.name == "posix"


class Stderr:
    """Reads a pipe to its end, however much comes; `mark` and `since` cut a case's lines out."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe = pipe
        self._lock = threading.Lock()
        self._written = Lines(1 << 16)
        self._lines: deque[str] = deque(maxlen=KEPT)
        self._leaks: deque[tuple[int, str]] = deque(maxlen=1000)
        self._count = 0
        threading.Thread(target=self._read, name="toolnexus-port-stderr", daemon=True).start()

    def _read(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            for _ in _readable(self._pipe):
                # Read and kept in one go: who finds the pipe empty and then has the lock misses nothing.
                with self._lock:
                    data = os.read(self._pipe.fileno(), 1 << 16)
                    for line in self._written.feed(data):
                        self._keep(line.begins if isinstance(line, TooLong) else line)
                    if not data:
                        break
            if self._written.rest:
                self._keep(self._written.rest)

    def _keep(self, line: bytes) -> None:
        text = line.decode("utf-8", "replace").rstrip("\r")
        self._count += 1
        self._lines.append(text[:_LONGEST])
        if KEY.search(text):
            self._leaks.append((self._count, text[:_LONGEST]))

    def mark(self) -> int:
        """A place in the stream, for `since`."""
        return self._count

    def since(self, mark: int, secret: str = "") -> tuple[str, ...]:
        """The last lines since the mark, and before them an earlier one that shows the secret."""
        until = time.monotonic() + _LINGER_S
        while time.monotonic() < until and self._more():
            time.sleep(0.001)
        with self._lock:
            fresh = min(self._count - mark, len(self._lines))
            lines = tuple(self._lines)[len(self._lines) - fresh :]
            leak = next((line for place, line in self._leaks if place > mark and secret in line), None)
        return lines if not secret or leak is None or any(secret in line for line in lines) else (leak, *lines)

    def _more(self) -> bool:
        try:
            return in_pipe(self._pipe) > 0
        except (OSError, ValueError):
            return False

    def last(self) -> str:
        """The last line that names an error, else the last that says something, "" where there is none."""
        said = [line for line in reversed(self.since(0)) if line.strip() and not _SIGNATURE.match(line)]
        return next((line for line in said if _TELLING.search(line)), said[0] if said else "")


def _readable(pipe: IO[bytes]) -> Iterator[None]:
    """Comes round whenever there is something to read, or the end."""
    if not _POSIX:
        while True:
            yield
    waiting = select.poll()
    waiting.register(pipe.fileno(), select.POLLIN | select.POLLHUP)
    while True:
        waiting.poll()
        yield
