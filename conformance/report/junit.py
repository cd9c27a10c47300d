"""JUnit XML: what CI servers show. A failure is the port's, an error is not, and what was not checked is skipped."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

from conformance.report.events import CaseJudged
from conformance.report.results import Results
from conformance.report.terminal import brief, failure

#: What XML 1.0 cannot hold.
_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

#: States that say nothing about the port's translation.
_ERRORS: Final = frozenset({"not-run", "kit-error"})


def write(results: Results, path: Path) -> None:
    """Write the file: one suite a style and area, named `style.area`; a case has its id as name, times are seconds."""
    suites = ElementTree.Element("testsuites", name=f"toolnexus conformance: {_xml(results.port)}")
    areas: dict[str, list[CaseJudged]] = {}
    for case in results.cases:
        areas.setdefault(".".join(case.id.split("/")[:2]), []).append(case)
    for area, cases in areas.items():
        suites.append(_suite(area, cases, results))
    _count(suites, results.cases)
    ElementTree.indent(suites)
    ElementTree.ElementTree(suites).write(path, encoding="utf-8", xml_declaration=True)


def _suite(area: str, cases: list[CaseJudged], results: Results) -> ElementTree.Element:
    suite = ElementTree.Element("testsuite", name=area)
    if results.started.began:
        suite.set("timestamp", results.started.began)
    _count(suite, cases)
    for case in cases:
        suite.append(_case(case, area, results))
    return suite


def _count(element: ElementTree.Element, cases: Iterable[CaseJudged]) -> None:
    outcomes = [_outcome(case) for case in cases]
    element.set("tests", str(len(outcomes)))
    element.set("failures", str(outcomes.count("failure")))
    element.set("errors", str(outcomes.count("error")))
    element.set("skipped", str(outcomes.count("skipped")))
    element.set("time", _seconds(sum(case.ms for case in cases)))


def _outcome(case: CaseJudged) -> str:
    """`failure`, `error`, `skipped`, or "" for a pass; what fails without counting against the port is skipped."""
    if case.red:
        return "error" if case.state in _ERRORS else "failure"
    return "" if case.state in ("pass", "equivalent") else "skipped"


def _case(case: CaseJudged, area: str, results: Results) -> ElementTree.Element:
    element = ElementTree.Element("testcase", classname=area, name=_xml(case.id), time=_seconds(case.ms))
    outcome = _outcome(case)
    if outcome:
        message = "; ".join([f"{case.state}: {brief(case)}", *case.known]) if outcome == "skipped" else brief(case)
        inner = ElementTree.SubElement(element, outcome, message=_xml(message), type=case.state)
        if outcome != "skipped":
            inner.text = _xml("\n".join(line for line, _ in failure(case, results.clauses)))
    return element


def _seconds(ms: float) -> str:
    return f"{ms / 1000:.6f}"


def _xml(text: str) -> str:
    return _NOT_XML.sub(lambda match: f"\\x{ord(match[0]):02x}", text)
