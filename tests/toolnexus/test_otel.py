"""OpenTelemetry spans by the semantic conventions for generative AI: numbers and names, nothing that was said."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF
from opentelemetry.trace import SpanKind, StatusCode

from toolnexus import AsyncClient, Client, InvalidRequest, ProviderError, TransportError
from toolnexus.otel import tracing

PROMPT = "what-the-user-said"
MESSAGES = [{"role": "user", "content": PROMPT}]
EVENTS = [
    {
        "type": "message_start",
        "message": {"id": "msg_1", "model": "claude-real", "usage": {"input_tokens": 9, "output_tokens": 1}},
    },
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "hello"}},
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}},
    {"type": "message_stop"},
]
SSE = b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in EVENTS)


class Recorded:
    """A tracer provider of the test's own, and the spans that ended."""

    def __init__(self) -> None:
        self.provider = TracerProvider()
        self._exporter = InMemorySpanExporter()
        self.provider.add_span_processor(SimpleSpanProcessor(self._exporter))

    def spans(self) -> list[ReadableSpan]:
        return list(self._exporter.get_finished_spans())

    def only(self) -> ReadableSpan:
        """The one span that ended."""
        (span,) = self.spans()
        return span


@pytest.fixture
def recorded() -> Recorded:
    """Where spans go."""
    return Recorded()


@pytest.fixture(params=["sync", "async"])
def kind(request: pytest.FixtureRequest) -> str:
    """Which of the two clients."""
    return str(request.param)


def call(kind: str, provider: Any, recorded: Recorded, given: dict[str, Any] | None = None, **settings: Any) -> Any:
    """One call of a client whose spans are recorded."""
    wanted: dict[str, Any] = {"style": "anthropic", "model": "claude-x", "api_key": provider.key, "retries": 0}
    wanted |= {"base_url": provider.url, "tracing": tracing(recorded.provider), **settings}
    if kind == "sync":
        with Client(**wanted) as client:
            return client.translate(MESSAGES, **(given or {}))

    async def run() -> Any:
        async with AsyncClient(**wanted) as client:
            return await client.translate(MESSAGES, **(given or {}))

    return asyncio.run(run())


def test_a_call_is_one_client_span_with_what_was_asked_and_answered(
    kind: str, provider: Any, recorded: Recorded
) -> None:
    answer = {**provider.anthropic, "model": "claude-real"}
    answer["usage"] = {
        "input_tokens": 5,
        "output_tokens": 2,
        "cache_read_input_tokens": 4,
        "cache_creation_input_tokens": 3,
    }
    provider.replies(provider.http(200, answer))
    params = {"temperature": 0.5, "top_p": 0.9, "stop": "END", "seed": 3}
    call(kind, provider, recorded, {"max_tokens": 64, "params": params})
    span = recorded.only()
    assert (span.name, span.kind) == ("chat claude-x", SpanKind.CLIENT)
    assert dict(span.attributes or {}) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "anthropic",
        "gen_ai.request.model": "claude-x",
        "gen_ai.request.max_tokens": 64,
        "gen_ai.request.temperature": 0.5,
        "gen_ai.request.top_p": 0.9,
        "gen_ai.request.stop_sequences": ("END",),
        "gen_ai.response.model": "claude-real",
        "gen_ai.response.id": "msg_1",
        "gen_ai.response.finish_reasons": ("stop",),
        "gen_ai.usage.input_tokens": 12,
        "gen_ai.usage.output_tokens": 2,
        "gen_ai.usage.cache_read.input_tokens": 4,
        "gen_ai.usage.cache_creation.input_tokens": 3,
        "server.address": "127.0.0.1",
        "server.port": int(provider.url.rpartition(":")[2]),
    }
    assert span.status.status_code is StatusCode.UNSET
    assert span.instrumentation_scope is not None
    assert span.instrumentation_scope.name == "toolnexus"


def test_the_openai_style_and_the_providers_name(provider: Any, recorded: Recorded) -> None:
    params = {"seed": 7, "n": 1, "frequency_penalty": 0.1, "presence_penalty": 0.2, "stop": ["a", "b"]}
    call(
        "sync",
        provider,
        recorded,
        {"params": params},
        style="openai",
        model="gpt-x",
        tracing=tracing(recorded.provider, provider_name="groq"),
    )
    attributes = recorded.only().attributes or {}
    assert attributes["gen_ai.provider.name"] == "groq"
    assert attributes["gen_ai.request.seed"] == 7
    assert attributes["gen_ai.request.frequency_penalty"] == 0.1
    assert attributes["gen_ai.request.presence_penalty"] == 0.2
    assert attributes["gen_ai.request.stop_sequences"] == ("a", "b")
    assert "gen_ai.request.choice.count" not in attributes
    assert attributes["gen_ai.response.id"] == "chatcmpl-1"


def test_the_span_tells_what_was_sent_after_hooks_and_params(provider: Any, recorded: Recorded) -> None:
    call(
        "sync",
        provider,
        recorded,
        hooks={"before_llm": lambda seen: {"model": "hooked"}},
        request_params={"temperature": 0.25},
    )
    span = recorded.only()
    assert span.name == "chat hooked"
    assert (span.attributes or {})["gen_ai.request.model"] == "hooked"
    assert (span.attributes or {})["gen_ai.request.temperature"] == 0.25


@pytest.mark.parametrize(
    ("fault", "error", "word"),
    [
        ("provider", ProviderError, "401"),
        ("reset", TransportError, "reset"),
        ("request", InvalidRequest, "InvalidRequest"),
        ("hook", ZeroDivisionError, "ZeroDivisionError"),
    ],
)
def test_a_call_that_fails_is_one_span_with_its_error(
    fault: str, error: Any, word: str, kind: str, provider: Any, recorded: Recorded
) -> None:
    body = {"type": "error", "error": {"type": "authentication_error", "message": f"bad {PROMPT}"}}
    provider.replies(provider.http(401, body) if fault == "provider" else (lambda seen, wire: wire.reset()))
    settings = {"hooks": {"before_llm": lambda seen: 1 / 0}} if fault == "hook" else {}
    given = {"params": {"model": "x"}} if fault == "request" else {}
    with pytest.raises(error):
        call(kind, provider, recorded, given, **settings)
    span = recorded.only()
    assert (span.attributes or {})["error.type"] == word
    assert span.status.status_code is StatusCode.ERROR
    assert not span.status.description
    assert list(span.events) == []


def test_retries_are_inside_one_span(provider: Any, recorded: Recorded) -> None:
    provider.replies(provider.http(500, b""), lambda seen, wire: wire.send(provider.good(seen)))
    call("sync", provider, recorded, retries=1, retry_base_ms=0)
    assert "error.type" not in (recorded.only().attributes or {})


def test_nothing_that_was_said_and_no_key_is_in_a_span(kind: str, provider: Any, recorded: Recorded) -> None:
    given = {
        "system": "system-text",
        "tools": [{"type": "function", "function": {"name": "f", "description": "tool-text"}}],
    }
    call(kind, provider, recorded, given, headers={"x-note": "header-value"})
    shown = recorded.only().to_json()
    for said in (PROMPT, "system-text", "tool-text", "header-value", provider.key, "hello"):
        assert said not in shown


def test_spans_made_meanwhile_are_children_and_what_follows_is_not(
    kind: str, provider: Any, recorded: Recorded
) -> None:
    tracer = recorded.provider.get_tracer("mine")

    def transform(body: Any) -> Any:
        tracer.start_span("inside").end()
        return body

    with tracer.start_as_current_span("around"):
        call(kind, provider, recorded, body_transform=transform)
        tracer.start_span("after").end()
    spans = {span.name: span for span in recorded.spans()}
    parents = {name: span.parent.span_id if span.parent else None for name, span in spans.items()}
    ours = spans["chat claude-x"].context.span_id
    assert parents["inside"] == ours
    assert parents["chat claude-x"] == parents["after"] == spans["around"].context.span_id
    assert trace.get_current_span() is trace.INVALID_SPAN


def test_tasks_at_once_have_spans_of_their_own(provider: Any, recorded: Recorded) -> None:
    tracer = recorded.provider.get_tracer("mine")

    async def one(client: AsyncClient, number: int) -> None:
        with tracer.start_as_current_span(f"task {number}"):
            await client.translate(MESSAGES)

    async def run() -> None:
        async with AsyncClient(provider.url, "anthropic", "claude-x", tracing=tracing(recorded.provider)) as client:
            await asyncio.gather(*(one(client, number) for number in range(20)))

    asyncio.run(run())
    tasks = {span.context.span_id for span in recorded.spans() if span.name.startswith("task")}
    parents = [span.parent.span_id for span in recorded.spans() if span.name == "chat claude-x" and span.parent]
    assert sorted(parents) == sorted(tasks)


def test_a_cancelled_task_ends_its_span(provider: Any, recorded: Recorded) -> None:
    provider.script = lambda seen, wire: wire.stall()

    async def run() -> None:
        async with AsyncClient(provider.url, "anthropic", "claude-x", tracing=tracing(recorded.provider)) as client:
            task = asyncio.create_task(client.translate(MESSAGES))
            while not provider.seen:
                await asyncio.sleep(0.02)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    asyncio.run(run())
    assert recorded.only().status.status_code is StatusCode.ERROR


def stream(kind: str, provider: Any, recorded: Recorded, read: int | None = None, **given: Any) -> None:
    """One streamed call, read to its end or for `read` deltas."""
    settings: dict[str, Any] = {"retries": 0, "tracing": tracing(recorded.provider)}
    if kind == "sync":
        with (
            Client(provider.url, "anthropic", "claude-x", **settings) as client,
            client.stream(MESSAGES, **given) as deltas,
        ):
            for number, _ in enumerate(deltas, 1):
                if number == read:
                    break
        return

    async def run() -> None:
        client = AsyncClient(provider.url, "anthropic", "claude-x", **settings)
        async with client, client.stream(MESSAGES, **given) as deltas:
            number = 0
            async for _ in deltas:
                number += 1
                if number == read:
                    break

    asyncio.run(run())


def test_a_stream_is_one_span_from_its_begin_to_its_end(kind: str, provider: Any, recorded: Recorded) -> None:
    provider.replies(provider.http(200, SSE, content_type="text/event-stream"))
    stream(kind, provider, recorded)
    attributes = dict(recorded.only().attributes or {})
    assert attributes["gen_ai.request.stream"] is True
    assert attributes["gen_ai.response.model"] == "claude-real"
    assert attributes["gen_ai.response.id"] == "msg_1"
    assert attributes["gen_ai.response.finish_reasons"] == ("stop",)
    assert (attributes["gen_ai.usage.input_tokens"], attributes["gen_ai.usage.output_tokens"]) == (9, 2)
    first = attributes["gen_ai.response.time_to_first_chunk"]
    assert isinstance(first, float)
    assert 0 < first < 10


@pytest.mark.parametrize("left", ["early", "not kept"])
def test_a_stream_that_is_left_or_not_kept_has_no_finish_reason(
    left: str, kind: str, provider: Any, recorded: Recorded
) -> None:
    if left == "early":
        begun = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n" + SSE[:300]
        provider.script = lambda seen, wire: (wire.send(begun), wire.stall())
        stream(kind, provider, recorded, 1)
    else:
        provider.replies(provider.http(200, SSE, content_type="text/event-stream"))
        stream(kind, provider, recorded, keep_result=False)
    span = recorded.only()
    assert "gen_ai.response.finish_reasons" not in (span.attributes or {})
    assert span.status.status_code is StatusCode.UNSET


@pytest.mark.parametrize("when", ["before", "during"])
def test_a_stream_that_breaks_is_one_span_with_its_error(
    when: str, kind: str, provider: Any, recorded: Recorded
) -> None:
    cut = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 9999\r\n\r\n" + SSE[:300]
    provider.script = (
        (lambda seen, wire: wire.reset()) if when == "before" else (lambda seen, wire: (wire.send(cut), wire.close()))
    )
    with pytest.raises(TransportError):
        stream(kind, provider, recorded)
    span = recorded.only()
    assert (span.attributes or {})["error.type"] == "reset"
    assert span.status.status_code is StatusCode.ERROR


def test_a_span_that_is_not_sampled_costs_no_reading(provider: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolnexus.otel.plain", None)
    silent = TracerProvider(sampler=ALWAYS_OFF)
    with Client(provider.url, "anthropic", "claude-x", tracing=tracing(silent)) as client:
        result = client.translate(MESSAGES)
    assert result._raw is None


def test_without_opentelemetry_the_translator_works_and_the_extra_says_what_is_missing() -> None:
    code = (
        "import sys; sys.modules['opentelemetry'] = None; import toolnexus;"
        "toolnexus.Client('http://127.0.0.1:1', 'anthropic', 'm')\n"
        "try:\n    import toolnexus.otel\nexcept ImportError as error:\n    print('missing', error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.startswith("missing")
