"""What a port does not get to see."""

from __future__ import annotations

import os

import pytest

from conformance.environ import scrubbed, scrubbed_process


def test_proxies_keys_and_addresses_are_taken_out() -> None:
    kept = {"PATH": "/bin", "API_KEY_FILE": "x", "MY_PROXY_HOST": "y"}
    gone = ("HTTP_PROXY", "https_proxy", "ALL_PROXY", "no_proxy", "OPENAI_API_KEY", "ANTHROPIC_BASE_URL", "x_api_key")
    assert scrubbed({**kept, **dict.fromkeys(gone, "z")}) == kept


def test_this_process_gets_them_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "real")
    with scrubbed_process():
        assert "OPENAI_API_KEY" not in os.environ
    assert os.environ["OPENAI_API_KEY"] == "real"
