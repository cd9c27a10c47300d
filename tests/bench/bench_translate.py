"""The same cases under pytest-benchmark, outside the normal run: `pytest tests/bench/bench_translate.py`."""

from __future__ import annotations

from typing import Any

import pytest

from tests.bench.cases import CONFIGS, PURE, Case, toolkit_cost


@pytest.mark.parametrize("case", PURE, ids=[case.name for case in PURE])
@pytest.mark.parametrize("side", ["base", "ours"])
def test_cost(benchmark: Any, case: Case, side: str) -> None:
    benchmark.group = case.name
    benchmark(getattr(case, side))


@pytest.mark.parametrize("style", CONFIGS)
@pytest.mark.parametrize("side", [0, 1], ids=["without", "with"])
def test_a_toolkit_of_500_tools(benchmark: Any, style: str, side: int) -> None:
    benchmark.group = f"500-tool toolkit, {style}"
    benchmark(toolkit_cost(CONFIGS[style])[side])
