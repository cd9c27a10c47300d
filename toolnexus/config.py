"""The settings of a client: where the provider is, which model, which style. Frozen, pure, and shy about secrets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import SplitResult, urlsplit

from toolnexus.wire.anthropic.models import Model, model_named, read_overrides

Style = Literal["anthropic", "openai"]
STYLES: tuple[Style, ...] = ("anthropic", "openai")

# RFC 9110 section 5.6.2 (names) and 5.5 (values): anything else could end the header and begin another.
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")


_CREDENTIAL = re.compile(r"auth|key|token|secret|cookie|credential|signature", re.IGNORECASE)
_SHORTEST_SECRET = 6


@dataclass(frozen=True)
class ClientConfig:
    """Everything `encode` and `decode` need to know besides the request.

    `base_url` is http(s); `headers` are sent as given and win over the style's own; `models` overrides the capability table
    (clause `anthropic.models`); `request_params` are merged over the built body and win (clause `shape.params`). Raises `ValueError` or
    `TypeError` at a setting that is none. `repr` shows neither key, headers nor prompt.
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

    # Derived once, so that no call pays for them.
    url: str = field(init=False, repr=False)
    request_headers: tuple[tuple[str, str], ...] = field(init=False, repr=False)
    capabilities: Model = field(init=False, repr=False)
    secrets: tuple[str, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if self.style not in STYLES:
            raise ValueError(f"unknown style {self.style!r}: choose one of {', '.join(STYLES)}")
        if not isinstance(self.model, str) or not self.model:
            raise ValueError("a client needs a model")
        if self.api_key is not None:
            _check_header("the API key", "x-api-key", self.api_key, show=False)
        headers = _merge(self._own_headers(), self.headers)
        derived = {
            "url": endpoint(self.base_url, self.style),
            "request_headers": headers,
            "secrets": _secrets(self.api_key, headers),
            "capabilities": model_named(self.model, read_overrides(self.models)),
        }
        for name, value in derived.items():
            object.__setattr__(self, name, value)

    def _own_headers(self) -> list[tuple[str, str]]:
        if self.style == "openai":
            auth = [("authorization", f"Bearer {self.api_key}")] if self.api_key else []
            return [("content-type", "application/json"), *auth]
        auth = [("x-api-key", self.api_key)] if self.api_key else []
        return [("content-type", "application/json"), ("anthropic-version", self.anthropic_version), *auth]


def endpoint(base_url: str, style: Style) -> str:
    """The URL that is posted to (clauses `anthropic.endpoint`, `openai.endpoint`). Raises `ValueError` unless the base is http(s)."""
    if not isinstance(base_url, str):
        raise TypeError("base_url is no string")
    base = urlsplit(base_url.strip())
    if base.scheme not in ("http", "https") or not base.hostname:
        raise ValueError("base_url needs http:// or https:// and a host")
    path = base.path.rstrip("/")
    if style == "anthropic":
        path += "/messages" if path.endswith("/v1") else "/v1/messages"
    else:
        path = f"{path}/chat/completions" if path else "/v1/chat/completions"
    return SplitResult(base.scheme, base.netloc, path, base.query, "").geturl()


def _merge(
    own: list[tuple[str, str]], configured: Mapping[str, str] | Iterable[tuple[str, str]] | None
) -> tuple[tuple[str, str], ...]:
    """Configured headers win, compared without case; the values of `anthropic-beta` are united."""
    pairs = list(configured.items()) if isinstance(configured, Mapping) else list(configured or ())
    merged = dict(own)
    betas: list[str] = []
    for name, value in pairs:
        _check_header("a header", name, value)
        name = name.lower()
        if name == "anthropic-beta":
            betas.extend(flag.strip() for flag in value.split(",") if flag.strip())
        else:
            merged[name] = value
    if betas:
        merged["anthropic-beta"] = ",".join(dict.fromkeys(betas))
    return tuple(merged.items())


def _secrets(api_key: str | None, headers: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    """What no text of ours may show: the key, and what credential-like headers hold, longest first."""
    found = {api_key} if api_key else set()
    for name, value in headers:
        if _CREDENTIAL.search(name):
            # `Bearer abc`: a provider echoes the whole or the token alone.
            found.update(part for part in (value, value.rpartition(" ")[2]) if len(part) >= _SHORTEST_SECRET)
    return tuple(sorted((secret for secret in found if secret), key=len, reverse=True))


def _check_header(what: str, name: str, value: str, *, show: bool = True) -> None:
    if not isinstance(name, str) or not isinstance(value, str):
        raise TypeError(f"{what} is no string")
    if not _HEADER_NAME.fullmatch(name) or not _HEADER_VALUE.fullmatch(value):
        raise ValueError(f"{what}{f' {name!r}' if show else ''} holds a character that no HTTP header may hold")
