"""The page's own reading of JSON, and how it puts two trees side by side."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from conformance.report import html
from tests.conformance.report.browser import chromium

SITE = Path(html.__file__).parent / "site"


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with chromium() as browser:
        found = browser.new_page()
        for name in ("json.js", "pairs.js"):
            found.add_script_tag(content=(SITE / name).read_text("utf-8"))
        yield found


@pytest.mark.parametrize(
    "text",
    [
        "1.10",
        "1e400",
        "-0",
        "12345678901234567890123",
        '"\\u00e9\\ud800"',
        "true",
        "null",
        "(inf)",
        "[]",
        "{}",
        '"a\\"b"',
    ],
)
def test_what_was_written_is_what_is_shown(text: str, page: Page) -> None:
    assert page.evaluate("(text) => pretty(text)", text) == text
    assert page.evaluate("(text) => pretty(text)", f"[ {text} ]") == f"[\n  {text}\n]"


def test_order_and_duplicates_are_kept(page: Page) -> None:
    shown = page.evaluate("(text) => pretty(text)", '{"b":[1,{"x":{}}],"a":1.0,"b":2}')
    assert shown.split("\n") == [
        "{",
        '  "b": [',
        "    1,",
        "    {",
        '      "x": {}',
        "    }",
        "  ],",
        '  "a": 1.0,',
        '  "b": 2',
        "}",
    ]


@pytest.mark.parametrize(
    "text", ["", "<html>", '{"a":1', '{"a" 1}', "[1,]", "1 2", "{'a':1}", "event: x\ndata: {}", "01", "NaN"]
)
def test_what_is_no_json_is_shown_as_it_is(text: str, page: Page) -> None:
    assert page.evaluate("(text) => parseJson(text)", text) is None
    assert page.evaluate("(text) => pretty(text)", text) == text


def test_five_hundred_levels_are_read(page: Page) -> None:
    text = "[" * 512 + "]" * 512
    assert page.evaluate("(text) => pretty(text).replace(/\\s/g, '')", text) == text


def rows(page: Page, want: str, got: str, *marks: str) -> list[Any]:
    script = "([want, got, marks]) => paired(parseJson(want), parseJson(got), marks)"
    found: list[Any] = page.evaluate(script, [want, got, marks])
    return [[left and left.strip(), right and right.strip(), differs] for left, right, differs in found]


def test_the_same_place_stands_on_the_same_line_whatever_the_order(page: Page) -> None:
    assert rows(page, '{"a":1,"b":{"c":2}}', '{"b":{"c":3},"a":1}', "/b/c") == [
        ["{", "{", False],
        ['"a": 1,', '"a": 1,', False],
        ['"b": {', '"b": {', False],
        ['"c": 2', '"c": 3', True],
        ["}", "}", False],
        ["}", "}", False],
    ]


def test_what_only_one_side_has_stands_alone(page: Page) -> None:
    assert rows(page, '{"a":[1,2],"gone":0}', '{"a":[1],"new":[]}', "/a/1", "/gone", "/new") == [
        ["{", "{", False],
        ['"a": [', '"a": [', False],
        ["1,", "1", False],
        ["2", None, True],
        ["],", "],", False],
        ['"gone": 0', None, True],
        [None, '"new": []', True],
        ["}", "}", False],
    ]


def test_only_what_the_verdict_found_is_marked(page: Page) -> None:
    assert not any(row[2] for row in rows(page, '{"a":{"$any":true}}', '{"a":5}'))
    assert [row[2] for row in rows(page, '{"a":{"$any":true}}', '{"a":5}', "/a")] == [False, True, True, True, False]


def test_a_difference_marks_all_below_it_and_nothing_beside_it(page: Page) -> None:
    marked = [row for row in rows(page, '{"a":"x","ab":1}', '{"a":{"b":1},"ab":1}', "/a") if row[2]]
    assert marked == [['"a": "x",', '"a": {', True], [None, '"b": 1', True], [None, "},", True]]


def test_pointers_are_escaped(page: Page) -> None:
    assert [row[2] for row in rows(page, '{"a/b~c":1}', '{"a/b~c":2}', "/a~1b~0c")] == [False, True, False]
