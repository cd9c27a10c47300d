"""--toolnexus-report: the same report however the run was made, and no key in it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

pytest_plugins = ["pytester"]

#: What differs from run to run.
TIMES = ("ms", "began", "seconds")


def rows(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "results.jsonl").read_text("utf-8").splitlines()
    return [{key: value for key, value in json.loads(line).items() if key not in TIMES} for line in lines]


@pytest.fixture
def cases(folder: Any) -> Any:
    folder.add()
    folder.add("anthropic/text/other", variants={"b": {"/title": "b"}, "a": {"/title": "a"}})
    folder.add("anthropic/text/lacking", requires=["anthropic", "hooks"])
    folder.add("anthropic/text/wrong", result={"text": "something else"})
    folder.add("anthropic/text/may", level="may", result={"text": "something else"})
    for number in range(20):
        folder.add(f"anthropic/more/case-{number}")
    return folder


def test_every_report_is_written(run_kit: Any, cases: Any, tmp_path: Path) -> None:
    run = run_kit("--toolnexus-report", str(tmp_path / "out" / "deep"))
    out = tmp_path / "out" / "deep"
    assert sorted(path.name for path in out.iterdir()) == ["badge.json", "junit.xml", "results.jsonl", "summary.md"]
    header, *found, footer = rows(out)
    assert (header["port"], header["corpus"], header["shard"]) == ("sample", "1.0", None)
    assert {case["id"]: case["state"] for case in found if "more" not in case["id"]} == {
        "anthropic/text/hello": "pass",
        "anthropic/text/lacking": "n/a",
        "anthropic/text/may": "fail",
        "anthropic/text/other": "pass",
        "anthropic/text/other[a]": "pass",
        "anthropic/text/other[b]": "pass",
        "anthropic/text/wrong": "fail",
    }
    assert footer["exit_code"] == run.ret == 1
    assert json.loads((out / "badge.json").read_text("utf-8"))["message"] == "must 24/25"
    assert "## ❌ sample 1.0 does not conform" in (out / "summary.md").read_text("utf-8")
    assert ElementTree.parse(out / "junit.xml").getroot().attrib["failures"] == "1"
    run.stdout.fnmatch_lines([f"report: {out}"])


def test_a_case_is_kept_with_all_that_was_seen(run_kit: Any, cases: Any, tmp_path: Path) -> None:
    run_kit("--toolnexus-report", str(tmp_path / "out"))
    case = next(row for row in rows(tmp_path / "out") if row.get("id") == "anthropic/text/hello")
    (call,) = case["evidence"]["calls"]
    assert json.loads(call["body"])["messages"] == [{"role": "user", "content": "hi"}]
    assert ["x-api-key", "{key}"] in [[name.lower(), value] for name, value in call["headers"]]
    assert json.loads(call["reply"]["body"])["content"] == [{"type": "text", "text": "hello"}]
    assert json.loads(case["evidence"]["answer"])["result"]["text"] == "hello"
    assert case["about"]["title"] == "A text goes there and an answer comes back"


def test_many_processes_give_the_report_of_one(run_kit: Any, cases: Any, tmp_path: Path, sample_port: Any) -> None:
    one, many = tmp_path / "one", tmp_path / "many"
    assert run_kit("--toolnexus-report", str(one), port=sample_port()).ret == 1
    assert run_kit("--toolnexus-report", str(many), "-n", "2", port=sample_port()).ret == 1
    assert rows(one) == rows(many)
    assert len(rows(one)) == 29


@pytest.mark.parametrize("fault", ["leak", "alarm", "wrong-model", "raise"])
def test_no_key_is_in_any_report(fault: str, run_kit: Any, cases: Any, tmp_path: Path, sample_port: Any) -> None:
    for port in ("python:sample:port", sample_port(fault)):
        run_kit("--toolnexus-report", str(tmp_path / "out"), fault=fault, port=port)
        for path in (tmp_path / "out").iterdir():
            assert not re.search(r"case-[0-9a-f]{12}-\d{6}", path.read_text("utf-8")), path


def test_a_port_that_cannot_start_is_reported(run_kit: Any, cases: Any, tmp_path: Path, sample_port: Any) -> None:
    run = run_kit("--toolnexus-report", str(tmp_path / "out"), port=sample_port("dies"))
    assert run.ret == 10
    _, *found, footer = rows(tmp_path / "out")
    assert {case["state"] for case in found} == {"not-run"}
    assert footer["exit_code"] == 10
    assert json.loads((tmp_path / "out" / "badge.json").read_text("utf-8"))["message"] == "could not be run"


def test_a_folder_that_cannot_be_written_is_found_before_the_run(run_kit: Any, cases: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    run = run_kit("--toolnexus-report", str(tmp_path / "file"))
    assert run.ret == 4
    assert run.stderr.lines[-1].startswith(f"toolnexus: the report cannot be written to {tmp_path / 'file'}: ")


def test_collecting_writes_no_report(run_kit: Any, cases: Any, tmp_path: Path) -> None:
    run_kit("--toolnexus-report", str(tmp_path / "out"), "--collect-only")
    assert not list((tmp_path / "out").iterdir())


def test_the_report_is_no_part_of_the_command_that_runs_a_case_again(run_kit: Any, cases: Any, tmp_path: Path) -> None:
    run_kit("--toolnexus-report", str(tmp_path / "out"), "--toolnexus-shard", "1/1")
    wrong = next(row for row in rows(tmp_path / "out") if row.get("id") == "anthropic/text/wrong")
    assert "--toolnexus-report" not in wrong["again"]
    assert "--toolnexus-shard" not in wrong["again"]


# -- what the terminal says meanwhile ---------------------------------------------------------------------------------


def test_many_failures_are_grouped_and_only_the_first_told_in_full(run_kit: Any, folder: Any) -> None:
    for number in range(200):
        folder.add(f"anthropic/text/case-{number}")
    run = run_kit(fault="wrong-model")
    out = run.stdout.str()
    assert len(run.stdout.lines) < 400
    assert out.count("  requirement  ") == 25
    run.stdout.fnmatch_lines(
        [
            " 10%  20/200  20 fail  *",
            "100%  200/200  200 fail  *",
            "*= FAILURES =*",
            "… and 175 more; -v tells them all, --toolnexus-report DIR keeps all",
            "*= conformance =*",
            "200 cases: 200 fail",
            "failures by their first difference:",
            "    200  request: /model  (anthropic/text/case-0)",
            "next: 200 of 200 failures differ first at request: /model; begin with: pytest --toolnexus-conformance *",
        ]
    )


def test_what_to_do_next_is_the_last_word(run_kit: Any, folder: Any) -> None:
    folder.add()
    run_kit().stdout.fnmatch_lines(
        ["1 cases: 1 pass", "next: nothing is left to put right; hold CI to it", "*1 passed*"]
    )


def test_verbose_is_a_line_a_case_and_every_failure(run_kit: Any, folder: Any) -> None:
    for number in range(30):
        folder.add(f"anthropic/text/case-{number}")
    run = run_kit("-v", fault="wrong-model")
    run.stdout.fnmatch_lines(["anthropic/text/case-0 FAIL*", "anthropic/text/case-29 FAIL*"])
    assert run.stdout.str().count("  requirement  ") == 30


def test_tracebacks_can_be_left_out(run_kit: Any, folder: Any) -> None:
    folder.add()
    assert "requirement" not in run_kit("--tb=no", fault="wrong-model").stdout.str()
