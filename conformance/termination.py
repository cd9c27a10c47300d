"""SIGTERM ends a run as Ctrl-C does: the port's process group is ended with it."""

from __future__ import annotations

import os
import signal
import threading
from typing import Any, Final

#: What a shell says of a process that SIGTERM ended.
CODE: Final = 143

_POSIX: Final = os.name == "posix"


class Terminated(SystemExit):
    """The exit of a terminated run; no `Exception`, so that no judging of a case takes it for a fault."""

    def __init__(self) -> None:
        super().__init__(CODE)


class Termination:
    """Between `__enter__` and `__exit__` the first SIGTERM raises `Terminated`, further ones are held off."""

    def __init__(self) -> None:
        self._before: Any = None
        self._taken = False

    def __enter__(self) -> None:
        if _POSIX and threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGTERM, _terminate)
            self._taken = True

    def __exit__(self, *_: object) -> None:
        if self._taken:
            self._taken = False
            # None stands for a handler that Python did not set, and cannot set again.
            signal.signal(signal.SIGTERM, signal.SIG_DFL if self._before is None else self._before)


def _terminate(*_: object) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # what is to be ended is ended in bounded time
    raise Terminated
