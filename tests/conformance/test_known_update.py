"""A ledger brought up to date."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conformance.faults import UsageFault
from conformance.known import read
from conformance.known_update import Update, refuse_in_ci
from conformance.report.events import CaseJudged, CheckRow, DifferenceRow

LEDGER = """\
# The ledger of a port.

# About a: upstream knows.
[[known]]
case = "anthropic/text/a"
check = "request"  # the body
signature = "/messages/0 missing"  # since 1.2
because = "The first turn is lost."
issue = "https://example.com/issues/1"

# A remark about nobody.

# About b.
[[known]]
case = "anthropic/text/b"
check = "result"
signature = "/text value"
because = '''
Several lines,
[[known]] is not an entry here.
'''
issue = "https://example.com/issues/2"
wont_fix = true

# The end.
"""


def failed(case: str, check: str, where: str, kind: str, level: str = "must") -> CaseJudged:
    row = CheckRow(check, "fail", (DifferenceRow(where, kind, "1", "2"),))
    return CaseJudged(case, case.partition("[")[0], level, (), "fail", level != "may", checks=(row,))


def passed(case: str) -> CaseJudged:
    return CaseJudged(case, case, "must", (), "pass", False)


A = failed("anthropic/text/a", "request", "/messages/0", "missing")
B = failed("anthropic/text/b", "result", "/text", "value")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "known.toml").write_text(LEDGER)
    return tmp_path / "known.toml"


def updated(path: Path, *cases: CaseJudged, **options: Any) -> tuple[str, Update]:
    update = Update(cases, "exact", **options)
    return update.of(path), update


def test_a_ledger_that_is_right_stays_to_the_letter(path: Path) -> None:
    text, update = updated(path, A, B)
    assert text == LEDGER
    assert not update.changes


def test_an_entry_that_passes_goes_with_its_own_comment(path: Path) -> None:
    text, update = updated(path, A, passed("anthropic/text/b"))
    assert update.changes.removed == ["anthropic/text/b (result)"]
    assert text == LEDGER[: LEDGER.index("# About b.")] + "# The end.\n"


def test_the_first_entry_goes_and_the_head_stays(path: Path) -> None:
    text, _ = updated(path, passed("anthropic/text/a"), B)
    head, _, rest = LEDGER.partition("[[known]]\n")
    assert text == head + "\n# A remark" + rest.partition("\n# A remark")[2]


def test_all_may_go(path: Path) -> None:
    text, _ = updated(path, passed("anthropic/text/a"), passed("anthropic/text/b"))
    assert "[[known]]" not in text.replace("[[known]] is not", "")
    for comment in ("# The ledger of a port.", "# A remark about nobody.", "# The end."):
        assert comment in text


def test_a_signature_follows_and_its_comment_stays(path: Path) -> None:
    text, update = updated(path, failed("anthropic/text/a", "request", "/system", "type"), B)
    assert text == LEDGER.replace('"/messages/0 missing"', '"/system type"')
    assert update.changes.changed == ["anthropic/text/a (request): /system type"]


def test_a_new_failure_comes_and_has_to_be_explained(path: Path) -> None:
    text, update = updated(path, A, B, failed("anthropic/text/c[x]", "calls", "calls", "missing"))
    new = text.removeprefix(LEDGER.removesuffix("\n# The end.\n"))
    assert update.changes.added == ["anthropic/text/c[x] (calls): calls missing"]
    assert 'case = "anthropic/text/c[x]"' in new
    assert 'because = ""' in new
    path.write_text(text)
    with pytest.raises(UsageFault, match="because: must be there"):
        read(path)


def test_a_new_failure_may_be_explained_at_once(path: Path) -> None:
    text, _ = updated(
        path, A, B, failed("anthropic/text/c", "calls", "calls", "missing"), because="It calls twice.", issue="#3"
    )
    path.write_text(text)
    assert [(entry.because, entry.issue) for entry in read(path).entries[2:]] == [("It calls twice.", "#3")]


def test_a_file_that_is_not_there_begins_with_what_fails(tmp_path: Path) -> None:
    text, _ = updated(tmp_path / "new.toml", A, B, because="x", issue="y")
    (tmp_path / "new.toml").write_text(text)
    assert [entry.case for entry in read(tmp_path / "new.toml").entries] == ["anthropic/text/a", "anthropic/text/b"]
    assert text.startswith("[[known]]\n")
    assert "\n\n[[known]]\n" in text


def test_what_the_run_did_not_judge_is_left_alone(path: Path) -> None:
    states = [CaseJudged(f"anthropic/text/{name}", "x", "must", (), "not-run", True) for name in "ab"]
    assert updated(path, *states)[0] == LEDGER
    assert updated(path)[0] == LEDGER


def test_cases_that_are_shown_only_are_not_added(path: Path) -> None:
    text, _ = updated(path, A, B, failed("anthropic/text/c", "calls", "calls", "missing", level="may"))
    assert text == LEDGER


def test_a_skip_is_a_failure_too(tmp_path: Path) -> None:
    skipped = CaseJudged("anthropic/text/a", "anthropic/text/a", "must", (), "skip", True, reason="no streams")
    text, _ = updated(tmp_path / "new.toml", skipped)
    assert 'signature = "outcome skip"' in text


GLOB = '[[known]]\ncase = "anthropic/text/*"\ncheck = "request"\nsignature = {}\nbecause = "x"\nissue = "y"\n'


def glob(tmp_path: Path, signature: str) -> Path:
    (tmp_path / "glob.toml").write_text(GLOB.format(signature))
    return tmp_path / "glob.toml"


def test_a_glob_keeps_its_any_index(tmp_path: Path) -> None:
    path = glob(tmp_path, '"/messages/# missing"')
    text, update = updated(path, A, failed("anthropic/text/c", "request", "/messages/4", "missing"))
    assert text == path.read_text()
    assert not update.changes


def test_a_glob_learns_another_way_to_fail(tmp_path: Path) -> None:
    path = glob(tmp_path, '"/messages/0 missing"')
    path.write_text(updated(path, A, failed("anthropic/text/c", "request", "/system", "type"))[0])
    assert read(path).entries[0].signatures == ("/messages/0 missing", "/system type")


def test_a_glob_of_which_some_pass_becomes_the_cases_that_fail(tmp_path: Path) -> None:
    path = glob(tmp_path, '"/messages/# missing"')
    path.write_text(
        updated(path, A, passed("anthropic/text/b"), failed("anthropic/text/c", "request", "/messages/4", "missing"))[0]
    )
    entries = read(path).entries
    assert [entry.case for entry in entries] == ["anthropic/text/a", "anthropic/text/c"]
    assert {(entry.because, entry.issue) for entry in entries} == {("x", "y")}
    assert all(entry.accepts("/messages/4 missing") for entry in entries)


@pytest.mark.parametrize("value", ["true", "1", "yes"])
@pytest.mark.parametrize("name", ["CI", "CONTINUOUS_INTEGRATION", "BUILD_NUMBER"])
def test_ci_writes_no_ledger(name: str, value: str) -> None:
    with pytest.raises(UsageFault, match=f"in CI \\({name} is set\\)"):
        refuse_in_ci({name: value})


@pytest.mark.parametrize("value", ["", "0", "false", "False"])
def test_elsewhere_it_may_be_written(value: str) -> None:
    refuse_in_ci({"CI": value})
    refuse_in_ci({})
