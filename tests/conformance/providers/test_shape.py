"""Places, kinds and faults."""

from __future__ import annotations

import re

import pytest

from conformance.providers import shape
from conformance.providers.at import BODY
from conformance.providers.shape import Kind


def faults(kind: Kind, value: object) -> list[tuple[str, str]]:
    return [(fault.code, fault.at.pointer) for fault in kind(value, BODY)]


def test_a_place_is_written_three_ways() -> None:
    at = (BODY / "messages" / 0 / "content" / 1).tagged("image") / "source"
    assert at.pointer == "/messages/0/content/1/source"
    assert at.dotted == "messages.0.content.1.image.source"
    assert at.bracketed == "messages[0].content[1].source"


def test_a_pointer_escapes() -> None:
    assert (BODY / "a/b~c").pointer == "/a~1b~0c"


def test_the_body_itself_is_the_empty_pointer() -> None:
    assert (BODY.pointer, BODY.dotted, BODY.bracketed) == ("", "", "")


POINT = shape.record({"x": shape.whole(0, 9), "y": shape.null_or(shape.number())}, required=("x",))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"x": 1, "y": None}, []),
        ({"x": 1, "y": 1.5}, []),
        ({}, [("missing", "/x")]),
        ({"x": 1, "z": 1}, [("extra", "/z")]),
        ({"x": True}, [("type", "/x")]),
        ({"x": 1.0}, [("type", "/x")]),
        ({"x": -1}, [("low", "/x")]),
        ({"x": 10}, [("high", "/x")]),
        ([], [("type", "")]),
    ],
)
def test_records(value: object, expected: list[tuple[str, str]]) -> None:
    assert faults(POINT, value) == expected


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        (shape.text("[a-z]+"), "ab", []),
        (shape.text("[a-z]+"), "ab\n", [("pattern", "")]),
        (shape.text(most=2), "abc", [("long", "")]),
        (shape.text(), 1, [("type", "")]),
        (shape.flag, 1, [("type", "")]),
        (shape.mapping, {}, []),
        (shape.one_of("a", "b"), "c", [("choice", "")]),
        (shape.one_of("a", "b"), ["a"], [("choice", "")]),
        (shape.listing(shape.flag, 1, 2), [], [("few", "")]),
        (shape.listing(shape.flag, 1, 2), [1, True], [("type", "/0")]),
        (shape.listing(shape.flag, 1, 2), [1, 1, 1], [("many", "")]),
        (shape.by_type(string=shape.anything, list=shape.anything), None, [("type", "")]),
        (shape.mapping_of(shape.flag, 1), {"a": True, "b": 1}, [("many", ""), ("type", "/b")]),
    ],
)
def test_kinds(kind: Kind, value: object, expected: list[tuple[str, str]]) -> None:
    assert faults(kind, value) == expected


UNION = shape.tagged({"a": POINT, "b": shape.anything}, key="kind", default="b", free=re.compile("beta_.*"))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"kind": "a"}, [("missing", "/x"), ("extra", "/kind")]),
        ({"kind": "c"}, [("tag", "")]),
        ({"kind": ["a"]}, [("tag", "")]),
        ({"kind": None}, []),
        ({}, []),
        ({"kind": "beta_x", "y": 1}, []),
        ("a", [("type", "")]),
    ],
)
def test_unions_are_read_by_their_tag(value: object, expected: list[tuple[str, str]]) -> None:
    assert faults(UNION, value) == expected


def test_a_union_without_default_needs_its_tag() -> None:
    assert faults(shape.tagged({"a": shape.anything}), {}) == [("missing", "/type")]


def test_a_rule_of_its_own_covers_the_kind_and_not_what_is_inside() -> None:
    kind = shape.ruled("own", shape.listing(shape.flag, 1), "few")
    assert [fault.rule for fault in kind([], BODY)] == ["own"]
    assert [fault.rule for fault in kind([1], BODY)] == [None]
    assert [fault.rule for fault in kind(1, BODY)] == [None]
