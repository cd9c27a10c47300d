"""The verbs `report` and `diff`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from conformance.cli import main
from conformance.report import results
from tests.conformance.report.conftest import case_of, results_of


@pytest.fixture
def saved(tmp_path: Path) -> Any:
    def save(name: str, *states: str, **header: Any) -> str:
        cases = [case_of(f"anthropic/text/{number}", state) for number, state in enumerate(states)]
        (tmp_path / name).mkdir()
        results.write(results_of(cases, **header), tmp_path / name / "results.jsonl")
        return str(tmp_path / name)

    return save


def test_merge_writes_a_page_and_each_ports_reports(saved: Any, tmp_path: Path, capsys: Any) -> None:
    one, other = saved("one", "pass", "fail"), saved("other", "pass", "pass", port="other")
    assert main(["report", "merge", one, f"mine={other}", "-o", str(tmp_path / "site"), "--title", "Mine & yours"]) == 0
    told = capsys.readouterr()
    assert told.out == f"{tmp_path / 'site' / 'index.html'}\n"
    assert told.err.split("\n")[:2] == [
        "sample                   exit 1: 1 fail, 1 pass",
        "mine                     exit 0: 2 pass",
    ]
    assert "<title>Mine &amp; yours</title>" in (tmp_path / "site" / "index.html").read_text("utf-8")
    for slug in ("sample", "mine"):
        names = sorted(path.name for path in (tmp_path / "site" / slug).iterdir())
        assert names == ["badge.json", "junit.xml", "results.jsonl", "summary.md"]


def test_unlike_corpora_are_one_line_and_exit_4(saved: Any, tmp_path: Path, capsys: Any) -> None:
    paths = saved("one", "pass"), saved("other", "pass", corpus_hash="sha256:x", port="b")
    assert main(["report", "merge", *paths, "-o", str(tmp_path / "site")]) == 4
    assert capsys.readouterr().err.startswith("Error: unlike corpora cannot be merged: ")
    assert not (tmp_path / "site").exists()


def test_merge_needs_results(capsys: Any) -> None:
    assert main(["report", "merge", "-o", "x"]) == 4
    assert "Missing argument 'RESULTS…'" in capsys.readouterr().err


def test_diff_is_red_only_for_what_got_worse(saved: Any, capsys: Any) -> None:
    good, bad = saved("good", "pass", "pass"), saved("bad", "pass", "fail")
    assert main(["diff", good, bad]) == 1
    assert capsys.readouterr().out.startswith("### ❌ 1 case got worse\n")
    assert main(["diff", bad, good]) == 0
    assert capsys.readouterr().out.startswith("### ✅ Nothing got worse\n")
    assert main(["diff", bad, bad]) == 0


def test_diff_for_programs(saved: Any, capsys: Any) -> None:
    assert main(["diff", "--json", saved("old", "pass", "fail"), saved("new", "fail", "pass")]) == 1
    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == [
        {"kind": "regression", "id": "anthropic/text/0", "old": "pass", "new": "fail"},
        {"kind": "fixed", "id": "anthropic/text/1", "old": "fail", "new": "pass"},
    ]


def test_diff_of_what_is_no_run(saved: Any, tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "x").write_text("hello")
    assert main(["diff", saved("old", "pass"), str(tmp_path / "x")]) == 4
    assert capsys.readouterr().err == f"Error: {tmp_path / 'x'}: no results file: the first line is no header\n"


@pytest.mark.parametrize("verb", [["report"], ["report", "merge"], ["diff"]])
def test_help_has_an_example(verb: list[str], capsys: Any) -> None:
    assert main([*verb, "--help"]) == 0
    assert "Example" in capsys.readouterr().out or verb == ["report"]
