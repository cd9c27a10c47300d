"""What a pipe costs: `python tests/bench/pipe_overhead.py [cases]`.

Prints the time of cases in process and over a pipe, start and end of the port included (budget: 1.5 times).
Each figure is the best of several, because what disturbs a measurement only ever adds to it; both kinds of round take
turns, so that they are disturbed alike.
"""

from __future__ import annotations

import sys
import time

from conformance.options import Options
from conformance.session import Session

ROUNDS = 5
PIPE = f"cmd:{sys.executable} -m conformance.drivers.pipe toolnexus"


def run(port: str, count: int) -> float:
    """The seconds that a run of the first cases takes, reading them not included."""
    session = Session(Options(port=port, level="must"))
    cases = session.cases[:count]
    began = time.perf_counter()
    session.open()
    session.expect(cases)
    states = {session.run(case).state for case in cases}
    session.close()
    assert states <= {"pass", "n/a"}, states
    return time.perf_counter() - began


def main() -> None:
    """Measure and print."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    times: dict[str, list[float]] = {"python:toolnexus": [], PIPE: []}
    for _ in range(ROUNDS):
        for port, found in times.items():
            found.append(run(port, count))
    inside, pipe = (min(found) for found in times.values())
    sys.stdout.write(f"{count} cases in process {inside:7.2f} s\n")
    sys.stdout.write(f"{count} cases over a pipe {pipe:6.2f} s  {pipe / inside:.2f} times (budget 1.5)\n")


if __name__ == "__main__":
    main()
