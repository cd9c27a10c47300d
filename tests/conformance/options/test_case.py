"""--toolnexus-case."""

from __future__ import annotations

import shlex
from typing import Any

import pytest

pytest_plugins = ["pytester"]


@pytest.fixture(autouse=True)
def cases(folder: Any) -> None:
    folder.add("anthropic/text/one", variants={"v": {"/title": "t"}, "w": {"/title": "t"}})
    folder.add("anthropic/text/one-more")
    folder.add("anthropic/text/two")


def chosen(run_kit: Any, *ids: str, **how: Any) -> list[str]:
    args = [word for name in ids for word in ("--toolnexus-case", name)]
    run = run_kit("--collect-only", "-q", *args, **how)
    return [line.rpartition("/")[2] for line in run.stdout.lines if line.startswith("anthropic/")]


def test_an_id_is_exact_and_takes_its_variants_along(run_kit: Any) -> None:
    assert chosen(run_kit, "anthropic/text/one") == ["one", "one[v]", "one[w]"]


def test_one_variant_can_be_chosen(run_kit: Any) -> None:
    assert chosen(run_kit, "anthropic/text/one[w]") == ["one[w]"]


def test_it_is_repeatable(run_kit: Any) -> None:
    assert chosen(run_kit, "anthropic/text/two", "anthropic/text/one[v]") == ["one[v]", "two"]


def test_the_ini_file_may_list_them(run_kit: Any, pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\ntoolnexus_case =\n    anthropic/text/two\n    anthropic/text/one[v]\n")
    assert chosen(run_kit) == ["one[v]", "two"]
    assert chosen(run_kit, "anthropic/text/one-more") == ["one-more"]


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("anthropic/text/tow", "did you mean anthropic/text/two?"),
        ("anthropic/text/one[x]", "did you mean anthropic/text/one["),
        ("zzz", "no case zzz in "),
    ],
)
def test_an_unknown_id_is_wrong_usage_in_one_line(run_kit: Any, name: str, says: str) -> None:
    run = run_kit("--toolnexus-case", name)
    assert run.ret == 4
    (line,) = run.stderr.lines
    assert says in line


def test_only_the_named_files_are_read(run_kit: Any, folder: Any) -> None:
    folder.write("anthropic/text/broken", "{")
    assert run_kit("--toolnexus-case", "anthropic/text/two").ret == 0


def test_what_a_failure_says_repeats_it(run_kit: Any, pytester: pytest.Pytester) -> None:
    out = run_kit("--toolnexus-case", "anthropic/text/one[v]", fault="wrong-model").stdout.str()
    (again,) = [line.partition("pytest ")[2] for line in out.splitlines() if line.startswith("  again ")]
    run = pytester.runpytest_inprocess(*shlex.split(again))
    assert run.ret == 1
    run.stdout.fnmatch_lines(["collected 1 item", "1 cases: 1 fail"])
