"""A small corpus of one good case, and the command run inside it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from conformance.canonical import canonical, fixtures_root, read
from conformance.cli import main
from conformance.cli.group import cli

PORTS = Path(__file__).parent / "ports"

GOOD: dict[str, Any] = {
    "id": "anthropic/results/two-in-one-turn",
    "title": "Two consecutive tool results land in one user turn",
    "level": "must",
    "clauses": ["anthropic.results-merge", "anthropic.tool-result"],
    "requires": ["anthropic"],
    "why": "Sent as two turns, many servers refuse the conversation.",
    "source": {"kind": "spec", "ref": "SPEC §11, inbound translation"},
    "since": "1.0",
    "loose": {"/result/tool_calls/0/arguments": "Serialisers space it differently."},
    "client": {"style": "anthropic", "base_url": "{stub}", "model": "claude-x", "retries": 0},
    "request": {
        "messages": [
            {"role": "user", "content": "add both"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": "a1", "type": "function", "function": {"name": "add", "arguments": '{"n": 1}'}},
                    {"id": "b1", "type": "function", "function": {"name": "add", "arguments": '{"n": 2}'}},
                ],
            },
            {"role": "tool", "tool_call_id": "a1", "content": "one"},
            {"role": "tool", "tool_call_id": "b1", "content": "two"},
        ],
        "tools": [{"type": "function", "function": {"name": "add", "parameters": {"type": "object"}}}],
        "max_tokens": 64,
    },
    "exchanges": [
        {
            "expect": {
                "method": "POST",
                "path": "/v1/messages",
                "body": {
                    "model": "claude-x",
                    "max_tokens": 64,
                    "messages": [
                        {"role": "user", "content": "add both"},
                        {
                            "role": "assistant",
                            "content": [
                                {"type": "tool_use", "id": "a1", "name": "add", "input": {"n": 1}},
                                {"type": "tool_use", "id": "b1", "name": "add", "input": {"n": 2}},
                            ],
                        },
                        {
                            "role": "user",
                            "content": [
                                {"type": "tool_result", "tool_use_id": "a1", "content": "one"},
                                {"type": "tool_result", "tool_use_id": "b1", "content": "two"},
                            ],
                        },
                    ],
                    "tools": [{"name": "add", "input_schema": {"type": "object"}}],
                },
            },
            "reply": {
                "status": 200,
                "json": {
                    "id": "msg_1",
                    "type": "message",
                    "role": "assistant",
                    "model": "claude-x",
                    "content": [{"type": "tool_use", "id": "c1", "name": "add", "input": {"n": 3}}],
                    "stop_reason": "tool_use",
                    "stop_sequence": None,
                    "usage": {"input_tokens": 9, "output_tokens": 2},
                },
            },
        }
    ],
    "result": {
        "text": "",
        "tool_calls": [{"id": "c1", "name": "add", "arguments": {"$json": {"n": 3}}}],
        "finish_reason": "tool_calls",
    },
}


@dataclass(frozen=True)
class Ran:
    """What a run of the command said."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


@dataclass(frozen=True)
class Bench:
    """A corpus in a folder of its own; `run` runs the command on it."""

    fixtures: Path
    capture: pytest.CaptureFixture[str]

    def path(self, name: str) -> Path:
        return self.fixtures / "cases" / f"{name}.json"

    def write(self, case: dict[str, Any], name: str | None = None, *, fmt: bool = True) -> Path:
        path = self.path(name or case["id"])
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(case, ensure_ascii=False)
        path.write_text(canonical(read(text)) if fmt else text, "utf-8")
        return path

    def run(self, *argv: str | Path) -> Ran:
        self.capture.readouterr()
        code = main([str(item) for item in argv])
        said = self.capture.readouterr()
        return Ran(code, said.out, said.err)

    def lint(self, *argv: str | Path) -> Ran:
        """Lint this corpus without what needs a whole one, or the SDKs."""
        slack = ("--without-sdk-types", "--allow-thin-coverage", "--allow-unlocked-ids", "--allow-stale-table")
        return self.run("lint", "--fixtures", self.fixtures, *slack, *argv)


@pytest.fixture
def good() -> dict[str, Any]:
    """A fresh copy of a case without a fault."""
    copied: dict[str, Any] = json.loads(json.dumps(GOOD))
    return copied


@pytest.fixture
def bench(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Bench:
    """An empty corpus with the real clauses and schemas."""
    root = fixtures_root()
    fixtures = tmp_path / "fixtures"
    (fixtures / "cases").mkdir(parents=True)
    for path in [*root.glob("*.json"), root / "README.md"]:
        shutil.copy(path, fixtures)
    monkeypatch.chdir(tmp_path)
    return Bench(fixtures, capsys)


Verb = Callable[..., Result]


@pytest.fixture
def verb(monkeypatch: pytest.MonkeyPatch) -> Verb:
    """Runs a verb as click's own runner does, outside of CI; the ports of this folder can be imported."""
    monkeypatch.syspath_prepend(PORTS)
    monkeypatch.delenv("CI", raising=False)

    def run(*argv: str | Path, stdin: str | bytes | None = None, **env: str) -> Result:
        return CliRunner().invoke(cli, [str(item) for item in argv], input=stdin, env=env, catch_exceptions=False)

    return run


@pytest.fixture
def put() -> Callable[[dict[str, Any], str, Any], None]:
    """Puts a value at a JSON pointer of a case."""

    def place(case: dict[str, Any], pointer: str, value: Any) -> None:
        *steps, last = pointer.split("/")[1:]
        inner: Any = case
        for step in steps:
            inner = inner[int(step)] if isinstance(inner, list) else inner[step]
        inner[int(last) if isinstance(inner, list) else last] = value

    return place
