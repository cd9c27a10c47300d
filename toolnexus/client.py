"""The clients: settings, one call, and the two ways of doing its steps (SPEC section 1; clause `call.once`)."""

from __future__ import annotations

import asyncio
import inspect
import os
import threading
import time
from collections.abc import Callable, Generator, Iterable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar
from weakref import WeakKeyDictionary

import httpx

from toolnexus.call import Ask, Plan, Send, Step, Timing, Wait, translation
from toolnexus.config import ClientConfig, Style
from toolnexus.errors import TransportError
from toolnexus.metrics import MetricEvent, Metrics
from toolnexus.request import request_of
from toolnexus.result import TranslateResult
from toolnexus.retry import RetryPolicy
from toolnexus.span import Span, no_span
from toolnexus.streaming import AsyncStream, Stream
from toolnexus.transport import DEFAULT_LIMIT, KEPT, KEPT_S, Limits, apost, post
from toolnexus.watch import POLL_S, CancelToken, Watch, cancelled
from toolnexus.wire import STYLES

if TYPE_CHECKING:
    from toolnexus.toolkit import Toolkit

T = TypeVar("T")


class _Settings:
    """What both clients are set to: the config, the plan around a call, the limits of an attempt."""

    def __init__(
        self,
        base_url: str,
        style: Style = "anthropic",
        model: str = "",
        api_key: str | None = None,
        headers: Mapping[str, str] | Iterable[tuple[str, str]] | None = None,
        system_prompt: str | None = None,
        anthropic_version: str = "2023-06-01",
        *,
        models: Mapping[str, Any] | None = None,
        timeout_ms: float | None = None,
        connect_timeout_ms: float = 10_000,
        read_timeout_ms: float = 600_000,
        retries: int = 2,
        retry_base_ms: float = 500,
        retryable_statuses: Iterable[int] = (),
        max_retry_after_s: float | None = None,
        on_error: Callable[[Any], Any] | None = None,
        hooks: Any = None,
        request_params: Mapping[str, Any] | None = None,
        stream_usage: bool = True,
        body_transform: Callable[[Any], Any] | None = None,
        on_metric: Callable[[MetricEvent], Any] | None = None,
        max_response_bytes: int = DEFAULT_LIMIT,
        timing: Timing | None = None,
        tracing: Callable[[ClientConfig], Span] = no_span,
    ) -> None:
        if api_key is None and style in STYLES:
            api_key = os.environ.get(STYLES[style].key_variable) or None
        self.config = ClientConfig(
            base_url,
            style,
            model,
            api_key,
            headers,
            system_prompt,
            anthropic_version,
            models,
            request_params,
            stream_usage,
        )
        self._metrics = Metrics()
        self._on_metric = on_metric
        for name, value in (
            ("timeout_ms", timeout_ms),
            ("connect_timeout_ms", connect_timeout_ms),
            ("read_timeout_ms", read_timeout_ms),
            ("max_response_bytes", max_response_bytes),
        ):
            if value is not None and not value > 0:
                raise ValueError(f"{name} is above 0")
        for name, function in (("on_error", on_error), ("body_transform", body_transform), ("on_metric", on_metric)):
            if function is not None and not callable(function):
                raise TypeError(f"{name} is not callable")
        self._limits = Limits(connect_timeout_ms / 1000, read_timeout_ms / 1000, max_response_bytes)
        self._plan = Plan(
            self.config,
            RetryPolicy(retries, retry_base_ms, frozenset(retryable_statuses), max_retry_after_s),
            timeout_ms,
            _hook(hooks, "before_llm"),
            _hook(hooks, "after_llm"),
            on_error,
            body_transform,
            self._record,
            timing or Timing(),
            tracing,
        )

    def _record(self, event: MetricEvent) -> None:
        self._metrics.record(event)
        if self._on_metric is not None:
            self._on_metric(event)

    def _watch(self, send: Send, cancel: CancelToken | None) -> Watch:
        return Watch(send.deadline, self._plan.timing.clock, cancel)

    def metrics(self) -> str:
        """The client's counters as Prometheus text, version 0.0.4 (clause `metrics.event`)."""
        return self._metrics.render()

    def __repr__(self) -> str:
        return f"{type(self).__name__}(style={self.config.style!r}, model={self.config.model!r})"


def _hook(hooks: Any, name: str) -> Callable[[Any], Any] | None:
    hook = hooks.get(name) if isinstance(hooks, Mapping) else getattr(hooks, name, None)
    if hook is not None and not callable(hook):
        raise TypeError(f"hook {name} is not callable")
    return hook


class Client(_Settings):
    """A translator to one provider and model; thread-safe, and a context manager.

    `style` says which wire format `base_url` speaks; the key falls back to `ANTHROPIC_API_KEY` or `OPENAI_API_KEY`.
    `http_client` is an `httpx.Client` of your own (proxies, mTLS, recording); it stays yours to close. Times are in
    milliseconds.
    """

    def __init__(self, base_url: str, *args: Any, http_client: httpx.Client | None = None, **settings: Any) -> None:
        super().__init__(base_url, *args, **settings)
        self._owned = http_client is None
        self._http = http_client
        self._lock = threading.Lock()
        self._closed = False
        self._pid = os.getpid()

    def translate(
        self,
        messages: Any,
        *,
        tools: Any = None,
        toolkit: Toolkit | None = None,
        tool_choice: Any = None,
        system: str | None = None,
        max_tokens: int | None = None,
        params: Any = None,
        cancel: CancelToken | None = None,
    ) -> TranslateResult:
        """One provider call: OpenAI shapes in, OpenAI shapes out; no tool runs.

        `messages` is OpenAI's list, or a whole `TranslateRequest`. Raises `InvalidRequest` before the call, and
        `ProviderError`, `InvalidResponse` or `TransportError` after the last attempt (SPEC section 5).
        """
        request = request_of(messages, tools, toolkit, tool_choice, system, max_tokens, params)
        return self._run(translation(self._plan, request), cancel)

    def stream(
        self,
        messages: Any,
        *,
        tools: Any = None,
        toolkit: Toolkit | None = None,
        tool_choice: Any = None,
        system: str | None = None,
        max_tokens: int | None = None,
        params: Any = None,
        cancel: CancelToken | None = None,
        keep_result: bool = True,
    ) -> Stream:
        """One streaming provider call: an iterator of `Delta` values, and a context manager (SPEC section 6).

        The call begins when the stream is entered or first asked for a delta. With `keep_result` false nothing is
        held, and the stream has no `result()`. Raises what `translate` raises; after the first delta with `partial`.
        """
        request = request_of(messages, tools, toolkit, tool_choice, system, max_tokens, params)
        return Stream(
            self._plan,
            request,
            keep_result,
            lambda steps: self._run(steps, cancel),
            lambda function, argument: self._do(Ask(function, argument), None),
        )

    def _run(self, steps: Generator[Step, Any, T], cancel: CancelToken | None) -> T:
        try:
            step = next(steps)
            while True:
                try:
                    outcome = self._do(step, cancel)
                except Exception as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(outcome)
        except StopIteration as done:
            result: T = done.value
            return result
        finally:
            steps.close()

    def _do(self, step: Step, cancel: CancelToken | None) -> Any:
        if cancel is not None and cancel.is_set():
            raise cancelled()
        if isinstance(step, Send):
            return post(self._client(), step, self._limits, self._watch(step, cancel))
        if isinstance(step, Wait):
            return _sleep(step.seconds, cancel)
        answer = step.function(step.argument)
        if inspect.isawaitable(answer):
            if inspect.iscoroutine(answer):
                answer.close()
            raise TypeError("an async hook needs an AsyncClient")
        return answer

    def _client(self) -> httpx.Client:
        with self._lock:
            if self._closed:
                raise _closed()
            if self._owned and self._pid != os.getpid():
                # A forked child that used its parent's connections would read its parent's answers.
                self._http, self._pid = None, os.getpid()
            if self._http is None:
                # Only now: httpcore takes longer to import than all of ours.
                from toolnexus.connections import Transport

                self._http = httpx.Client(transport=Transport(self.config.url))
            return self._http

    def close(self) -> None:
        """Closes the connections; an `http_client` of your own stays open."""
        with self._lock:
            self._closed = True
            if self._owned and self._http is not None:
                self._http.close()
                self._http = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class AsyncClient(_Settings):
    """`Client`, awaited; `http_client` is an `httpx.AsyncClient`, and hooks may be async."""

    def __init__(
        self, base_url: str, *args: Any, http_client: httpx.AsyncClient | None = None, **settings: Any
    ) -> None:
        super().__init__(base_url, *args, **settings)
        self._owned = http_client is None
        self._http = http_client
        self._closed = False
        self._by_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, httpx.AsyncClient] = WeakKeyDictionary()

    async def translate(
        self,
        messages: Any,
        *,
        tools: Any = None,
        toolkit: Toolkit | None = None,
        tool_choice: Any = None,
        system: str | None = None,
        max_tokens: int | None = None,
        params: Any = None,
        cancel: CancelToken | None = None,
    ) -> TranslateResult:
        """One provider call, as `Client.translate`."""
        request = request_of(messages, tools, toolkit, tool_choice, system, max_tokens, params)
        return await self._run(translation(self._plan, request), cancel)

    def stream(
        self,
        messages: Any,
        *,
        tools: Any = None,
        toolkit: Toolkit | None = None,
        tool_choice: Any = None,
        system: str | None = None,
        max_tokens: int | None = None,
        params: Any = None,
        cancel: CancelToken | None = None,
        keep_result: bool = True,
    ) -> AsyncStream:
        """One streaming provider call, as `Client.stream`."""
        request = request_of(messages, tools, toolkit, tool_choice, system, max_tokens, params)
        return AsyncStream(
            self._plan,
            request,
            keep_result,
            lambda steps: self._run(steps, cancel),
            lambda function, argument: self._do(Ask(function, argument), None),
        )

    async def _run(self, steps: Generator[Step, Any, T], cancel: CancelToken | None) -> T:
        try:
            step = next(steps)
            while True:
                try:
                    outcome = await self._do(step, cancel)
                except Exception as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(outcome)
        except StopIteration as done:
            result: T = done.value
            return result
        finally:
            steps.close()

    async def _do(self, step: Step, cancel: CancelToken | None) -> Any:
        if cancel is not None and cancel.is_set():
            raise cancelled()
        if isinstance(step, Send):
            return await apost(self._client(), step, self._limits, self._watch(step, cancel))
        if isinstance(step, Wait):
            return await _asleep(step.seconds, cancel)
        answer = step.function(step.argument)
        return await answer if inspect.isawaitable(answer) else answer

    def _client(self) -> httpx.AsyncClient:
        if self._closed:
            raise _closed()
        if not self._owned and self._http is not None:
            return self._http
        # A connection belongs to the event loop it was made in.
        loop = asyncio.get_running_loop()
        client = self._by_loop.get(loop)
        if client is None:
            client = self._by_loop[loop] = httpx.AsyncClient(limits=_POOL)
        return client

    async def aclose(self) -> None:
        """Closes the connections; an `http_client` of your own stays open."""
        self._closed = True
        client = self._by_loop.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


_POOL = httpx.Limits(max_connections=None, max_keepalive_connections=KEPT, keepalive_expiry=KEPT_S)


def _closed() -> TransportError:
    return TransportError("the client is closed", kind="closed")


def _sleep(seconds: float, cancel: CancelToken | None) -> None:
    if cancel is None:
        time.sleep(seconds)
        return
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        if cancel.is_set():
            raise cancelled()
        time.sleep(min(left, POLL_S))


async def _asleep(seconds: float, cancel: CancelToken | None) -> None:
    import asyncio

    if cancel is None:
        await asyncio.sleep(seconds)
        return
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        if cancel.is_set():
            raise cancelled()
        await asyncio.sleep(min(left, POLL_S))
