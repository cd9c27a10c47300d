"""What of a result or an error is compared: only the keys a case lists, and nothing but values that mean something.

In `result`, `usage` and `error`, null, absent and the field's empty value are one (corpus-and-protocol, "A case").
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from conformance.compare import loosener
from conformance.tree import Json, Number

_ZERO: Final = Number("0")

#: The fields of a result and their empty values; `raw` and `message` have none.
_RESULT: Final[Mapping[str, Any]] = {
    "text": "",
    "tool_calls": [],
    "finish_reason": "",
    "usage": {},
    "model": "",
    "refusal": "",
    "reasoning": "",
    "message": None,
    "raw": None,
}

_USAGE: Final[Mapping[str, Any]] = dict.fromkeys(
    (
        "prompt_tokens",
        "completion_tokens",
        "total_tokens",
        "cached_tokens",
        "cache_write_tokens",
        "reasoning_tokens",
    ),
    _ZERO,
)

#: The fields of an error; a `retry_after` of 0 and a `status` mean something, so these have no empty value.
_ERROR: Final[Mapping[str, Any]] = {
    "kind": "",
    "status": None,
    "type": "",
    "param": "",
    "code": "",
    "message": "",
    "pointer": "",
    "retry_after": None,
    "request_id": "",
}

RESULT_KEYS: Final = tuple(_RESULT)
USAGE_KEYS: Final = tuple(_USAGE)
ERROR_KEYS: Final = tuple(_ERROR)


def result_views(want: dict[str, Json], got: dict[str, Json]) -> tuple[Json, Json]:
    """The expected and the received result, cut down to what is compared."""
    left, right = _views(want, {**got, "usage": counts(got.get("usage"))}, _RESULT)
    usage, counted = want.get("usage"), got.get("usage")
    if usage and isinstance(usage, dict) and loosener(usage) is None:
        left["usage"], right["usage"] = _views(usage, counted if isinstance(counted, dict) else {}, _USAGE)
    for view in (left, right):
        if isinstance(calls := view.get("tool_calls"), list):
            view["tool_calls"] = [_tool_call(call) for call in calls]
    return left, right


def error_views(want: dict[str, Json], got: dict[str, Json], *, pointers: bool) -> tuple[Json, Json]:
    """The expected and the received error, cut down likewise; without `pointers` the pointer is not compared."""
    listed = {key: value for key, value in want.items() if pointers or key != "pointer"}
    return _views(listed, got, _ERROR)


def _views(
    want: dict[str, Json], got: dict[str, Json], empties: Mapping[str, Any]
) -> tuple[dict[str, Json], dict[str, Json]]:
    """Both cut down to the listed keys; two values that are empty in different ways become the expected one."""
    right: dict[str, Json] = {}
    for key, value in want.items():
        if _is_empty(value, empties.get(key)) and _is_empty(got.get(key), empties.get(key)):
            right[key] = value
        elif key in got:
            right[key] = got[key]
    return dict(want), right


def _is_empty(value: Json, empty: Json) -> bool:
    return value is None or (type(value) is type(empty) and value == empty)


def counts(usage: Json) -> Json:
    """Token counts without those that are empty."""
    if not isinstance(usage, dict):
        return usage
    return {key: value for key, value in usage.items() if not _is_empty(value, _USAGE.get(key))}


def _tool_call(call: Json) -> Json:
    """A call is a function's unless it says otherwise, and keys without a value say nothing."""
    if not isinstance(call, dict) or loosener(call) is not None:
        return call
    return {"type": "function", **{key: value for key, value in call.items() if value is not None}}
