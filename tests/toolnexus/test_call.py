"""One translation as steps: retries, waits, hooks and metrics by a clock of the test's own (clauses `retry.*`)."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from toolnexus import (
    ClientConfig,
    InvalidRequest,
    InvalidResponse,
    MetricEvent,
    ProviderError,
    TranslateError,
    TranslateRequest,
    TranslateResult,
    TransportError,
)
from toolnexus.call import Answer, Ask, Plan, Send, Timing, Wait, translation
from toolnexus.retry import MAX_RETRY_AFTER, RetryPolicy, retry_after_seconds

CONFIG = ClientConfig("http://127.0.0.1", "anthropic", "claude-x")
REQUEST = TranslateRequest([{"role": "user", "content": "hi"}])
OK = Answer(
    200,
    [],
    b'{"model":"claude-x","content":[{"type":"text","text":"hello"}],"stop_reason":"end_turn",'
    b'"usage":{"input_tokens":9,"output_tokens":2}}',
)
RESET = TransportError("reset", kind="reset")


def fails(status: int, retry_after: str | None = None) -> Answer:
    headers = [] if retry_after is None else [("retry-after", retry_after)]
    return Answer(status, headers, b'{"type":"error","error":{"type":"api_error","message":"no"}}')


@dataclass
class Call:
    """Drives the steps of one translation: each attempt has the next outcome, each wait moves the clock."""

    outcomes: list[Any]
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    config: ClientConfig = CONFIG
    chance: float = 1.0
    takes: float = 0.0
    settings: dict[str, Any] = field(default_factory=dict)
    now: float = 1000.0
    waits: list[float] = field(default_factory=list)
    asked: list[Any] = field(default_factory=list)
    sent: list[Send] = field(default_factory=list)
    events: list[MetricEvent] = field(default_factory=list)

    def run(self, request: TranslateRequest = REQUEST) -> TranslateResult:
        plan = Plan(
            self.config,
            self.retry,
            record=self.events.append,
            timing=Timing(lambda: self.now, lambda: self.chance),
            **self.settings,
        )
        steps = translation(plan, request)
        outcomes = iter(self.outcomes)
        try:
            step = next(steps)
            while True:
                if isinstance(step, Send):
                    self.sent.append(step)
                    self.now += self.takes
                    outcome = next(outcomes)
                    step = steps.throw(outcome) if isinstance(outcome, Exception) else steps.send(outcome)
                elif isinstance(step, Wait):
                    self.waits.append(step.seconds)
                    self.now += step.seconds
                    step = steps.send(None)
                else:
                    step = self.ask(steps, step)
        except StopIteration as done:
            result: TranslateResult = done.value
            return result

    def ask(self, steps: Any, step: Ask) -> Any:
        self.asked.append(step.argument)
        try:
            answer = step.function(step.argument)
        except Exception as error:
            return steps.throw(error)
        return steps.send(answer)


# -- retry.statuses ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "first",
    [
        *map(fails, (429, 500, 502, 503, 504, 529)),
        RESET,
        TransportError("x", kind="connect"),
        TransportError("x", kind="timeout"),
    ],
)
def test_what_may_pass_is_tried_again(first: Any) -> None:
    call = Call([first, OK])
    assert call.run().text == "hello"
    assert len(call.sent) == 2
    assert call.sent[0].request is call.sent[1].request


@pytest.mark.parametrize(
    "first",
    [
        *map(fails, (400, 401, 402, 403, 404, 408, 409, 413, 418, 422, 501, 505, 300, 302)),
        Answer(200, [], b"null"),
        TransportError("x", kind="closed"),
        TransportError("x", kind="cancelled"),
        InvalidResponse("too large"),
    ],
)
def test_what_will_not_pass_is_final_at_once(first: Any) -> None:
    call = Call([first, OK])
    with pytest.raises(TranslateError):
        call.run()
    assert len(call.sent) == 1
    assert call.waits == []


def test_more_statuses_add_to_the_set_and_never_remove() -> None:
    policy = RetryPolicy(statuses=frozenset({418}))
    for status in (418, 429):
        assert Call([fails(status), OK], policy).run().text == "hello"
    with pytest.raises(ProviderError):
        Call([fails(400), OK], policy).run()


@pytest.mark.parametrize("retries", [0, 1, 2, 5])
def test_retries_are_counted_and_the_last_error_is_raised(retries: int) -> None:
    call = Call([fails(500)] * retries + [fails(503), OK], RetryPolicy(retries))
    with pytest.raises(ProviderError) as error:
        call.run()
    assert error.value.status == 503
    assert len(call.sent) == retries + 1


def test_an_error_inside_a_200_is_retried_by_its_own_status() -> None:
    inside = Answer(200, [], b'{"type":"error","error":{"type":"overloaded_error","message":"busy"}}')
    assert Call([inside, OK]).run().text == "hello"
    final = Answer(200, [], b'{"type":"error","error":{"type":"invalid_request_error","message":"no"}}')
    with pytest.raises(ProviderError):
        Call([final, OK]).run()


# -- backoff -----------------------------------------------------------------------------------------------------------


def test_backoff_doubles_and_jitter_is_between_half_and_all_of_it() -> None:
    for chance, factor in ((1.0, 1.0), (0.0, 0.5), (0.5, 0.75)):
        call = Call([fails(500)] * 3 + [OK], RetryPolicy(3, 500), chance=chance)
        call.run()
        assert call.waits == [0.5 * factor, 1.0 * factor, 2.0 * factor]


def test_backoff_ends_at_a_minute() -> None:
    call = Call([RESET] * 12 + [OK], RetryPolicy(12, 500))
    call.run()
    assert call.waits[-1] == 60.0


def test_a_base_of_0_never_waits() -> None:
    call = Call([RESET] * 5 + [OK], RetryPolicy(5, 0))
    call.run()
    assert call.waits == []


# -- retry.after -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "seconds"), [("0", 0), ("7", 7), ("007", 7), ("2147483647", 2147483647), ("0" * 50 + "5", 5)]
)
def test_retry_after_in_digits_is_waited_exactly(value: str, seconds: int) -> None:
    assert retry_after_seconds(value) == seconds
    call = Call([fails(429, value), OK], chance=0.3)
    call.run()
    assert call.waits == ([seconds] if seconds else [])


@pytest.mark.parametrize(
    "value",
    [
        "",
        " ",
        "-1",
        "+1",
        "1.5",
        "1e3",
        "2147483648",
        "9" * 5000,
        "Wed, 21 Oct 2026 07:28:00 GMT",
        "\uff11\uff12",
        "²",
        "0x5",
        "5s",
        "5 ",
        "5, 5",
    ],
)
def test_every_other_retry_after_falls_back_to_backoff(value: str) -> None:
    assert retry_after_seconds(value) is None
    call = Call([fails(429, value), OK], RetryPolicy(2, 500))
    call.run()
    assert call.waits == [0.5]


def test_retry_after_counts_for_every_retryable_status_and_not_for_network_failures() -> None:
    call = Call([fails(503, "3"), RESET, OK], RetryPolicy(2, 500))
    call.run()
    assert call.waits == [3.0, 1.0]


def test_a_wait_longer_than_allowed_is_not_begun() -> None:
    for seconds, allowed in (("30", True), ("31", False), (str(MAX_RETRY_AFTER), False)):
        call = Call([fails(429, seconds), OK], RetryPolicy(max_retry_after_s=30))
        if allowed:
            call.run()
        else:
            with pytest.raises(ProviderError) as error:
                call.run()
            assert error.value.retry_after == seconds
            assert call.waits == []


# -- retry.deadline ----------------------------------------------------------------------------------------------------


def test_a_wait_longer_than_what_is_left_of_the_call_is_not_begun() -> None:
    call = Call([fails(429, "6"), OK], takes=5, settings={"timeout_ms": 10_000})
    with pytest.raises(ProviderError):
        call.run()
    assert call.waits == []
    call = Call([fails(429, "5"), OK], takes=4, settings={"timeout_ms": 10_000})
    call.run()
    assert call.waits == [5.0]


def test_backoff_does_not_outlive_the_call_either() -> None:
    call = Call([RESET, RESET, OK], RetryPolicy(2, 4000), takes=1, settings={"timeout_ms": 8_000})
    with pytest.raises(TransportError):
        call.run()
    assert call.waits == [4.0]


def test_every_attempt_knows_the_same_deadline() -> None:
    call = Call([RESET, RESET, OK], settings={"timeout_ms": 60_000})
    call.run()
    assert {send.deadline for send in call.sent} == {1060.0}
    call = Call([OK])
    call.run()
    assert call.sent[0].deadline is None


def test_a_call_whose_time_is_over_is_not_tried_again() -> None:
    asked: list[Any] = []
    call = Call(
        [TransportError("late", kind="timeout"), OK],
        takes=11,
        settings={"timeout_ms": 10_000, "on_error": asked.append},
    )
    with pytest.raises(TransportError):
        call.run()
    assert len(call.sent) == 1
    # Nor is anyone asked about it: there is nothing to decide.
    assert asked == []


# -- retry.on-error ----------------------------------------------------------------------------------------------------


def test_on_error_is_told_of_each_failed_attempt() -> None:
    infos: list[Any] = []
    call = Call([fails(500), RESET, fails(400)], settings={"on_error": infos.append})
    with pytest.raises(ProviderError):
        call.run()
    assert [(info["attempt"], info["retryable"], info.get("status")) for info in infos] == [
        (0, True, 500),
        (1, True, None),
        (2, False, 400),
    ]
    assert infos[1]["error"] is RESET


@pytest.mark.parametrize(
    ("verdict", "first", "attempts"),
    [("retry", fails(400), 2), ("fail", fails(500), 1), (None, fails(500), 2), (None, fails(400), 1)],
)
def test_on_error_decides(verdict: str | None, first: Answer, attempts: int) -> None:
    call = Call([first, OK], settings={"on_error": lambda info: verdict})
    if attempts == 2:
        assert call.run().text == "hello"
    else:
        with pytest.raises(ProviderError):
            call.run()
    assert len(call.sent) == attempts


def test_on_error_cannot_exceed_the_retries() -> None:
    call = Call([fails(400)] * 9, RetryPolicy(3), settings={"on_error": lambda info: "retry"})
    with pytest.raises(ProviderError):
        call.run()
    assert len(call.sent) == 4


def test_on_error_can_retry_an_answer_that_is_none() -> None:
    call = Call([Answer(200, [], b"<html>"), OK], settings={"on_error": lambda info: "retry"})
    assert call.run().text == "hello"
    assert call.asked[0]["status"] == 200


@pytest.mark.parametrize("kind", ["cancelled", "closed"])
def test_on_error_is_not_asked_about_a_call_that_its_caller_ended(kind: str) -> None:
    asked: list[Any] = []

    def again(info: Any) -> str:
        asked.append(info)
        return "retry"

    call = Call([TransportError("x", kind=kind), OK], settings={"on_error": again})
    with pytest.raises(TransportError):
        call.run()
    assert asked == []
    assert len(call.sent) == 1


@pytest.mark.parametrize("answer", [True, False, "RETRY", 1, "later"])
def test_another_answer_of_on_error_is_a_type_error(answer: Any) -> None:
    with pytest.raises(TypeError, match="on_error"):
        Call([fails(500), OK], settings={"on_error": lambda info: answer}).run()


# -- hooks, params, transform ------------------------------------------------------------------------------------------


def test_hooks_fire_once_whatever_the_number_of_attempts() -> None:
    fired: list[str] = []

    def hook(name: str) -> Callable[[Any], None]:
        return lambda argument: fired.append(name)

    settings = {"before_llm": hook("before"), "after_llm": hook("after"), "body_transform": hook("transform")}
    Call([fails(500), RESET, OK], settings=settings).run()
    assert fired == ["before", "transform", "after"]


def test_after_llm_fires_only_after_an_answer_and_sees_it() -> None:
    seen: list[Any] = []
    with pytest.raises(ProviderError):
        Call([fails(400)], settings={"after_llm": seen.append}).run()
    assert seen == []
    Call([OK], settings={"after_llm": seen.append}).run()
    assert seen == [{"response": json.loads(OK.body), "model": "claude-x"}]


def test_the_order_is_before_llm_then_request_params_then_body_transform() -> None:
    bodies: list[Any] = []

    def before(seen: Any) -> Any:
        bodies.append(seen)
        return {"messages": [{"role": "user", "content": "from the hook"}], "model": "hooked"}

    def transform(body: Any) -> Any:
        bodies.append(dict(body))
        body["temperature"] = 0.1
        return body

    config = ClientConfig(
        "http://127.0.0.1",
        "anthropic",
        "claude-x",
        request_params={"model": "from params", "top_k": 5, "temperature": 0.9},
    )
    call = Call([OK], config=config, settings={"before_llm": before, "body_transform": transform})
    call.run()
    assert bodies[0] == {"messages": [{"role": "user", "content": "hi"}], "tools": [], "model": "claude-x"}
    assert bodies[1]["messages"] == [{"role": "user", "content": "from the hook"}]
    assert (bodies[1]["model"], bodies[1]["temperature"]) == ("from params", 0.9)
    assert json.loads(call.sent[0].request.body)["temperature"] == 0.1
    # The hook's model is what metrics count.
    assert call.events[0].model == "hooked"


@pytest.mark.parametrize("refused", ["messages", "tools", "stream"])
def test_request_params_cannot_set_the_request_itself(refused: str) -> None:
    config = ClientConfig("http://127.0.0.1", "anthropic", "claude-x", request_params={refused: [], "top_k": 1})
    call = Call([OK], config=config)
    result = call.run()
    sent = json.loads(call.sent[0].request.body)
    assert sent["messages"] == [{"role": "user", "content": "hi"}]
    assert "stream" not in sent
    assert "tools" not in sent
    assert sent["top_k"] == 1
    assert [(w.code, w.pointer) for w in result.warnings] == [("request-params-refused", f"/request_params/{refused}")]


def test_a_hook_that_returns_nothing_keeps_exact_bytes() -> None:
    arguments = '{ "a": 1.10, "b":1e400 }'
    message = {
        "role": "assistant",
        "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": arguments}}],
    }
    request = TranslateRequest(
        [{"role": "user", "content": "hi"}, message, {"role": "tool", "tool_call_id": "c", "content": ""}]
    )
    call = Call([OK], settings={"before_llm": lambda seen: seen["messages"].clear()})
    call.run(request)
    assert b'"input":' + arguments.encode() in call.sent[0].request.body


def test_a_hook_may_replace_tools_and_the_choice_goes_with_the_last_of_them() -> None:
    request = TranslateRequest(
        [{"role": "user", "content": "hi"}],
        tools=[{"type": "function", "function": {"name": "f"}}],
        tool_choice="required",
    )
    for tools, keys in (([], set()), ([{"name": "g", "input_schema": {}}], {"tools", "tool_choice"})):
        call = Call([OK], settings={"before_llm": lambda seen, tools=tools: {"tools": tools}})
        call.run(request)
        assert {"tools", "tool_choice"} & json.loads(call.sent[0].request.body).keys() == keys


@pytest.mark.parametrize("hook", ["before_llm", "body_transform"])
def test_a_hook_that_raises_stops_the_call(hook: str) -> None:
    def stop(argument: Any) -> None:
        raise PermissionError("not today")

    call = Call([OK], settings={hook: stop})
    with pytest.raises(PermissionError):
        call.run()
    assert call.sent == []
    assert [event.status for event in call.events] == ["error"]


def test_a_hook_that_returns_something_else_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="before_llm"):
        Call([OK], settings={"before_llm": lambda seen: [1]}).run()


@pytest.mark.parametrize("value", [float("nan"), b"x", {1}, object()])
def test_what_json_cannot_hold_is_refused_from_hook_params_and_transform_too(value: Any) -> None:
    messages = [{"role": "user", "content": "x", "y": value}]
    for settings, pointer in (
        ({"before_llm": lambda seen: {"messages": messages}}, "/messages/0/y"),
        ({"body_transform": lambda body: {**body, "y": value}}, "/y"),
    ):
        with pytest.raises(InvalidRequest) as error:
            Call([OK], settings=settings).run()
        assert error.value.pointer == pointer
    config = ClientConfig("http://127.0.0.1", "anthropic", "claude-x", request_params={"y": [value]})
    with pytest.raises(InvalidRequest) as error:
        Call([OK], config=config).run()
    assert error.value.pointer == "/request_params/y/0"


# -- metrics.event -----------------------------------------------------------------------------------------------------


def test_one_event_a_translation_whatever_the_number_of_attempts() -> None:
    call = Call([RESET, fails(500), OK], takes=1.0)
    call.run()
    assert call.events == [MetricEvent("claude-x", "ok", (3 + 0.5 + 1.0) * 1000, 9, 2)]


@pytest.mark.parametrize(
    ("outcomes", "request_", "error"),
    [
        ([fails(400)], REQUEST, ProviderError),
        ([RESET] * 3, REQUEST, TransportError),
        ([Answer(200, [], b"")], REQUEST, InvalidResponse),
        ([], TranslateRequest([]), InvalidRequest),
    ],
)
def test_a_failure_is_one_event_without_tokens(
    outcomes: list[Any], request_: TranslateRequest, error: type[Exception]
) -> None:
    call = Call(outcomes)
    with pytest.raises(error):
        call.run(request_)
    assert [(event.status, event.prompt_tokens, event.completion_tokens) for event in call.events] == [("error", 0, 0)]


def test_a_call_that_is_abandoned_is_an_event_too() -> None:
    call = Call([])
    plan = Plan(CONFIG, record=call.events.append)
    steps = translation(plan, REQUEST)
    next(steps)
    steps.close()
    assert [event.status for event in call.events] == ["error"]


def test_a_request_that_cannot_be_sent_is_never_sent() -> None:
    call = Call([OK])
    with pytest.raises(InvalidRequest):
        call.run(TranslateRequest([{"role": "tool", "tool_call_id": "x", "content": ""}]))
    assert call.sent == []
