"""OpenTelemetry spans around the call, by the semantic conventions for generative AI; needs the extra `otel`.

`Client(…, tracing=tracing())` makes one client span a call, named `chat <model>`. It holds numbers and names only:
neither what was said nor a header nor an error's text (clause `secrets.never-shown`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

from opentelemetry import trace
from opentelemetry.trace import Span as OtelSpan
from opentelemetry.trace import SpanKind, Status, StatusCode, Tracer, TracerProvider

from toolnexus.config import ClientConfig
from toolnexus.errors import ProviderError, TranslateError, TransportError
from toolnexus.result import TranslateResult, Usage
from toolnexus.span import Span
from toolnexus.streaming import _Stream
from toolnexus.wire.exact import plain
from toolnexus.wire.exchange import ProviderRequest

SCHEMA_URL = "https://opentelemetry.io/schemas/1.44.0"
"""The conventions whose names are used."""

# Attribute -> the body's words for it, in either style.
_REQUEST = {
    "gen_ai.request.max_tokens": ("max_tokens", "max_completion_tokens"),
    "gen_ai.request.temperature": ("temperature",),
    "gen_ai.request.top_p": ("top_p",),
    "gen_ai.request.top_k": ("top_k",),
    "gen_ai.request.seed": ("seed",),
    "gen_ai.request.frequency_penalty": ("frequency_penalty",),
    "gen_ai.request.presence_penalty": ("presence_penalty",),
    "gen_ai.request.stream": ("stream",),
}
_STOP = ("stop_sequences", "stop")


def tracing(
    tracer_provider: TracerProvider | None = None, *, provider_name: str | None = None
) -> Callable[[ClientConfig], Span]:
    """The `tracing` setting of a client: a span for each of its calls.

    `tracer_provider` is the global one unless given; `provider_name` is `gen_ai.provider.name` where the style does not
    say it (`groq` behind the openai style).
    """
    from toolnexus import __version__

    tracer = trace.get_tracer("toolnexus", __version__, tracer_provider, SCHEMA_URL)
    return lambda config: _CallSpan(tracer, config, provider_name or config.style)


class _CallSpan(Span):
    """One call as an OpenTelemetry span."""

    def __init__(self, tracer: Tracer, config: ClientConfig, provider_name: str) -> None:
        place = urlsplit(config.url)
        self._span: OtelSpan = tracer.start_span(
            f"chat {config.model}",
            kind=SpanKind.CLIENT,
            attributes={
                "gen_ai.operation.name": "chat",
                "gen_ai.provider.name": provider_name,
                "gen_ai.request.model": config.model,
                "server.address": place.hostname or "",
                "server.port": place.port or {"https": 443}.get(place.scheme, 80),
            },
        )
        self._current: AbstractContextManager[Any] | None = None

    def __enter__(self) -> Self:
        self._current = trace.use_span(self._span, record_exception=False, set_status_on_exception=False)
        self._current.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace_: TracebackType | None
    ) -> None:
        if self._current is not None:
            self._current.__exit__(kind, error, trace_)

    def sent(self, request: ProviderRequest) -> None:
        """Notes the parameters that were really sent."""
        if not self._span.is_recording():
            return
        body = plain(request.body)
        if isinstance(body.get("model"), str):
            self._span.set_attribute("gen_ai.request.model", body["model"])
            self._span.update_name(f"chat {body['model']}")
        for attribute, names in _REQUEST.items():
            value = next((body[name] for name in names if body.get(name) is not None), None)
            if isinstance(value, int | float):
                self._span.set_attribute(attribute, value)
        stop = next((body[name] for name in _STOP if body.get(name)), None)
        if stop:
            self._span.set_attribute("gen_ai.request.stop_sequences", [stop] if isinstance(stop, str) else stop)
        if isinstance(body.get("n"), int) and body["n"] != 1:
            self._span.set_attribute("gen_ai.request.choice.count", body["n"])

    def answered(self, result: TranslateResult) -> None:
        """Ends the span with what the result says of itself."""
        if self._span.is_recording():
            raw = result.raw
            self._answer(result.model, raw.get("id") if isinstance(raw, Mapping) else None, result.usage)
            self._span.set_attribute("gen_ai.response.finish_reasons", [result.finish_reason])
        self._span.end()

    def streamed(self, stream: _Stream, first_delta_ms: float | None) -> None:
        """Ends the span with what the stream brought."""
        if self._span.is_recording():
            self._answer(stream.model, stream.response_id, stream.usage)
            if first_delta_ms is not None:
                self._span.set_attribute("gen_ai.response.time_to_first_chunk", first_delta_ms / 1000)
            # A stream that was left, or not kept, has no result.
            with suppress(TranslateError):
                self._span.set_attribute("gen_ai.response.finish_reasons", [stream.result().finish_reason])
        self._span.end()

    def failed(self, error: BaseException) -> None:
        """Ends the span with the kind of the error; its text may hold what was said."""
        self._span.set_attribute("error.type", _error_type(error))
        self._span.set_status(Status(StatusCode.ERROR))
        self._span.end()

    def _answer(self, model: str, response_id: Any, usage: Usage) -> None:
        self._span.set_attribute("gen_ai.response.model", model)
        if isinstance(response_id, str) and response_id:
            self._span.set_attribute("gen_ai.response.id", response_id)
        # Cached tokens are input tokens, in the conventions as in OpenAI's count.
        self._span.set_attribute("gen_ai.usage.input_tokens", usage.prompt_tokens)
        self._span.set_attribute("gen_ai.usage.output_tokens", usage.completion_tokens)
        for attribute, tokens in (
            ("gen_ai.usage.cache_read.input_tokens", usage.cached_tokens),
            ("gen_ai.usage.cache_creation.input_tokens", usage.cache_write_tokens),
            ("gen_ai.usage.reasoning.output_tokens", usage.reasoning_tokens),
        ):
            if tokens:
                self._span.set_attribute(attribute, tokens)


def _error_type(error: BaseException) -> str:
    """One word for what went wrong, of which there are few."""
    if isinstance(error, ProviderError):
        return str(error.status)
    if isinstance(error, TransportError):
        return error.kind
    return type(error).__name__ if isinstance(error, TranslateError) else type(error).__qualname__
