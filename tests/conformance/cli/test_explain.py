"""explain: every word that a report or a warning uses."""

from __future__ import annotations

import json
from typing import Any

import pytest

from conformance.authoring import meanings, spec
from conformance.cli.checks.meaning import warning_codes
from conformance.verdict import STATES


def test_every_warning_code_is_explained(verb: Any) -> None:
    listed = [json.loads(line) for line in verb("explain", "--json").stdout.splitlines()]
    codes = {row["word"]: row["says"] for row in listed if row["kind"] == "warning code"}
    assert codes.keys() == warning_codes().keys()
    assert codes["prefill-trimmed"] == "trailing white space of the final assistant text was cut"


def test_a_warning_code(verb: Any) -> None:
    out = verb("explain", "tool-id-mapped").stdout
    assert "a call id was rewritten for the provider" in out
    assert "into the request" in out
    assert "SPEC, Tool results" in out
    assert "anthropic.tool-ids" in out
    assert "anthropic/tool-ids/" in out


def test_a_clause(verb: Any) -> None:
    found = json.loads(verb("explain", "anthropic.results-merge", "--json").stdout)
    assert found["kind"] == "must clause"
    assert found["says"].startswith("Consecutive tool results")
    assert dict(found["facts"])["checked by"] == "corpus"
    assert "anthropic/tool-results/two-results-one-turn" in found["cases"]


def test_many_cases_are_cut_with_the_way_to_all_of_them(verb: Any) -> None:
    out = verb("explain", "anthropic.finish").stdout
    assert out.count("\n  anthropic/") == meanings.MOST
    assert "more: list --clause anthropic.finish" in out


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("results-in-one-turn", "house rule"),
        ("n/a", "lacks a capability"),
        ("10", "The port could not be run."),
    ],
)
def test_other_words_of_a_report(verb: Any, word: str, says: str) -> None:
    ran = verb("explain", word)
    assert ran.exit_code == 0
    assert says in ran.stdout


def test_every_state_has_a_meaning() -> None:
    assert set(meanings.STATES) == set(STATES)


@pytest.mark.parametrize(
    ("word", "says"), [("dropped", "field-dropped"), ("anthropic.finnish", "anthropic.finish"), ("zzz", "lists every")]
)
def test_an_unknown_word_is_wrong_usage_with_a_guess(verb: Any, word: str, says: str) -> None:
    ran = verb("explain", word)
    assert ran.exit_code == 4
    assert says in ran.stderr


def test_a_passage_is_a_whole_list_item() -> None:
    (found,) = spec.passages("anthropic.history-tools")
    assert found.heading == "Tool results"
    assert found.text.endswith("warning `history-without-tools` at `/tools`.")
