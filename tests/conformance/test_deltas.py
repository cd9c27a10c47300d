"""Deltas that were cut differently and say the same."""

from __future__ import annotations

import time
from typing import Any

import pytest

from conformance.deltas import joined
from conformance.tree import from_python

HEAD = {"index": 0, "id": "a", "type": "function", "function": {"name": "f", "arguments": ""}}


def piece(index: int, text: str) -> dict[str, Any]:
    return {"index": index, "function": {"arguments": text}}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([{"content": "ab"}], [{"content": "a"}, {"content": ""}, {"content": "b"}]),
        ([{"role": "assistant"}, {"content": "a"}], [{"content": "a", "role": "assistant"}]),
        (
            [{"role": "assistant"}, {"reasoning_content": "h"}, {"content": "a"}],
            [{"content": "a", "reasoning_content": "h", "role": "assistant"}],
        ),
        ([{"content": "a"}, {"tool_calls": [HEAD]}], [{"tool_calls": [HEAD], "content": "a"}]),
        ([{"tool_calls": [piece(0, "{}")]}], [{"tool_calls": [piece(0, "{")]}, {"tool_calls": [piece(0, "}")]}]),
    ],
)
def test_the_same_however_it_was_cut(one: Any, other: Any) -> None:
    assert joined(from_python(one)) == joined(from_python(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([{"content": "a"}, {"reasoning_content": "h"}], [{"reasoning_content": "h"}, {"content": "a"}]),
        ([{"role": "assistant"}, {"content": "a"}], [{"content": "a"}, {"role": "assistant"}]),
        ([{"tool_calls": [piece(0, "{"), piece(1, "}")]}], [{"tool_calls": [piece(0, "{}")]}]),
        ([{"content": 12}, {"content": "3"}], [{"content": "123"}]),
        ([{"content": "a"}, {"refusal": "b"}, {"content": "c"}], [{"content": "ac"}, {"refusal": "b"}]),
    ],
)
def test_the_order_of_deltas_counts(one: Any, other: Any) -> None:
    assert joined(from_python(one)) != joined(from_python(other))


def test_a_long_stream_is_joined_at_once() -> None:
    began = time.process_time()
    (step,) = joined(from_python([{"content": "x" * 200}] * 100_000))  # type: ignore[misc, union-attr]
    assert len(step["content"]) == 20_000_000  # type: ignore[index, call-overload, arg-type]
    assert time.process_time() - began < 5
