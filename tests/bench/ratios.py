"""Our cost as multiples of the least there could be: `python -m tests.bench.ratios`.

Both sides are measured in turn, in one process and many rounds, and the median of the rounds' ratios counts: a busy
machine slows both alike.
"""

# ruff: noqa: T201

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from tests.bench.cases import BODIES, CONFIGS, PURE, Case, toolkit_cost
from toolnexus import Client, TranslateRequest, encode

ROUNDS = 400
END_TO_END = {"small": 1.3, "large": 2.5}
TOOLKIT_MS = 1.0


def timed(act: Callable[[], Any], times: int, clock: Callable[[], float] = time.process_time) -> float:
    """Seconds that `act` takes, on average; of the processor, unless `clock` says otherwise."""
    start = clock()
    for _ in range(times):
        act()
    return (clock() - start) / times


def measured(case: Case, clock: Callable[[], float] = time.process_time) -> tuple[float, float, float]:
    """The median ratio, and the best times of both sides in seconds."""
    pairs = [(timed(case.base, case.rounds, clock), timed(case.ours, case.rounds, clock)) for _ in range(ROUNDS)]
    ratio = statistics.median(ours / base for base, ours in pairs)
    return ratio, min(base for base, _ in pairs), min(ours for _, ours in pairs)


@contextmanager
def stub() -> Iterator[str]:
    """A provider on loopback, in another process."""
    command = [sys.executable, "-m", "tests.bench.stub"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
        process.stdin.close()


@contextmanager
def end_to_end(url: str, size: str, style: Any) -> Iterator[Case]:
    """A whole call beside a bare post of the ready body to the same place."""
    config = CONFIGS[style]
    ready = encode(TranslateRequest.from_json(BODIES[size]), config)
    body = BODIES[size]
    with httpx.Client() as bare, Client(url, style, config.model, config.api_key) as client:
        target, headers = client.config.url, list(ready.headers)
        yield Case(
            f"call {size}, {style}",
            lambda: bare.post(target, content=ready.body, headers=headers).content,
            lambda: client.translate(TranslateRequest.from_json(body)),
            END_TO_END[size],
            1,
        )


def show(name: str, figure: str, bound: str, holds: bool) -> bool:
    print(f"{name:28} {figure:44} {bound:>10}  {'' if holds else 'MISSED'}")
    return holds


def run(case: Case, clock: Callable[[], float] = time.process_time) -> bool:
    ratio, base, ours = measured(case, clock)
    figure = f"{ratio:5.2f}   ({ours * 1e6:9.1f} us / {base * 1e6:9.1f} us)"
    return show(case.name, figure, f"<= {case.bound}", ratio <= case.bound)


def run_toolkit(style: str) -> bool:
    without, with_kit = toolkit_cost(CONFIGS[style])
    added = statistics.median((timed(with_kit, 2) - timed(without, 2)) * 1000 for _ in range(ROUNDS))
    return show(f"500-tool toolkit, {style}", f"{added:5.3f} ms added", f"< {TOOLKIT_MS} ms", added < TOOLKIT_MS)


def main() -> int:
    """Prints every ratio; 1 where a bound is missed."""
    held = [run(case) for case in PURE]
    held += [run_toolkit(style) for style in CONFIGS]
    with stub() as url:
        for size in END_TO_END:
            for style in CONFIGS:
                with end_to_end(url, size, style) as case:
                    held.append(run(case, time.perf_counter))
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
