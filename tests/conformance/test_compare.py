"""Strict matching, and what loosens it."""

from __future__ import annotations

import pytest

from conformance.compare import LOOSENERS, loosener, match
from conformance.tree import read


def found(want: str, got: str) -> tuple[str, str] | None:
    mismatch = match(read(want), read(got))
    return None if mismatch is None else (mismatch.pointer, mismatch.kind)


@pytest.mark.parametrize(
    ("want", "got"),
    [
        ('{"a":1,"b":2}', '{"b":2,"a":1}'),
        ("1.10", "1.1"),
        ("1e2", "100.0"),
        ("1e400", "10e399"),
        ("123456789012345678901234567890", "123456789012345678901234567890"),
        ('"é"', '"\\u00e9"'),
        ('{"$ref":"#/$defs/a"}', '{"$ref":"#/$defs/a"}'),
    ],
)
def test_equal(want: str, got: str) -> None:
    assert found(want, got) is None


@pytest.mark.parametrize(
    ("want", "got", "pointer", "kind"),
    [
        ("1", "1.0", "", "value"),
        ("1", "true", "", "type"),
        ("true", "1", "", "type"),
        ("0", "-0", "", "value"),
        ("0.0", "-0.0", "", "value"),
        ("9007199254740993", "9007199254740992", "", "value"),
        ("1e400", "1e401", "", "value"),
        ('"1"', "1", "", "type"),
        ("null", "false", "", "type"),
        ('{"a":null}', "{}", "/a", "missing"),
        ("{}", '{"a":null}', "/a", "unexpected"),
        ("[1,2]", "[2,1]", "/0", "value"),
        ("[1,2]", "[1]", "/1", "missing"),
        ("[1]", "[1,2]", "/1", "unexpected"),
        ("[]", "{}", "", "type"),
        ('{"a":{"b/c":[{"d":1}]}}', '{"a":{"b/c":[{"d":2}]}}', "/a/b~1c/0/d", "value"),
        ('{"a":1,"$any":true}', '{"a":1,"$any":false}', "/$any", "value"),
        ('{"$ref":"#/$defs/a"}', '{"$ref":"#/$defs/b"}', "/$ref", "value"),
    ],
)
def test_different(want: str, got: str, pointer: str, kind: str) -> None:
    assert found(want, got) == (pointer, kind)


@pytest.mark.parametrize(
    ("want", "accepted", "refused"),
    [
        ('{"$any":true}', ["null", "1", "{}"], []),
        ('{"$type":"string"}', ['""'], ["1", "null"]),
        ('{"$type":"integer"}', ["1", "-7"], ["1.0", "1e2", '"1"']),
        ('{"$type":"number"}', ["1", "1.5"], ['"1"', "true"]),
        ('{"$type":"boolean"}', ["true"], ["1"]),
        ('{"$type":"null"}', ["null"], ["false"]),
        ('{"$type":"array"}', ["[]"], ["{}"]),
        ('{"$type":"object"}', ["{}"], ["[]"]),
        ('{"$regex":"^a+$"}', ['"aa"'], ['"ab"', "1"]),
        ('{"$regex":"^1$"}', ['"1"'], ["1"]),
        ('{"$json":{"x":1}}', ['"{ \\"x\\": 1 }"'], ['"{\\"x\\":1.0}"', '"{\\"x\\":1,\\"x\\":1}"', '"{"', '{"x":1}']),
        ('{"$json":{"x":{"$any":true}}}', ['"{\\"x\\":[]}"'], ['"{}"']),
        ('{"$any_of":[1,{"$regex":"^b"}]}', ["1", '"bc"'], ["2", '"c"']),
        ('{"$raw":"1.10"}', ["1.10"], ["1.1", '"1.10"']),
        ('{"$literal":{"$any":true}}', ['{"$any":true}'], ["1", '{"$any":false}']),
        ('{"$literal":[{"$type":"string"}]}', ['[{"$type":"string"}]'], ['["x"]']),
    ],
)
def test_looseners(want: str, accepted: list[str], refused: list[str]) -> None:
    assert [got for got in accepted if found(want, got) is not None] == []
    assert [got for got in refused if found(want, got) is None] == []


def test_a_loosener_does_not_accept_absence() -> None:
    assert found('{"a":{"$any":true}}', "{}") == ("/a", "missing")


def test_looseners_are_data_where_they_are_not_wanted() -> None:
    assert match(read('{"$any":true}'), read("1"), loose=False) is not None
    assert match(read('{"$any":true}'), read('{"$any":true}'), loose=False) is None


def test_a_loosener_stands_alone() -> None:
    assert {name for name in LOOSENERS if loosener({name: None})} == LOOSENERS
    assert loosener(read('{"$any":true,"b":1}')) is None
    assert loosener(read('{"$ref":"x"}')) is None


def test_an_exponent_nobody_can_compute_is_compared_as_text() -> None:
    assert found("1e99999999999999999999", "1e99999999999999999999") is None
    assert found("1e99999999999999999999", "1e99999999999999999998") == ("", "value")
