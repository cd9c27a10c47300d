"""Token counts of a stream's last delta."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.deltas import joined
from conformance.tree import from_python

FULL = {"prompt_tokens": 3, "completion_tokens": 5, "total_tokens": 8}


@pytest.mark.parametrize(
    "more", [{}, {"cached_tokens": 0}, {"cached_tokens": None, "cache_write_tokens": 0, "reasoning_tokens": 0}]
)
def test_absent_null_and_zero_are_one(more: dict[str, Any]) -> None:
    assert joined(from_python([{"usage": {**FULL, **more}}])) == joined(from_python([{"usage": FULL}]))


def test_a_count_that_says_something_stays() -> None:
    assert joined(from_python([{"usage": {**FULL, "cached_tokens": 2}}])) != joined(from_python([{"usage": FULL}]))
