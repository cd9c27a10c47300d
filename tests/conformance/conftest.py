"""A small corpus to write cases into, and the sample port to run them against."""

from __future__ import annotations

import copy
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import deepdiff
import httpcore
import pytest

import conformance.plugin
import conformance.providers
import toolnexus
from conformance import case as cases
from conformance import corpus as corpora
from conformance.case import Case

#: pytester forgets what an inner run imports; what stays imported here is not read again for each of them.
KEPT = (conformance.plugin, conformance.providers, toolnexus, deepdiff, httpcore)

#: Plugins of other tests, which an inner run has no use for.
WITHOUT = ("cacheprovider", "hypothesispytest", "benchmark", "anyio")

PORTS = Path(__file__).parent / "ports"

TEXT_CASE: dict[str, Any] = {
    "id": "anthropic/text/hello",
    "title": "A text goes there and an answer comes back",
    "level": "must",
    "clauses": ["anthropic.user-text"],
    "requires": ["anthropic"],
    "why": "Without this nothing works.",
    "source": {"kind": "spec", "ref": "SPEC"},
    "since": "1.0",
    "client": {"style": "anthropic", "base_url": "{stub}", "model": "claude-x", "retries": 0},
    "request": {"messages": [{"role": "user", "content": "hi"}], "max_tokens": 64},
    "exchanges": [
        {
            "expect": {
                "method": "POST",
                "path": "/v1/messages",
                "body": {
                    "model": "claude-x",
                    "max_tokens": 64,
                    "messages": [{"role": "user", "content": "hi"}],
                },
            },
            "reply": {
                "json": {
                    "model": "claude-x",
                    "content": [{"type": "text", "text": "hello"}],
                    "usage": {"input_tokens": 9, "output_tokens": 2},
                }
            },
        }
    ],
    "result": {"text": "hello", "tool_calls": [], "finish_reason": "stop", "usage": {"total_tokens": 11}},
}


def text_case(**changes: Any) -> dict[str, Any]:
    """The text case with some keys replaced; None removes one."""
    case = {**copy.deepcopy(TEXT_CASE), **changes}
    return {key: value for key, value in case.items() if value is not None}


class Folder:
    """A fixtures folder; `add` writes a case file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        (path / "cases").mkdir(parents=True)
        real = corpora.find()
        for name in ("clauses.json", "equivalences.json"):
            shutil.copy(real / name, path / name)

    def add(self, name: str = "anthropic/text/hello", **changes: Any) -> Path:
        """Write the text case under another id and with changes."""
        return self.write(name, json.dumps(text_case(id=name, **changes), indent=2) + "\n")

    def write(self, name: str, text: str) -> Path:
        """Write a case file as it stands."""
        path = self.path / "cases" / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        return path


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """An empty corpus with the real clauses and equivalences."""
    return Folder(tmp_path / "fixtures")


@pytest.fixture
def make_case() -> Any:
    """Builds a `Case` from the text case and changes."""

    def make(**changes: Any) -> Case:
        tree = text_case(**changes)
        return cases.parse(json.dumps(tree).encode(), tree["id"], Path("x.json"))[0]

    return make


@pytest.fixture
def sample_port() -> Any:
    """The `--toolnexus-port` of the sample port as a process, right or with a fault."""

    def spec(fault: str = "") -> str:
        return f"cmd:{sys.executable} {PORTS / 'sample.py'} {fault}".strip()

    return spec


@pytest.fixture
def run_kit(pytester: pytest.Pytester, folder: Folder, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs pytest with the flag against the folder's cases and, unless told otherwise, the sample port in process."""
    pytester.syspathinsert(PORTS)
    monkeypatch.delenv("SAMPLE_FAULT", raising=False)

    def run(*args: str, fault: str = "", port: str | None = "python:sample:port") -> pytest.RunResult:
        monkeypatch.setenv("SAMPLE_FAULT", fault)
        chosen = [] if port is None else ["--toolnexus-port", port]
        off = [word for name in WITHOUT for word in ("-p", f"no:{name}")]
        where = f"--toolnexus-fixtures={folder.path}"
        return pytester.runpytest_inprocess("--toolnexus-conformance", where, *off, *chosen, *args)

    return run
