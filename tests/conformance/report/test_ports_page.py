"""The page of all ports: totals, clauses, faults."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from conformance.known import Entry, Ledger
from conformance.report.events import About, CallRow, CheckRow, DifferenceRow, Evidence, ReplyRow
from conformance.report.ports_page import Port, page

WRONG = CheckRow("result", "fail", (DifferenceRow("/text", "value", "1", "2"),))


def ledger(*rows: tuple[str, str, str, str]) -> Ledger:
    entries = (Entry(n, case, check, (signature,), says, "#1") for n, (case, check, signature, says) in enumerate(rows))
    return Ledger(Path("known.toml"), tuple(entries))


def lines(*ports: Port) -> list[str]:
    return list(page(ports, "2026-01-02"))


def row(found: list[str], begins: str) -> list[str]:
    (line,) = (line for line in found if line.startswith(f"| {begins}"))
    return [cell.strip() for cell in line.strip("| ").split(" | ")]


def test_the_page_says_when_and_by_which_corpus(run_of: Any, make: Any) -> None:
    text = "\n".join(lines(Port("ours", "Our own", run_of([make("a/b/c")]))))
    assert "runs on 2026-01-02: corpus 1.0 (`sha256:abababababab`), 1 cases" in text
    assert "No fault: every case that it can be asked passes." in text


def test_totals_and_versions(run_of: Any, make: Any) -> None:
    cases = [make("a/b/c"), make("a/b/d", "fail"), make("a/b/e", "n/a")]
    streams = run_of(cases, capabilities=("anthropic", "stream"))
    found = lines(Port("x_y", "X", streams, versions={"x": "1.2", "@y/z": "3"}), Port("b", "B", run_of(cases)))
    assert row(found, "[x_y](#x_y)")[1:] == ["x 1.2, \\@y/z 3", "go", "exact", "yes", "1", "1", "1", "1"]
    assert row(found, "[b](#b)")[1:] == ["sample 1.0", "go", "exact", "no", "1", "1", "1", "1"]


def test_the_grid_counts_files_and_tells_where_nothing_was_checked(run_of: Any, make: Any) -> None:
    one = [make("a/b/c"), make("a/b/c[v]", "fail"), make("a/b/d"), make("a/b/e", "n/a")]
    other = [make(name, "n/a") for name in ("a/b/c", "a/b/c[v]", "a/b/d", "a/b/e")]
    found = lines(Port("one", "One", run_of(one)), Port("other", "Other", run_of(other)))
    assert row(found, "`call.once`") == ["`call.once`", "must", "1/2", "n/a"]


def test_failures_of_one_reason_are_one_fault_told_by_its_smallest(run_of: Any, make: Any) -> None:
    def asking(name: str, request: str) -> Any:
        return make(name, "fail", level="should" if name.endswith("s") else "must", about=About("t", request=request))

    cases = [asking("a/b/c", '{"a":[1,2]}'), asking("a/b/d", '{"a":[1]}'), asking("a/t/s", "{}")]
    rows = [(case.id, "request", "/max_tokens value", "Loses it.") for case in cases]
    found = lines(Port("x", "X", run_of(cases), ledger(*rows)))
    assert row(found, "Loses it.") == ["Loses it.", "\\#1", "must", "3", '`a/b/d` `{"a":[1]}`']


def test_a_misread_answer_is_the_input(run_of: Any, make: Any) -> None:
    said = Evidence((CallRow("POST", "/", reply=ReplyRow(529, body='{"busy":1}')),))
    case = msgspec.structs.replace(make("a/b/c", "fail"), checks=(WRONG,), evidence=said)
    found = lines(Port("x", "X", run_of([case]), ledger(("a/b/c", "result", "/text value", "Shouts."))))
    assert row(found, "Shouts.")[-1] == '`a/b/c` `529 {"busy":1}`'


def test_an_unusual_setting_is_part_of_the_input(run_of: Any, make: Any) -> None:
    about = About("t", client='{"style":"anthropic","timeout_ms":5}', request="{}")
    found = lines(Port("x", "X", run_of([make("a/b/c", "skip", about=about)])))
    assert row(found, "Not explained yet: result, outcome skip")[-1].startswith(
        '`a/b/c` `{"style":"anthropic","timeout'
    )


def test_a_long_input_is_cut_and_bars_stay_in_their_cell(run_of: Any, make: Any) -> None:
    about = About("t", request='{"a":"|' + "x" * 1000 + '"}')
    text = row(lines(Port("x", "X", run_of([make("a/b/c", "fail", about=about)]))), "Not explained yet")[-1]
    assert text.endswith("x…`")
    assert "\\|" in text


def test_must_before_should_and_may_not_at_all(run_of: Any, make: Any) -> None:
    cases = [make("a/b/c", "fail", level="should"), make("a/b/d", "fail"), make("a/b/e", "fail", level="may")]
    rows = [(case.id, "request", "/max_tokens value", f"Fault of {case.id}.") for case in cases]
    found = [line for line in lines(Port("x", "X", run_of(cases), ledger(*rows))) if line.startswith("| Fault of")]
    assert [line.split(".")[0] for line in found] == ["| Fault of a/b/d", "| Fault of a/b/c"]
