"""The page as a file: whole, closed, and without a way in for what it shows."""

from __future__ import annotations

import base64
import json
import re
import zlib
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from conformance.report import html
from conformance.report.merge import Column

HOSTILE = '</script><script>alert(1)</script><img src=x onerror="alert(1)">'


class Page(HTMLParser):
    """Collects elements with their attributes, and the texts of scripts by id."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: dict[str, str] = {}
        self._in: str | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.tags.append((tag, found))
        self._in = (found.get("id") or found.get("type") or "") if tag == "script" else None

    def handle_endtag(self, tag: str) -> None:
        self._in = None

    def handle_data(self, data: str) -> None:
        if self._in is not None:
            self.scripts[self._in] = self.scripts.get(self._in, "") + data


@pytest.fixture
def page(run_of: Any, make: Any) -> Any:
    def build(*runs: Any) -> Page:
        columns = [Column(f"p{number}", run) for number, run in enumerate(runs)]
        return Page(html.page(columns))

    return build


def blocks(page: Page) -> list[Any]:
    lines = page.scripts["blocks"].split("\n")
    return [one for line in lines for one in json.loads(zlib.decompress(base64.b64decode(line), -15))]


def test_it_needs_nothing_else(page: Any, run_of: Any, make: Any) -> None:
    found = page(run_of([make("a/b/c")]))
    for tag, attrs in found.tags:
        for name in ("src", "href", "action", "poster", "srcset", "data"):
            assert not re.match(r"(?i)(https?:)?//", attrs.get(name) or ""), (tag, attrs)
        assert tag not in ("iframe", "object", "embed", "base")
    (policy,) = [attrs["content"] for tag, attrs in found.tags if attrs.get("http-equiv") == "Content-Security-Policy"]
    assert policy.startswith("default-src 'none';")
    assert not re.search(r"@import|url\((?!data:)", html.page([Column("p", run_of([make("a/b/c")]))]))


def test_states_are_a_letter_a_case_and_upper_case_is_red(page: Any, run_of: Any, make: Any) -> None:
    states = ("pass", "equivalent", "fail", "n/a", "skip", "not-run", "kit-error")
    one = run_of([make(f"a/b/{number}", state) for number, state in enumerate(states)])
    other = run_of([make("a/b/2", "fail", level="may"), make("a/c/9")])
    data = json.loads(page(one, other).scripts["data"])
    assert [row[0] for row in data["cases"]] == [*(f"a/b/{number}" for number in range(7)), "a/c/9"]
    assert data["states"] == ["pEFnSRK_", "__f____p"]


def test_every_case_has_its_details_in_its_block(page: Any, run_of: Any, make: Any) -> None:
    cases = [make(f"a/b/{number:03}", "fail" if number % 2 else "pass") for number in range(50)]
    found = page(run_of(cases), run_of(cases[:1]))
    assert len(found.scripts["blocks"].split("\n")) == -(-50 // html.BLOCK)
    details = blocks(found)
    assert [one["about"]["title"] for one in details] == [f"Title of a/b/{number:03}" for number in range(50)]
    assert details[1]["ports"][0]["checks"][0]["differences"] == [
        {"where": "/max_tokens", "kind": "value", "want": "64", "got": "4096"}
    ]
    assert details[1]["ports"][1] is None
    assert '"max_tokens":4096' in details[1]["ports"][0]["evidence"]["calls"][0]["body"]


def test_nothing_shown_can_be_a_script(page: Any, run_of: Any, make: Any) -> None:
    case = make(f"a/b/{HOSTILE}", "fail", reason=HOSTILE)
    found = page(run_of([case], port=HOSTILE, spec=HOSTILE, version=HOSTILE))
    assert not [tag for tag, _ in found.tags if tag == "img"]
    assert [attrs.get("type") for tag, attrs in found.tags if tag == "script"] == [
        "application/json",
        "text/plain",
        "module",
    ]
    assert json.loads(found.scripts["data"])["cases"][0][0] == case.id


def test_runs_can_be_read_without_a_script(run_of: Any, make: Any) -> None:
    run = run_of([make("a/b/c"), make("a/b/d", "fail"), make("a/b/e", level="should")], since="1.0")
    text = " ".join(html.page([Column("mine", run)]).split())
    assert '<th scope="row">mine</th><td>1.0</td><td>go</td> <td>1/2</td><td>1/1</td><td>\N{EN DASH}</td>' in text
    assert "exact, may and above, since 1.0" in text


def test_a_clause_that_the_header_lacks_is_there_all_the_same(page: Any, run_of: Any, make: Any) -> None:
    data = json.loads(page(run_of([make("a/b/c", clauses=("none.such",))])).scripts["data"])
    assert data["clauses"][-1] == ["none.such", "", "", ""]
    assert data["cases"][0][3] == [len(data["clauses"]) - 1]


def test_no_script_is_long() -> None:
    site = Path(html.__file__).parent / "site"
    assert sorted(path.name for path in site.glob("*.js")) == sorted(html._SCRIPTS)
    assert all(len(path.read_text("utf-8").splitlines()) < 400 for path in site.iterdir())
