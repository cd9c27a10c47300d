"""Exact JSON trees."""

from __future__ import annotations

import pytest

from conformance.tree import (
    ABSENT,
    BadPointer,
    NotJson,
    Number,
    ascii_only,
    compact,
    expand_repeat,
    from_python,
    get,
    join,
    numbers,
    plain,
    put,
    read,
    read_bytes,
    steps,
)


@pytest.mark.parametrize(
    "text",
    [
        "1.10",
        "1e400",
        "-0",
        "9007199254740993",
        "123456789012345678901234567890",
        '{"a":[1,2.50,{"b":null}],"c":true}',
        '"\\ud800 alone"',
        '"é"',
        '{"":""}',
        "[]",
    ],
)
def test_what_is_read_prints_as_it_was(text: str) -> None:
    assert compact(read(text)) == text


def test_an_integer_of_many_digits_survives() -> None:
    text = "9" * 5000
    assert compact(read(text)) == text


@pytest.mark.parametrize("text", ['{"a":1,"a":2}', "NaN", "[1,]", "", "\ufeff1", "[" * 100_000])
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(NotJson):
        read(text)


def test_bytes_that_are_no_utf8_are_refused_with_their_line() -> None:
    with pytest.raises(NotJson) as caught:
        read_bytes(b'{\n"a": "\xff"}')
    assert caught.value.line == 2


def test_ascii_only_escapes_and_keeps_the_value() -> None:
    text = compact(read('{"é":"\U0001f600"}'))
    assert ascii_only(text).isascii()
    assert read(ascii_only(text)) == read(text)


def test_plain_gives_ordinary_values() -> None:
    assert plain(read('{"a":[1,2.5,"x",null,true,90071992547409931]}')) == {
        "a": [1, 2.5, "x", None, True, 90071992547409931]
    }


def test_plain_gives_a_copy() -> None:
    tree = read('{"a":{"b":[]}}')
    copy = plain(tree)
    copy["a"]["b"].append(1)
    assert compact(tree) == '{"a":{"b":[]}}'


def test_python_values_become_numbers_as_python_prints_them() -> None:
    assert compact(from_python({"a": (1, 2.5, True, None)})) == '{"a":[1,2.5,true,null]}'


def test_infinity_is_kept_as_something_no_number_equals() -> None:
    assert from_python(float("inf")) == Number("(inf)")


@pytest.mark.parametrize("value", [{1: 2}, b"x", {1, 2}, object()])
def test_what_json_cannot_hold_is_named_with_its_place(value: object) -> None:
    with pytest.raises(BadPointer, match="/a/0"):
        from_python({"a": [value]})


def test_pointers_escape() -> None:
    assert join("", "a/b~c") == "/a~1b~0c"
    assert steps("/a~1b~0c/0") == ["a/b~c", "0"]
    with pytest.raises(BadPointer):
        steps("a")


def test_get_finds_or_is_absent() -> None:
    tree = read('{"a":[{"b":null}]}')
    assert get(tree, "/a/0/b") is None
    assert get(tree, "") == tree
    for nowhere in ("/a/1", "/a/00", "/a/-", "/a/0/c", "/a/0/b/c", "/x"):
        assert get(tree, nowhere) is ABSENT


def test_put_replaces_adds_and_appends_in_a_copy() -> None:
    tree = read('{"a":[1,2],"b":{}}')
    assert compact(put(tree, "/a/0", "x")) == '{"a":["x",2],"b":{}}'
    assert compact(put(tree, "/a/-", None)) == '{"a":[1,2,null],"b":{}}'
    assert compact(put(tree, "/b/c", [])) == '{"a":[1,2],"b":{"c":[]}}'
    assert compact(put(tree, "", "all")) == '"all"'
    assert compact(tree) == '{"a":[1,2],"b":{}}'


@pytest.mark.parametrize("pointer", ["/x/y", "/a/2", "/a/01", "/a/-/b", "/b/c/d"])
def test_put_refuses_a_place_without_a_parent(pointer: str) -> None:
    with pytest.raises(BadPointer):
        put(read('{"a":[1,2],"b":{}}'), pointer, "x")


def test_repeat_is_written_out() -> None:
    assert expand_repeat(read('{"a":[{"$repeat":["ab",3]}],"$repeat":1}')) == {"a": ["ababab"], "$repeat": Number("1")}


@pytest.mark.parametrize("text", ['{"$repeat":["a"]}', '{"$repeat":["a",-1]}', '{"$repeat":[1,1]}', '{"$repeat":"a"}'])
def test_a_malformed_repeat_is_refused(text: str) -> None:
    with pytest.raises(BadPointer):
        expand_repeat(read(text))


def test_every_number_is_found() -> None:
    assert list(numbers(read('{"a":[1,{"b":2.0}],"c":"3"}'))) == ["1", "2.0"]
