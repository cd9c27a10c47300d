"""What changed between two runs."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.report.diff import compare, markdown
from conformance.report.events import CheckRow, DifferenceRow

OTHER = (CheckRow("result", "fail", (DifferenceRow("/text", "value", "1", "2"),)),)


def kinds(old: list[Any], new: list[Any], run_of: Any, **header: Any) -> dict[str, str]:
    return {change.id: change.kind for change in compare(run_of(old), run_of(new, **header)).changes}


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        ("pass", "pass", None),
        ("pass", "fail", "regression"),
        ("pass", "equivalent", "regression"),
        ("pass", "n/a", "regression"),
        ("pass", "skip", "regression"),
        ("pass", "not-run", "regression"),
        ("pass", "kit-error", "regression"),
        ("fail", "pass", "fixed"),
        ("n/a", "pass", "fixed"),
        ("not-run", "pass", "fixed"),
        ("fail", "fail", None),
        ("fail", "not-run", "other-failure"),
        ("n/a", "fail", "new-failure"),
        ("n/a", "n/a", None),
        ("fail", "n/a", "shown-only"),
    ],
)
def test_a_change_has_its_kind(before: str, after: str, kind: str | None, run_of: Any, make: Any) -> None:
    found = kinds([make("a/b/c", before)], [make("a/b/c", after)], run_of)
    assert found == ({} if kind is None else {"a/b/c": kind})


@pytest.mark.parametrize(("before", "after"), [("pass", "fail"), ("fail", "pass")])
def test_may_is_shown_only(before: str, after: str, run_of: Any, make: Any) -> None:
    old, new = (make("a/b/c", state, level="may") for state in (before, after))
    assert kinds([old], [new], run_of) == {"a/b/c": "shown-only"}


def test_a_may_case_that_is_checked_no_more_got_worse(run_of: Any, make: Any) -> None:
    old, new = (make("a/b/c", state, level="may") for state in ("pass", "n/a"))
    assert kinds([old], [new], run_of) == {"a/b/c": "regression"}


def test_a_failure_that_fails_differently_is_told(run_of: Any, make: Any) -> None:
    found = kinds([make("a/b/c", "fail")], [make("a/b/c", "fail", checks=OTHER)], run_of)
    assert found == {"a/b/c": "other-failure"}


def test_new_cases_break_nobody(run_of: Any, make: Any) -> None:
    new = [make("a/b/good"), make("a/b/bad", "fail")]
    assert kinds([], new, run_of, corpus_hash="sha256:x") == {"a/b/good": "new", "a/b/bad": "new-failure"}


def test_a_case_that_left_the_corpus_is_gone_but_one_that_was_dropped_is_worse(run_of: Any, make: Any) -> None:
    old = [make("a/b/good"), make("a/b/bad", "fail")]
    assert kinds(old, [], run_of, corpus_hash="sha256:x") == {"a/b/good": "gone", "a/b/bad": "gone"}
    assert kinds(old, [], run_of) == {"a/b/good": "regression", "a/b/bad": "gone"}


def test_what_got_worse_comes_first_and_must_before_should(run_of: Any, make: Any) -> None:
    old = [make("a/b/1", "fail"), make("a/b/2", level="should"), make("a/b/3"), make("a/b/4", "n/a")]
    new = [make("a/b/1"), make("a/b/2", "fail", level="should"), make("a/b/3", "fail"), make("a/b/4", "fail")]
    found = compare(run_of(old), run_of(new))
    assert [change.id for change in found.changes] == ["a/b/3", "a/b/2", "a/b/4", "a/b/1"]


def test_the_comment_says_it_all(run_of: Any, make: Any) -> None:
    old = run_of([make("a/b/1"), make("a/b/2", "fail"), make("a/b/3")])
    new = run_of([make("a/b/1", "fail"), make("a/b/2"), make("a/b/3")], version="1.1", corpus_hash="sha256:" + "1" * 64)
    assert "\n".join(markdown(compare(old, new))) == (
        "### ❌ 1 case got worse\n\n"
        "sample 1.0, 2/3 pass → sample 1.1, 2/3 pass. "
        "The corpus changed, too: 1.0 `sha256:abababababab` → 1.0 `sha256:111111111111`\n\n"
        "**1 got worse**\n\n"
        "- `a/b/1` (must) pass → fail: request: /max\\_tokens\n\n"
        "<details><summary>1 fixed</summary>\n\n"
        "- `a/b/2` (must) fail → pass\n\n"
        "</details>"
    )


def test_nothing_changed(run_of: Any, make: Any) -> None:
    run = run_of([make("a/b/1"), make("a/b/2", "fail")])
    assert list(markdown(compare(run, run))) == [
        "### ✅ Nothing got worse",
        "",
        "sample 1.0, 1/2 pass → sample 1.0, 1/2 pass",
    ]


def test_a_comment_fits_into_a_comment(run_of: Any, make: Any) -> None:
    names = [f"anthropic/{'x' * 60}/{number}" for number in range(3000)]
    states = ("pass", "fail", "n/a")
    old = run_of([make(name, states[n % 3]) for n, name in enumerate(names)])
    new = run_of([make(name, states[(n + 1) % 3]) for n, name in enumerate(names)])
    found = "\n".join(markdown(compare(old, new)))
    assert found.startswith("### ❌ ")
    assert len(found) < 65_536
    assert "more cases" in found
