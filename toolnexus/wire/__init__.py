"""The sans-IO core: a request becomes bytes, a reply becomes a result. No clock, socket or environment here.

One folder a provider style; a new style is one new folder and one line below.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolnexus.wire import anthropic, openai
from toolnexus.wire.exchange import ProviderRequest
from toolnexus.wire.failure import HeadersIn, provider_error
from toolnexus.wire.style import WireStyle

if TYPE_CHECKING:
    from toolnexus.config import ClientConfig
    from toolnexus.request import TranslateRequest
    from toolnexus.result import TranslateResult

STYLES: dict[str, WireStyle] = {
    "anthropic": anthropic.STYLE,
    "openai": openai.STYLE,
}
"""Every provider style there is, by the name that a client is given."""


def encode(request: TranslateRequest, config: ClientConfig, *, stream: bool = False) -> ProviderRequest:
    """The one HTTP request that a translation sends, without sending it; `stream` asks for a streamed answer (SPEC
    section 6).

    Raises `InvalidRequest` with a JSON pointer where the request cannot be sent (SPEC sections 2 and 4).
    """
    return STYLES[config.style].encode(request, config, stream)


def decode(
    status: int,
    headers: HeadersIn,
    body: bytes,
    config: ClientConfig,
    sent: ProviderRequest | None = None,
) -> TranslateResult:
    """The OpenAI-shaped result of one HTTP answer.

    `sent` is the request it answers: its warnings join the result's, and calls to its custom tools come back as custom.
    Raises `ProviderError` or `InvalidResponse` (SPEC section 5).
    """
    if 200 <= status < 300:
        return STYLES[config.style].decode(status, headers, body, config, sent)
    raise provider_error(status, headers, body, config)
