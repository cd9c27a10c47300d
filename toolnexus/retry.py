"""When a failed attempt is tried again, and how long to wait first (clauses `retry.*`). It has no clock of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from toolnexus.errors import InvalidResponse, ProviderError, TransportError

STATUSES = frozenset({429, 500, 502, 503, 504, 529})
MAX_RETRY_AFTER = 2147483647
"""The largest `Retry-After` that counts, in seconds (clause `retry.after`)."""

# Backoff doubles; beyond a minute, more patience is the caller's own loop.
_LONGEST_BACKOFF = 60.0
_KINDS_RETRIED = frozenset({"connect", "timeout", "reset"})

Verdict = Literal["retry", "fail"]


@dataclass(frozen=True)
class RetryPolicy:
    """`retries` further attempts, backoff from `base_ms` milliseconds; `statuses` adds to the set, never removes.

    `max_retry_after_s` (none by default) is the longest `Retry-After` that is waited for.
    """

    retries: int = 2
    base_ms: float = 500
    statuses: frozenset[int] = field(default_factory=frozenset)
    max_retry_after_s: float | None = None

    def __post_init__(self) -> None:
        if isinstance(self.retries, bool) or not isinstance(self.retries, int) or self.retries < 0:
            raise ValueError("retries is a whole number of at least 0")
        if not self.base_ms >= 0:
            raise ValueError("retry_base_ms is at least 0")

    def retryable(self, error: Exception) -> bool:
        """Whether an attempt that ended so is worth another (clause `retry.statuses`)."""
        if isinstance(error, ProviderError):
            return error.status in STATUSES or error.status in self.statuses
        return isinstance(error, TransportError) and error.kind in _KINDS_RETRIED

    def wait(self, error: Exception, attempt: int, random: Callable[[], float]) -> tuple[float, bool]:
        """Seconds to wait after the failed attempt number `attempt` (from 0), and whether the provider named them."""
        asked = retry_after_seconds(error.retry_after) if isinstance(error, ProviderError) else None
        if asked is not None:
            return float(asked), True
        backoff = self.base_ms / 1000 * 2.0 ** min(attempt, 64)
        # Jitter is proportional, so a base of 0 never sleeps.
        return min(backoff, _LONGEST_BACKOFF) * (0.5 + random() / 2), False

    def too_long(self, seconds: float, left: float | None) -> bool:
        """Whether a wait the provider named outlasts the call, or the caller's patience (clause `retry.after`)."""
        if left is not None and seconds > left:
            return True
        return self.max_retry_after_s is not None and seconds > self.max_retry_after_s


def retry_after_seconds(value: str | None) -> int | None:
    """`Retry-After` in seconds where it is ASCII digits within 0…2147483647, else None (clause `retry.after`)."""
    if not value or not value.isascii() or not value.isdigit():
        return None
    # A longer text cannot be in range, and int() refuses thousands of digits.
    seconds = int(value) if len(value.lstrip("0")) <= 10 else MAX_RETRY_AFTER + 1
    return seconds if seconds <= MAX_RETRY_AFTER else None


def error_info(error: Exception, attempt: int, retryable: bool) -> dict[str, Any]:
    """What `on_error` is told of a failed attempt: `{error, status?, attempt, retryable}` (clause `retry.on-error`)."""
    info: dict[str, Any] = {"error": error, "attempt": attempt, "retryable": retryable}
    if isinstance(error, ProviderError | InvalidResponse):
        info["status"] = error.status
    return info
