"""OpenAI Chat Completions shapes in, exactly one provider call, OpenAI shapes out (SPEC.md).

`Client` and `AsyncClient` make the call; `encode` and `decode` are the pure halves for programs with an HTTP stack of
their own.
"""

from toolnexus.client import AsyncClient, Client
from toolnexus.config import ClientConfig
from toolnexus.errors import InvalidRequest, InvalidResponse, ProviderError, TranslateError, TransportError
from toolnexus.metrics import MetricEvent
from toolnexus.request import TranslateRequest
from toolnexus.result import ToolCall, TranslateResult, Usage, Warning
from toolnexus.stream import StreamDecoder
from toolnexus.streaming import AsyncStream, Stream
from toolnexus.toolkit import Tool, Toolkit
from toolnexus.wire import decode, encode
from toolnexus.wire.delta import CallDelta, Delta, Partial
from toolnexus.wire.exchange import ProviderRequest

__version__ = "0.1.0"

__all__ = [
    "AsyncClient",
    "AsyncStream",
    "CallDelta",
    "Client",
    "ClientConfig",
    "Delta",
    "InvalidRequest",
    "InvalidResponse",
    "MetricEvent",
    "Partial",
    "ProviderError",
    "ProviderRequest",
    "Stream",
    "StreamDecoder",
    "Tool",
    "ToolCall",
    "Toolkit",
    "TranslateError",
    "TranslateRequest",
    "TranslateResult",
    "TransportError",
    "Usage",
    "Warning",
    "decode",
    "encode",
]
