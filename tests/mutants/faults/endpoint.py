"""Faults in addresses and headers."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit, urlunsplit

from tests.mutants.exchange import Ask, Sent
from tests.mutants.mutant import (
    sent,
)

Tree = dict[str, Any]


def _at(sent: Sent, path: str, query: str | None = None) -> Sent:
    parts = urlsplit(sent.url)
    url = urlunsplit((parts.scheme, parts.netloc, path, parts.query if query is None else query, ""))
    return sent if url == sent.url else Sent(url, sent.headers, sent.body)


def _base(ask: Ask) -> str:
    return urlsplit(str(ask.client["base_url"])).path


# -- paths ------------------------------------------------------------------------------------------------------------


@sent("anthropic")
def appends_v1_always(sent: Sent, ask: Ask) -> Sent:
    """/v1/messages is appended whatever the base ends in."""
    return _at(sent, _base(ask).rstrip("/") + "/v1/messages")


@sent("anthropic")
def appends_messages_where_a_path_is(sent: Sent, ask: Ask) -> Sent:
    """A base with a path gets /messages, as OpenAI's would."""
    base = _base(ask).rstrip("/")
    return _at(sent, base + ("/messages" if base else "/v1/messages"))


@sent("anthropic")
def looks_for_v1_anywhere(sent: Sent, ask: Ask) -> Sent:
    """A /v1 in the middle of the path counts as its end."""
    base = _base(ask).rstrip("/")
    return _at(sent, base + ("/messages" if "/v1" in base else "/v1/messages"))


@sent("anthropic")
def looks_for_v1_by_its_letters(sent: Sent, ask: Ask) -> Sent:
    """A last segment that ends in v1 counts as v1."""
    base = _base(ask).rstrip("/")
    return _at(sent, base + ("/messages" if base.endswith("v1") else "/v1/messages"))


@sent("anthropic")
def keeps_only_v1_of_the_base(sent: Sent, ask: Ask) -> Sent:
    """The path of the base is dropped."""
    return _at(sent, "/v1/messages")


@sent()
def doubles_slashes(sent: Sent, ask: Ask) -> Sent:
    """A trailing slash of the base is kept."""
    path = urlsplit(sent.url).path
    if not _base(ask).endswith("/"):
        return sent
    return _at(sent, path.replace("/messages", "//messages").replace("/chat/", "//chat/"))


@sent()
def forgets_the_query(sent: Sent, ask: Ask) -> Sent:
    """The query of the base is dropped."""
    return _at(sent, urlsplit(sent.url).path, "")


@sent("openai")
def adds_v1_to_every_path(sent: Sent, ask: Ask) -> Sent:
    """A path without a version gets one."""
    base = _base(ask).rstrip("/")
    return _at(sent, base + ("/chat/completions" if base.endswith("/v1") else "/v1/chat/completions"))


@sent("openai")
def adds_v1_to_no_path(sent: Sent, ask: Ask) -> Sent:
    """A base without a path gets /chat/completions alone."""
    return _at(sent, _base(ask).rstrip("/") + "/chat/completions")


@sent("openai")
def drops_longer_paths(sent: Sent, ask: Ask) -> Sent:
    """Only the last segment of a longer path is kept."""
    last = _base(ask).rstrip("/").rpartition("/")[2]
    return _at(sent, (f"/{last}" if last else "/v1") + "/chat/completions")


@sent("openai")
def cuts_v1beta(sent: Sent, ask: Ask) -> Sent:
    """A version other than v1 is replaced by v1."""
    return _at(sent, urlsplit(sent.url).path.replace("/v1beta", "/v1"))


# -- headers ----------------------------------------------------------------------------------------------------------


def _configured(ask: Ask) -> list[tuple[str, str]]:
    found = ask.client.get("headers") or {}
    pairs = found.items() if isinstance(found, dict) else found
    return [(str(name).lower(), str(value)) for name, value in pairs]


@sent("anthropic")
def sends_the_key_as_a_bearer_token(sent: Sent, ask: Ask) -> Sent:
    """Beside configured headers Anthropic's key is sent as a bearer token."""
    key = sent.header("x-api-key")
    if key is None or not _configured(ask):
        return sent
    return sent.with_header("x-api-key", None).with_header("authorization", f"Bearer {key}")


@sent("anthropic")
def sends_no_version(sent: Sent, ask: Ask) -> Sent:
    """anthropic-version is not sent."""
    return sent.with_header("anthropic-version", None)


@sent("anthropic")
def sends_a_fixed_version(sent: Sent, ask: Ask) -> Sent:
    """anthropic-version is no setting."""
    return sent.with_header("anthropic-version", "2023-06-01")


@sent("anthropic")
def lets_the_default_version_win(sent: Sent, ask: Ask) -> Sent:
    """A configured header does not replace the default, or replaces it beside it."""
    own = {"anthropic-version": "2023-06-01", "content-type": "application/json"}
    for name, _ in _configured(ask):
        if name in own:
            sent = sent.with_header(name, own[name])
    return sent


@sent()
def lets_the_key_win(sent: Sent, ask: Ask) -> Sent:
    """A configured header of the key does not replace the key."""
    key = ask.client.get("api_key")
    names = {"anthropic": ("x-api-key", key), "openai": ("authorization", f"Bearer {key}")}
    name, value = names[ask.style]
    return sent.with_header(name, value) if key and any(own == name for own, _ in _configured(ask)) else sent


@sent()
def loses_extra_headers(sent: Sent, ask: Ask) -> Sent:
    """Configured headers beside the defaults are lost."""
    known = ("content-type", "x-api-key", "authorization", "anthropic-version", "anthropic-beta", "x-case")
    for name, _ in _configured(ask):
        if name not in known:
            sent = sent.with_header(name, None)
    return sent


@sent("anthropic")
def sends_the_last_beta_only(sent: Sent, ask: Ask) -> Sent:
    """Of several anthropic-beta values the last is sent."""
    betas = [value for name, value in _configured(ask) if name == "anthropic-beta"]
    return sent.with_header("anthropic-beta", betas[-1].split(",")[-1].strip()) if betas else sent


@sent("anthropic")
def repeats_betas(sent: Sent, ask: Ask) -> Sent:
    """An anthropic-beta value that was given twice is sent twice."""
    betas = [value for name, value in _configured(ask) if name == "anthropic-beta"]
    return sent.with_header("anthropic-beta", ",".join(betas)) if betas else sent


@sent("anthropic")
def asks_for_betas_unasked(sent: Sent, ask: Ask) -> Sent:
    """An anthropic-beta of the translator's own is sent."""
    return sent if sent.header("anthropic-beta") else sent.with_header("anthropic-beta", "tools-2024-05-16")


@sent()
def sends_an_empty_key(sent: Sent, ask: Ask) -> Sent:
    """Without a key an empty one is sent."""
    if ask.client.get("api_key"):
        return sent
    name = "x-api-key" if ask.style == "anthropic" else "authorization"
    return sent if sent.header(name) else sent.with_header(name, "none")


@sent("openai")
def sends_the_key_both_ways(sent: Sent, ask: Ask) -> Sent:
    """An OpenAI server gets the key as x-api-key as well."""
    return sent.with_header("x-api-key", str(ask.client.get("api_key"))) if ask.client.get("api_key") else sent


@sent("openai")
def sends_the_bare_key(sent: Sent, ask: Ask) -> Sent:
    """The key is sent without the word Bearer."""
    value = sent.header("authorization") or ""
    return (
        sent.with_header("authorization", value.removeprefix("Bearer ")) if value.startswith("Bearer case-") else sent
    )


@sent()
def sends_no_content_type(sent: Sent, ask: Ask) -> Sent:
    """The content type is not sent."""
    return sent.with_header("content-type", None)


@sent()
def changes_headers_of_retries(sent: Sent, ask: Ask) -> Sent:
    """A second attempt loses the configured headers."""
    if ask.exchanges:
        for name, _ in _configured(ask):
            sent = sent.with_header(name, None) if name not in ("x-case",) else sent
    return sent
