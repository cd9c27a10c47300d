"""One life of a port's process: its pipes, who is waiting for which reply, and how it ended."""

from __future__ import annotations

import contextlib
import os
import queue
import select
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Sequence
from typing import IO, Any, Final

from conformance.drivers.message import reply_fault
from conformance.environ import scrubbed
from conformance.observation import Answer, NoAnswer, Outcome
from conformance.tree import NotJson, read_bytes

#: The longest line a port may write, its end included.
LONGEST: Final = 16 * 2**20

_POSIX: Final = os.name == "posix"
_HELLO: Final = ""  # what waits for the hello, which has no id


class Child:
    """A running port. Replies are matched to waiting messages by id; everything else it writes is a fault."""

    def __init__(self, argv: Sequence[str]) -> None:
        group: dict[str, Any] = {"start_new_session": True} if _POSIX else {"creationflags": 0x200}
        self._process = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=scrubbed(os.environ),
            **group,
        )
        self._lock = threading.Lock()
        self._waiting: dict[str, queue.SimpleQueue[Outcome]] = {}
        self._seen: set[str] = set()
        self._blamed: set[str] = set()
        self._unblamed: str | None = None
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._stderr: deque[str] = deque(maxlen=64)
        self._stderr_count = 0
        self.ended: str | None = None
        for work in (self._read_replies, self._read_stderr, self._write_lines):
            threading.Thread(target=work, name="toolnexus-port-pipe", daemon=True).start()

    # -- asking -------------------------------------------------------------------------------------------------------

    def ask(self, line: str, number: str = _HELLO, seconds: float = 30.0) -> Outcome:
        """Send a line and wait for the reply with that id (the hello has none)."""
        answer: queue.SimpleQueue[Outcome] = queue.SimpleQueue()
        with self._lock:
            if self.ended is not None:
                return NoAnswer("died", self.ended)
            if self._unblamed is not None:
                fault, self._unblamed = self._unblamed, None
                return NoAnswer("protocol", fault)
            self._waiting[number] = answer
        self._lines.put(line.encode("ascii") + b"\n")
        try:
            return answer.get(timeout=seconds)
        except queue.Empty:
            return NoAnswer("timeout", f"no reply within {seconds * 1000:.0f} ms")
        finally:
            with self._lock:
                self._waiting.pop(number, None)

    def stderr_mark(self) -> int:
        """A place in stderr, for `stderr_since`."""
        return self._stderr_count

    def stderr_since(self, mark: int) -> tuple[str, ...]:
        """The lines written since the mark, the last 64 of them; what is already in the pipe is waited for."""
        pipe = self._process.stderr
        until = time.monotonic() + 0.1
        while _POSIX and pipe is not None and time.monotonic() < until and _readable(pipe):
            time.sleep(0.001)
        with self._lock:
            fresh = min(self._stderr_count - mark, len(self._stderr))
            return tuple(self._stderr)[len(self._stderr) - fresh :]

    # -- the pipes ----------------------------------------------------------------------------------------------------

    def _write_lines(self) -> None:
        pipe = self._process.stdin
        assert pipe is not None
        with contextlib.suppress(OSError, ValueError):
            while (line := self._lines.get()) is not None:
                pipe.write(line)
                pipe.flush()
        with contextlib.suppress(OSError):
            pipe.close()

    def _read_stderr(self) -> None:
        pipe = self._process.stderr
        assert pipe is not None
        with contextlib.suppress(ValueError):
            for line in pipe:
                with self._lock:
                    self._stderr.append(line.decode("utf-8", "replace").rstrip("\r\n")[:4000])
                    self._stderr_count += 1

    def _read_replies(self) -> None:
        pipe = self._process.stdout
        assert pipe is not None
        with contextlib.suppress(ValueError):
            while line := pipe.readline(LONGEST + 1):
                if len(line) > LONGEST:
                    self._fault(f"a line of more than {LONGEST} bytes, which begins {_shown(line)}")
                    while line and not line.endswith(b"\n"):
                        line = pipe.readline(LONGEST)
                elif line.strip():
                    self._deliver(line)
        self._process.wait()
        with self._lock:
            self.ended = _ending(self._process.returncode)
            waiting = list(self._waiting.values())
        for answer in waiting:
            answer.put(NoAnswer("died", f"the port died while at work: {self.ended}"))

    def _deliver(self, line: bytes) -> None:
        try:
            value = read_bytes(line)
        except NotJson as wrong:
            return self._fault(f"a line on stdout that is no JSON ({wrong.message}): {_shown(line)}")
        if not isinstance(value, dict):
            return self._fault(f"a line on stdout that is no message: {_shown(line)}")
        if "op" in value:
            return self._hand(_HELLO, Answer(value), line)
        number = value.get("id")
        if type(number) is not str:
            return self._fault(f"a reply without an id: {_shown(line)}")
        if (fault := reply_fault(value)) is not None:
            return self._hand(number, NoAnswer("protocol", f"the reply {fault}: {_shown(line)}"), line)
        return self._hand(number, Answer(value), line)

    def _hand(self, number: str, outcome: Outcome, line: bytes) -> None:
        with self._lock:
            answer = self._waiting.pop(number, None)
            again, forgiven = number in self._seen, number in self._blamed
            self._seen.add(number)
            self._blamed.discard(number)
        if answer is not None:
            answer.put(outcome)
        elif not forgiven:
            self._fault(f"{'a second reply' if again else 'a reply'} with id {number!r}, unasked: {_shown(line)}")

    def _fault(self, what: str) -> None:
        """Blame whoever is waiting, or else the next: a port that breaks the protocol is never passed over."""
        fault = f"the port broke the protocol: {what}"
        with self._lock:
            waiting = dict(self._waiting)
            self._waiting.clear()
            self._blamed.update(waiting)  # their replies may still come, and are no second fault
            self._unblamed = self._unblamed if waiting else fault
        for answer in waiting.values():
            answer.put(NoAnswer("protocol", fault))

    # -- the end ------------------------------------------------------------------------------------------------------

    def farewell(self, line: str, seconds: float = 2.0) -> None:
        """Say goodbye, give the port a moment to go by itself, then end its whole group."""
        self._lines.put(line.encode("ascii") + b"\n")
        self._lines.put(None)
        until = time.monotonic() + seconds
        while not self._has_ended() and time.monotonic() < until:
            time.sleep(0.005)
        self.kill()

    def _has_ended(self) -> bool:
        """Has the port gone, even where a child of it still holds its pipes? Its id is not given back by asking."""
        if self.ended is not None or not _POSIX:
            return self.ended is not None
        try:
            return os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        except ChildProcessError:
            return True

    def kill(self) -> None:
        """End the port and every process it started."""
        if _POSIX:
            # The group outlives its leader, and its id is the leader's: signal it even when the leader has gone.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        else:
            self._process.kill()
        self._lines.put(None)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=5)


def _readable(pipe: IO[bytes]) -> bool:
    try:
        return bool(select.select([pipe], [], [], 0)[0]) and bool(pipe.peek(0) if hasattr(pipe, "peek") else b"")
    except (OSError, ValueError):
        return False


def _ending(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"


def _shown(line: bytes) -> str:
    text = line[:200].decode("utf-8", "replace").strip()
    return text + ("…" if len(line) > 200 else "")
