"""What of a result and an error is compared."""

from __future__ import annotations

from typing import Any

import pytest

from conformance import shape
from conformance.compare import match
from conformance.listed import ERROR_KEYS, RESULT_KEYS, USAGE_KEYS, error_views, result_views
from conformance.tree import from_python


def same_result(want: dict[str, Any], got: dict[str, Any]) -> bool:
    left, right = result_views(from_python(want), from_python(got))  # type: ignore[arg-type]
    return match(left, right) is None


def same_error(want: dict[str, Any], got: dict[str, Any], *, pointers: bool = True) -> bool:
    left, right = error_views(from_python(want), from_python(got), pointers=pointers)  # type: ignore[arg-type]
    return match(left, right) is None


@pytest.mark.parametrize(
    ("key", "empty"),
    [("text", ""), ("tool_calls", []), ("usage", {}), ("model", ""), ("refusal", ""), ("reasoning", "")],
)
def test_null_absent_and_empty_are_one(key: str, empty: Any) -> None:
    for want in (None, empty):
        assert same_result({key: want}, {})
        assert same_result({key: want}, {key: None})
        assert same_result({key: want}, {key: empty})
    assert not same_result({key: empty}, {key: ["x"]})


def test_a_count_of_zero_is_none() -> None:
    assert same_result({"usage": {"cached_tokens": 0, "total_tokens": 3}}, {"usage": {"total_tokens": 3, "x": 1}})
    assert same_result({"usage": {"cached_tokens": 0}}, {"usage": None})
    assert same_result({"usage": None}, {"usage": {"total_tokens": 0}})
    assert not same_result({"usage": None}, {"usage": {"total_tokens": 1}})
    assert not same_result({"usage": {"cached_tokens": 1}}, {})
    assert not same_result({"usage": {"total_tokens": 3}}, {"usage": {"total_tokens": 3.0}})


def test_only_listed_keys_count() -> None:
    assert same_result({"text": "a"}, {"text": "a", "model": "m", "raw": 1})
    assert not same_result({"text": "a", "model": "m"}, {"text": "a"})


def test_a_call_is_a_function_unless_it_says_otherwise() -> None:
    call = {"id": "1", "name": "f", "arguments": "{}"}
    assert same_result({"tool_calls": [call]}, {"tool_calls": [{**call, "type": "function", "index": None}]})
    assert not same_result({"tool_calls": [call]}, {"tool_calls": [{**call, "type": "custom"}]})
    assert not same_result({"tool_calls": [call]}, {"tool_calls": [call, call]})
    assert not same_result({"tool_calls": [call]}, {"tool_calls": [{**call, "extra": 1}]})


def test_looseners_work_in_place_of_a_value() -> None:
    assert same_result({"usage": {"$any": True}}, {"usage": {"total_tokens": 1}})
    assert same_result({"tool_calls": {"$type": "array"}}, {"tool_calls": [1]})
    assert not same_result({"text": {"$any": True}}, {})


def test_errors_compare_likewise() -> None:
    assert same_error({"kind": "provider", "type": None}, {"kind": "provider", "status": 400})
    assert same_error({"kind": "provider", "type": None}, {"kind": "provider", "type": ""})
    assert not same_error({"kind": "provider", "status": 400}, {"kind": "provider"})
    assert not same_error({"kind": "provider"}, {"kind": "transport"})


def test_a_wait_of_zero_means_something() -> None:
    assert not same_error({"kind": "provider", "retry_after": 0}, {"kind": "provider"})


def test_pointers_are_compared_where_the_port_has_them() -> None:
    want, got = {"kind": "invalid-request", "pointer": "/a"}, {"kind": "invalid-request"}
    assert not same_error(want, got)
    assert same_error(want, got, pointers=False)


def test_the_keys_are_those_a_case_may_have() -> None:
    assert set(RESULT_KEYS) == set(shape.RESULT.keys)
    assert set(ERROR_KEYS) == set(shape.ERROR.keys)
    for key in USAGE_KEYS:
        shape.usage({key: None})
