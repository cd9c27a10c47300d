"""The sample gateway under the kit: everything that a gateway can be asked holds, whatever stands between."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from conformance.report import results
from conformance.report.results import Results


@pytest.fixture
def run(gateway: Callable[..., str], free_port: Callable[[], int], tmp_path: Path) -> Callable[..., Results]:
    """Runs the corpus against a gateway that is started so."""

    def judge(started: list[str], *options: str) -> Results:
        stub = free_port()
        url = gateway(f"http://127.0.0.1:{stub}", *started)
        words = ["--toolnexus-port", url, "--toolnexus-stub-port", str(stub), "--toolnexus-report", str(tmp_path)]
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--toolnexus-conformance"]
        done = subprocess.run([*command, *words, *options], capture_output=True, text=True, check=False)
        assert done.returncode in (0, 1), done.stdout + done.stderr
        return results.read(tmp_path)

    return judge


def told(found: Results) -> list[str]:
    """What is red, each with its differences."""
    rows = []
    for case in found.cases:
        if case.red:
            places = [
                f"{row.where} want {row.want} got {row.got}" for check in case.checks for row in check.differences
            ]
            rows.append(f"{case.id} ({case.state} {case.reason}): {'; '.join(places)}")
    return [*rows, *found.finished.notes]


@pytest.mark.parametrize("style", ["anthropic", "openai"])
def test_every_case_that_a_gateway_can_be_asked_holds(run: Callable[..., Results], style: str) -> None:
    found = run(["--style", style])
    assert not told(found), "\n".join(told(found))
    states = Counter(case.state for case in found.cases if case.name.startswith(style))
    assert set(states) == {"pass", "n/a"}
    assert states["pass"] > 2 * states["n/a"]
    assert found.started.capabilities == (style, "stream")


def test_a_gateway_that_hides_keys_is_judged_alike(run: Callable[..., Results]) -> None:
    found = run(["--upstream-key", "sk-own"], "-k", "tool-results or errors or stream-deltas or echo")
    assert not told(found), "\n".join(told(found))
    states = Counter(case.state for case in found.cases)
    assert set(states) == {"pass", "n/a"}
    assert states["pass"] > 100
    assert found.started.capabilities == ("anthropic", "openai", "stream")
