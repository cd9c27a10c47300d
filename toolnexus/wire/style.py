"""What a provider style is to the rest of the package: a handful of functions, and nothing more."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from toolnexus.config import ClientConfig
    from toolnexus.request import TranslateRequest
    from toolnexus.result import TranslateResult, Usage, Warning
    from toolnexus.wire.delta import Delta
    from toolnexus.wire.exchange import ProviderRequest
    from toolnexus.wire.failure import HeadersIn


class Reader(Protocol):
    """The state of one streamed answer: deltas from each event's data, and the plain reply that they add up to."""

    ended: bool
    warnings: list[Warning]

    def event(self, data: bytes) -> list[Delta]:
        """The deltas of one event. Raises msgspec's error where it is no JSON."""

    def at_end(self, rest: bytes) -> list[Delta]:
        """The deltas that the end of the body completes; `rest` is an event whose blank line never came, or empty."""

    @property
    def model(self) -> str:
        """The model that answers, as far as it said."""

    @property
    def response_id(self) -> str | None:
        """The answer's id, as far as it said."""

    @property
    def usage(self) -> Usage:
        """The tokens so far."""

    def arguments(self) -> list[str]:
        """The arguments of each call as they were streamed."""

    def whole(self) -> bytes:
        """The plain reply of the same answer."""


class WireStyle(NamedTuple):
    """One provider style; `wire.STYLES` lists them, and nothing outside its folder knows more of it.

    `path` makes the endpoint's path of a base's; `headers` are the style's own, of key and settings; `capabilities`
    reads what the named model refuses; `key_variable` is the environment variable of the key.
    """

    encode: Callable[[TranslateRequest, ClientConfig, bool], ProviderRequest]
    decode: Callable[[int, HeadersIn, bytes, ClientConfig, ProviderRequest | None], TranslateResult]
    reader: Callable[[ClientConfig, bool], Reader]
    path: Callable[[str], str]
    headers: Callable[[str | None, str], list[tuple[str, str]]]
    capabilities: Callable[[str, Mapping[str, Any] | None], Any]
    key_variable: str
