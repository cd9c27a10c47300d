"""--toolnexus-shard: the shards of a run are the run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from conformance.cli import main

pytest_plugins = ["pytester"]

TIMES = ("ms", "began", "seconds")


@pytest.fixture
def cases(folder: Any) -> Any:
    for number in range(24):
        folder.add(f"anthropic/text/case-{number}", result={"text": "hello" if number % 6 else "other"})
    return folder


def rows(path: Path) -> list[dict[str, Any]]:
    lines = path.read_text("utf-8").splitlines()
    return [{key: value for key, value in json.loads(line).items() if key not in TIMES} for line in lines]


def test_merged_shards_are_the_report_of_one_run(run_kit: Any, cases: Any, tmp_path: Path) -> None:
    run_kit("--toolnexus-report", str(tmp_path / "whole"))
    shards = []
    for number in (3, 1, 2):
        run_kit("--toolnexus-report", str(tmp_path / f"s{number}"), "--toolnexus-shard", f"{number}/3")
        shards.append(str(tmp_path / f"s{number}"))
        assert 0 < len(rows(tmp_path / f"s{number}" / "results.jsonl")) - 2 < 24
    assert main(["report", "merge", *shards, "-o", str(tmp_path / "site")]) == 0
    assert rows(tmp_path / "site" / "sample" / "results.jsonl") == rows(tmp_path / "whole" / "results.jsonl")


def test_a_shard_says_that_it_is_one(run_kit: Any, cases: Any, tmp_path: Path) -> None:
    run_kit("--toolnexus-report", str(tmp_path / "out"), "--toolnexus-shard", "1/2")
    assert rows(tmp_path / "out" / "results.jsonl")[0]["shard"] == "1/2"
    assert "shard 1/2" in (tmp_path / "out" / "summary.md").read_text("utf-8")


def test_what_is_no_shard_is_a_usage_error(run_kit: Any, cases: Any) -> None:
    run = run_kit("--toolnexus-shard", "3/2")
    assert run.ret == 4
    assert run.stderr.lines[-1] == "toolnexus: '3/2' is no shard; write i/n, such as 1/4"
