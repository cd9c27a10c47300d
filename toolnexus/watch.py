"""When one call must be over: its deadline and its cancel token (clause `retry.deadline`)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

from toolnexus.errors import TransportError

POLL_S = 0.05
"""Seconds between two looks at a cancel token, which need not be one that can be waited on."""


class CancelToken(Protocol):
    """Anything that can say it was set: `threading.Event`, `asyncio.Event`, or one's own."""

    def is_set(self) -> bool:
        """Whether the call is to stop."""


class Watch:
    """Says when a call is over: past `deadline` (a time of `clock`, None for none), or once `token` is set."""

    __slots__ = ("_clock", "_deadline", "token")

    def __init__(
        self,
        deadline: float | None = None,
        clock: Callable[[], float] = time.monotonic,
        token: CancelToken | None = None,
    ) -> None:
        self._deadline = deadline
        self._clock = clock
        self.token = token

    def left(self) -> float | None:
        """Seconds that are left, None without a deadline. Raises `TransportError` once the call is over."""
        if self.token is not None and self.token.is_set():
            raise cancelled()
        if self._deadline is None:
            return None
        left = self._deadline - self._clock()
        if left <= 0:
            raise deadline_passed()
        return left

    def bound(self, timeout: float | None) -> float | None:
        """`timeout`, or what is left of the call where that is less; raises as `left`."""
        left = self.left()
        return timeout if left is None or (timeout is not None and timeout < left) else left


_NEVER = Watch()
_current: ContextVar[Watch] = ContextVar("toolnexus_watch", default=_NEVER)
watch_of_this_thread = _current.get


@contextmanager
def watched(watch: Watch) -> Iterator[None]:
    """Inside the block, reads and writes of this thread end when `watch` says so."""
    token = _current.set(watch)
    try:
        yield
    finally:
        _current.reset(token)


def deadline_passed() -> TransportError:
    """The call's own time is over (clause `retry.deadline`)."""
    return TransportError("the call's timeout_ms passed before an answer came", kind="timeout")


def cancelled() -> TransportError:
    """The caller's token was set."""
    return TransportError("the call was cancelled", kind="cancelled")
