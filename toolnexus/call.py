"""One translation from request to result, with its retries, hooks and metrics, as steps that do no IO.

`translation` is a generator: it yields what is to be done (`Send`, `Wait`, `Ask`), and the client, sync or async, does
it and sends the outcome back. So both clients share every rule, and each rule is tested with a list of outcomes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from random import random
from typing import Any

from toolnexus.config import ClientConfig
from toolnexus.errors import TransportError
from toolnexus.metrics import MetricEvent
from toolnexus.request import TranslateRequest
from toolnexus.result import TranslateResult
from toolnexus.retry import RetryPolicy, error_info
from toolnexus.span import Span, no_span
from toolnexus.wire import decode, encode, shape
from toolnexus.wire.exact import plain
from toolnexus.wire.exchange import ProviderRequest
from toolnexus.wire.failure import HeadersIn


@dataclass(frozen=True)
class Answer:
    """One HTTP answer, whole."""

    status: int
    headers: HeadersIn
    body: bytes


@dataclass(frozen=True)
class Live:
    """An HTTP answer whose body has begun: its first bytes, and `source`, from which the client reads the others."""

    status: int
    headers: HeadersIn
    first: bytes
    source: Any


@dataclass(frozen=True)
class Send:
    """Post this, by the deadline if there is one; the outcome is an `Answer`, or a `TransportError` is thrown in.

    With `live`, an event stream's outcome is a `Live`, at its first byte.
    """

    request: ProviderRequest
    deadline: float | None
    live: bool = False


@dataclass(frozen=True)
class Wait:
    """Let that many seconds pass; the outcome is None."""

    seconds: float


@dataclass(frozen=True)
class Ask:
    """Call this with that, and await what it gives if that is awaitable; the outcome is the answer."""

    function: Callable[[Any], Any]
    argument: Any


Step = Send | Wait | Ask
Steps = Generator[Step, Any, TranslateResult]
Opening = Generator[Step, Any, tuple[ProviderRequest, str, TranslateResult | Live]]


@dataclass(frozen=True)
class Timing:
    """Where time and chance come from; replaced in tests, never globally."""

    clock: Callable[[], float] = time.monotonic
    random: Callable[[], float] = random


@dataclass(frozen=True)
class Plan:
    """What a client is set to do around each call."""

    config: ClientConfig
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    timeout_ms: float | None = None
    before_llm: Callable[[Any], Any] | None = None
    after_llm: Callable[[Any], Any] | None = None
    on_error: Callable[[Any], Any] | None = None
    body_transform: Callable[[Any], Any] | None = None
    record: Callable[[MetricEvent], None] = lambda event: None
    timing: Timing = field(default_factory=Timing)
    span: Callable[[ClientConfig], Span] = no_span

    @property
    def shapes(self) -> bool:
        """Whether anything may change the built body."""
        return self.before_llm is not None or bool(self.config.request_params) or self.body_transform is not None

    def deadline(self, started: float) -> float | None:
        """When a call that began at `started` is over, by the plan's clock."""
        return None if self.timeout_ms is None else started + self.timeout_ms / 1000


def translation(plan: Plan, request: TranslateRequest) -> Steps:
    """The steps of one translation; returns its result, raises its typed error."""
    started = plan.timing.clock()
    deadline = plan.deadline(started)
    model = plan.config.model
    span = plan.span(plan.config)
    try:
        with span:
            sent = encode(request, plan.config)
            if plan.shapes:
                sent, model = yield from _shaped(plan, sent)
            span.sent(sent)
            result: TranslateResult = yield from _attempts(plan, Send(sent, deadline), deadline)
            if plan.after_llm is not None:
                yield Ask(plan.after_llm, {"response": plain(result._body), "model": model})
    except BaseException as error:
        span.failed(error)
        plan.record(MetricEvent(model, "error", _ms(plan, started)))
        raise
    span.answered(result)
    usage = result.usage
    plan.record(MetricEvent(model, "ok", _ms(plan, started), usage.prompt_tokens, usage.completion_tokens))
    return result


def opening(plan: Plan, request: TranslateRequest, deadline: float | None) -> Opening:
    """The steps until a streamed answer begins; returns what was sent, the model, and the answer.

    Retries end here: after the first byte of an answer nothing is tried again (SPEC section 6). An answer that is no
    stream comes back as its result.
    """
    sent = encode(request, plan.config, stream=True)
    model = plan.config.model
    if plan.shapes:
        sent, model = yield from _shaped(plan, sent)
    answer = yield from _attempts(plan, Send(sent, deadline, live=True), deadline)
    return sent, model, answer


def _ms(plan: Plan, started: float) -> float:
    return (plan.timing.clock() - started) * 1000


def _shaped(plan: Plan, sent: ProviderRequest) -> Generator[Step, Any, tuple[ProviderRequest, str]]:
    """The body after hook, params and transform, in that order (clauses `hooks.override`, `shape.params`)."""
    body, warnings, model = sent.body, list(sent.warnings), plan.config.model
    if plan.before_llm is not None:
        answer = yield Ask(plan.before_llm, shape.seen_by_hook(body))
        if answer is not None:
            if not isinstance(answer, Mapping):
                raise TypeError("before_llm returns a mapping with messages, tools or model, or nothing")
            body = shape.replaced(body, answer)
            model = answer.get("model") or model
    if plan.config.request_params:
        body, more = shape.merged(body, plan.config.request_params)
        warnings += more
    if plan.body_transform is not None:
        before = plain(body)
        after = yield Ask(plan.body_transform, before)
        body = shape.encoded(before if after is None else after)
    return ProviderRequest(sent.method, sent.url, sent.headers, body, tuple(warnings), sent.custom_tools), model


def _attempts(plan: Plan, send: Send, deadline: float | None) -> Generator[Step, Any, Any]:
    """Attempts until one succeeds or may not be repeated (clauses `call.once`, `retry.*`)."""
    attempt = 0
    while True:
        try:
            answer: Answer | Live = yield send
            if isinstance(answer, Live):
                return answer
            return decode(answer.status, answer.headers, answer.body, plan.config, send.request)
        except Exception as error:
            wait = yield from _pause(plan, error, attempt, deadline)
            if wait is None:
                raise
        # Outside the except block, so that a wait holds no traceback alive.
        if wait > 0:
            yield Wait(wait)
        attempt += 1


def _pause(plan: Plan, error: Exception, attempt: int, deadline: float | None) -> Generator[Step, Any, float | None]:
    """Seconds before the next attempt, None where there is none."""
    left = None if deadline is None else deadline - plan.timing.clock()
    if left is not None and left <= 0:
        return None
    if isinstance(error, TransportError) and error.kind in ("cancelled", "closed"):
        return None
    again = plan.retry.retryable(error)
    if plan.on_error is not None:
        verdict = yield Ask(plan.on_error, error_info(error, attempt, again))
        if verdict not in ("retry", "fail", None):
            raise TypeError(f"on_error returns 'retry' or 'fail', not {verdict!r}")
        again = again if verdict is None else verdict == "retry"
    if not again or attempt >= plan.retry.retries:
        return None
    seconds, asked = plan.retry.wait(error, attempt, plan.timing.random)
    if asked and plan.retry.too_long(seconds, left):
        return None
    if left is not None and seconds >= left:
        # Backoff never outlives the call: what is left of it is not worth an attempt that cannot finish.
        return None
    return seconds
