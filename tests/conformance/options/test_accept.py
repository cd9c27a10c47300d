"""--toolnexus-accept."""

from __future__ import annotations

from typing import Any

import pytest

pytest_plugins = ["pytester"]


@pytest.fixture(autouse=True)
def cases(folder: Any) -> None:
    folder.add()


def test_by_default_only_exact_requests_pass(run_kit: Any) -> None:
    run = run_kit("-v", fault="blocks")
    assert run.ret == 1
    run.stdout.fnmatch_lines(
        [
            "anthropic/text/hello EQUIVALENT*",
            "EQUIVALENT  anthropic/text/hello * must · request",
            '  /messages/0/content   - want "hi"',
            '                        + got  [[]{"type":"text","text":"hi"}]',
            "1 cases: 1 equivalent",
        ]
    )


def test_equivalent_requests_pass_where_they_are_accepted(run_kit: Any) -> None:
    run = run_kit("-v", "--toolnexus-accept", "equivalent", fault="blocks")
    assert run.ret == 0
    run.stdout.fnmatch_lines(["anthropic/text/hello EQUIVALENT*", "  anthropic.user-text  must    1/1"])


def test_nothing_else_is_accepted(run_kit: Any) -> None:
    assert run_kit("--toolnexus-accept", "equivalent", fault="wrong-model").ret == 1


def test_the_ini_file_may_set_it(run_kit: Any, pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\ntoolnexus_accept = equivalent\n")
    assert run_kit(fault="blocks").ret == 0
    assert run_kit("--toolnexus-accept", "exact", fault="blocks").ret == 1


def test_another_word_is_wrong_usage(run_kit: Any) -> None:
    run = run_kit("--toolnexus-accept", "anything")
    assert run.ret == 4
    assert run.stderr.lines == ["toolnexus: unknown strength 'anything'; --toolnexus-accept takes exact or equivalent"]
