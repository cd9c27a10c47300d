"""What helps to put a failure right."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from conformance.observation import Call
from conformance.options import Options
from conformance.report.explain import again, by_hand, provider_says

KEY = "case-0123456789ab-000001"


def call(body: bytes, **headers: str) -> Call:
    return Call("POST", "/v1/messages", tuple({"x-api-key": KEY, **headers}.items()), body)


def test_what_the_provider_would_answer() -> None:
    refused = provider_says("anthropic", call(b'{"model":"m","max_tokens":1,"messages":[]}'))
    assert refused.startswith("400 invalid_request_error")
    assert "\n" not in refused
    good = b'{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"hi"}]}'
    headers = {"anthropic-version": "2023-06-01", "content-type": "application/json"}
    assert provider_says("anthropic", call(good, **headers)) == ""
    assert provider_says("anthropic", None) == ""


def test_again_repeats_every_option_that_is_not_the_default() -> None:
    assert again(Options(), "a/b/c") == "pytest --toolnexus-conformance --toolnexus-case a/b/c"
    options = Options("cmd:node 'my port.mjs'", Path("/fx"), "must", "equivalent", ("ignored",), "1.0")
    words = shlex.split(again(options, "a/b/c[v]"))
    assert words == [
        "pytest",
        "--toolnexus-conformance",
        "--toolnexus-port",
        "cmd:node 'my port.mjs'",
        "--toolnexus-level",
        "must",
        "--toolnexus-accept",
        "equivalent",
        "--toolnexus-since",
        "1.0",
        "--toolnexus-fixtures=/fx",
        "--toolnexus-case",
        "a/b/c[v]",
    ]


def test_by_hand_sends_the_same_body_to_the_real_provider_without_the_key() -> None:
    body = b'{"user":"it\'s me","k":"' + KEY.encode() + b'"}'
    command = by_hand("anthropic", call(body, **{"Anthropic-Version": "2023-06-01", "user-agent": "x"}), KEY)
    assert KEY not in command
    words = shlex.split(command)
    assert words[:2] == ["curl", "https://api.anthropic.com/v1/messages"]
    assert [words[n + 1] for n, word in enumerate(words) if word == "-H"] == [
        "x-api-key: $ANTHROPIC_API_KEY",
        "anthropic-version: 2023-06-01",
    ]
    assert words[-1] == '{"user":"it\'s me","k":"{key}"}'


def test_the_other_style_has_its_own_address() -> None:
    command = by_hand("openai", call(b"{}"), KEY)
    assert "https://api.openai.com/v1/chat/completions" in command
    assert '"authorization: Bearer $OPENAI_API_KEY"' in command


@pytest.mark.parametrize(
    ("body", "shown"), [(b"x" * 3000, "@body.json  # 3000 bytes"), (b"\xff", "@body  # 1 bytes, no UTF-8")]
)
def test_a_body_that_cannot_be_shown_is_named(body: bytes, shown: str) -> None:
    assert by_hand("openai", call(body), KEY).endswith(shown)


def test_no_call_no_curl() -> None:
    assert by_hand("openai", None, KEY) == ""
