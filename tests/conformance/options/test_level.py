"""--toolnexus-level."""

from __future__ import annotations

from typing import Any

import pytest

pytest_plugins = ["pytester"]


@pytest.fixture(autouse=True)
def cases(folder: Any) -> None:
    for level in ("must", "should", "may"):
        folder.add(f"anthropic/text/{level}", level=level)


def shown(run: Any) -> list[str]:
    return [line.rpartition("/")[2] for line in run.stdout.lines if line.startswith("anthropic/")]


@pytest.mark.parametrize(
    ("level", "ids"), [("must", ["must"]), ("should", ["must", "should"]), ("may", ["may", "must", "should"])]
)
def test_a_level_takes_those_above_it_along(run_kit: Any, level: str, ids: list[str]) -> None:
    assert shown(run_kit("--collect-only", "-q", "--toolnexus-level", level)) == ids


def test_the_default_is_all(run_kit: Any) -> None:
    assert shown(run_kit("--collect-only", "-q")) == ["may", "must", "should"]


def test_the_ini_file_may_set_it(run_kit: Any, pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\ntoolnexus_level = must\n")
    assert shown(run_kit("--collect-only", "-q")) == ["must"]


def test_another_word_is_wrong_usage(run_kit: Any) -> None:
    run = run_kit("--toolnexus-level", "most")
    assert run.ret == 4
    assert run.stderr.lines == ["toolnexus: unknown level 'most'; write must, should or may"]
