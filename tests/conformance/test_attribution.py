"""The list of a port's faults, and the ledger written from it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from conformance import attribution, known
from conformance.attribution import Fault
from conformance.faults import UsageFault
from conformance.known import MOST_MATCHES, Entry
from conformance.known_write import Written, ledger
from conformance.report.events import CaseJudged, CheckRow, DifferenceRow

LOSES = Fault(1, "Loses the text.", "not reported", cases=("a/text/*",))


def failed(case: str, where: str = "/messages/0", *, check: str = "request", level: str = "must") -> CaseJudged:
    row = CheckRow(check, "fail", (DifferenceRow(where, "missing", "1"),))
    return CaseJudged(case, case.partition("[")[0], level, (), "fail", level != "may", checks=(row,))


def in_state(case: str, state: str, reason: str = "") -> CaseJudged:
    return CaseJudged(case, case.partition("[")[0], "must", (), state, state == "skip", reason=reason)


def written(tmp_path: Path, cases: Sequence[CaseJudged], *faults: Fault) -> tuple[Written, tuple[Entry, ...]]:
    """The ledger, read again as a run reads it."""
    found = ledger(cases, "exact", faults)
    path = tmp_path / "known.toml"
    path.write_text(found.text)
    return found, known.read(path).entries


def is_green(cases: Sequence[CaseJudged], path: Path) -> bool:
    """Is every case green under the ledger?"""
    entries = known.read(path)
    return not any(entries.judged(case, "exact").red for case in cases)


def test_one_entry_stands_for_the_variants_that_fail_alike(tmp_path: Path) -> None:
    cases = [failed("a/text/one"), failed("a/text/one[x]"), failed("a/text/one[y]"), in_state("a/text/two", "pass")]
    _, (entry,) = written(tmp_path, cases, LOSES)
    assert (entry.case, entry.check, entry.signatures) == ("a/text/one*", "request", ("/messages/0 missing",))
    assert (entry.because, entry.issue, entry.wont_fix) == ("Loses the text.", "not reported", False)
    assert is_green(cases, tmp_path / "known.toml")


def test_no_entry_stands_for_a_case_that_passes(tmp_path: Path) -> None:
    cases = [failed("a/text/one"), in_state("a/text/one[x]", "pass"), failed("a/text/one[y]")]
    _, entries = written(tmp_path, cases, LOSES)
    assert [entry.case for entry in entries] == ["a/text/one", "a/text/one[y]"]
    assert is_green(cases, tmp_path / "known.toml")


def test_a_case_that_was_not_judged_hinders_no_entry(tmp_path: Path) -> None:
    cases = [failed("a/text/one"), in_state("a/text/two", "n/a"), failed("a/text/three")]
    _, (entry,) = written(tmp_path, cases, LOSES)
    assert entry.case == "a/text/*"


def test_an_entry_stands_for_no_more_than_a_run_allows(tmp_path: Path) -> None:
    cases = [failed(f"a/text/one-{number}") for number in range(MOST_MATCHES + 1)]
    _, entries = written(tmp_path, cases, LOSES)
    assert len(entries) > 1
    ids = [case.id for case in cases]
    for entry in entries:
        assert sum(map(entry.matches, ids)) <= MOST_MATCHES
    assert all(any(entry.matches(name) for entry in entries) for name in ids)


def test_many_signatures_are_told_without_their_indices(tmp_path: Path) -> None:
    cases = [failed(f"a/text/{name}", f"/messages/{number}/content") for number, name in enumerate("xyz")]
    _, (entry,) = written(tmp_path, cases, LOSES)
    assert entry.signatures == ("/messages/#/content missing",)
    assert is_green(cases, tmp_path / "known.toml")


def test_two_checks_of_a_case_are_two_entries(tmp_path: Path) -> None:
    both = failed("a/text/one")
    both = msgspec.structs.replace(both, checks=(*both.checks, *failed("a/text/one", "/text", check="result").checks))
    _, entries = written(tmp_path, [both], LOSES)
    assert [(entry.case, entry.check) for entry in entries] == [("a/text/one", "request"), ("a/text/one", "result")]


def test_the_first_fault_that_fits_explains(tmp_path: Path) -> None:
    special = Fault(1, "Loses the first turn.", "#1", signatures=("/messages/# missing",), check="request")
    general = Fault(2, "Loses.", "#2", cases=("*",), wont_fix=True)
    cases = [failed("a/text/one", "/messages/7"), failed("a/text/two", "/system")]
    _, entries = written(tmp_path, cases, special, general)
    assert [(entry.case, entry.because, entry.wont_fix) for entry in entries] == [
        ("a/text/one", "Loses the first turn.", False),
        ("a/text/two", "Loses.", True),
    ]


def test_a_skip_is_known_by_what_it_said(tmp_path: Path) -> None:
    seeds = Fault(1, "Has no seed.", "not reported", reasons=("*no setting for seed*",))
    cases = [in_state("a/text/one", "skip", "there is no setting for seed"), in_state("a/text/two", "skip", "no audio")]
    found, (entry,) = written(tmp_path, cases, seeds)
    assert (entry.case, entry.check, entry.signatures) == ("a/text/one", "result", ("outcome skip",))
    assert [(row.case, row.reason) for row in found.unexplained] == [("a/text/two", "no audio")]


def test_what_no_fault_explains_is_told_and_stays_out(tmp_path: Path) -> None:
    cases = [failed("a/other/one"), failed("a/other/two", level="may")]
    found, entries = written(tmp_path, cases, LOSES)
    assert entries == ()
    assert [(row.case, row.check, row.signature) for row in found.unexplained] == [
        ("a/other/one", "request", "/messages/0 missing")
    ]
    assert found.unused == [LOSES]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[[fault]]\nsays = "x"\ncases = "*"', "fault 1: issue: must be there"),
        ('[[fault]]\nsays = " "\nissue = "y"\ncases = "*"', "fault 1: says: must be there"),
        ('[[fault]]\nsays = "x"\nissue = "y"', "fault 1: one of cases, signature, reason must say"),
        ('[[fault]]\nsays = "x"\nissue = "y"\ncases = [1]', "fault 1: cases: must be a text or a list of texts"),
        ('[[fault]]\nsays = "x"\nissue = "y"\ncases = "*"\ncheck = "z"', "fault 1: check: must be one of"),
        ('[[fault]]\nsays = "x"\nissue = "y"\ncases = "*"\nwont_fix = 1', "fault 1: wont_fix: must be true or false"),
        ('[[fault]]\nsays = "x"\nissue = "y"\ncases = "*"\nwhere = 1', "fault 1: where: unknown"),
        ("fault = [1]\n", r"write \[\[fault\]\], in two brackets"),
        ("[fault]\n", r"write \[\[fault\]\], in two brackets"),
        ("[[known]]\n", r"nothing but \[\[fault\]\] tables"),
        ("[[fault]", "at line 1"),
    ],
)
def test_a_list_that_is_wrong_is_refused_with_the_place(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "faults.toml"
    path.write_text(text)
    with pytest.raises(UsageFault, match=says) as caught:
        attribution.read(path)
    assert str(path) in str(caught.value)


def test_a_list_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageFault, match="No such file"):
        attribution.read(tmp_path / "faults.toml")


def test_globs_may_be_one_text_or_several(tmp_path: Path) -> None:
    path = tmp_path / "faults.toml"
    path.write_text('[[fault]]\nsays = "x"\nissue = "y"\ncases = "a/*"\nsignature = ["/b *", "/c *"]\n')
    (fault,) = attribution.read(path)
    assert (fault.cases, fault.signatures, fault.reasons) == (("a/*",), ("/b *", "/c *"), ())


def test_ways_to_fail_are_not_lent_to_each_other(tmp_path: Path) -> None:
    cases = [failed("a/text/one", "/system"), failed("a/text/two", "/messages/0")]
    _, entries = written(tmp_path, cases, LOSES)
    assert [(entry.case, entry.signatures) for entry in entries] == [
        ("a/text/two", ("/messages/0 missing",)),
        ("a/text/one", ("/system missing",)),
    ]
    moved = [failed("a/text/one", "/messages/0"), failed("a/text/two", "/system")]
    assert not is_green(moved, tmp_path / "known.toml")


def test_what_a_ledger_said_of_a_skip_does_not_hide_its_reason(tmp_path: Path) -> None:
    path = tmp_path / "known.toml"
    path.write_text(
        '[[known]]\ncase = "a/text/one"\ncheck = "request"\nsignature = "/ x"\nbecause = "x"\nissue = "y"\n'
    )
    told = known.read(path).judged(in_state("a/text/one", "skip", "no setting for seed"), "exact")
    assert told.reason.startswith("no setting for seed; known failure 1 ")
    assert Fault(1, "x", "y", reasons=("no setting for seed",)).explains(told, "result", "outcome skip")
