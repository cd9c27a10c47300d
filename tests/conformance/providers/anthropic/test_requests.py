"""What Anthropic checks before it reads the body, and how its answer looks."""

from __future__ import annotations

import json
from typing import Any

import pytest

from conformance.canonical import read
from conformance.providers import answer, blocking, check, explain
from conformance.providers.anthropic.rules import GROUPS

HEADERS = {"x-api-key": "k", "anthropic-version": "2023-06-01", "content-type": "application/json"}
BODY: dict[str, Any] = {"model": "claude-x", "max_tokens": 64, "messages": [{"role": "user", "content": "go"}]}
RAW = json.dumps(BODY).encode()


def without(name: str) -> dict[str, str]:
    return {key: value for key, value in HEADERS.items() if key != name}


# rule → (body, headers, status, type, message)
REFUSED: dict[str, tuple[bytes, dict[str, str], int, str, str]] = {
    "b1-auth": (RAW, without("x-api-key"), 401, "authentication_error", "x-api-key header is required"),
    "b1-version": (
        RAW,
        without("anthropic-version"),
        400,
        "invalid_request_error",
        "anthropic-version: header is required",
    ),
    "b1-json": (
        b'{"model": }',
        HEADERS,
        400,
        "invalid_request_error",
        "The request body is not valid JSON: Expecting value: line 1 column 11 (char 10)",
    ),
    "b8-52-body-size": (
        RAW + b" " * (32 * 1024 * 1024),
        HEADERS,
        413,
        "request_too_large",
        "Request exceeds the maximum size",
    ),
    "b8-53-lone-surrogate": (
        RAW.replace(b'"go"', b'"go \\ud83d"'),
        HEADERS,
        400,
        "invalid_request_error",
        "The request body is not valid JSON: no low surrogate in string: line 1 column 86 (char 85)",
    ),
}


@pytest.mark.parametrize("rule", REFUSED)
def test_the_answer_is_the_provider_s(rule: str) -> None:
    raw, headers, status, kind, message = REFUSED[rule]
    assert check("anthropic", raw, headers=headers)[0].rule == rule
    reply = answer("anthropic", raw, headers)
    assert reply is not None
    assert reply["status"] == status
    assert reply["json"]["error"] == {"type": kind, "message": message}
    assert reply["json"]["type"] == "error"
    assert reply["headers"]["request-id"] == reply["json"]["request_id"]


def test_a_good_request_is_answered_by_the_script() -> None:
    assert answer("anthropic", RAW, HEADERS) is None
    assert explain("anthropic", RAW, HEADERS) is None


def test_the_content_type_is_only_noted() -> None:
    found = check("anthropic", RAW, headers=without("content-type"))
    assert [violation.rule for violation in found] == ["b1-content-type"]
    assert blocking(found) == []


def test_every_rule_about_requests_is_seen() -> None:
    assert {*REFUSED, "b1-content-type"} == {rule.name for rule in GROUPS["request"]}


@pytest.mark.parametrize("key", [{"Authorization": "Bearer k"}, {"X-API-Key": "k"}])
def test_either_form_of_the_key_is_taken(key: dict[str, str]) -> None:
    assert check("anthropic", RAW, headers={**without("x-api-key"), **key}) == []


@pytest.mark.parametrize("key", [{"Authorization": "Bearer "}, {"Authorization": "Basic k"}, {"x-api-key": " "}])
def test_an_empty_key_is_none(key: dict[str, str]) -> None:
    found = check("anthropic", RAW, headers={**without("x-api-key"), **key})
    assert [violation.rule for violation in found] == ["b1-auth"]


def test_the_key_comes_before_the_body_in_the_order_of_checks() -> None:
    body = json.dumps({**BODY, "messages": [], "extra": 1}).encode()
    found = [violation.rule for violation in check("anthropic", body, headers={})]
    assert found == ["b1-auth", "b1-version", "b1-content-type", "b8-02-no-messages", "b8-03-unknown-key"]


def test_the_schema_comes_before_the_model_and_the_conversation() -> None:
    call = {"type": "tool_use", "id": "a b", "name": "look", "input": {}}
    bad = {
        "model": "claude-opus-5",
        "temperature": 0.5,
        "max_tokens": 64,
        "messages": [{"role": "user", "content": "go"}, {"role": "assistant", "content": [call]}],
    }
    found = [violation.rule for violation in blocking(check("anthropic", bad))]
    assert found == ["b8-15-id-characters", "b8-32-sampling-refused", "b8-25-prefill", "b8-09-unanswered-tool-use"]


@pytest.mark.parametrize("raw", [b"[]", b'"a"', b"null"])
def test_a_body_that_is_no_object_is_refused(raw: bytes) -> None:
    assert [violation.rule for violation in check("anthropic", raw)] == ["b2-type"]


@pytest.mark.parametrize(
    "token",
    [b"NaN", b"-Infinity", b"\xff", b"[" * 100_000],
    ids=["nan", "infinity", "bad utf-8", "too deep"],
)
def test_what_json_does_not_allow_is_refused(token: bytes) -> None:
    assert [violation.rule for violation in check("anthropic", b'{"model": ' + token + b"}")] == ["b1-json"]


def test_a_surrogate_pair_is_no_lone_surrogate() -> None:
    assert check("anthropic", RAW.replace(b'"go"', b'"\\ud83d\\ude00"')) == []


def test_a_lone_surrogate_in_a_decoded_body_is_found() -> None:
    body = {**BODY, "messages": [{"role": "user", "content": "go \ud83d"}]}
    assert [violation.rule for violation in check("anthropic", body)] == ["b8-53-lone-surrogate"]


@pytest.mark.parametrize("escape", [r"\ud83d x \ude00", r"\ude00", r"\ud83d\ud83d\ude00"])
def test_the_column_of_the_first_lone_surrogate_is_named(escape: str) -> None:
    raw = json.dumps(BODY).replace('"go"', f'"{escape}"')
    start = raw.index("\\u")
    message = check("anthropic", raw)[0].message
    assert message.endswith(f"line 1 column {start + 1} (char {start})")


def test_a_long_integer_is_json() -> None:
    call = {"type": "tool_use", "id": "a", "name": "look", "input": {"n": "long"}}
    result = {"type": "tool_result", "tool_use_id": "a", "content": "ok"}
    talk = [{"role": "user", "content": "go"}, {"role": "assistant", "content": [call]}]
    raw = json.dumps({**BODY, "messages": [*talk, {"role": "user", "content": [result]}]})
    assert blocking(check("anthropic", raw.replace('"long"', "9" * 5000))) == []


def test_exact_numbers_of_a_case_are_read_as_numbers() -> None:
    exact = read(json.dumps(BODY)[:-1] + ', "temperature": 1.50}')
    assert isinstance(exact, dict)
    assert [violation.rule for violation in check("anthropic", exact)] == ["b8-30-temperature"]


def test_a_house_rule_is_marked_as_ours() -> None:
    calls = [{"type": "tool_use", "id": name, "name": "look", "input": {}} for name in "ab"]
    results = [{"type": "tool_result", "tool_use_id": name, "content": "ok"} for name in "ab"]
    talk = [{"role": "user", "content": "go"}, {"role": "assistant", "content": calls}]
    split = {**BODY, "messages": [*talk, *({"role": "user", "content": [result]} for result in results)]}
    reply = answer("anthropic", json.dumps(split).encode(), HEADERS)
    assert reply is not None
    assert reply["status"] == 400
    assert reply["headers"]["x-toolnexus-house-rule"] == "results-in-one-turn"


def test_an_explanation_is_one_line() -> None:
    call = {"type": "tool_use", "id": "a\nb", "name": "look", "input": {}}
    talk = [{"role": "user", "content": "go"}, {"role": "assistant", "content": [call]}]
    line = explain("anthropic", {**BODY, "messages": talk})
    assert line is not None
    assert line.startswith("400 invalid_request_error: messages.1.content.0.tool_use.id: String should match pattern")
    answered = explain("anthropic", {**BODY, "messages": [talk[0], {**talk[1], "role": "user"}]})
    assert answered is not None
    assert "\n" not in answered
