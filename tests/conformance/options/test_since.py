"""--toolnexus-since."""

from __future__ import annotations

from typing import Any

import pytest

pytest_plugins = ["pytester"]


@pytest.fixture(autouse=True)
def cases(folder: Any) -> None:
    clauses = folder.path / "clauses.json"
    clauses.write_text(clauses.read_text("utf-8").replace('"corpus": "1.0"', '"corpus": "1.10"', 1), "utf-8")
    folder.add("anthropic/text/old")
    folder.add("anthropic/text/newer", since="1.9")
    folder.add("anthropic/text/newest", since="1.10", result={"text": "what nobody gives"})


def test_newer_cases_break_nobody(run_kit: Any) -> None:
    assert run_kit().ret == 1
    run = run_kit("-v", "--toolnexus-since", "1.9")
    assert run.ret == 0
    run.stdout.fnmatch_lines(["2 cases: 2 pass"])


def test_the_ini_file_may_set_it(run_kit: Any, pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\ntoolnexus_since = 1.0\n")
    run_kit().stdout.fnmatch_lines(["1 cases: 1 pass"])


@pytest.mark.parametrize(
    ("since", "says"),
    [
        ("0.9", "version 0.9 had none of these cases; the corpus is 1.10"),
        ("1.11", "version 1.11 is yet to come: the corpus is 1.10"),
    ],
)
def test_a_version_without_cases_is_wrong_usage(run_kit: Any, since: str, says: str) -> None:
    run = run_kit("--toolnexus-since", since)
    assert run.ret == 4
    assert run.stderr.lines == [f"toolnexus: {says}"]


def test_what_is_no_version_is_wrong_usage(run_kit: Any) -> None:
    run = run_kit("--toolnexus-since", "yesterday")
    assert run.ret == 4
    assert run.stderr.lines == ["toolnexus: 'yesterday' is no corpus version; write one such as 1.0"]
