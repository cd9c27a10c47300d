"""The ledger of known failures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conformance.faults import UsageFault
from conformance.known import Ledger, failing, pattern, read
from conformance.report.events import CaseJudged, CheckRow, DifferenceRow

ENTRY = {
    "case": "anthropic/text/a",
    "check": "request",
    "signature": "/messages/0 missing",
    "because": "The first turn is lost.",
    "issue": "https://example.com/issues/1",
}


def toml(*entries: dict[str, Any]) -> str:
    def value(item: Any) -> str:
        if isinstance(item, list):
            return f"[{', '.join(map(value, item))}]"
        return str(item).lower() if isinstance(item, bool) else f'"{item}"'

    rows = ["[[known]]\n" + "".join(f"{key} = {value(item)}\n" for key, item in entry.items()) for entry in entries]
    return "\n".join(rows)


@pytest.fixture
def ledger(tmp_path: Path) -> Any:
    """Makes a ledger of entries, each the usual one with changes."""

    def make(*changes: dict[str, Any]) -> Ledger:
        path = tmp_path / "known.toml"
        path.write_text(toml(*({**ENTRY, **change} for change in changes)))
        return read(path)

    return make


def check(name: str, where: str, kind: str, state: str = "fail") -> CheckRow:
    return CheckRow(name, state, (DifferenceRow(where, kind, "1", "2"), DifferenceRow("/later", "value", "1", "2")))


REQUEST = check("request", "/messages/0", "missing")
RESULT = check("result", "/text", "value")


def judged(*checks: CheckRow, state: str = "fail", id: str = "anthropic/text/a", level: str = "must") -> CaseJudged:
    red = state in ("fail", "skip", "not-run", "kit-error", "equivalent") and level != "may"
    return CaseJudged(id, id.partition("[")[0], level, (), state, red, checks=checks)


def test_what_is_known_is_not_red(ledger: Any) -> None:
    event = ledger({}).judged(judged(REQUEST), "exact")
    assert not event.red
    assert event.state == "fail"
    assert event.known == ("request: The first turn is lost. (https://example.com/issues/1)",)


def test_what_is_not_listed_stays_red(ledger: Any) -> None:
    assert ledger({}).judged(judged(REQUEST, id="anthropic/text/b"), "exact").red
    assert ledger({}).judged(judged(REQUEST, id="anthropic/text/a[x]"), "exact").red


def test_a_check_that_is_not_listed_stays_red(ledger: Any) -> None:
    event = ledger({}).judged(judged(REQUEST, RESULT), "exact")
    assert event.red
    assert len(event.known) == 1


def test_both_checks_listed(ledger: Any) -> None:
    found = ledger({}, {"check": "result", "signature": "/text value"})
    assert not found.judged(judged(REQUEST, RESULT), "exact").red


def test_a_listed_case_that_passes_is_red(ledger: Any) -> None:
    event = ledger({}).judged(judged(state="pass"), "exact")
    assert event.red
    assert event.reason == "known failure 1 (anthropic/text/a, request) does not fail: take it off the list"


def test_a_listed_check_that_passes_beside_another_failure_is_red(ledger: Any) -> None:
    event = ledger({}, {"check": "result", "signature": "/text value"}).judged(judged(REQUEST), "exact")
    assert event.red
    assert "known failure 2 (anthropic/text/a, result) does not fail" in event.reason


@pytest.mark.parametrize("signature", ["/messages/1 missing", "/messages/0 value", "/messages missing"])
def test_failing_in_another_way_is_red(ledger: Any, signature: str) -> None:
    event = ledger({"signature": signature}).judged(judged(REQUEST), "exact")
    assert event.red
    assert f"fails in another way: /messages/0 missing, not {signature}" in event.reason


def test_even_a_case_that_is_shown_only_may_not_pass(ledger: Any) -> None:
    assert ledger({}).judged(judged(state="pass", level="may"), "exact").red
    assert not ledger({}).judged(judged(REQUEST, level="may"), "exact").red


def test_a_refused_case(ledger: Any) -> None:
    found = ledger({"check": "result", "signature": "outcome skip"})
    assert not found.judged(judged(state="skip"), "exact").red
    assert ledger({}).judged(judged(state="skip"), "exact").red


def test_the_weaker_strength_has_fewer_failures(ledger: Any) -> None:
    event = judged(check("request", "/messages/0", "missing", "equivalent"), state="equivalent")
    assert not ledger({}).judged(event, "exact").red
    passing = CaseJudged(event.id, event.name, "must", (), "equivalent", False, checks=event.checks)
    assert ledger({}).judged(passing, "equivalent").red
    assert failing(event, "equivalent") == {}


@pytest.mark.parametrize("state", ["n/a", "not-run", "kit-error"])
def test_what_was_not_judged_is_left_alone(ledger: Any, state: str) -> None:
    event = judged(state=state)
    assert ledger({}).judged(event, "exact") is event


def test_a_glob_and_several_ways(ledger: Any) -> None:
    found = ledger({"case": "anthropic/text/*", "signature": ["/messages/# missing", "/system value"]})
    for row in (REQUEST, check("request", "/messages/7", "missing"), check("request", "/system", "value")):
        assert not found.judged(judged(row, id="anthropic/text/b[c]"), "exact").red
    assert found.judged(judged(check("request", "/messages/7", "value")), "exact").red


def test_one_of_several_entries_is_enough(ledger: Any) -> None:
    found = ledger({"case": "anthropic/text/*", "signature": "/system value"}, {})
    assert not found.judged(judged(REQUEST), "exact").red


@pytest.mark.parametrize(
    ("glob", "case", "same"),
    [
        ("a/b/c", "a/b/c", True),
        ("a/b/c", "a/b/cd", False),
        ("a/b/c[x]", "a/b/c[x]", True),
        ("a/b/c[x]", "a/b/cx", False),
        ("a/b/c*", "a/b/c[x.y]", True),
        ("a/?/c", "a/b/c", True),
        ("a.b", "axb", False),
    ],
)
def test_brackets_and_dots_stand_for_themselves(glob: str, case: str, same: bool) -> None:
    assert (pattern(glob).fullmatch(case) is not None) == same


def test_indices_of_calls_count_as_any(ledger: Any) -> None:
    found = ledger({"signature": "call # /messages/#/content/# type"})
    assert not found.judged(judged(check("request", "call 2 /messages/0/content/1", "type")), "exact").red


# -- the corpus -------------------------------------------------------------------------------------------------------


def test_an_entry_that_is_no_case_is_told(ledger: Any) -> None:
    found = ledger({}, {"case": "anthropic/text/gone"}, {"case": "anthropic/text/a[gone]"})
    assert found.notes(["anthropic/text/a"], whole=True) == [
        "known failure 2 (anthropic/text/gone, request) of known.toml is no case of the corpus",
        "known failure 3 (anthropic/text/a[gone], request) of known.toml is no case of the corpus",
    ]


def test_without_the_whole_corpus_variants_are_not_looked_for(ledger: Any) -> None:
    assert ledger({"case": "anthropic/text/a[gone]"}).notes(["anthropic/text/a"], whole=False) == []


@pytest.mark.parametrize("count", [20, 21])
def test_at_most_twenty_cases_an_entry(ledger: Any, count: int) -> None:
    ids = [f"anthropic/text/{number}" for number in range(count)]
    found = ledger({"case": "anthropic/*"})
    if count == 20:
        assert found.notes(ids, whole=True) == []
    else:
        with pytest.raises(UsageFault, match="stands for 21 cases; at most 20"):
            found.notes(ids, whole=True)


# -- reading ----------------------------------------------------------------------------------------------------------


def test_an_empty_ledger(tmp_path: Path) -> None:
    (tmp_path / "known.toml").write_text("# nothing yet\n")
    assert read(tmp_path / "known.toml").entries == ()


@pytest.mark.parametrize("key", ["case", "check", "signature", "because", "issue"])
@pytest.mark.parametrize("value", [None, "", "  "])
def test_what_an_entry_must_say(ledger: Any, key: str, value: str | None) -> None:
    entry = {name: text for name, text in ENTRY.items() if name != key} if value is None else {key: value}
    with pytest.raises(UsageFault, match=rf"known\.toml: known failure 1.*: {key}: must be there"):
        read_text(ledger, {**(entry if value is None else {**ENTRY, **entry})})


def read_text(ledger: Any, entry: dict[str, Any]) -> Ledger:
    path = ledger({}).path
    path.write_text(toml(entry))
    return read(path)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"check": "body"}, "check: must be one of request, calls, result, warnings"),
        ({"wont_fix": "yes"}, "wont_fix: must be true or false"),
        ({"signature": []}, "signature: must be there"),
        ({"reason": "x"}, "reason: unknown; known are case"),
    ],
)
def test_what_an_entry_may_not_say(ledger: Any, change: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageFault) as caught:
        ledger(change)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_wont_fix_may_be_said(ledger: Any) -> None:
    assert ledger({"wont_fix": True}).entries[0].wont_fix


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[known]\ncase = 1\n", "write [[known]], in two brackets"),
        ("known = [1]\n", "write [[known]], in two brackets"),
        ("[[know]]\n", "a ledger is nothing but [[known]] tables"),
        ("[[known]\n", "known.toml: "),
    ],
)
def test_a_file_that_is_no_ledger(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "known.toml").write_text(text)
    with pytest.raises(UsageFault) as caught:
        read(tmp_path / "known.toml")
    assert says in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageFault, match="No such file"):
        read(tmp_path / "known.toml")
