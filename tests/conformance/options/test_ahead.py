"""Ports that take several messages at once, under pytest and in several processes of it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

pytest_plugins = ["pytester"]

SCRIPT = Path(__file__).parents[1] / "misbehaving" / "culprits.py"


@pytest.fixture
def port(folder: Any) -> Any:
    for name in "abcdefgh":
        folder.add(f"anthropic/text/{name}")
    return lambda fault: f"cmd:{sys.executable} {SCRIPT} {fault}"


def ended(run: pytest.RunResult) -> dict[str, str]:
    rows = (line.split() for line in run.stdout.lines if "anthropic/text/" in line and "[" in line and "%" in line)
    return {word[-1]: row[-3 if row[-3].isupper() else 1] for row in rows for word in row if "anthropic/text/" in word}


@pytest.mark.parametrize("more", [(), ("-k", "a or c or e or g"), ("-x",), ("-p", "no:xdist")])
def test_cases_are_sent_ahead(run_kit: Any, port: Any, more: tuple[str, ...]) -> None:
    run = run_kit("-v", *more, port=port("several-none"))
    assert run.ret == 0
    assert set(ended(run).values()) == {"PASSED"}


@pytest.mark.parametrize("fault", ["none", "several-none", "several-exits"])
def test_in_several_processes(run_kit: Any, port: Any, fault: str) -> None:
    run = run_kit("-v", "-n", "2", port=port(fault))
    text = run.stdout.str()
    if fault == "several-exits":
        assert run.ret == 1
        assert "8 cases: 7 pass, 1 fail" in text
        assert "FAIL  anthropic/text/b " in text
    else:
        assert run.ret == 0
        assert "8 cases: 8 pass" in text


def test_the_first_failure_may_end_the_run(run_kit: Any, port: Any) -> None:
    run = run_kit("-v", "-x", port=port("several-exits"))
    assert run.ret in (1, 2)
    assert set(ended(run)) == {"a", "b"}
