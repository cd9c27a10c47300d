"""What a failure and a summary look like."""

from __future__ import annotations

import io
from typing import Any

import msgspec
import pytest
from _pytest._io import TerminalWriter

from conformance.corpus import Clause
from conformance.report.events import CaseJudged, CheckRow, DifferenceRow, EventLog, RunStarted
from conformance.report.terminal import FailureText, brief, summary, tallies

CLAUSES = {
    "anthropic.results-merge": Clause(
        "anthropic.results-merge", "must", "consecutive tool results land in ONE user turn", "§11", "1.0", "corpus"
    ),
    "anthropic.tool-result": Clause("anthropic.tool-result", "should", "a result is a block", "§11", "1.0", "corpus"),
    "call.once": Clause("call.once", "must", "once", "§11", "1.0", "corpus"),
}
FAILED = CaseJudged(
    id="anthropic/tool-results/two-results-one-turn",
    name="anthropic/tool-results/two-results-one-turn",
    level="must",
    clauses=("anthropic.results-merge",),
    state="fail",
    red=True,
    why="Sent as two turns, many servers refuse the conversation.",
    provider="house rule results-in-one-turn: many servers answer 400",
    again="pytest --toolnexus-conformance --toolnexus-port 'cmd:x'",
    by_hand="curl x",
    checks=(
        CheckRow(
            "request",
            "fail",
            (
                DifferenceRow("/messages/2/content/1", "missing", '{"type":"tool_result"}', None),
                DifferenceRow("/messages/3", "unexpected", None, '{"role":"user"}'),
                DifferenceRow("/model", "value", '"a"', '"b"'),
            ),
        ),
        CheckRow("calls", "pass"),
    ),
)


def text(event: CaseJudged) -> str:
    return str(FailureText(event, CLAUSES))


def test_a_failure_as_a_whole() -> None:
    assert text(FAILED) == (
        "FAIL  anthropic/tool-results/two-results-one-turn          must · request\n"
        "  requirement  anthropic.results-merge: consecutive tool results land in ONE user turn\n"
        "  why          Sent as two turns, many servers refuse the conversation.\n"
        '  /messages/2/content/1   - want {"type":"tool_result"}\n'
        "                          + got  (absent)\n"
        '  /messages/3             + got  {"role":"user"}   (unexpected)\n'
        '  /model                  - want "a"\n'
        '                          + got  "b"\n'
        "  provider     house rule results-in-one-turn: many servers answer 400\n"
        "  again        pytest --toolnexus-conformance --toolnexus-port 'cmd:x'\n"
        "  by hand      curl x"
    )


def changed(**changes: Any) -> CaseJudged:
    import msgspec

    return msgspec.structs.replace(FAILED, **changes)


def test_several_clauses_stand_under_each_other() -> None:
    lines = text(changed(clauses=("anthropic.results-merge", "no.such"))).split("\n")
    assert lines[2] == "               no.such: (no such clause)"


def test_what_is_not_known_is_left_out() -> None:
    lines = text(changed(provider="", by_hand="", why="", reason="port gone", state="not-run", checks=()))
    assert lines.startswith("NOT RUN  anthropic")
    assert "reason       port gone" in lines
    assert "provider" not in lines
    assert "by hand" not in lines


def test_what_the_port_wrote_stands_at_the_end() -> None:
    assert text(changed(stderr=("one", "two"))).endswith("  stderr       one\n  stderr       two")


def one(want: str | None, got: str | None, kind: str = "value") -> list[str]:
    checks = (CheckRow("request", "fail", (DifferenceRow("/a", kind, want, got),)),)
    return [line for line in text(changed(checks=checks)).split("\n") if "- want" in line or "+ got" in line]


def test_long_values_are_cut_around_the_place_where_they_part() -> None:
    want, got = one('"' + "x" * 5000 + "HERE" + "y" * 500 + '"', '"' + "x" * 5000 + "there" + "y" * 500 + '"')
    assert "HERE" in want
    assert "there" in got
    assert "(5506 characters)" in want
    assert max(len(want), len(got)) < 300


def test_a_long_value_that_is_alone_is_cut_at_its_end() -> None:
    (line,) = one(None, '"' + "x" * 5000 + '"', "unexpected")
    assert '+ got  "xxx' in line
    assert "(5002 characters)" in line


def test_many_differences_are_counted() -> None:
    rows = tuple(DifferenceRow(f"/{n}", "value", "1", "2") for n in range(45))
    assert "  … and 25 more" in text(changed(checks=(CheckRow("request", "fail", rows),)))


def test_a_very_long_pointer_does_not_move_everything() -> None:
    rows = (DifferenceRow("/" + "deep/" * 30, "value", "1", "2"), DifferenceRow("/a", "value", "1", "2"))
    lines = text(changed(checks=(CheckRow("request", "fail", rows),))).split("\n")
    assert max(len(line) for line in lines if line.startswith("  /a ")) < 80


@pytest.mark.parametrize("colour", [True, False])
def test_colour_is_the_writers_business(colour: bool) -> None:
    stream = io.StringIO()
    writer = TerminalWriter(stream)
    writer.hasmarkup = colour
    FailureText(FAILED, CLAUSES).toterminal(writer)
    assert ("\x1b[" in stream.getvalue()) is colour


def test_one_line_for_the_short_summary() -> None:
    assert brief(FAILED) == "request: /messages/2/content/1"
    assert FailureText(FAILED, CLAUSES).reprcrash.message == brief(FAILED)
    assert brief(changed(checks=(), reason="gone")) == "gone"


def case(name: str, state: str, *clauses: str, variant: str = "") -> CaseJudged:
    return CaseJudged(f"{name}{variant}", name, "must", clauses, state, state == "fail")


RUN = (
    case("a", "pass", "anthropic.results-merge"),
    case("b", "pass", "anthropic.results-merge", "anthropic.tool-result"),
    case("b", "fail", "anthropic.results-merge", "anthropic.tool-result", variant="[v]"),
    case("c", "n/a", "anthropic.tool-result"),
    case("d", "equivalent", "zz.unknown"),
)


def test_clauses_are_counted_in_cases_and_not_in_variants() -> None:
    rows = tallies(RUN, CLAUSES, "exact")
    assert [(row.clause, row.passed, row.checked, row.not_applicable) for row in rows] == [
        ("anthropic.results-merge", 1, 2, 0),
        ("anthropic.tool-result", 0, 1, 1),
        ("zz.unknown", 0, 1, 0),
    ]
    assert tallies(RUN, CLAUSES, "equivalent")[2].passed == 1


def test_the_summary_has_a_row_a_clause_and_a_total() -> None:
    log = EventLog()
    log.add(RunStarted("p", "cmd:p", "go", "1", (), "1.0", "may", "exact"))
    for event in RUN:
        log.add(event)
    lines = [line for line, _ in summary(log, CLAUSES)]
    assert lines == [
        "port p 1 (go), corpus 1.0",
        "  anthropic.results-merge  must    1/2",
        "  anthropic.tool-result    should  0/1  n/a 1",
        "  zz.unknown               ?       0/1",
        "5 cases: 2 pass, 1 fail, 1 n/a, 1 equivalent",
    ]


def test_a_run_that_never_began_has_none() -> None:
    assert list(summary(EventLog(), CLAUSES)) == []


def test_what_merely_differs_says_how_it_passes() -> None:
    said = "  accept       passes with --toolnexus-accept equivalent"
    alike = msgspec.structs.replace(FAILED, state="equivalent")
    assert said in str(FailureText(alike, CLAUSES)).splitlines()
    assert said not in str(FailureText(FAILED, CLAUSES)).splitlines()
