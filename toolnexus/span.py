"""What watches a call from outside, without a part in it; `toolnexus.otel` tells OpenTelemetry."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from toolnexus.config import ClientConfig
    from toolnexus.result import TranslateResult
    from toolnexus.streaming import _Stream
    from toolnexus.wire.exchange import ProviderRequest


class Span:
    """One call as seen from outside: what was sent, and how it ended, once; this one looks away.

    Inside its `with` block the exchange goes on, so that spans made there are its children.
    """

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """The exchange pauses or is over; how it ended is said by one of the three below."""

    def sent(self, request: ProviderRequest) -> None:
        """The request, after hooks and params."""

    def answered(self, result: TranslateResult) -> None:
        """The call ended with a result."""

    def streamed(self, stream: _Stream, first_delta_ms: float | None) -> None:
        """The stream ended, or was left."""

    def failed(self, error: BaseException) -> None:
        """The call or stream ended with an error."""


_NONE = Span()


def no_span(config: ClientConfig) -> Span:
    """The span of a call that nobody watches."""
    return _NONE
