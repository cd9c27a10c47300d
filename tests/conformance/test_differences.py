"""Differences as people see them: all of them, in order, never none."""

from __future__ import annotations

import subprocess
import sys

import pytest

from conformance import differences
from conformance.compare import match
from conformance.differences import MOST, between
from conformance.faults import KitFault
from conformance.tree import read


def shown(want: str, got: str) -> list[tuple[str, str, str | None, str | None]]:
    return [(row.where, row.kind, row.want, row.got) for row in between(read(want), read(got))]


@pytest.mark.parametrize(
    ("want", "got"),
    [("[1]", "[1.0]"), ("[true]", "[1]"), ("[-0]", "[0]"), ('{"a":null}', "{}"), ("[]", "{}"), ("1", '"1"')],
)
def test_what_deepdiff_alone_takes_for_equal_is_shown(want: str, got: str) -> None:
    assert match(read(want), read(got)) is not None
    assert len(shown(want, got)) == 1


def test_all_differences_in_document_order() -> None:
    want = '{"model":"a","messages":[{"role":"user","content":"x"},{"role":"user","content":"y"}],"n":1}'
    got = '{"extra":0,"messages":[{"role":"user","content":["x"]}],"model":"b","n":1}'
    assert shown(want, got) == [
        ("/model", "value", '"a"', '"b"'),
        ("/messages/0/content", "type", '"x"', '["x"]'),
        ("/messages/1", "missing", '{"role":"user","content":"y"}', None),
        ("/extra", "unexpected", None, "0"),
    ]


def test_what_a_loosener_accepts_is_no_difference() -> None:
    want = '{"id":{"$regex":"^call_"},"at":{"$any":true},"x":{"$raw":"1.10"}}'
    assert shown(want, '{"id":"call_1","at":[1],"x":1.1}') == [("/x", "value", '{"$raw":"1.10"}', "1.1")]


def test_a_refused_loosener_is_shown_whole() -> None:
    assert shown('{"id":{"$regex":"^call_"}}', '{"id":{"deep":[1]}}') == [
        ("/id", "value", '{"$regex":"^call_"}', '{"deep":[1]}')
    ]


def test_inside_a_literal() -> None:
    assert shown('{"a":{"$literal":{"$any":true,"b":1}}}', '{"a":{"$any":true,"b":2}}') == [("/a/b", "value", "1", "2")]


def test_keys_that_need_escaping() -> None:
    assert shown('{"a/b":{"c~d":1,"e\'f":1}}', '{"a/b":{"c~d":2,"e\'f":2}}') == [
        ("/a~1b/c~0d", "value", "1", "2"),
        ("/a~1b/e'f", "value", "1", "2"),
    ]


def test_keys_that_look_like_indices() -> None:
    assert shown('{"0":[1]}', '{"0":[2]}') == [("/0/0", "value", "1", "2")]


def test_a_prefix_goes_before_each_pointer() -> None:
    assert [row.where for row in between(read("[1]"), read("[2]"), "/deltas")] == ["/deltas/0"]


def test_the_number_of_differences_is_bounded() -> None:
    want, got = (read("[" + ",".join([token] * 200) + "]") for token in ("1", "2"))
    assert len(between(want, got)) == MOST


def test_no_difference_to_show_is_the_kits_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(differences, "_paths", lambda want, got: set())
    with pytest.raises(KitFault, match="shows no difference"):
        between(read("1"), read("2"))


def test_what_is_slow_to_import_waits_until_it_is_needed() -> None:
    slow = {"deepdiff", "jsonschema", "jinja2", "click"}
    program = f"import sys, conformance.plugin; print(sorted({slow!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_key_that_begins_with_two_underscores_is_a_key() -> None:
    want, got = read('{"__proto__":{"a":1},"b":1,"__x":1}'), read('{"b":2,"__x":2}')
    assert [(row.where, row.kind) for row in between(want, got)] == [
        ("/__proto__", "missing"),
        ("/b", "value"),
        ("/__x", "value"),
    ]
