"""What the kit costs: `python tests/bench/kit_overhead.py [cases]`.

Prints a case through the kit as a multiple of a bare httpx post to the same stub (budget: 2), a whole run of in-process
cases under pytest (budget for 1,000: 4 s), and one case chosen by -k, pytest's start included (budget: 1 s). Each
figure is the best of several, because what disturbs a measurement only ever adds to it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import httpx

from conformance import corpus as corpora
from conformance.case import Case
from conformance.options import Options
from conformance.session import Session

ROUNDS = 5
POSTS = 200


def write_corpus(folder: Path, count: int) -> None:
    """A corpus of `count` copies of one ordinary case: a call with its result, a tool, an answer."""
    source = corpora.find()
    for name in ("clauses.json", "equivalences.json"):
        shutil.copy(source / name, folder / name)
    template = json.loads((source / "cases" / "anthropic" / "tool-results" / "two-results-one-turn.json").read_text())
    place = folder / "cases" / "anthropic" / "bench"
    place.mkdir(parents=True)
    for number in range(count):
        case = {**template, "id": f"anthropic/bench/case-{number}"}
        (place / f"case-{number}.json").write_text(json.dumps(case))


def best(work: Callable[[], object]) -> tuple[float, float]:
    """The shortest time of a few rounds, and the least processor time, in seconds."""
    walls, processors = [], []
    for _ in range(ROUNDS):
        began, used = time.perf_counter(), sum(os.times()[:4])
        work()
        walls.append(time.perf_counter() - began)
        processors.append(sum(os.times()[:4]) - used)
    return min(walls), min(processors)


def bare_posts(session: Session, client: httpx.Client, case: Case) -> None:
    """Posts without a kit around them: the same stub, the same reply."""
    with session.stub.script(case) as script:
        headers = {"x-api-key": script.key, "content-type": "application/json"}
        content = str(case.request_text).encode()
        for _ in range(POSTS):
            script.calls.clear()
            client.post(f"{session.stub.url}/v1/messages", content=content, headers=headers).json()


def through_the_kit(session: Session, cases: tuple[Case, ...]) -> None:
    """The same number of cases, run and judged."""
    for case in cases[:POSTS]:
        state = session.run(case).state
        assert state == "pass", state


def pytest_run(fixtures: Path, *args: str) -> None:
    """A whole run in a process of its own, without plugins that have no part in it."""
    command = [sys.executable, "-m", "pytest", "-q", "--toolnexus-conformance", f"--toolnexus-fixtures={fixtures}"]
    off = [word for name in ("hypothesispytest", "benchmark", "xdist", "anyio") for word in ("-p", f"no:{name}")]
    subprocess.run([*command, *off, *args], check=True, capture_output=True)


def main() -> None:
    """Measure and print."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    with tempfile.TemporaryDirectory() as scratch:
        fixtures = Path(scratch)
        write_corpus(fixtures, count)
        session = Session(Options(fixtures=fixtures))
        session.open()
        with httpx.Client(trust_env=False, verify=False) as client:
            bare = best(lambda: bare_posts(session, client, session.cases[0]))[0] / POSTS * 1000
        kit = best(lambda: through_the_kit(session, session.cases))[0] / min(POSTS, count) * 1000
        session.close()
        whole, whole_used = best(lambda: pytest_run(fixtures))
        one, one_used = best(lambda: pytest_run(fixtures, "-k", f"case-{count - 1}"))
        reading, _ = best(lambda: corpora.read(fixtures))
    rows = (
        ("a bare post", f"{bare:.2f} ms", ""),
        ("a case through the kit", f"{kit:.2f} ms", f"{kit / bare:.2f} times a bare post (budget 2)"),
        (f"{count} cases under pytest", f"{whole:.2f} s", f"{whole_used:.2f} s of a processor (budget for 1,000: 4 s)"),
        ("one case by -k", f"{one:.2f} s", f"{one_used:.2f} s of a processor, pytest's start included (budget 1 s)"),
        (f"reading {count} cases", f"{reading * 1000:.0f} ms", ""),
    )
    for name, value, remark in rows:
        sys.stdout.write(f"{name:<28} {value:>10}  {remark}\n")


if __name__ == "__main__":
    main()
