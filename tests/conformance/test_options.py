"""The command line that asks for the same again."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.options import Options


def test_the_default_needs_no_word() -> None:
    assert Options().arguments() == []


def test_every_option_that_is_not_the_default_is_there() -> None:
    asked = Options(
        port="http://127.0.0.1:1/v1", stub_port=8089, models=("a", "openai=b"), level="must", accept="equivalent",
        since="1.0", known=Path("/k.toml"), fixtures=Path("/f"), headers=("x-team: blue",), cases=("a/b/c",),
    )  # fmt: skip
    assert asked.arguments() == [
        *("--toolnexus-port", "http://127.0.0.1:1/v1", "--toolnexus-stub-port", "8089"),
        *("--toolnexus-level", "must", "--toolnexus-accept", "equivalent", "--toolnexus-since", "1.0"),
        *("--toolnexus-known", "/k.toml", "--toolnexus-model", "a", "--toolnexus-model", "openai=b"),
        *("--toolnexus-header", "x-team: blue", "--toolnexus-fixtures=/f"),
    ]


@pytest.mark.parametrize("name", ["Authorization", "x-api-key", "X-Auth-Token", "cookie", "my-secret"])
def test_a_header_that_may_be_secret_has_no_value(name: str) -> None:
    assert Options(headers=(f"{name}: sk-1",)).arguments() == ["--toolnexus-header", f"{name}: …"]
