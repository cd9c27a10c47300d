"""run: one case, everything that went over the wire, and an exit code to go by."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SAMPLE = Path(__file__).parents[1] / "ports" / "sample.py"

TEXT: dict[str, Any] = {
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
                "body": {"model": "claude-x", "max_tokens": 64, "messages": [{"role": "user", "content": "hi"}]},
            },
            "reply": {"json": {"content": [{"type": "text", "text": "hello"}], "stop_reason": "end_turn"}},
        }
    ],
    "result": {"text": "hello"},
}


@pytest.fixture
def run(bench: Any, verb: Any) -> Any:
    """Runs the text case with changes on a port."""

    def go(port: str = "python:toolnexus", *argv: str, **changes: Any) -> Any:
        bench.write({**TEXT, **changes})
        return verb("run", "--fixtures", bench.fixtures, "--port", port, TEXT["id"], *argv)

    return go


def test_the_log_holds_both_sides_and_every_check(run: Any) -> None:
    ran = run()
    assert ran.exit_code == 0
    rest = ran.stdout
    for text in (
        "sent to the port",
        '"base_url": "{stub}"',
        "the stub saw: POST /v1/messages",
        "x-api-key: {key}",
        '"max_tokens": 64',
        "the stub answered 200",
        '"stop_reason": "end_turn"',
        "the port gave back",
        '"finish_reason": "stop"',
        "checks",
        "request   pass",
        "warnings  pass",
        "PASS  anthropic/text/hello",
    ):
        _, found, rest = rest.partition(text)
        assert found, text


def test_a_failure_says_what_differs_and_why_it_matters(run: Any) -> None:
    ran = run(result={"text": "good day"})
    assert ran.exit_code == 1
    for text in ("result    fail", 'want "good day"', 'got  "hello"', TEXT["why"], "anthropic.user-text: "):
        assert text in ran.stdout


def test_the_log_as_json(run: Any) -> None:
    ran = run("python:toolnexus", "--json", result={"text": "good day"})
    assert ran.exit_code == 1
    found = json.loads(ran.stdout)
    assert found["state"] == "fail"
    assert found["sent"]["request"] == TEXT["request"]
    (call,) = found["evidence"]["calls"]
    assert (call["path"], json.loads(call["body"])["max_tokens"]) == ("/v1/messages", 64)
    (check,) = [check for check in found["checks"] if check["state"] == "fail"]
    assert check["differences"] == [{"where": "/text", "kind": "value", "want": '"good day"', "got": '"hello"'}]


def test_a_key_is_never_shown(run: Any, bench: Any) -> None:
    ran = run("python:toolnexus", "--json")
    key = json.loads(ran.stdout)["evidence"]["calls"][0]["headers"]
    assert "case-" not in ran.stdout
    assert ["x-api-key", "{key}"] in key


def test_what_a_port_lacks_is_not_green(run: Any) -> None:
    ran = run("python:moved:Finish", request_params={"a": 1}, requires=["anthropic", "request_params"])
    assert ran.exit_code == 1  # this port can do it, and the body differs
    ran = run(f"cmd:{sys.executable} {SAMPLE}", request_params={"a": 1}, requires=["anthropic", "request_params"])
    assert "N/A" in ran.stdout
    assert ran.exit_code == 1


def test_may_is_shown_only(run: Any) -> None:
    assert run(level="may", result={"text": "good day"}).exit_code == 0


def test_an_equivalent_request_passes_when_asked_for(run: Any) -> None:
    blocks = [{"role": "user", "content": [{"type": "text", "text": "hi"}]}]
    body = {"model": "claude-x", "max_tokens": 64, "messages": blocks}
    exchanges = [{"expect": {"body": body}, "reply": TEXT["exchanges"][0]["reply"]}]
    ran = run(exchanges=exchanges)
    assert ran.exit_code == 1
    assert "EQUIVALENT" in ran.stdout
    assert run("python:toolnexus", "--accept", "equivalent", exchanges=exchanges).exit_code == 0


def test_one_variant_by_its_name(bench: Any, verb: Any) -> None:
    bench.write({**TEXT, "variants": {"other": {"/result/text": "good day"}}})
    here = ("run", "--fixtures", bench.fixtures)
    ran = verb(*here, TEXT["id"])
    assert (ran.exit_code, "anthropic/text/hello[other]" in ran.stderr) == (0, True)
    assert verb(*here, f"{TEXT['id']}[other]").exit_code == 1


def test_a_case_file_anywhere(bench: Any, verb: Any, tmp_path: Path) -> None:
    path = tmp_path / "draft.json"
    path.write_text(json.dumps({**TEXT, "id": "anthropic/text/draft"}), "utf-8")
    assert verb("run", path).exit_code == 0


def test_calls_that_no_script_has_are_shown(run: Any) -> None:
    ran = run("python:moved:Twice")
    assert ran.exit_code == 1
    assert "the stub saw call 2 of 2: POST /v1/messages" in ran.stdout
    assert "the stub answered 422: the case has no reply for this call" in ran.stdout


@pytest.mark.parametrize(
    ("port", "code", "says"),
    [
        ("cmd:no-such-program", 10, "the port cannot be started: no-such-program"),
        (f"cmd:{sys.executable} -c pass", 10, "died before it said hello: exit code 0"),
        ("ruby:x", 4, "unknown port"),
        ("python:moved:Nope", 4, "unknown port"),
    ],
)
def test_a_port_that_cannot_run_is_one_line(run: Any, port: str, code: int, says: str) -> None:
    ran = run(port)
    assert ran.exit_code == code
    (line,) = ran.stderr.splitlines()
    assert says in line


def test_a_broken_case_is_a_corpus_fault(run: Any) -> None:
    ran = run(level="shall")
    assert ran.exit_code == 11
    assert "/level" in ran.stderr


def test_a_real_process_runs_a_port_in_another(bench: Any) -> None:
    bench.write(TEXT)
    argv = [sys.executable, "-m", "conformance.cli", "run", TEXT["id"], "--fixtures", str(bench.fixtures)]
    ran = subprocess.run(
        [*argv, "--port", f"cmd:{sys.executable} {SAMPLE} wrong-text"], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 1
    assert ran.stderr == ""
    assert '- want "hello"' in ran.stdout
    assert "\x1b" not in ran.stdout
