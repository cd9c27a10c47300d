"""What every table of bad bodies and good twins is held to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from conformance.providers import STYLES, Violation, blocking, check, rules

Fires = Callable[..., Violation]


@pytest.fixture
def fires() -> Fires:
    """Asserts that a rule fires on the bad body and that nothing blocks the good one; gives the violation."""

    def assert_twins(style: str, rule: str, bad: Any, good: Any, pointer: str = "", **request: Any) -> Violation:
        assert style in STYLES
        hits = [violation for violation in check(style, bad, **request) if violation.rule == rule]
        assert hits, f"{rule} is silent on its bad body"
        assert hits[0].pointer == pointer
        stated = rules(style)[rule]
        assert (hits[0].stub, hits[0].confidence, hits[0].status) == (stated.stub, stated.confidence, stated.status)
        silent = check(style, good, **request)
        assert rule not in [violation.rule for violation in silent]
        assert blocking(silent) == []
        return hits[0]

    return assert_twins
