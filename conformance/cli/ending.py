"""Verbs that run until they are told to end: by Ctrl-C or by SIGTERM, also where a shell starts them with &."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def interruptible() -> Iterator[None]:
    """SIGINT and SIGTERM both raise `KeyboardInterrupt` inside the block.

    A shell without job control starts background commands with SIGINT ignored, so that it has to be taken back.
    """
    taken = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(one, signal.default_int_handler) for one in taken]
    try:
        yield
    finally:
        for one, handler in zip(taken, before, strict=True):
            signal.signal(one, handler)
