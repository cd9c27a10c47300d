"""A streamed answer from bytes to deltas to result, whatever the cuts. No IO (SPEC section 6).

`StreamDecoder` is to a stream what `toolnexus.decode` is to a plain answer: a program with an HTTP stack of its own
feeds it bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from toolnexus.config import ClientConfig
from toolnexus.errors import InvalidResponse, TranslateError
from toolnexus.result import TranslateResult, Usage, Warning
from toolnexus.wire import STYLES, decode
from toolnexus.wire.delta import ROLE, CallDelta, Delta, Partial
from toolnexus.wire.exact import repair_escapes
from toolnexus.wire.exchange import ProviderRequest
from toolnexus.wire.failure import HeadersIn, error_inside, invalid_response
from toolnexus.wire.fold import Gathered
from toolnexus.wire.sse import SSE

_REPAIRED = Warning("reply-repaired", "", "the reply was not valid Unicode; U+FFFD stands where it was not")


class StreamDecoder:
    """The deltas of one streamed answer.

    `feed` takes any piece of the body and gives the deltas it completes; `close` says that the body has ended. `sent`
    is the request that is answered, as in `decode`. With `keep` false nothing of the answer is held: memory does not
    grow, and there is no `result`. Errors (`ProviderError`, `InvalidResponse`) are raised after the deltas that had
    come, with `partial`.
    """

    def __init__(
        self,
        config: ClientConfig,
        sent: ProviderRequest | None = None,
        *,
        status: int = 200,
        headers: HeadersIn = (),
        keep: bool = True,
    ) -> None:
        self._config = config
        self._sent = sent
        self._status = status
        self._headers = headers
        self._sse = SSE()
        self._reader = STYLES[config.style].reader(config, keep)
        self._gathered = Gathered(keep)
        self._error: TranslateError | None = None
        self._repaired = False
        self._empty = True
        self._closed = False

    def feed(self, data: bytes) -> list[Delta]:
        """The deltas that `data` completes; the error that followed the last ones is raised by the next call."""
        if self._error is not None:
            raise self._error
        if data:
            self._empty = False
        return self._read(self._sse.feed(data), self._reader.event)

    def close(self) -> list[Delta]:
        """The body has ended: the deltas that were waiting for it. Raises `InvalidResponse` where its end marker
        never came.
        """
        if self._error is not None:
            raise self._error
        if self._closed:
            return []
        reader = self._reader
        deltas = [] if reader.ended else self._read([self._sse.rest() or b""], reader.at_end)
        if self._error is None and not reader.ended:
            why = "the provider's answer is empty" if self._empty else "the stream ended before its end marker"
            self._fail(InvalidResponse(why, status=self._status))
        if self._error is not None and not deltas:
            raise self._error
        self._closed = self._error is None
        return deltas

    def _read(self, events: list[bytes], read: Callable[[bytes], list[Delta]]) -> list[Delta]:
        deltas: list[Delta] = []
        reader = self._reader
        for data in events:
            if reader.ended:
                break
            try:
                if b'"error"' in data and (error := self._error_in(data)) is not None:
                    raise error
                try:
                    deltas += read(data)
                except (msgspec.MsgspecError, ValueError, RecursionError):
                    deltas += self._repaired_event(data, read)
            except TranslateError as error:
                self._fail(error)
                break
        self._gathered.add(deltas)
        if self._error is not None:
            self._error.partial = self.partial()
            if not deltas:
                raise self._error
        return deltas

    def _repaired_event(self, data: bytes, read: Callable[[bytes], list[Delta]]) -> list[Delta]:
        """An event that is no JSON as it came: read once more with its Unicode put right."""
        text, _ = repair_escapes(data.decode("utf-8", "replace"))
        repaired = text.encode()
        try:
            deltas = read(repaired)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            raise invalid_response(
                "an event of the stream is no JSON", self._status, self._headers, data, self._config
            ) from None
        if repaired != data and not self._repaired:
            self._repaired = True
            self._reader.warnings.append(_REPAIRED)
        return deltas

    def _error_in(self, data: bytes) -> TranslateError | None:
        """The error that an event is; text that only speaks of one is none."""
        try:
            value = msgspec.json.decode(data)
        except (msgspec.MsgspecError, RecursionError):
            return None
        if isinstance(value, list) and len(value) == 1:
            # Gemini's compatible endpoint wraps its errors so (A10).
            value = value[0]
        if not isinstance(value, dict) or not (value.get("error") or value.get("type") == "error"):
            return None
        return error_inside(self._status, self._headers, data, self._config)

    def _fail(self, error: TranslateError) -> None:
        self._error = error
        error.partial = self.partial()

    def broken(self, error: TranslateError) -> TranslateError:
        """The error of a connection that broke, with what had come."""
        self._fail(error)
        return error

    # -- what has come ------------------------------------------------------------------------------------------------

    @property
    def complete(self) -> bool:
        """Whether the end marker has come."""
        return self._reader.ended

    @property
    def response_id(self) -> str | None:
        """The answer's id, the same from the first delta on."""
        return self._reader.response_id

    @property
    def model(self) -> str:
        """The model that answers, else the configured one."""
        return self._reader.model

    @property
    def usage(self) -> Usage:
        """The tokens counted so far."""
        return self._reader.usage

    @property
    def warnings(self) -> tuple[Warning, ...]:
        """The warnings of request and answer so far."""
        return (*(self._sent.warnings if self._sent is not None else ()), *self._reader.warnings)

    def partial(self) -> Partial:
        """What has come, without a finish."""
        return self._gathered.partial(self._reader.usage, self._reader.model)

    def result(self) -> TranslateResult:
        """The plain result of the same answer (clause `stream.equals`). Raises `TranslateError` before the end
        marker, or without `keep`.
        """
        if not self._gathered.keep:
            raise TranslateError("the stream was not kept: ask for it with keep_result=True")
        if not self._reader.ended:
            error = self._error or TranslateError("the stream has not ended: its result is not whole yet")
            error.partial = self.partial()
            raise error
        result = decode(200, self._headers, self._reader.whole(), self._config, self._sent)
        for place, arguments in enumerate(self._reader.arguments()):
            call = result.tool_calls[place]
            if call.type == "function" and call.arguments != arguments:
                result.tool_calls[place] = msgspec.structs.replace(call, arguments=arguments)
        # What only the events show (a second choice, text that was no Unicode) is no warning of the reply they add up
        # to.
        result.warnings += tuple(warning for warning in self._reader.warnings if warning not in result.warnings)
        return result


def deltas_of(result: TranslateResult, sent_usage: bool = True) -> list[Delta]:
    """A plain result as the deltas it would have streamed: for a provider that answered a streaming request with
    plain JSON.
    """
    deltas = [ROLE]
    texts: tuple[tuple[str, Any], ...] = (
        ("reasoning", result.reasoning),
        ("content", result.text),
        ("refusal", result.refusal),
    )
    deltas += [Delta(**{field: text}) for field, text in texts if text]
    for index, call in enumerate(result.tool_calls):
        deltas.append(Delta(tool_call=CallDelta(index, call.id, call.name, "", call.type)))
        if call.arguments:
            deltas.append(Delta(tool_call=CallDelta(index, arguments=call.arguments)))
    deltas.append(Delta(finish_reason=result.finish_reason))
    if sent_usage:
        deltas.append(Delta(usage=result.usage))
    return deltas
