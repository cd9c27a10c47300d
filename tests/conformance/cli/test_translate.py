"""translate: what would go over the wire, exact, and nothing is sent."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

BODY = (
    '{"model": "gpt-x", "messages": [{"role": "user", "content": "hi", "name": "bob"},'
    '{"role": "assistant", "tool_calls": [{"id": "a", "type": "function",'
    '"function": {"name": "f", "arguments": "{\\"n\\": 1.10, \\"big\\": 12345678901234567890}"}}]},'
    '{"role": "tool", "tool_call_id": "a", "content": "ok"}], "max_tokens": 64,'
    '"tools": [{"type": "function", "function": {"name": "f"}}], "seed": 1}'
)


def test_body_and_warnings_on_stdout(verb: Any) -> None:
    ran = verb("translate", stdin=BODY)
    assert (ran.exit_code, ran.stderr) == (0, "")
    body, _, warnings = ran.stdout.partition("\n}\n")
    sent = json.loads(body + "\n}")
    assert sent["model"] == "gpt-x"
    assert '"n": 1.10' in body
    assert '"big": 12345678901234567890' in body
    assert [line.split()[1:3] for line in warnings.splitlines()] == [
        ["field-dropped", "/messages/0/name:"],
        ["param-dropped", "/seed:"],
    ]


def test_one_object_for_programs(verb: Any) -> None:
    ran = verb("translate", "--json", "--header", "X-Trace: 7", stdin=BODY)
    found = json.loads(ran.stdout)
    assert list(found) == ["method", "url", "headers", "body", "warnings"]
    assert (found["method"], found["url"]) == ("POST", "https://api.anthropic.com/v1/messages")
    assert found["headers"]["x-trace"] == "7"
    assert found["headers"]["anthropic-version"] == "2023-06-01"
    assert '"n": 1.10' in ran.stdout
    assert {row["code"] for row in found["warnings"]} == {"field-dropped", "param-dropped"}


def test_the_exact_bytes_alone(verb: Any) -> None:
    ran = verb("translate", "--body", stdin=BODY)
    assert "\n" not in ran.stdout
    assert json.loads(ran.stdout)["max_tokens"] == 64
    assert ran.stderr.startswith("warning field-dropped /messages/0/name: ")


def test_settings_of_the_client(verb: Any) -> None:
    argv = ("--model", "claude-x", "--system", "be brief", "--anthropic-version", "2099-01-01", "--stream")
    found = json.loads(verb("translate", *argv, "--base-url", "http://127.0.0.1:9/v1", "--json", stdin=BODY).stdout)
    assert (found["body"]["model"], found["body"]["system"], found["body"]["stream"]) == ("claude-x", "be brief", True)
    assert found["url"] == "http://127.0.0.1:9/v1/messages"
    assert found["headers"]["anthropic-version"] == "2099-01-01"


def test_the_other_style(verb: Any) -> None:
    found = json.loads(verb("translate", "--style", "openai", "--json", stdin=BODY).stdout)
    assert found["url"] == "https://api.openai.com/v1/chat/completions"
    assert found["body"]["messages"][0]["name"] == "bob"
    assert found["warnings"] == []


def test_a_body_that_asks_for_a_stream_gets_one(verb: Any) -> None:
    body = '{"model": "x", "messages": [{"role": "user", "content": "hi"}], "stream": true}'
    assert json.loads(verb("translate", "--json", stdin=body).stdout)["body"]["stream"] is True


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ('{"messages": []}', "/messages"),
        ('{"messages": [{"role": "tool", "tool_call_id": "x", "content": ""}]}', "/messages/0"),
        ("no JSON", "/"),
        ('{"messages": [{"role": "user", "content": "hi"}], "n": 2}', "/n"),
    ],
)
def test_what_cannot_be_sent_is_one_line_with_its_place(verb: Any, body: str, pointer: str) -> None:
    ran = verb("translate", "--model", "claude-x", stdin=body)
    assert (ran.exit_code, ran.stdout) == (1, "")
    (line,) = ran.stderr.splitlines()
    assert line.startswith(f"Error: {pointer}: ")
    told = json.loads(verb("translate", "--model", "claude-x", "--json", stdin=body).stdout)
    assert told["error"]["pointer"] == ("" if pointer == "/" else pointer)


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        ([], "which model?"),
        (["--model", "x", "--header", "nonsense"], "has no colon"),
        (["--model", "x", "--base-url", "ftp://x"], "base_url needs http:// or https://"),
    ],
)
def test_wrong_settings_are_wrong_usage(verb: Any, argv: list[str], says: str) -> None:
    ran = verb("translate", *argv, stdin='{"messages": [{"role": "user", "content": "hi"}]}')
    assert ran.exit_code == 4
    assert says in ran.stderr


def test_a_pipe_carries_bytes_unchanged() -> None:
    body = '{"model": "x", "messages": [{"role": "user", "content": "é 😀"}]}'.encode()
    argv = [sys.executable, "-m", "conformance.cli", "translate", "--body"]
    ran = subprocess.run(argv, input=body, capture_output=True, check=True)
    assert "é 😀".encode() in ran.stdout
