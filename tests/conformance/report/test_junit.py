"""JUnit, read back: failure, error and skipped are three things, and names and times survive."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from conformance.report import junit
from conformance.report.events import CheckRow, DifferenceRow


@pytest.fixture
def parsed(run_of: Any, tmp_path: Path) -> Any:
    def parse(*cases: Any) -> ElementTree.Element:
        junit.write(run_of(cases), tmp_path / "junit.xml")
        return ElementTree.parse(tmp_path / "junit.xml").getroot()

    return parse


def outcomes(root: ElementTree.Element) -> dict[str, str]:
    return {case.attrib["name"]: "".join(child.tag for child in case) for case in root.iter("testcase")}


def test_failure_error_and_skipped_are_told_apart(parsed: Any, make: Any) -> None:
    states = ("pass", "fail", "equivalent", "n/a", "skip", "not-run", "kit-error")
    root = parsed(*(make(f"anthropic/text/{state}", state) for state in states))
    assert outcomes(root) == {
        "anthropic/text/pass": "",
        "anthropic/text/fail": "failure",
        "anthropic/text/equivalent": "failure",
        "anthropic/text/n/a": "skipped",
        "anthropic/text/skip": "failure",
        "anthropic/text/not-run": "error",
        "anthropic/text/kit-error": "error",
    }
    (suite,) = root.findall("testsuite")
    for element in (root, suite):
        counts = [element.attrib[key] for key in ("tests", "failures", "errors", "skipped")]
        assert counts == ["7", "3", "2", "1"]


def test_what_does_not_count_against_the_port_is_no_failure(parsed: Any, make: Any) -> None:
    known = make("a/b/known", "fail", red=False, known=("request: no PDFs yet (o/r#1)",))
    root = parsed(make("a/b/may", "fail", level="may"), make("a/b/alike", "equivalent", red=False), known)
    assert outcomes(root) == {"a/b/may": "skipped", "a/b/alike": "", "a/b/known": "skipped"}
    assert [skipped.attrib["message"] for skipped in root.iter("skipped")] == [
        "fail: request: /max_tokens; request: no PDFs yet (o/r#1)",
        "fail: request: /max_tokens",
    ]


def test_names_areas_and_times_survive(parsed: Any, make: Any) -> None:
    root = parsed(
        make("anthropic/text/a[x]", ms=1234.5678), make("anthropic/text/b", ms=0.001), make("openai/text/c", ms=2)
    )
    cases = {case.attrib["name"]: case.attrib for case in root.iter("testcase")}
    assert float(cases["anthropic/text/a[x]"]["time"]) == pytest.approx(1.2345678, abs=1e-6)
    assert float(cases["anthropic/text/b"]["time"]) == pytest.approx(1e-6)
    assert cases["openai/text/c"]["classname"] == "openai.text"
    suites = {suite.attrib["name"]: suite.attrib for suite in root}
    assert list(suites) == ["anthropic.text", "openai.text"]
    assert float(suites["anthropic.text"]["time"]) == pytest.approx(1.234569, abs=1e-6)
    assert float(root.attrib["time"]) == pytest.approx(1.236569, abs=1e-6)
    assert suites["openai.text"]["timestamp"] == "2026-01-02T03:04:05+00:00"


def test_a_failure_has_its_whole_text(parsed: Any, make: Any) -> None:
    failure = parsed(make("a/b/c", "fail", why="It matters.")).find(".//failure")
    assert failure.attrib == {"message": "request: /max_tokens", "type": "fail"}
    for part in ("call.once: One call reaches", "It matters.", "- want 64", "+ got  4096"):
        assert part in failure.text


def test_an_error_has_its_reason(parsed: Any, make: Any) -> None:
    error = parsed(make("a/b/c", "not-run", reason="the port <died> & \x1b[31mwas gone")).find(".//error")
    assert error.attrib["message"] == "the port <died> & \\x1b[31mwas gone"


def test_what_xml_cannot_hold_is_written_out(parsed: Any, make: Any) -> None:
    odd = CheckRow("request", "fail", (DifferenceRow("/a", "value", '"\x00"', '"\ufffe😀"'),))
    text = parsed(make("a/b/c", "fail", checks=(odd,))).find(".//failure").text
    assert '"\\x00"' in text
    assert '"\\xfffe😀"' in text
