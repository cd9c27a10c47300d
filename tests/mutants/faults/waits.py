"""Faults in how long is waited before a retry, and in caps and deadlines."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tests.mutants.exchange import Ask, Received
from tests.mutants.mutant import (
    error,
    options,
    policy,
    received,
    register,
)
from tests.mutants.policies import replan, retry_where, wait_as, with_rules
from toolnexus.errors import ProviderError
from toolnexus.retry import RetryPolicy, retry_after_seconds

Tree = dict[str, Any]


# -- how long ---------------------------------------------------------------------------------------------------------


def _loosely(name: str, fault: str, read: Callable[[str], float | None]) -> None:
    """A mutant that waits as `read` understands a Retry-After that counts for nothing."""

    def edit(client: Any) -> None:
        def asked(wrong: ProviderError) -> float | None:
            text = wrong.retry_after
            return None if text is None or retry_after_seconds(text) is not None else read(text)

        wait_as(client, asked)

    register(edit, "makes", edit, name, fault)


def _found(pattern: str, scale: float = 1) -> Callable[[str], float | None]:
    def read(text: str) -> float | None:
        found = re.search(pattern, text)
        return float(int(found[1])) * scale if found else None

    return read


_loosely("reads-fractions-of-retry-after", "A fractional Retry-After is waited.", _found(r"^(\d+)[.,]\d*$"))
_loosely(
    "reads-exponents-of-retry-after",
    "A Retry-After with an exponent is waited.",
    lambda text: float(text) if re.fullmatch(r"\d+e\d+", text) else None,
)
_loosely(
    "reads-infinity-in-retry-after",
    "inf in Retry-After is waited.",
    lambda text: 1e9 if text.lower().startswith("inf") else None,
)
_loosely(
    "reads-words-of-retry-after",
    "A word in Retry-After is waited a minute.",
    lambda text: 60 if text in ("nan", "soon", "null") else None,
)
_loosely("reads-quoted-retry-after", "A quoted Retry-After is waited.", _found(r'^"(\d+)"$'))
_loosely(
    "reads-past-dates",
    "A past date in Retry-After is waited a minute.",
    lambda text: 60 if re.search(r"2015|-15 ", text) else None,
)
_loosely("reads-future-dates", "A future date in Retry-After is waited.", lambda text: 3600 if "2100" in text else None)
_loosely("reads-other-scripts-digits", "Digits outside ASCII count.", lambda text: 60 if not text.isascii() else None)
_loosely("reads-lists-of-retry-after", "The first of several values in Retry-After is waited.", _found(r"^(\d+)[,;]"))
_loosely(
    "reads-signs-of-retry-after",
    "A signed Retry-After is waited, a negative one a minute.",
    lambda text: 60 if re.match(r"[+-]\d", text) else None,
)
_loosely("reads-units-of-retry-after", "A Retry-After with a unit is waited.", _found(r"^(\d+)(?:s|ms)$"))
_loosely(
    "reads-durations-of-retry-after",
    "An ISO duration or a number of another base in Retry-After is waited.",
    lambda text: 3600 if re.match(r"PT|0x", text) else None,
)
_loosely("reads-grouped-digits", "Digits in groups count.", _found(r"^(\d)[ _]\d+$", 1000))
_loosely(
    "reads-empty-retry-after", "An empty Retry-After is waited a minute.", lambda text: None if text.strip() else 60
)
_loosely(
    "reads-numbers-beyond-int32",
    "A Retry-After above 2147483647 is waited.",
    lambda text: 1e9 if text.isascii() and text.isdigit() else None,
)


@policy
def fails_at_odd_retry_after(client: Any) -> None:
    """A Retry-After of another form makes the status final."""

    def rule(wrong: Exception, right: bool) -> bool:
        text = getattr(wrong, "retry_after", None)
        return right and (text is None or retry_after_seconds(text) is not None)

    retry_where(client, rule)


@policy
def ignores_retry_after(client: Any) -> None:
    """Retry-After has no effect, the backoff is waited."""
    wait_as(client, lambda wrong: client._plan.retry.base_ms / 1000 if wrong.retry_after else None)


@policy
def takes_zero_for_no_retry_after(client: Any) -> None:
    """Retry-After: 0 falls back to the backoff."""
    wait_as(
        client, lambda wrong: client._plan.retry.base_ms / 1000 if retry_after_seconds(wrong.retry_after) == 0 else None
    )


@policy
def obeys_retry_after_for_429_only(client: Any) -> None:
    """Retry-After counts beside 429 alone."""
    wait_as(client, lambda wrong: client._plan.retry.base_ms / 1000 if wrong.status != 429 else None)


@policy
def adds_retry_after_to_the_backoff(client: Any) -> None:
    """Retry-After is waited on top of the backoff."""
    wait_as(
        client,
        lambda wrong: (
            (retry_after_seconds(wrong.retry_after) or 0) + client._plan.retry.base_ms / 1000
            if wrong.retry_after
            else None
        ),
    )


@received()
def reads_retry_after_ms(received: Received, ask: Ask) -> Received:
    """retry-after-ms counts, before Retry-After."""
    asked = received.header("retry-after-ms")
    if asked is None:
        return received
    rest = tuple(pair for pair in received.headers if pair[0].lower() != "retry-after")
    return Received(received.status, (*rest, ("retry-after", str(int(asked) // 1000))), received.body)


@received()
def reads_the_first_retry_after(received: Received, ask: Ask) -> Received:
    """Of two Retry-After headers the first counts."""
    found = [pair for pair in received.headers if pair[0].lower() == "retry-after"]
    if len(found) < 2:
        return received
    rest = tuple(pair for pair in received.headers if pair[0].lower() != "retry-after")
    return Received(received.status, (*rest, found[0]), received.body)


@options()
def backs_off_at_least_ten_seconds(options: Tree) -> None:
    """The backoff has a floor of ten seconds."""
    options["retry_base_ms"] = max(options.get("retry_base_ms", 500), 10_000)


# -- caps and deadlines -----------------------------------------------------------------------------------------------


@options()
def ignores_the_cap(options: Tree) -> None:
    """max_retry_after_s has no effect."""
    options.pop("max_retry_after_s", None)


@options()
def reads_the_cap_in_whole_seconds(options: Tree) -> None:
    """max_retry_after_s is rounded up."""
    if "max_retry_after_s" in options:
        options["max_retry_after_s"] = int(options["max_retry_after_s"] + 0.9)


@options()
def reads_a_cap_of_zero_as_none(options: Tree) -> None:
    """A cap of 0 is no cap."""
    if options.get("max_retry_after_s") == 0:
        del options["max_retry_after_s"]


@policy
def caps_the_wait(client: Any) -> None:
    """A wait beyond the cap is cut to the cap and begun."""
    cap = client._plan.retry.max_retry_after_s
    if cap is not None:
        wait_as(
            client, lambda wrong: min(retry_after_seconds(wrong.retry_after) or 0, cap) if wrong.retry_after else None
        )


@policy
def caps_before_equal(client: Any) -> None:
    """A wait equal to the cap is not begun."""
    cap = client._plan.retry.max_retry_after_s
    with_rules(
        client,
        too_long=lambda self, seconds, left: (
            RetryPolicy.too_long(self, seconds, left) or (cap is not None and 0 < seconds >= cap)
        ),
    )


@policy
def caps_the_backoff(client: Any) -> None:
    """A cap makes every failure without a Retry-After final."""
    if client._plan.retry.max_retry_after_s is not None:
        retry_where(
            client, lambda wrong, right: right and retry_after_seconds(getattr(wrong, "retry_after", None)) is not None
        )


@policy
def takes_the_largest_wait_for_odd(client: Any) -> None:
    """2147483647 is no wait: it falls back to the backoff."""
    wait_as(client, lambda wrong: 0.0 if wrong.retry_after == "2147483647" else None)


@options()
def ignores_the_deadline(options: Tree) -> None:
    """timeout_ms has no effect."""
    options.pop("timeout_ms", None)


@options()
def ignores_the_read_timeout(options: Tree) -> None:
    """The read timeout has no effect."""
    options.pop("read_timeout_ms", None)


@options()
def takes_the_deadline_for_an_attempts(options: Tree) -> None:
    """timeout_ms bounds each attempt, not the call."""
    if "timeout_ms" in options:
        options["read_timeout_ms"] = min(options.pop("timeout_ms"), options.get("read_timeout_ms", 10**9))


@options()
def takes_the_read_timeout_for_a_deadline(options: Tree) -> None:
    """The read timeout bounds the whole call."""
    if "read_timeout_ms" in options:
        options["timeout_ms"] = min(options["read_timeout_ms"], options.get("timeout_ms", 10**9))


@policy
def waits_beyond_the_deadline(client: Any) -> None:
    """A wait longer than what is left of timeout_ms is begun."""
    cap = client._plan.retry.max_retry_after_s
    with_rules(client, too_long=lambda self, seconds, left: cap is not None and seconds > cap)
    replan(client, timeout_ms=None)


@policy
def retries_nothing_under_a_deadline(client: Any) -> None:
    """With a timeout_ms nothing is tried again."""
    if client._plan.timeout_ms is not None:
        retry_where(client, lambda wrong, right: False)


@error()
def reports_a_wait_beyond_the_deadline_as_a_timeout(error: Tree, ask: Ask) -> None:
    """A wait that is not begun ends in a timeout, not in the provider's error."""
    if error.get("retry_after") not in (None, "0") and (
        "timeout_ms" in ask.client or "max_retry_after_s" in ask.client
    ):
        error.clear()
        error.update(kind="transport", type="timeout", message="deadline")
