"""The badge."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from conformance.report import badge


def test_it_is_an_endpoint_of_shields(run_of: Any, make: Any, tmp_path: Path) -> None:
    badge.write(run_of([make("a/b/c"), make("a/b/d", level="should")]), tmp_path / "badge.json")
    assert json.loads((tmp_path / "badge.json").read_text("utf-8")) == {
        "schemaVersion": 1,
        "label": "toolnexus conformance 1.0",
        "message": "must 1/1 · should 1/1",
        "color": "brightgreen",
    }


def test_what_is_not_checked_is_not_counted(run_of: Any, make: Any) -> None:
    found = badge.badge(run_of([make("a/b/c"), make("a/b/d", "n/a"), make("a/b/e", "fail", level="may")]))
    assert found["message"] == "must 1/1"


@pytest.mark.parametrize(
    ("must", "should", "colour"), [("pass", "pass", "brightgreen"), ("pass", "fail", "yellow"), ("fail", "pass", "red")]
)
def test_the_colour_says_how_bad_it_is(must: str, should: str, colour: str, run_of: Any, make: Any) -> None:
    found = badge.badge(run_of([make("a/b/c", must), make("a/b/d", should, level="should")]))
    assert found["color"] == colour


def test_a_run_that_checked_nothing_is_not_green(run_of: Any, make: Any) -> None:
    found = badge.badge(run_of([make("a/b/c", "n/a")], exit_code=1))
    assert (found["message"], found["color"]) == ("nothing checked", "red")


@pytest.mark.parametrize("exit_code", [2, 3, 4, 5, 10, 11])
def test_a_run_that_judged_nothing_says_nothing_of_the_port(exit_code: int, run_of: Any, make: Any) -> None:
    found = badge.badge(run_of([make("a/b/c")], exit_code=exit_code))
    assert (found["message"], found["color"], found["isError"]) == ("could not be run", "lightgrey", True)
