"""The soak test, short: `tests/bench/soak.py` says what is checked, and runs 20,000 calls by itself."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

SOAK = Path(__file__).parents[1] / "bench" / "soak.py"


@pytest.fixture
def soak() -> Any:
    """The script, as a module."""
    spec = importlib.util.spec_from_file_location("toolnexus_soak", SOAK)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look their module up.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_500_calls_through_a_provider_that_fails_in_every_way(soak: Any) -> None:
    report = soak.soak(500)
    assert report.faults == []
    # Every kind of end was met, or the calls above tested little.
    assert {"ok", "400", "401", "404", "reset"} <= set(report.outcomes)
    assert report.attempts > 550


def test_every_fault_is_dealt_to_some_call(soak: Any) -> None:
    dealt = {soak.fate(number, attempt) for number in range(500) for attempt in range(3)}
    assert dealt == {*soak.GOOD, *soak.PASSING, *soak.FINAL}
