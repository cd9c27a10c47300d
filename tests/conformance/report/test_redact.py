"""No key in a report, whatever a port does."""

from __future__ import annotations

import msgspec
import pytest

from conformance.report.events import CaseJudged, CheckRow, DifferenceRow
from conformance.report.redact import Redactor, command

KEY = "case-0123456789ab-000001"
SHOWN = Redactor("http://127.0.0.1:4711", '{"headers":{"authorization":"Bearer given-by-the-case"}}')


def test_keys_of_this_and_of_any_other_case_go() -> None:
    assert SHOWN.text(f"{KEY} and case-ffffffffffff-000999") == "{key} and {key}"


def test_the_stubs_address_is_the_same_in_every_run() -> None:
    assert SHOWN.text("POST http://127.0.0.1:4711/v1") == "POST {stub}/v1"
    assert SHOWN.header("Host", "127.0.0.1:4711") == "{stub}"


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("x-api-key", KEY, "{key}"),
        ("Authorization", f"Bearer {KEY}", "Bearer {key}"),
        ("authorization", "Bearer given-by-the-case", "Bearer given-by-the-case"),
        ("X-Api-Key", "sk-ant-real", "(hidden)"),
        ("authorization", "Bearer sk-real", "(hidden)"),
        ("authorization", f"Bearer sk-real-{KEY}", "(hidden)"),
        ("cookie", "session=1", "(hidden)"),
        ("x-api-key", "", "(hidden)"),
        ("anthropic-version", "2023-06-01", "2023-06-01"),
    ],
)
def test_a_header_with_a_credential_that_is_not_the_cases_own_is_hidden(name: str, value: str, shown: str) -> None:
    assert SHOWN.header(name, value) == shown


@pytest.mark.parametrize("where", ["header x-api-key", "call 2 header x-api-key"])
def test_a_difference_of_such_a_header_is_hidden(where: str) -> None:
    difference = DifferenceRow(where, "value", KEY, "sk-ant-real")
    event = CaseJudged("a", "a", "must", (), "fail", True, checks=(CheckRow("request", "fail", (difference,)),))
    row = SHOWN.event(event).checks[0].differences[0]
    assert (row.want, row.got) == ("{key}", "(hidden)")


def test_an_absent_value_stays_absent() -> None:
    rows = (
        DifferenceRow("header x-api-key", "missing", "(present)", None),
        DifferenceRow("/a", "unexpected", None, "1"),
    )
    event = CaseJudged("a", "a", "must", (), "fail", True, checks=(CheckRow("request", "fail", rows),))
    assert [(row.want, row.got) for row in SHOWN.event(event).checks[0].differences] == [
        ("(present)", None),
        (None, "1"),
    ]


def test_every_text_of_an_event_is_looked_through() -> None:
    event = CaseJudged(
        "a", "a", "must", (), "fail", True, reason=KEY, by_hand=KEY, stderr=(KEY,), again=f"X_KEY={KEY} x"
    )
    assert KEY not in msgspec.json.encode(SHOWN.event(event)).decode()


def test_what_utf8_cannot_hold_is_written_out() -> None:
    assert SHOWN.text("a\ud800b") == "a\\ud800b"


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("cmd:env ANTHROPIC_API_KEY=sk-1 node x", "cmd:env ANTHROPIC_API_KEY=(hidden) node x"),
        ("cmd:node x --token abc --level 3", "cmd:node x --token (hidden) --level 3"),
        ("cmd:node port.mjs", "cmd:node port.mjs"),
    ],
)
def test_a_command_line_loses_its_secrets(line: str, shown: str) -> None:
    assert command(line) == shown
