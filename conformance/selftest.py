"""A new adapter walked through the protocol, one step at a time: what was expected, and what was seen.

A step is right where the protocol was kept. An adapter that answers `skip` keeps it, and so a template passes; whether
a translation is right is what a run is for.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from conformance import corpus as corpora
from conformance.case import Case, parse
from conformance.drivers import Driver, Run, driver_for
from conformance.drivers.message import Hello, for_case
from conformance.faults import PortFault
from conformance.observation import Answer, Outcome
from conformance.options import Options
from conformance.shape import STYLES
from conformance.stub import Script, Stub
from conformance.tree import Json, compact, from_python

#: The text of the large message: 4 MiB, well within a line's 16.
_LARGE: Final = 4 * 2**20

#: How long a step may take, in ms: a first call may have to warm up.
_PATIENCE_MS: Final = 20_000

_REPLIES: Final[dict[str, dict[str, Any]]] = {
    "anthropic": {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-x",
        "content": [{"type": "text", "text": "hello"}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 9, "output_tokens": 2},
    },
    "openai": {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "gpt-x",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "hello"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11},
    },
}
_RATE_LIMIT: Final = {"type": "error", "error": {"type": "rate_limit_error", "message": "slow down"}}
_MODELS: Final = {"anthropic": "claude-x", "openai": "gpt-x"}


@dataclass(frozen=True, slots=True)
class Step:
    """One step as it went. `remark` is what a maintainer should know although the step is right."""

    name: str
    expected: str
    saw: str
    right: bool
    remark: str = ""
    stderr: tuple[str, ...] = ()


def walk(options: Options) -> Iterator[Step]:
    """The steps one after the other; the first that leaves nothing to go on with is the last."""
    driver = driver_for(options)
    with Stub(options.stub_port) as stub:
        step, hello = _greeted(driver, stub, options)
        yield step
        if hello is None:
            return
        try:
            style = next((style for style in STYLES if style in hello.capabilities), None)
            if style is not None:
                talk = _Talk(driver, stub, style)
                for ask in (talk.good, talk.error, talk.unknown_field, talk.large):
                    yield ask()
        finally:
            driver.stop()
        yield _goodbye(driver)


def _greeted(driver: Driver, stub: Stub, options: Options) -> tuple[Step, Hello | None]:
    expected = "within 30 s, who the port is and what it can do: at least one style (anthropic or openai)"
    try:
        hello = driver.start(corpora.read(corpora.find(options.fixtures), ()).version, stub)
    except PortFault as wrong:
        return Step("hello", expected, str(wrong), False), None
    saw = f"{hello.name} {hello.version} ({hello.language}): {', '.join(hello.capabilities) or 'nothing'}"
    saw += f"; up to {hello.max_in_flight} messages at once" if hello.max_in_flight > 1 else ""
    return Step("hello", expected, saw, any(style in hello.capabilities for style in STYLES)), hello


def _goodbye(driver: Driver) -> Step:
    expected = "nothing wrong between the messages; at bye, or the end of input, it ends"
    left = getattr(driver, "left", None)
    saw = "; ".join(driver.faults) or ("it went on and was killed" if left is False else "no complaints")
    return Step("bye", expected, saw, not driver.faults, "a run ends it after two seconds" if left is False else "")


class _Talk:
    """Messages to one port, in one style."""

    def __init__(self, driver: Driver, stub: Stub, style: str) -> None:
        self._driver = driver
        self._stub = stub
        self._style = style
        self._number = 0

    def good(self) -> Step:
        """One call that goes well."""
        expected = 'one call to the provider, and its answer: {"result":{"text":"hello",…}}, or a skip'
        return self._step("good case", expected, _said_hello, {"json": _REPLIES[self._style]})

    def error(self) -> Step:
        """One call that the provider refuses."""
        expected = 'one call to the provider, and its refusal: {"error":{"kind":"provider","status":429,…}}, or a skip'
        return self._step("error", expected, _said_no, {"status": 429, "json": _RATE_LIMIT})

    def unknown_field(self) -> Step:
        """A message and a request with a field that came later than the port."""
        expected = "the same as in the good case: a field nobody knows is passed over"
        reply = {"json": _REPLIES[self._style]}
        return self._step("unknown field", expected, _said_hello, reply, x_selftest=1)

    def large(self) -> Step:
        """A message of some megabytes."""
        expected = f"the same as in the good case, for a message of {_LARGE // 2**20} MiB on one line"
        return self._step("large message", expected, _said_hello, {"json": _REPLIES[self._style]}, text="x" * _LARGE)

    def _step(
        self,
        name: str,
        expected: str,
        check: Callable[[dict[str, Json], Script], str],
        reply: dict[str, Any],
        text: str = "hi",
        **more: Any,
    ) -> Step:
        case = _case(self._style, {"messages": [{"role": "user", "content": text}], "max_tokens": 64, **more}, reply)
        with self._stub.script(case) as script:
            run = self._send(case, script, {key: from_python(value) for key, value in more.items()})
        saw = _told(run.outcome, len(script.calls))
        if not isinstance(run.outcome, Answer):
            return Step(name, expected, saw, False, stderr=run.stderr)
        if "skip" in run.outcome.value:
            return Step(name, expected, saw, True, "a run counts a skip as red, unless it is a known failure")
        wrong = check(run.outcome.value, script)
        return Step(name, expected, f"{saw}: {wrong}" if wrong else saw, not wrong, stderr=run.stderr if wrong else ())

    def _send(self, case: Case, script: Script, more: dict[str, Json]) -> Run:
        self._number += 1
        message = for_case(case, str(self._number), self._stub.url, script.key)
        return self._driver.run(replace(message, deadline_ms=_PATIENCE_MS, parts={**message.parts, **more}))


def _case(style: str, request: dict[str, Any], reply: dict[str, Any]) -> Case:
    base = "{stub}" if style == "anthropic" else "{stub}/v1"
    tree = {
        "id": "kit/selftest/step",
        "title": "A step of the selftest",
        "level": "may",
        "clauses": ["call.once"],
        "requires": [style],
        "why": "To see whether the adapter keeps the protocol.",
        "source": {"kind": "spec", "ref": "the kit"},
        "since": "1.0",
        "client": {"style": style, "base_url": base, "model": _MODELS[style], "retries": 0},
        "request": request,
        "exchanges": [{"expect": {}, "reply": reply}],
        "result": {},
    }
    return parse(json.dumps(tree).encode(), str(tree["id"]), Path("selftest"))[0]


def _told(outcome: Outcome, calls: int) -> str:
    reached = "no call" if calls == 0 else "one call" if calls == 1 else f"{calls} calls"
    if isinstance(outcome, Answer):
        text = compact({key: value for key, value in outcome.value.items() if key != "id"})
        return f"{reached}, and {text[:300]}{'…' if len(text) > 300 else ''}"
    return f"{reached}, and no reply: {outcome.message}"


def _said_hello(answer: dict[str, Json], script: Script) -> str:
    """What is wrong with the answer to a call that goes well; "" where nothing is."""
    result = answer.get("result")
    if not isinstance(result, dict):
        return "there should be a result"
    if len(script.calls) != 1:
        return "there should be one call, with the API key of the message in a header"
    return "" if result.get("text") == "hello" else 'the text should be "hello"'


def _said_no(answer: dict[str, Json], script: Script) -> str:
    error = answer.get("error")
    if not isinstance(error, dict):
        return "there should be an error"
    if len(script.calls) != 1:
        return "there should be one call: the message's client has retries 0"
    right = error.get("kind") == "provider" and error.get("status") == "429"
    return "" if right else "its kind should be provider, its status 429"
