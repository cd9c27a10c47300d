"""What is behind many failures, and what to do next."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.report.advice import groups, next_step
from conformance.report.events import CheckRow, DifferenceRow


def differing(make: Any, name: str, *where: str, check: str = "request", **more: Any) -> Any:
    rows = tuple(DifferenceRow(place, "value", "1", "2") for place in where)
    return make(name, "fail", checks=(CheckRow(check, "fail", rows),), again=f"pytest {name}", **more)


def test_failures_are_grouped_by_their_first_difference_whatever_the_index(make: Any) -> None:
    found = groups(
        [
            differing(make, "a/b/1", "/messages/0/content/12"),
            differing(make, "a/b/2", "/messages/3/content/0", "/model"),
            differing(make, "a/b/3", "call 2 header x-api-key"),
            differing(make, "a/b/4", "/messages/0/content/1", level="may"),
            make("a/b/5"),
            make("a/b/6", "not-run", reason="gone"),
        ]
    )
    assert [(group.where, len(group.cases)) for group in found] == [
        ("request: /messages/#/content/#", 2),
        ("request: call # header x-api-key", 1),
        ("not-run: gone", 1),
    ]


def test_the_case_to_begin_with_is_the_plainest_of_the_highest_level(make: Any) -> None:
    cases = [
        differing(make, "a/b/should", "/x", level="should"),
        differing(make, "a/b/must-two", "/x", "/y"),
        differing(make, "a/b/must-one", "/x"),
        differing(make, "a/b/must-one-more", "/x"),
    ]
    assert groups(cases)[0].first.id == "a/b/must-one"


def test_next_is_the_largest_group(make: Any) -> None:
    cases = [differing(make, f"a/b/{n}", "/max_tokens") for n in range(3)] + [differing(make, "a/b/x", "/model")]
    assert str(next_step(cases, 1)) == "3 of 4 failures differ first at request: /max_tokens; begin with: pytest a/b/0"


def test_next_for_a_single_failure(make: Any) -> None:
    assert str(next_step([differing(make, "a/b/x", "/model")], 1)).startswith(
        "the failure differs first at request: /model"
    )


@pytest.mark.parametrize(
    ("states", "said"),
    [
        (("kit-error", "fail"), "a fault of kit or corpus, not of the port; please report a/b/0: it is kit-error"),
        (("pass", "not-run", "not-run"), "the port did not get to 2 cases: it is not-run"),
        (("pass", "n/a"), "1 cases are not checked for want of hooks; declare what the port can do"),
        (("pass", "pass"), "nothing is left to put right; hold CI to it"),
    ],
)
def test_next_where_nothing_failed(states: tuple[str, ...], said: str, make: Any) -> None:
    assert str(next_step([make(f"a/b/{n}", state) for n, state in enumerate(states)], 0)) == said


def test_nothing_is_next_where_nothing_ran() -> None:
    assert next_step([], 0) is None


@pytest.mark.parametrize("exit_code", [2, 3, 4, 5])
def test_nothing_is_next_where_the_run_did_not_come_to_its_end(exit_code: int, make: Any) -> None:
    assert next_step([make("a/b/c"), make("a/b/d", "fail")], exit_code) is None


def test_a_run_that_is_red_beyond_its_cases_is_not_called_right(make: Any) -> None:
    assert next_step([make("a/b/c")], 1) is None


def test_what_is_wrong_comes_before_what_merely_differs_and_must_before_all(make: Any) -> None:
    alike = [make(f"a/b/{n}", "equivalent", again=f"pytest a/b/{n}") for n in range(4)]
    lower = [differing(make, f"a/should/{n}", "/model", level="should") for n in range(2)]
    must = differing(make, "a/must/0", "/system")
    assert str(next_step([*alike, *lower, must], 1)).endswith(
        "1 of 7 failures differ first at request: /system; begin with: pytest a/must/0"
    )
    assert str(next_step(alike, 1)).endswith("begin with: pytest a/b/0")


def test_known_failures_are_not_told_as_nothing(make: Any) -> None:
    known = make("a/b/1", "fail", known=("request: it shouts (#1)",), red=False)
    assert str(next_step([known, make("a/b/2")], 0)) == "nothing is new; 1 known failures are left; hold CI to it"
    assert str(next_step([make("a/b/2")], 0)) == "nothing is left to put right; hold CI to it"


def test_an_entry_that_passes_is_told_by_its_reason(make: Any) -> None:
    wrong = make("a/b/1", red=True, reason="known failure 1 (a/b/1, request) does not fail: take it off the list")
    said = str(next_step([wrong], 1))
    assert said == "known failure 1 (a/b/1, request) does not fail: take it off the list; begin with a/b/1"
