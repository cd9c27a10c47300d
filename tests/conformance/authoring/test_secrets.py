"""The secret scan: what looks like a secret is found wherever it is, and never told."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.authoring.recording.secrets import scan
from conformance.tree import from_python

#: In pieces, so that nobody's scanner takes this file for a leak.
SECRETS = [
    "sk-ant-" + "api03-abcdefghijkl",
    "sk-" + "proj-abcdefghijklmnopqrst",
    "AIza" + "SyA1234567890abcdefghijklmnopqrstuv",
    "AKIA" + "IOSFODNN7EXAMPLE",
    "ghp_" + "abcdefghijklmnopqrstuv",
    "glpat-" + "abcdefghijklmnopqrst",
    "hf_" + "abcdefghijklmnopqrstuv",
    "xoxb-" + "123456789012-abcdef",
    "eyJ" + "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
    "-----BEGIN " + "RSA PRIVATE KEY-----",
    "Authorization: Bearer " + "abcdef0123456789",
    "https://ann:" + "hunter2@host.example/",
    "https://host.example/x?sig=" + "abcdef0123456789",
    "ann@corp.test2.io",
    "Zk9x" + "Qm3Lr7Tn2Vb8Wp4Yc6Hd1Jf5",
]


@pytest.mark.parametrize("secret", SECRETS)
def test_a_secret_is_found_and_not_told(secret: str) -> None:
    (leak,) = scan(from_python({"a": [{"b": f"it is {secret}, yes"}]}))
    assert str(leak).startswith("/a/0/b holds a")
    assert secret not in str(leak)


@pytest.mark.parametrize(
    "text",
    [
        "user1@example.com",
        "claude-sonnet-4-5-20250929",
        "Say hello to the whole wide world, and to everybody in it, twice if you can.",
        "00000000-0000-4000-8000-000000000001",
        "https://host1.example/a/rather/long/path/with/many/parts",
        "the_name_of_a_function_that_is_rather_long_v2",
        "aHR0cHM",
        "0123456789abcdef0123456789abcdef0123456789abcdef",
    ],
)
def test_what_is_none_is_let_through(text: str) -> None:
    assert scan(from_python({"a": text})) == []


def test_a_key_that_is_known_is_found_in_keys_and_values() -> None:
    leaks = scan(from_python({"a": "pass-phrase", "pass-phrase": 1}), known=["pass-phrase"])
    assert [str(leak) for leak in leaks] == [
        "/ holds a secret of this recording",
        "/a holds a secret of this recording",
    ]


def test_keys_of_the_environment_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_API_KEY", "correct horse")
    assert len(scan(from_python({"a": "correct horse"}))) == 1


def test_a_text_may_be_declared_harmless() -> None:
    tree: Any = from_python({"a": SECRETS[0]})
    assert scan(tree, allowed=[SECRETS[0]]) == []
    assert len(scan(tree, allowed=["other"])) == 1


def test_a_secret_that_a_stream_cuts_in_pieces() -> None:
    token = "ghp_" + "abcdefghijklmnopqrstuv"
    pieces = [{"data": {"delta": {"text": part}}} for part in (token[:8], token[8:15], token[15:])]
    tree = from_python({"exchanges": [{"reply": {"sse": pieces}}]})
    (leak,) = scan(tree)
    assert str(leak) == "/exchanges/0/reply/sse (its text together) holds a GitHub token"
