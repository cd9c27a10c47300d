"""The step summary."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conformance.report import markdown
from conformance.report.mark import code, prose, some
from conformance.report.markdown import summary


def text(found: Any) -> str:
    return "\n".join(summary(found))


def test_a_run_that_holds(run_of: Any, make: Any) -> None:
    found = text(run_of([make("a/b/c"), make("a/b/d", level="should")]))
    assert found.startswith("## ✅ sample 1.0 conforms\n")
    assert (
        "Corpus 1.0 (`sha256:abababababab`), kit 0.1.0, port `cmd:node port.mjs` (go), level may, accept exact" in found
    )
    assert "2 cases in 2.5 s." in found
    assert "| pass | 1 | 1 | 0 |" in found
    assert "Where failures begin" not in found


def test_a_run_that_does_not(run_of: Any, make: Any) -> None:
    cases = [make(f"a/b/{n}", "fail", again=f"pytest --case {n}") for n in range(3)]
    found = text(run_of([*cases, make("a/b/ok")]))
    assert found.startswith("## ❌ sample 1.0 does not conform: 3 of 4 cases count against it\n")
    assert "**Next:** 3 of 3 failures differ first at request: /max\\_tokens; begin with `pytest --case 0`" in found
    assert "| `request: /max_tokens` | `a/b/0` | 3 |" in found
    assert "| `call.once` | must | One call reaches the provider once. | 1/4 |  |" in found
    assert "<details><summary>3 cases that count against the port</summary>" in found
    assert "- `a/b/0` (must) fail, request: /max\\_tokens" in found


@pytest.mark.parametrize(
    ("exit_code", "said"),
    [(10, "could not be run"), (11, "was not judged: a fault in kit or corpus"), (2, "ended with exit code 2")],
)
def test_a_run_that_judged_nothing_says_so(exit_code: int, said: str, run_of: Any, make: Any) -> None:
    assert said in text(run_of([make("a/b/c")], exit_code=exit_code)).splitlines()[0]


def test_shard_since_and_notes_are_told(run_of: Any, make: Any) -> None:
    found = run_of([make("a/b/c")], shard="1/4", since="1.0")
    assert "since 1.0, shard 1/4" in text(found)


def test_texts_are_no_markup(run_of: Any, make: Any) -> None:
    case = make("a/b/c", "n/a", clauses=("anthropic.tool-result",))
    assert "A result is a block; &lt;b>never&lt;/b> \\| a turn." in text(run_of([case]))


def test_a_long_run_stays_short(run_of: Any, make: Any) -> None:
    found = text(run_of([make(f"a/b/{n}", "fail") for n in range(3000)]))
    assert len(found) < 20_000
    assert "- … and 2950 more cases" in found


def test_it_is_a_file(run_of: Any, make: Any, tmp_path: Path) -> None:
    markdown.write(run_of([make("a/b/c")]), tmp_path / "summary.md")
    assert (tmp_path / "summary.md").read_text("utf-8").endswith("</details>\n")


@pytest.mark.parametrize(
    ("given", "shown"),
    [("a|b", "`a\\|b`"), ("`a", "`` `a ``"), ("a\nb", "`a b`"), ("", ""), ("a``b", "```a``b```")],
)
def test_code_fits_into_a_table(given: str, shown: str) -> None:
    assert code(given) == shown


def test_prose_mentions_nobody() -> None:
    assert prose("@team <script> [a](b) *x* #1\n&amp;") == "\\@team &lt;script> \\[a\\](b) \\*x\\* \\#1 \\&amp;"


def test_lists_say_how_many_they_leave_out() -> None:
    assert list(some(["a", "b"], 2, "things")) == ["a", "b"]
    assert list(some(["a", "b", "c"], 1, "things")) == ["a", "- … and 2 more things"]
