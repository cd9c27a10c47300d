"""The settings of a client: where the provider is, which model, which style. Frozen, pure, and shy about secrets."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import SplitResult, parse_qsl, quote, urlsplit

from toolnexus.wire import STYLES
from toolnexus.wire.style import WireStyle

Style = Literal["anthropic", "openai"]

# RFC 9110 section 5.6.2 (names) and 5.5 (values): anything else could end the header and begin another.
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")


_CREDENTIAL = re.compile(r"auth|key|token|secret|cookie|credential|signature", re.IGNORECASE)
_SHORTEST_SECRET = 6


@dataclass(frozen=True)
class ClientConfig:
    """Everything `encode` and `decode` need to know besides the request.

    `base_url` is http(s); `headers` are sent as given and win over the style's own; `models` overrides the capability
    table (clause `anthropic.models`); `request_params` are merged over the built body and win (clause `shape.params`);
    `stream_usage` asks an OpenAI-style server to count a stream's tokens.
    Raises `ValueError` or `TypeError` at a setting that is none. `repr` shows neither key, headers nor prompt.
    """

    base_url: str = field(repr=False)
    style: Style = "anthropic"
    model: str = ""
    api_key: str | None = field(default=None, repr=False)
    headers: Mapping[str, str] | Iterable[tuple[str, str]] | None = field(default=None, repr=False)
    system_prompt: str | None = field(default=None, repr=False)
    anthropic_version: str = "2023-06-01"
    models: Mapping[str, Any] | None = field(default=None, repr=False)
    request_params: Mapping[str, Any] | None = field(default=None, repr=False)
    stream_usage: bool = True

    # Derived once, so that no call pays for them.
    url: str = field(init=False, repr=False)
    request_headers: tuple[tuple[str, str], ...] = field(init=False, repr=False)
    capabilities: Any = field(init=False, repr=False)
    secrets: tuple[str, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if self.style not in STYLES:
            raise ValueError(f"unknown style {self.style!r}: choose one of {', '.join(STYLES)}")
        _check_text("model", self.model)
        if not self.model:
            raise ValueError("a client needs a model")
        if self.system_prompt is not None:
            _check_text("system_prompt", self.system_prompt)
        for setting in ("models", "request_params"):
            if not isinstance(getattr(self, setting), Mapping | None):
                raise TypeError(f"{setting} is no mapping")
        api_key = self.api_key
        if api_key is not None:
            api_key = _header_value("the API key", api_key)
        style, version = STYLES[self.style], _header_value("anthropic_version", self.anthropic_version)
        # Pairs, since an iterator could be read only once.
        given = self.headers
        pairs = tuple(given.items() if isinstance(given, Mapping) else given or ())
        headers = _merge(style.headers(api_key, version), pairs)
        settled = {
            "api_key": api_key,
            "headers": pairs,
            "url": endpoint(self.base_url, style),
            "request_headers": headers,
            "secrets": _secrets(api_key, headers, urlsplit(self.base_url)),
            "capabilities": style.capabilities(self.model, self.models),
        }
        for name, value in settled.items():
            object.__setattr__(self, name, value)


def endpoint(base_url: str, style: WireStyle) -> str:
    """The URL that is posted to.

    Raises `ValueError` unless the base is http(s). Clauses `anthropic.endpoint`, `openai.endpoint`.
    """
    _check_text("base_url", base_url)
    base = urlsplit(base_url.strip())
    # Reading the port checks it.
    if base.scheme not in ("http", "https") or not base.hostname or base.port == 0:
        raise ValueError("base_url needs http:// or https:// and a host")
    return SplitResult(base.scheme, base.netloc, style.path(base.path.rstrip("/")), base.query, "").geturl()


def _merge(own: list[tuple[str, str]], configured: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Configured headers win, compared without case; the values of `anthropic-beta` are united."""
    merged = dict(own)
    betas: list[str] = []
    for name, value in configured:
        if not isinstance(name, str):
            raise TypeError("a header's name is no string")
        if not _HEADER_NAME.fullmatch(name):
            raise ValueError(f"a header's name {name!r} holds a character that no HTTP header may hold")
        value = _header_value(f"header {name!r}", value)
        name = name.lower()
        if name == "anthropic-beta":
            betas.extend(flag.strip() for flag in value.split(",") if flag.strip())
        else:
            merged[name] = value
    if betas:
        merged["anthropic-beta"] = ",".join(dict.fromkeys(betas))
    return tuple(merged.items())


def _secrets(api_key: str | None, headers: tuple[tuple[str, str], ...], base: SplitResult) -> tuple[str, ...]:
    """What no text of ours may show: the key, and what credential-like headers and the URL hold, longest first."""
    found = {api_key} if api_key else set()
    found.update(part for part in (base.username, base.password) if part and len(part) >= _SHORTEST_SECRET)
    found.update(value for _, value in parse_qsl(base.query) if len(value) >= _SHORTEST_SECRET)
    for name, value in headers:
        if _CREDENTIAL.search(name):
            # `Bearer abc`: a provider echoes the whole or the token alone.
            found.update(part for part in (value, value.rpartition(" ")[2]) if len(part) >= _SHORTEST_SECRET)
    written = {form(secret) for secret in found for form in _WRITTEN}
    return tuple(sorted((secret for secret in written if secret), key=len, reverse=True))


# How JSON, HTML and URLs write a text.
_WRITTEN: tuple[Callable[[str], str], ...] = (
    str,
    lambda text: text.replace("/", "\\/"),
    html.escape,
    lambda text: html.escape(text).replace("/", "&#47;"),
    quote,
    lambda text: quote(text, safe=""),
    lambda text: text.replace("/", "%2F"),
)


def _header_value(what: str, value: str) -> str:
    """A header's value, without the blanks around it that HTTP does not count (RFC 9110 section 5.5)."""
    if not isinstance(value, str):
        raise TypeError(f"{what} is no string")
    if not _HEADER_VALUE.fullmatch(value):
        raise ValueError(f"{what} holds a character that no HTTP header may hold")
    return value.strip(" \t")


def _check_text(what: str, value: str) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{what} is no string")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{what} holds half of a surrogate pair") from None
