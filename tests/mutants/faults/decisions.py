"""Faults in on_error, and in what a retry changes."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from conformance.tree import Number
from tests.mutants.exchange import Ask, Received, Sent
from tests.mutants.mutant import (
    body,
    error,
    exchange,
    policy,
    result,
    warned,
)
from tests.mutants.policies import replan
from toolnexus.errors import InvalidResponse, TransportError

Tree = dict[str, Any]


# -- on_error ---------------------------------------------------------------------------------------------------------


def _decided(client: Any, decide: Callable[[Any, Callable[[Any], Any]], Any]) -> None:
    asked = client._plan.on_error
    if asked is not None:
        replan(client, on_error=lambda info: decide(info, asked))


@policy
def never_asks_on_error(client: Any) -> None:
    """on_error is never asked."""
    replan(client, on_error=None)


@policy
def ignores_what_on_error_says(client: Any) -> None:
    """on_error is told, not asked."""
    _decided(client, lambda info, asked: (asked(info), None)[1])


@policy
def ignores_fail(client: Any) -> None:
    """on_error can add retries, never stop one."""
    _decided(client, lambda info, asked: None if (said := asked(info)) == "fail" else said)


@policy
def ignores_retry(client: Any) -> None:
    """on_error can stop a retry, never add one."""
    _decided(client, lambda info, asked: None if (said := asked(info)) == "retry" else said)


@policy
def asks_on_error_once(client: Any) -> None:
    """on_error is asked for the first failure only."""
    _decided(client, lambda info, asked: asked(info) if info["attempt"] == 0 else None)


@policy
def asks_on_error_about_statuses_only(client: Any) -> None:
    """on_error is not asked about network failures."""
    _decided(client, lambda info, asked: asked(info) if not isinstance(info["error"], TransportError) else None)


@policy
def asks_on_error_about_http_errors_only(client: Any) -> None:
    """on_error is not asked about an error in a 200."""
    _decided(client, lambda info, asked: asked(info) if getattr(info["error"], "http_status", 0) != 200 else None)


@policy
def asks_on_error_about_retryable_failures_only(client: Any) -> None:
    """on_error is not asked about what is final."""
    _decided(client, lambda info, asked: asked(info) if info["retryable"] else None)


@policy
def asks_on_error_where_retries_are_left(client: Any) -> None:
    """on_error is not asked about the last failure."""
    _decided(client, lambda info, asked: asked(info) if info["attempt"] < client._plan.retry.retries else None)


@policy
def takes_no_opinion_for_fail(client: Any) -> None:
    """on_error without an opinion ends the call."""
    _decided(client, lambda info, asked: asked(info) or "fail")


@policy
def takes_no_opinion_for_retry(client: Any) -> None:
    """on_error without an opinion forces a retry."""
    _decided(client, lambda info, asked: asked(info) or "retry")


@policy
def lets_on_error_exceed_the_retries(client: Any) -> None:
    """on_error is not bounded by retries."""
    if client._plan.on_error is not None:
        own = client._plan.retry
        replan(client, retry=dataclasses.replace(own, retries=own.retries + 1))


@policy
def lets_retry_after_beat_on_error(client: Any) -> None:
    """Where the provider names a wait on_error is not asked."""
    _decided(client, lambda info, asked: asked(info) if getattr(info["error"], "retry_after", None) is None else None)


@policy
def lets_statuses_beat_on_error(client: Any) -> None:
    """What retryable_statuses names is tried again whatever on_error says."""
    own = client._plan.retry.statuses
    _decided(client, lambda info, asked: "retry" if info.get("status") in own and asked(info) else asked(info))


@policy
def lets_on_error_extend_the_deadline(client: Any) -> None:
    """on_error may try again after timeout_ms."""
    if client._plan.on_error is not None:
        replan(client, timeout_ms=None)


@exchange
def asks_on_error_after_each_answer(post: Any, sent: Sent, ask: Ask) -> Received:
    """on_error is asked about an answer that is none of its business."""
    got = post(sent)
    if got.status == 200 and "on_error" in ask.message.get("hooks", {}) and b'"error"' not in got.body:
        raise InvalidResponse("asked")
    return got


# -- what a retry changes ---------------------------------------------------------------------------------------------


@error()
def raises_the_first_failure(error: Tree, ask: Ask) -> None:
    """The first failure is raised, not the last."""
    first = ask.exchanges[0][1]
    if isinstance(first, Received) and first.status >= 300 and len(ask.exchanges) > 1:
        error.update(status=first.status, request_id=first.header("request-id"), message="first")


@warned()
def warns_on_each_attempt(warnings: list[Tree], ask: Ask) -> Any:
    """Repairs of a request are reported once for each attempt."""
    return warnings * max(len(ask.exchanges), 1) if ask.client.get("retries") else None


@result()
def sums_usage_over_attempts(result: Tree, ask: Ask) -> None:
    """Each attempt is counted in the usage."""
    if len(ask.exchanges) > 1 and not ask.message.get("repeat"):
        for key in ("prompt_tokens", "completion_tokens", "total_tokens"):
            result["usage"][key] *= len(ask.exchanges)


@result()
def repeats_calls_of_failed_attempts(result: Tree, ask: Ask) -> None:
    """Calls come back once for each attempt."""
    if len(ask.exchanges) > 1 and not ask.message.get("repeat"):
        result["tool_calls"] = result["tool_calls"] * len(ask.exchanges)


@body()
def shortens_retries(body: Tree, ask: Ask) -> None:
    """A second attempt asks for fewer tokens."""
    if ask.exchanges and not ask.message.get("repeat"):
        body["max_tokens"] = Number("1")


@exchange
def keeps_one_budget_for_all_calls(post: Any, sent: Sent, ask: Ask) -> Received:
    """The budget of retries is the client's, not the call's."""
    if (
        ask.message.get("repeat")
        and len(ask.exchanges) > 2
        and isinstance(ask.exchanges[-1][1], Received)
        and ask.exchanges[-1][1].status == 503
    ):
        return ask.exchanges[-1][1]
    return post(sent)


@exchange
def counts_network_failures_apart(post: Any, sent: Sent, ask: Ask) -> Received:
    """A broken connection has a budget of its own."""
    try:
        return post(sent)
    except TransportError:
        if ask.exchanges and any(isinstance(got, Received) for _, got in ask.exchanges):
            return post(sent)
        raise


@body()
def remembers_failed_calls(body: Tree, ask: Ask) -> None:
    """After a failed call the next one carries its messages as well."""
    before = ask.memory.get("failed")
    ask.memory["failed"] = list(body["messages"])
    if (
        before
        and ask.message.get("repeat")
        and ask.last is not None
        and ask.last.status >= 400
        and not ask.client.get("retries")
    ):
        body["messages"] = [*before, *body["messages"]]
