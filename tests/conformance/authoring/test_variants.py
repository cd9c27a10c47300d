"""A variant's changes, so extended that they lead where the port went."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.authoring.change import Merge
from conformance.authoring.expectation import Unblessable
from conformance.authoring.variants import applied, overridden
from conformance.tree import from_python

BASE: Any = from_python({"result": {"text": "a", "calls": [1, 2]}, "warnings": [{"code": "x"}], "variants": {"v": {}}})


def moved(own: Any, got: Any) -> Any:
    """What the variant says once its result is `got`."""
    tree = applied(BASE, from_python(own))  # type: ignore[arg-type]
    merge = Merge()
    found: Any = merge.of(tree, from_python(got), "")
    after = overridden(from_python(own), found, merge.changes)  # type: ignore[arg-type]
    assert applied(BASE, after) == found
    return after


@pytest.mark.parametrize(
    ("own", "text", "calls", "after"),
    [
        ({}, "a", [1, 2], {}),
        ({}, "b", [1, 2], {"/result/text": "b"}),
        ({"/result/text": "b"}, "c", [1, 2], {"/result/text": "c"}),
        ({}, "a", [1, 3], {"/result/calls/1": 3}),
        ({}, "a", [1], {"/result/calls": [1]}),
        ({}, "a", [1, 2, 3], {"/result/calls": [1, 2, 3]}),
        ({"/result/calls/0": 7}, "a", [7], {"/result/calls": [7]}),
        ({"/result/calls/-": 3}, "a", [1, 2, 4], {"/result/calls": [1, 2, 4]}),
        ({"/result": {"text": "b", "calls": []}}, "c", [], {"/result": {"text": "c", "calls": []}}),
    ],
)
def test_a_variant_follows(own: Any, text: str, calls: list[int], after: Any) -> None:
    got = {"result": {"text": text, "calls": calls}, "warnings": [{"code": "x"}]}
    assert moved(own, got) == from_python(after)


def test_a_field_that_went_takes_what_is_around_it_along() -> None:
    assert moved({}, {"result": {"calls": [1, 2]}, "warnings": [{"code": "x"}]}) == from_python(
        {"/result": {"calls": [1, 2]}}
    )


def test_no_warnings_is_an_empty_list() -> None:
    tree = applied(BASE, {})
    merge = Merge()
    merge.trim(from_python({"code": "x"}), "/warnings/0")
    without = {key: value for key, value in tree.items() if key != "warnings"}
    assert overridden({}, without, merge.changes) == {"/warnings": []}


def test_a_variant_cannot_take_a_part_away() -> None:
    merge = Merge()
    merge.trim("x", "/result")
    with pytest.raises(Unblessable, match="write a case of its own"):
        overridden({}, {}, merge.changes)
