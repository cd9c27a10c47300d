"""Merging what came into what is expected: only what does not match moves, and every move has its class and place."""

from __future__ import annotations

import json
from typing import Any

import pytest

from conformance.authoring.change import Merge, quoted
from conformance.compare import match
from conformance.tree import Json, compact, from_python, read


def merged(want: Any, got: Any) -> tuple[Json, list[tuple[str, str]]]:
    merge = Merge()
    found = merge.of(from_python(want), from_python(got), "")
    return found, [(change.kind, change.pointer) for change in merge.changes]


@pytest.mark.parametrize(
    ("want", "got", "changes"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1}, {"a": 2}, [("fix", "/a")]),
        ({"a": 1}, {"a": 1, "b": 2}, [("create", "/b")]),
        ({"a": 1, "b": 2}, {"a": 1}, [("trim", "/b")]),
        ({"a": None}, {}, [("trim", "/a")]),
        ([1, 2], [1], [("trim", "/1")]),
        ([1], [1, 2], [("create", "/1")]),
        ({"a": [1, {"b": "x"}]}, {"a": [1, {"b": "y"}]}, [("fix", "/a/1/b")]),
        ({"a": {"b": 1}}, {"a": "text"}, [("fix", "/a")]),
        ({"a/b": 1}, {"a/b": 2}, [("fix", "/a~1b")]),
        ({"a": True}, {"a": 1}, [("fix", "/a")]),
    ],
)
def test_each_place_has_its_class(want: Any, got: Any, changes: list[tuple[str, str]]) -> None:
    found, moved = merged(want, got)
    assert moved == changes
    assert match(found, from_python(got)) is None


def test_what_matches_stays_as_it_is_written() -> None:
    want = {"id": {"$any": True}, "n": {"$raw": "1.10"}, "text": {"$repeat": ["ab", 2]}, "gone": 1}
    merge = Merge()
    found = merge.of(from_python(want), read('{"id": "x", "n": 1.10, "text": "abab"}'), "")
    assert found == from_python({key: value for key, value in want.items() if key != "gone"})
    assert [change.pointer for change in merge.changes] == ["/gone"]


def test_equal_numbers_keep_the_token_of_the_case() -> None:
    merge = Merge()
    assert compact(merge.of(read('{"n": 1.10, "m": 1}'), read('{"n": 1.1, "m": 2}'), "")) == '{"n":1.10,"m":2}'
    assert [change.pointer for change in merge.changes] == ["/m"]


@pytest.mark.parametrize(
    ("want", "got", "new"),
    [
        ({"$json": {"n": 1}}, '{"n": 2}', {"$json": {"n": 2}}),
        ({"$json": {"n": 1}}, "no JSON", "no JSON"),
        ({"$regex": "^a"}, "b", "b"),
        ({"$any_of": [1, 2]}, 3, 3),
        ({"$literal": {"$any": True}}, {"$any": False}, {"$literal": {"$any": False}}),
        ({"$type": "string"}, {"$any": True}, {"$literal": {"$any": True}}),
    ],
)
def test_a_loosener_that_no_longer_matches(want: Any, got: Any, new: Any) -> None:
    found, changes = merged({"a": want}, {"a": got})
    assert found == from_python({"a": new})
    assert changes == [("fix", "/a")]


def test_data_that_looks_like_a_loosener_is_quoted() -> None:
    found, _ = merged({}, {"schema": {"$ref": "#/x"}, "odd": {"$any": True}, "list": [{"$repeat": ["a", 2]}]})
    assert found == from_python(
        {"schema": {"$ref": "#/x"}, "odd": {"$literal": {"$any": True}}, "list": [{"$literal": {"$repeat": ["a", 2]}}]}
    )
    assert quoted(from_python({"$any": 1, "b": 2})) == from_python({"$any": 1, "b": 2})


def test_a_change_is_two_lines_of_a_diff() -> None:
    merge = Merge()
    merge.of(from_python({"a": "x", "b": 1}), from_python({"a": "y", "c": [True]}), "/at")
    assert [(change.pointer, change.lines) for change in merge.changes] == [
        ("/at/a", ('- "x"', '+ "y"')),
        ("/at/b", ("- 1",)),
        ("/at/c", ("+ [true]",)),
    ]


def test_nothing_is_changed_in_place() -> None:
    want = from_python({"a": [{"b": 1}]})
    before = json.dumps(want)
    Merge().of(want, from_python({"a": [{"b": 2}], "c": 1}), "")
    assert json.dumps(want) == before
