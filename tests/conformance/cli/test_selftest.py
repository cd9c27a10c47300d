"""selftest: an adapter walked through the protocol."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from conformance.cli import main
from conformance.cli import selftest as selftest_cli
from conformance.options import Options

HERE = Path(__file__).parents[1]
SAMPLE = f"cmd:{sys.executable} {HERE / 'ports' / 'sample.py'}"
MISBEHAVING = f"cmd:{sys.executable} {HERE / 'misbehaving' / 'culprits.py'}"

STEPS = ["hello", "good case", "error", "unknown field", "large message", "bye"]


@pytest.fixture
def selftest(capsys: pytest.CaptureFixture[str]) -> Any:
    """Runs the verb and gives its exit code and its steps, each a row of words by name."""

    def run(*words: str) -> tuple[int, dict[str, dict[str, Any]]]:
        code = main(["selftest", *words, "--json"])
        rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        return code, {row["name"]: row for row in rows}

    return run


@pytest.mark.parametrize("port", ["python:toolnexus", SAMPLE])
def test_an_adapter_that_keeps_the_protocol(selftest: Any, port: str) -> None:
    code, steps = selftest(port)
    assert (code, list(steps)) == (0, STEPS)
    assert all(step["right"] for step in steps.values())
    assert steps["good case"]["saw"].startswith('one call, and {"result":{"text":"hello"')
    assert '"status":429' in steps["error"]["saw"]


def test_a_template_passes_and_is_told_what_a_run_would_say(selftest: Any) -> None:
    code, steps = selftest(f"{SAMPLE} skip")
    assert code == 0
    assert steps["good case"]["saw"] == 'no call, and {"skip":{"reason":"not yet","issue":"owner/repo#1"}}'
    assert steps["good case"]["remark"] == "a run counts a skip as red, unless it is a known failure"


@pytest.mark.parametrize(
    ("port", "code", "step", "says"),
    [
        (f"{SAMPLE} dies", 10, "hello", "exit code 1; its last words: cannot find my runtime"),
        (f"{SAMPLE} chatty", 10, "hello", "a line on stdout that is no JSON (Expecting value): starting up"),
        (f"{MISBEHAVING} declares-nothing", 10, "hello", "/ must have capabilities; right is {"),
        (f"{SAMPLE} no-call", 1, "good case", "there should be one call, with the API key of the message"),
        (f"{SAMPLE} twice", 1, "good case", "2 calls, and "),
        (f"{SAMPLE} wrong-text", 1, "good case", 'the text should be "hello"'),
        (f"{SAMPLE} no-call", 1, "error", "there should be an error"),
        (f"{SAMPLE} garbage", 1, "unknown field", "a line on stdout that is no JSON (Expecting value): debug: here"),
        (f"{SAMPLE} wrong-id", 1, "large message", "a reply with id 'nobody', unasked"),
        (f"{SAMPLE} dies-later", 1, "good case", "the port died while at work: exit code 3"),
    ],
)
def test_what_goes_wrong_is_said_at_its_step(selftest: Any, port: str, code: int, step: str, says: str) -> None:
    found, steps = selftest(port)
    assert found == code
    assert not steps[step]["right"]
    assert says in steps[step]["saw"]


def test_a_port_without_a_style_cannot_be_asked(selftest: Any) -> None:
    code, steps = selftest(f"{SAMPLE} no-style")
    assert (code, list(steps)) == (10, ["hello", "bye"])
    assert steps["hello"]["saw"] == "sample 1.0 (python): nothing"


def test_a_port_nobody_has_is_wrong_usage(selftest: Any) -> None:
    assert selftest("python:no_such_module:port") == (4, {})


def test_only_what_was_said_of_a_wrong_step_is_shown_of_stderr(selftest: Any) -> None:
    _, steps = selftest(f"{MISBEHAVING} none")
    assert all(step["stderr"] == [] for step in steps.values())


def test_what_it_looks_like(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["selftest", f"{SAMPLE} no-call"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "ok    hello"
    assert lines[1].startswith("        expected  within 30 s, who the port is")
    assert lines[2].startswith("        saw       sample 1.0 (python): anthropic, ")
    assert "FAIL  good case" in lines
    assert lines[-1] == "4 of 6 steps went wrong; begin with: good case"


def test_where_to_go_from_there(capsys: pytest.CaptureFixture[str]) -> None:
    main(["selftest", "python:toolnexus"])
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == "the protocol is kept; next: pytest --toolnexus-conformance"


def test_a_gateways_settings_are_part_of_where_to_go() -> None:
    asked = Options("http://127.0.0.1:1/v1", stub_port=8077, models=("smart",))
    last = selftest_cli._summary([], [], asked)
    assert last.endswith("--toolnexus-port http://127.0.0.1:1/v1 --toolnexus-stub-port 8077 --toolnexus-model smart")
