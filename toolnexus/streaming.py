"""A streamed answer as the caller holds it: an iterator of deltas, a context manager, and at the end a result (SPEC
section 6).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any, Self

from toolnexus.call import Live, Opening, Plan, opening
from toolnexus.errors import TranslateError
from toolnexus.metrics import MetricEvent
from toolnexus.request import TranslateRequest
from toolnexus.result import TranslateResult, Usage, Warning
from toolnexus.span import Span
from toolnexus.stream import StreamDecoder, deltas_of
from toolnexus.transport import AsyncLiveSource, LiveSource
from toolnexus.wire.delta import Delta, Partial
from toolnexus.wire.exchange import ProviderRequest


class _Stream:
    """What both streams share: the decoder, the deltas that wait to be handed on, and the one metric event."""

    def __init__(self, plan: Plan, request: TranslateRequest, keep: bool) -> None:
        self._plan = plan
        self._keep = keep
        self._started = plan.timing.clock()
        deadline = plan.deadline(self._started)
        self._steps: Opening = opening(plan, request, deadline)
        self._pending: deque[Delta] = deque()
        self._decoder: StreamDecoder | None = None
        self._plain: TranslateResult | None = None
        self._source: Any = None
        self._model = plan.config.model
        self._first_delta_ms: float | None = None
        self._opened = False
        self._done = False
        self._recorded = False
        self._error: BaseException | None = None
        self._span = Span()

    def _begin(self, sent: ProviderRequest, model: str, answer: TranslateResult | Live) -> None:
        self._model = model
        self._span.sent(sent)
        if isinstance(answer, Live):
            self._source = answer.source
            self._decoder = StreamDecoder(
                self._plan.config, sent, status=answer.status, headers=answer.headers, keep=self._keep
            )
            self._take(self._decoder.feed(answer.first))
        else:
            # The provider answered with plain JSON: the same answer, all at once.
            self._plain = answer
            self._take(deltas_of(answer, answer.usage != Usage()))

    def _take(self, deltas: list[Delta]) -> None:
        if deltas and self._first_delta_ms is None:
            self._first_delta_ms = self._ms()
        self._pending.extend(deltas)

    def _ms(self) -> float:
        return (self._plan.timing.clock() - self._started) * 1000

    def _record(self, status: str, error: BaseException | None = None) -> None:
        if self._recorded:
            return
        self._recorded = True
        if error is not None:
            self._span.failed(error)
        else:
            self._span.streamed(self, self._first_delta_ms)
        usage = self.usage
        self._plan.record(
            MetricEvent(
                self._model,
                status,
                self._ms(),
                usage.prompt_tokens,
                usage.completion_tokens,
                first_delta_ms=self._first_delta_ms,
            )
        )

    def _failed(self, error: BaseException) -> BaseException:
        """The error to raise, with what had come where it is ours."""
        self._done = True
        self._error = self._error or error
        self._record("error", error)
        if isinstance(error, TranslateError) and error.partial is None and self._decoder is not None:
            return self._decoder.broken(error)
        return error

    def _after(self) -> dict[str, Any]:
        return {"response": self.result().raw if self._keep else None, "model": self._model}

    # -- what has come ------------------------------------------------------------------------------------------------

    @property
    def usage(self) -> Usage:
        """The tokens counted so far."""
        if self._plain is not None:
            return self._plain.usage
        return self._decoder.usage if self._decoder is not None else Usage()

    @property
    def response_id(self) -> str | None:
        """The answer's id, for the envelope of every chunk; None until it is known."""
        return self._decoder.response_id if self._decoder is not None else None

    @property
    def model(self) -> str:
        """The model that answers, else the configured one."""
        if self._plain is not None:
            return self._plain.model
        return self._decoder.model if self._decoder is not None else self._model

    @property
    def warnings(self) -> tuple[Warning, ...]:
        """The warnings of request and answer so far."""
        if self._plain is not None:
            return self._plain.warnings
        return self._decoder.warnings if self._decoder is not None else ()

    def partial(self) -> Partial:
        """What has come so far, without a finish."""
        return self._decoder.partial() if self._decoder is not None else Partial(model=self.model)

    def result(self) -> TranslateResult:
        """The deltas folded: what `translate` gives for the same answer (clause `stream.equals`).

        Raises `TranslateError`, with `partial`, before the stream has ended, or where it was not kept, and the error
        that kept it from beginning; `partial()` is what has come of a stream that was left early.
        """
        if self._plain is not None:
            return self._plain
        if self._decoder is None:
            raise self._error or TranslateError("the stream has not begun: iterate over it first")
        return self._decoder.result()


class Stream(_Stream):
    """The deltas of one streamed call, handed on as their bytes arrive; leaving early closes the connection."""

    def __init__(
        self,
        plan: Plan,
        request: TranslateRequest,
        keep: bool,
        run: Callable[[Opening], Any],
        ask: Callable[[Any, Any], Any],
    ) -> None:
        super().__init__(plan, request, keep)
        self._run = run
        self._ask = ask

    def _open(self) -> None:
        self._opened = True
        self._span = self._plan.span(self._plan.config)
        with self._span:
            self._begin(*self._run(self._steps))

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Delta:
        try:
            while not self._pending:
                if self._done:
                    raise StopIteration
                if not self._opened:
                    self._open()
                elif self._plain is not None or self._decoder is None:
                    self._end()
                else:
                    self._advance(self._decoder)
        except StopIteration:
            raise
        except BaseException as error:
            failed = self._failed(error)
            self.close()
            if failed is error:
                raise
            raise failed from None
        return self._pending.popleft()

    def _advance(self, decoder: StreamDecoder) -> None:
        source: LiveSource = self._source
        chunk = None if decoder.complete else source.read()
        self._take(decoder.close() if chunk is None else decoder.feed(chunk))
        if chunk is None and decoder.complete:
            self._end()

    def _end(self) -> None:
        self._done = True
        if self._plan.after_llm is not None:
            self._ask(self._plan.after_llm, self._after())
        self._record("ok")
        self.close()

    def close(self) -> None:
        """Ends the exchange; nothing more comes."""
        self._done = True
        if self._opened:
            self._record("ok")
        source, self._source = self._source, None
        if source is not None:
            source.close()
        self._steps.close()

    def __enter__(self) -> Self:
        if not self._opened:
            try:
                self._open()
            except BaseException as error:
                self._failed(error)
                self.close()
                raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class AsyncStream(_Stream):
    """`Stream`, awaited."""

    def __init__(
        self,
        plan: Plan,
        request: TranslateRequest,
        keep: bool,
        run: Callable[[Opening], Awaitable[Any]],
        ask: Callable[[Any, Any], Awaitable[Any]],
    ) -> None:
        super().__init__(plan, request, keep)
        self._run = run
        self._ask = ask

    async def _open(self) -> None:
        self._opened = True
        self._span = self._plan.span(self._plan.config)
        with self._span:
            self._begin(*await self._run(self._steps))

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Delta:
        try:
            while not self._pending:
                if self._done:
                    raise StopAsyncIteration
                if not self._opened:
                    await self._open()
                elif self._plain is not None or self._decoder is None:
                    await self._end()
                else:
                    await self._advance(self._decoder)
        except StopAsyncIteration:
            raise
        except BaseException as error:
            failed = self._failed(error)
            await self.aclose()
            if failed is error:
                raise
            raise failed from None
        return self._pending.popleft()

    async def _advance(self, decoder: StreamDecoder) -> None:
        source: AsyncLiveSource = self._source
        chunk = None if decoder.complete else await source.read()
        self._take(decoder.close() if chunk is None else decoder.feed(chunk))
        if chunk is None and decoder.complete:
            await self._end()

    async def _end(self) -> None:
        self._done = True
        if self._plan.after_llm is not None:
            await self._ask(self._plan.after_llm, self._after())
        self._record("ok")
        await self.aclose()

    async def aclose(self) -> None:
        """Ends the exchange; nothing more comes."""
        self._done = True
        if self._opened:
            self._record("ok")
        source, self._source = self._source, None
        if source is not None:
            await source.aclose()
        self._steps.close()

    async def __aenter__(self) -> Self:
        if not self._opened:
            try:
                await self._open()
            except BaseException as error:
                self._failed(error)
                await self.aclose()
                raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
