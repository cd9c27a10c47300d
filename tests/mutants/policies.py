"""How mutants change what a client does about failed attempts."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from toolnexus.errors import ProviderError
from toolnexus.retry import RetryPolicy


def replan(client: Any, **changes: Any) -> None:
    """Changes what a client is set to do around each call."""
    client._plan = dataclasses.replace(client._plan, **changes)


def with_rules(client: Any, **methods: Callable[..., Any]) -> None:
    """The client's retry policy with some of its rules replaced."""
    own: RetryPolicy = client._plan.retry
    wrong = type("WrongPolicy", (RetryPolicy,), methods)
    replan(client, retry=wrong(own.retries, own.base_ms, own.statuses, own.max_retry_after_s))


def retry_where(client: Any, rule: Callable[[Exception, bool], bool]) -> None:
    """The policy with another rule of what is tried again; the rule is told what is right."""
    with_rules(client, retryable=lambda self, wrong: rule(wrong, RetryPolicy.retryable(self, wrong)))


def wait_as(client: Any, read: Callable[[ProviderError], float | None]) -> None:
    """The policy with another reading of how long the provider asks to wait; None leaves it as it is."""

    def wait(self: RetryPolicy, wrong: Exception, attempt: int, random: Callable[[], float]) -> tuple[float, bool]:
        asked = read(wrong) if isinstance(wrong, ProviderError) else None
        return (asked, True) if asked is not None else RetryPolicy.wait(self, wrong, attempt, random)

    with_rules(client, wait=wait)


def status_of(wrong: Exception) -> int:
    """The status of a provider's error, 0 for any other."""
    return wrong.status if isinstance(wrong, ProviderError) else 0
