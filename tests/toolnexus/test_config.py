"""Settings: what is refused at once, what is sent as a header, and what no text shows (`secrets.never-shown`)."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any

import pytest

from toolnexus import AsyncClient, Client, ClientConfig

KEY = "sk-very-secret-0123456789"
URL = "http://127.0.0.1:9"


@pytest.mark.parametrize("style", ["anthropic", "openai"])
@pytest.mark.parametrize(
    "base",
    [
        "ftp://host",
        "file:///etc/passwd",
        "host.example/v1",
        "//host",
        "http://",
        "https:///v1",
        "",
        "unix:/tmp/x",
        "http://host:99999",
        "http://host:x",
        "http://[::1",
        "http://host/\ud800",
    ],
)
def test_a_base_url_that_is_not_http_is_refused(base: str, style: Any) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - some words are urlsplit's
        ClientConfig(base, style, "m")


@pytest.mark.parametrize(
    ("base", "style", "url"),
    [
        ("http://h", "anthropic", "http://h/v1/messages"),
        ("http://h/", "anthropic", "http://h/v1/messages"),
        ("http://h/v1//", "anthropic", "http://h/v1/messages"),
        (" https://h:8/a?x=1 ", "anthropic", "https://h:8/a/v1/messages?x=1"),
        ("http://h", "openai", "http://h/v1/chat/completions"),
        ("http://h/v1", "openai", "http://h/v1/chat/completions"),
        ("http://h/api/v1/?k=1#f", "openai", "http://h/api/v1/chat/completions?k=1"),
        ("HTTP://[::1]:5/x", "openai", "http://[::1]:5/x/chat/completions"),
    ],
)
def test_the_endpoint_is_made_of_the_base(base: str, style: Any, url: str) -> None:
    assert ClientConfig(base, style, "m").url == url


@pytest.mark.parametrize(
    ("setting", "value", "error"),
    [
        ("style", "gemini", ValueError),
        ("style", [], (ValueError, TypeError)),
        ("model", "", ValueError),
        ("model", None, TypeError),
        ("model", "m\ud800", ValueError),
        ("api_key", 5, TypeError),
        ("api_key", "a\nb", ValueError),
        ("api_key", "a\r\nx-evil: 1", ValueError),
        ("api_key", "a\x00b", ValueError),
        ("api_key", "é漢", ValueError),
        ("anthropic_version", "2023-06-01\r\nx: y", ValueError),
        ("anthropic_version", None, TypeError),
        ("headers", {"x": "a\r\nb: c"}, ValueError),
        ("headers", {"x": "a\nb"}, ValueError),
        ("headers", {"x\r\ny": "a"}, ValueError),
        ("headers", {"x y": "a"}, ValueError),
        ("headers", {"": "a"}, ValueError),
        ("headers", {"x:": "a"}, ValueError),
        ("headers", {"x": 5}, TypeError),
        ("headers", {5: "x"}, TypeError),
        ("headers", 5, TypeError),
        ("system_prompt", 5, TypeError),
        ("system_prompt", "a\ud800", ValueError),
        ("models", 5, TypeError),
        ("models", {"m": {"refuses": ["nonsense"]}}, ValueError),
        ("request_params", [("a", 1)], TypeError),
        ("base_url", None, TypeError),
    ],
)
def test_a_setting_that_is_none_is_refused_at_once(setting: str, value: Any, error: Any) -> None:
    with pytest.raises(error) as raised:
        ClientConfig(**{"base_url": URL, "style": "anthropic", "model": "m", setting: value})
    # A mistyped key is still a key.
    assert not (setting == "api_key" and isinstance(value, str) and value in str(raised.value))


@pytest.mark.parametrize("kind", [Client, AsyncClient])
@pytest.mark.parametrize(
    ("setting", "value", "error"),
    [
        ("timeout_ms", 0, ValueError),
        ("timeout_ms", -1, ValueError),
        ("timeout_ms", float("nan"), ValueError),
        ("connect_timeout_ms", 0, ValueError),
        ("read_timeout_ms", -5, ValueError),
        ("max_response_bytes", 0, ValueError),
        ("retries", -1, ValueError),
        ("retries", 1.5, ValueError),
        ("retries", True, ValueError),
        ("retry_base_ms", -1, ValueError),
        ("on_error", 5, TypeError),
        ("body_transform", "x", TypeError),
        ("on_metric", {}, TypeError),
        ("hooks", {"before_llm": 5}, TypeError),
        ("unknown", 5, TypeError),
    ],
)
def test_a_setting_of_a_client_that_is_none_is_refused_at_once(kind: Any, setting: str, value: Any, error: Any) -> None:
    with pytest.raises(error):
        kind(URL, "anthropic", "m", **{setting: value})


def test_headers_of_both_styles() -> None:
    assert dict(ClientConfig(URL, "anthropic", "m", KEY).request_headers) == {
        "content-type": "application/json",
        "anthropic-version": "2023-06-01",
        "x-api-key": KEY,
    }
    assert dict(ClientConfig(URL, "openai", "m", KEY).request_headers) == {
        "content-type": "application/json",
        "authorization": f"Bearer {KEY}",
    }


@pytest.mark.parametrize("style", ["anthropic", "openai"])
@pytest.mark.parametrize("key", [None, ""])
def test_without_a_key_there_is_no_credential_header(style: Any, key: str | None) -> None:
    assert not {"x-api-key", "authorization"} & set(dict(ClientConfig(URL, style, "m", key).request_headers))


def test_configured_headers_win_whatever_their_case_and_form() -> None:
    for headers in ({"X-Api-Key": "mine", "Content-Type": "a/b"}, [("x-API-key", "mine"), ("content-type", "a/b")]):
        sent = dict(ClientConfig(URL, "anthropic", "m", KEY, headers).request_headers)
        assert (sent["x-api-key"], sent["content-type"]) == ("mine", "a/b")
    pairs = ((name, value) for name, value in [("X-A", "1")])
    config = ClientConfig(URL, "anthropic", "m", KEY, pairs)
    assert dict(dataclasses.replace(config, model="n").request_headers)["x-a"] == "1"


def test_beta_flags_are_united_in_order_without_duplicates() -> None:
    config = ClientConfig(URL, "anthropic", "m", None, [("anthropic-beta", "b, a"), ("Anthropic-Beta", "c,,a")])
    assert dict(config.request_headers)["anthropic-beta"] == "b,a,c"


def test_blanks_around_a_value_are_no_part_of_it() -> None:
    config = ClientConfig(URL, "anthropic", "m", f" {KEY}\t", {"x-a": " 1 "}, anthropic_version="2023-06-01 ")
    assert config.api_key == KEY
    assert ("x-a", "1") in config.request_headers
    assert ("anthropic-version", "2023-06-01") in config.request_headers


def test_every_credential_is_known_as_a_secret() -> None:
    config = ClientConfig(
        "http://user:password9@127.0.0.1/?api_key=inthequery&x=1",
        "openai",
        "m",
        KEY,
        {"Authorization": "Bearer other-token", "Cookie": "session=abcdef", "x-note": "harmless"},
    )
    secrets = {KEY, "password9", "inthequery", "other-token", "Bearer other-token", "session=abcdef"}
    assert secrets <= set(config.secrets)
    assert not {"harmless", "1", "m", "user"} & set(config.secrets)


def test_no_text_of_a_config_or_client_shows_key_headers_or_prompt() -> None:
    settings: dict[str, Any] = {
        "headers": {"x-header": "header-value"},
        "system_prompt": "the-prompt",
        "request_params": {"param": "param-value"},
    }
    url = "http://user:password9@127.0.0.1:9/?api_key=inthequery"
    config = ClientConfig(url, "anthropic", "claude-x", KEY, **settings)
    client = Client(url, "anthropic", "claude-x", KEY, **settings)
    async_client = AsyncClient(url, "anthropic", "claude-x", KEY, **settings)
    shown = [
        f(thing)
        for thing in (
            config,
            client,
            async_client,
            copy.copy(config),
            copy.deepcopy(config),
            dataclasses.replace(config),
        )
        for f in (repr, str, "{}".format)
    ]
    shown.append(repr(pickle.loads(pickle.dumps(config))))
    shown.append(repr([client._plan, client._limits]))
    for text in shown:
        for secret in (KEY, "password9", "inthequery", "header-value", "the-prompt", "param-value"):
            assert secret not in text
    assert "claude-x" in repr(client)


def test_a_copied_config_sends_the_same() -> None:
    config = ClientConfig(URL, "anthropic", "claude-x", KEY, {"x-a": "1"})
    for other in (
        copy.copy(config),
        copy.deepcopy(config),
        pickle.loads(pickle.dumps(config)),
        dataclasses.replace(config),
    ):
        assert other == config
        assert other.request_headers == config.request_headers
        assert other.url == config.url


def test_a_config_cannot_be_changed() -> None:
    config = ClientConfig(URL, "anthropic", "claude-x", KEY)
    with pytest.raises(dataclasses.FrozenInstanceError):
        config.model = "other"  # type: ignore[misc]


@pytest.mark.parametrize(("style", "variable"), [("anthropic", "ANTHROPIC_API_KEY"), ("openai", "OPENAI_API_KEY")])
def test_the_key_falls_back_to_the_environment(style: Any, variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    other = {"ANTHROPIC_API_KEY": "OPENAI_API_KEY", "OPENAI_API_KEY": "ANTHROPIC_API_KEY"}[variable]
    monkeypatch.setenv(variable, KEY)
    monkeypatch.setenv(other, "the-other-key")
    for kind in (Client, AsyncClient):
        assert kind(URL, style, "m").config.api_key == KEY
        assert kind(URL, style, "m", "given").config.api_key == "given"
        # An empty key is a decision, not an omission.
        assert kind(URL, style, "m", "").config.api_key == ""
    monkeypatch.setenv(variable, "")
    assert Client(URL, style, "m").config.api_key is None
    # The pure half reads no environment.
    monkeypatch.setenv(variable, KEY)
    assert ClientConfig(URL, style, "m").api_key is None
