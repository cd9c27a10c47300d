"""--toolnexus-fixtures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conformance import corpus as corpora

pytest_plugins = ["pytester"]


def test_the_default_is_the_corpus_beside_the_kit(pytester: pytest.Pytester) -> None:
    run = pytester.runpytest_inprocess("--toolnexus-conformance", "--collect-only", "-q", "--toolnexus-level", "must")
    assert run.ret == 0
    ids = {line for line in run.stdout.lines if "/" in line}
    assert {case.id for case in corpora.read(corpora.find()).cases if case.level == "must"} <= ids


def test_the_ini_file_may_name_a_folder(pytester: pytest.Pytester, folder: Any) -> None:
    folder.add()
    pytester.makeini(f"[pytest]\ntoolnexus_fixtures = {folder.path}\n")
    run = pytester.runpytest_inprocess("--toolnexus-conformance", "--collect-only", "-q")
    run.stdout.fnmatch_lines(["anthropic/text/hello", "1 test collected*"])


def test_a_folder_without_cases_is_wrong_usage(run_kit: Any, tmp_path: Path) -> None:
    run = run_kit(f"--toolnexus-fixtures={tmp_path}")
    assert run.ret == 4
    assert run.stderr.lines == [f"toolnexus: {tmp_path} is no fixtures folder: it has no cases/"]


def test_a_folder_is_named_from_where_one_stands(run_kit: Any, folder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.add()
    monkeypatch.chdir(folder.path.parent)
    assert run_kit("--toolnexus-fixtures=fixtures").ret == 0


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('{"id": 1,\n  oops', "line 2: Expecting property name"),
        ('{"id": 1, "id": 2}', 'line 1: duplicate key "id"'),
        ("[]", "/: must be an object"),
        ('{"nonsense": true}', "/nonsense: unknown key"),
    ],
)
def test_a_broken_case_ends_the_run_in_one_line(run_kit: Any, folder: Any, text: str, where: str) -> None:
    folder.add("anthropic/text/good")
    path = folder.write("anthropic/text/broken", text)
    run = run_kit()
    assert run.ret == 11
    (line,) = run.stderr.lines
    assert line.startswith(f"toolnexus: {path}: {where}")


def test_a_broken_case_is_found_by_the_controller_too(run_kit: Any, folder: Any) -> None:
    folder.write("anthropic/text/broken", "{")
    run = run_kit("-n", "2")
    assert run.ret == 11
    assert len(run.stderr.lines) == 1


def test_broken_clauses_end_the_run(run_kit: Any, folder: Any) -> None:
    folder.add()
    (folder.path / "clauses.json").write_text("{")
    run = run_kit()
    assert run.ret == 11
    assert "clauses.json: line 1" in run.stderr.lines[0]


@pytest.mark.parametrize("with_a_case", [True, False])
def test_a_folder_without_clauses_ends_the_run(run_kit: Any, folder: Any, with_a_case: bool) -> None:
    if with_a_case:
        folder.add()
    (folder.path / "clauses.json").unlink()
    for argv in ([], ["--collect-only"]):
        run = run_kit(*argv)
        assert run.ret == 11
        assert run.stderr.lines == [f"toolnexus: {folder.path / 'clauses.json'}: No such file or directory"]
