"""Faults in how often a call is made, and in what is tried again."""

from __future__ import annotations

import re
from typing import Any

from tests.mutants.exchange import Ask, Received, Sent
from tests.mutants.mutant import (
    exchange,
    message,
    options,
    policy,
    register,
)
from tests.mutants.policies import retry_where, status_of
from toolnexus.errors import InvalidResponse, ProviderError
from toolnexus.retry import RetryPolicy

Tree = dict[str, Any]


# -- how often --------------------------------------------------------------------------------------------------------


@options()
def retries_nothing(options: Tree) -> None:
    """Nothing is tried again."""
    options["retries"] = 0


@options()
def retries_once_more(options: Tree) -> None:
    """One attempt more is made than asked for."""
    if options.get("retries", 0) > 0:
        options["retries"] += 1


@options()
def retries_once_at_most(options: Tree) -> None:
    """More than one retry is never made."""
    options["retries"] = min(options.get("retries", 2), 1)


@options()
def retries_three_times_at_most(options: Tree) -> None:
    """More than three retries are never made."""
    options["retries"] = min(options.get("retries", 2), 3)


@options()
def retries_never_by_default(options: Tree) -> None:
    """Without a setting nothing is tried again."""
    options.setdefault("retries", 0)


@options()
def retries_five_times_by_default(options: Tree) -> None:
    """Without a setting five retries are made."""
    options.setdefault("retries", 5)


@exchange
def calls_twice(post: Any, sent: Sent, ask: Ask) -> Received:
    """A question with tools is sent twice, the second answer counts."""
    if b'"tools"' in sent.body and b'"parallel' not in sent.body and not ask.message.get("hooks"):
        post(sent)
    return post(sent)


@exchange
def asks_again_for_empty_answers(post: Any, sent: Sent, ask: Ask) -> Received:
    """An answer without text and calls is asked for again."""
    got = post(sent)
    text = got.body.replace(b" ", b"")
    empty = re.search(rb'"content":(\[\]|null,"refusal":null\}|""|\[\{"type":"text","text":""\}\])', text)
    return post(sent) if got.status == 200 and got.chunks is None and empty else got


@exchange
def continues_cut_answers(post: Any, sent: Sent, ask: Ask) -> Received:
    """An answer cut at the limit is continued by a second call."""
    got = post(sent)
    return (
        post(sent)
        if got.status == 200 and re.search(rb'"(stop|finish)_reason": ?"(max_tokens|length)"', got.body)
        else got
    )


@exchange
def resumes_paused_turns(post: Any, sent: Sent, ask: Ask) -> Received:
    """A paused turn is resumed by a second call."""
    got = post(sent)
    return post(sent) if b'"pause_turn"' in got.body else got


@exchange
def follows_calls_up(post: Any, sent: Sent, ask: Ask) -> Received:
    """An answer that asks for a tool is followed by a second call."""
    got = post(sent)
    return post(sent) if re.search(rb'"(tool_use|tool_calls)"', got.body) and b'"tools"' in sent.body else got


@exchange
def checks_the_connection_first(post: Any, sent: Sent, ask: Ask) -> Received:
    """A client with a system prompt or several attempts makes a call before the first one."""
    if ask.client.get("system_prompt") or ask.message.get("repeat"):
        post(sent)
    return post(sent)


# -- what -------------------------------------------------------------------------------------------------------------


def _final(status: int) -> None:
    def edit(client: Any) -> None:
        retry_where(client, lambda wrong, right: right and status_of(wrong) != status)

    register(edit, "makes", edit, f"never-retries-{status}", f"{status} is final at once.")


for _each in (429, 500, 502, 503, 504, 529):
    _final(_each)


@policy
def retries_every_client_fault(client: Any) -> None:
    """Every 4xx is tried again."""
    retry_where(client, lambda wrong, right: right or 400 <= status_of(wrong) < 500)


@policy
def retries_timeouts_and_conflicts(client: Any) -> None:
    """408, 409 and 425 are tried again."""
    retry_where(client, lambda wrong, right: right or status_of(wrong) in (408, 409, 425))


@policy
def retries_every_server_fault(client: Any) -> None:
    """Every 5xx is tried again."""
    retry_where(client, lambda wrong, right: right or status_of(wrong) >= 500)


@policy
def retries_redirects(client: Any) -> None:
    """A redirect is tried again."""
    retry_where(client, lambda wrong, right: right or 300 <= status_of(wrong) < 400)


@policy
def retries_unreadable_answers(client: Any) -> None:
    """An answer that cannot be read is tried again."""
    retry_where(client, lambda wrong, right: right or isinstance(wrong, InvalidResponse))


@policy
def retries_whatever_comes_in_a_200(client: Any) -> None:
    """Every error in a 200 is tried again."""
    retry_where(client, lambda wrong, right: right or getattr(wrong, "http_status", 0) == 200)


@policy
def retries_nothing_in_a_200(client: Any) -> None:
    """An error in a 200 is final, whatever it says."""
    retry_where(client, lambda wrong, right: right and getattr(wrong, "http_status", 0) != 200)


@policy
def retries_pages_never(client: Any) -> None:
    """A retryable status without a readable error is final."""
    retry_where(
        client,
        lambda wrong, right: (
            right and (getattr(wrong, "type", None) is not None or not isinstance(wrong, ProviderError))
        ),
    )


@policy
def retries_no_resets(client: Any) -> None:
    """A broken connection is final."""
    retry_where(client, lambda wrong, right: right and getattr(wrong, "kind", "") != "reset")


@policy
def retries_no_timeouts(client: Any) -> None:
    """An attempt that took too long is final."""
    retry_where(client, lambda wrong, right: right and getattr(wrong, "kind", "") != "timeout")


@policy
def ignores_retryable_statuses(client: Any) -> None:
    """retryable_statuses has no effect."""
    retry_where(client, lambda wrong, right: RetryPolicy().retryable(wrong))


@policy
def takes_retryable_statuses_for_all(client: Any) -> None:
    """retryable_statuses replaces the list."""
    own = client._plan.retry.statuses
    if own:
        retry_where(client, lambda wrong, right: status_of(wrong) in own)


@message()
def takes_an_empty_list_for_all(message: Tree) -> None:
    """An empty retryable_statuses turns retries off."""
    if message["client"].get("retryable_statuses") == []:
        message["client"]["retries"] = 0


@policy
def obeys_retry_after_on_any_status(client: Any) -> None:
    """A Retry-After makes every status retryable."""
    retry_where(client, lambda wrong, right: right or getattr(wrong, "retry_after", None) is not None)


def _should(ask: Ask) -> str | None:
    return ask.last.header("x-should-retry") if ask.last else None


@exchange
def obeys_should_retry(post: Any, sent: Sent, ask: Ask) -> Received:
    """x-should-retry decides what is tried again."""
    got = post(sent)
    if got.header("x-should-retry") == "true":
        return post(sent)
    return Received(500, got.headers, b"x") if got.header("x-should-retry") == "false" and post(sent) else got
