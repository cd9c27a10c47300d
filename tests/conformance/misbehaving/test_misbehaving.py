"""Ports that go wrong: what is said of each, and that nobody else has to pay for it."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from culprits import AT_START, IN_A_CASE

from conformance.drivers import message, process

pytest_plugins = ["pytester"]

SCRIPT = Path(__file__).parent / "culprits.py"
CASES = ("a", "b", "c")


@dataclass(frozen=True)
class Expected:
    """How a run of the cases a, b and c ends: its exit code, the letter of each case, and texts that it must show."""

    exit_code: int
    letters: str
    says: tuple[str, ...] = ()


GREEN = Expected(0, "...")


def only_b(*says: str) -> Expected:
    """Case b fails, and nothing else."""
    return Expected(1, ".F.", says)


def beside(*says: str) -> Expected:
    """Every case passes, and the run is red all the same."""
    return Expected(1, "...", tuple(f"red: {text}" for text in says))


def not_started(*says: str) -> Expected:
    """The port could not be run."""
    return Expected(10, "", says)


DIED = "the port died while at work: "
BROKE = "the port broke the protocol: "

EXPECTED = {
    # starting
    "dies-at-start": not_started("died before it said hello: exit code 1; its last words: cannot find my runtime"),
    "says-nothing": not_started("did not say hello: no reply within 700 ms"),
    "shows-a-banner": not_started("a line on stdout that is no JSON (Expecting value): Port 1.0, (c) somebody"),
    "speaks-version-two": not_started("the port's hello: /protocol must be an integer from 1 to 1; right is {"),
    "declares-nothing": not_started("the port's hello: / must have capabilities; right is {"),
    "declares-nonsense": not_started("the port's hello: /capabilities/1 must be one of anthropic, openai"),
    "takes-its-time": GREEN,
    # dying
    "exits": only_b(DIED + "exit code 7", "stderr       assertion failed"),
    "exits-137": only_b(DIED + "exit code 137 (a shell or container says so of a process that SIGKILL killed)"),
    "crashes": only_b(DIED + "killed by SIGSEGV"),
    "leaves": only_b(DIED + "exit code 0"),
    "half-a-line": only_b(DIED + 'exit code 0 in the middle of a line: {"id": "2", "result": {"text"'),
    "dies-leaving-a-child": only_b(DIED + "exit code 3"),
    "dies-afterwards": beside("the port ended by itself (exit code 9), after anthropic/text/b"),
    "dies-always": Expected(1, "FFF", (DIED + "exit code 7",)),
    "closes-stdout": only_b(DIED + "closed its stdout and went on without it"),
    "closes-stdin": beside(
        "the port ended by itself (closed its stdin and went on without it), after anthropic/text/b"
    ),
    # not answering
    "hangs": only_b("no reply within 700 ms"),
    "reads-no-more": only_b("no reply within 700 ms"),
    "half-a-line-and-silence": only_b("no reply within 700 ms; it began a line and did not end it: {"),
    "answers-late": only_b("no reply within 700 ms"),
    # saying too much
    "floods-stderr": GREEN,
    "floods-stderr-without-an-end": GREEN,
    "floods-stdout": only_b(BROKE + "a line on stdout that is no JSON (Expecting value): debug: still here"),
    "prints": only_b(BROKE + "a line on stdout that is no JSON (Expecting value): translating now"),
    "blank-lines": GREEN,
    "sixteen-megabytes": GREEN,
    "twenty-megabytes": only_b(BROKE + "a line of more than 16777216 bytes, which begins xxx"),
    "answers-twice": beside(BROKE + "a second reply with id '2' (anthropic/text/b): {"),
    "answers-twice-at-once": only_b(BROKE + "a second reply with id '2' (anthropic/text/b): {"),
    "a-second-hello": only_b(BROKE + "a second hello: {"),
    "leaks-and-talks": only_b("the API key appears in stderr"),
    "calls-afterwards": beside("POST /v1/messages was called for anthropic/text/b after its reply"),
    # saying it wrong
    "wrong-id": only_b(BROKE + "a reply with id 'nobody', unasked: {"),
    "number-for-id": only_b(BROKE + 'a reply without an id (it must be the message\'s, a text): {"id": 2'),
    "no-utf8": only_b(BROKE + "a line on stdout that is no JSON (no UTF-8 at byte "),
    "a-list": only_b(BROKE + 'a line on stdout that is no message: [{"id": "2"'),
    "a-key-twice": only_b(BROKE + "a line on stdout that is no JSON (", "warnings"),
    "nested": only_b(BROKE + "a line on stdout that is no JSON (nested too deeply)"),
    "result-and-error": only_b('the reply / has result and error; one is enough; right is {"id":"17"'),
    "nothing": only_b('the reply / has none of result, error, skip, openai; right is {"id":"17"'),
    "object-for-arguments": only_b('the reply /result/tool_calls/0/arguments must be a text; right is {"id":"17"'),
    # ending
    "ignores-bye": GREEN,
}


#: Faults whose end is the deadline's: with these nobody needs to be patient.
SLOW = {"hangs", "reads-no-more", "half-a-line-and-silence", "answers-late"}


@pytest.fixture
def run_port(run_kit: Any, folder: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs the three cases against the port with that fault."""
    for name in CASES:
        folder.add(f"anthropic/text/{name}")

    monkeypatch.setattr(process, "GRACE_S", 0.2)

    def run(fault: str) -> pytest.RunResult:
        monkeypatch.setattr(message, "DEADLINE_MS", 700 if fault.removeprefix("several-") in SLOW else 10_000)
        result: pytest.RunResult = run_kit("-v", port=f"cmd:{sys.executable} {SCRIPT} {fault} {tmp_path / 'child'}")
        return result

    return run


def letters(run: pytest.RunResult) -> str:
    """How each case ended, in the order of the cases."""
    words = {"PASSED": ".", "FAIL": "F", "NOT-RUN": "N"}
    found = [line.split() for line in run.stdout.lines if line.startswith("anthropic/text/")]
    return "".join(words[line[1]] for line in sorted(found))


def check(run: pytest.RunResult, expected: Expected) -> None:
    shown = run.stdout.str() + run.stderr.str()
    assert run.ret == expected.exit_code, shown
    assert letters(run) == expected.letters, shown
    for text in expected.says:
        assert text in shown


def test_every_fault_has_an_expectation() -> None:
    assert {*AT_START, *IN_A_CASE, "dies-always", "ignores-bye"} == set(EXPECTED)


@pytest.mark.parametrize("fault", [name for name in EXPECTED if name != "says-nothing"])
def test_what_is_said_of_it(run_port: Any, fault: str) -> None:
    check(run_port(fault), EXPECTED[fault])


def test_a_port_that_never_says_hello(run_port: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "STARTUP_S", 0.7)
    check(run_port("says-nothing"), EXPECTED["says-nothing"])


def test_a_port_that_dies_again_and_again_is_given_up(run_port: Any, folder: Any) -> None:
    for name in ("d", "e", "f"):
        folder.add(f"anthropic/text/{name}")
    run = run_port("dies-always")
    check(run, Expected(1, "FFFFNN", ("the port ended 4 times, last with exit code 7",)))


@pytest.mark.parametrize("fault", ["dies-leaving-a-child", "ignores-bye"])
def test_no_process_is_left(run_port: Any, tmp_path: Path, fault: str) -> None:
    check(run_port(fault), EXPECTED[fault])
    child = int((tmp_path / "child").read_text())
    until = time.monotonic() + 5
    while _alive(child) and time.monotonic() < until:
        time.sleep(0.01)
    assert not _alive(child)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")  # a zombie still has its id; it is dead all the same
    return stat.read_text().rpartition(")")[2].split()[0] != "Z" if Path("/proc").is_dir() else True


# -- with several on their way ----------------------------------------------------------------------------------------

SEVERAL = {
    "answers-backwards": GREEN,
    "exits": EXPECTED["exits"],
    "crashes": EXPECTED["crashes"],
    "dies-leaving-a-child": EXPECTED["dies-leaving-a-child"],
    "hangs": EXPECTED["hangs"],
    "prints": EXPECTED["prints"],
    "floods-stdout": EXPECTED["floods-stdout"],
    "wrong-id": only_b(BROKE + "a reply with id 'nobody', unasked: {"),
    "object-for-arguments": EXPECTED["object-for-arguments"],
    "twenty-megabytes": EXPECTED["twenty-megabytes"],
    "leaks-and-talks": EXPECTED["leaks-and-talks"],
    "floods-stderr": GREEN,
    "answers-twice-at-once": only_b(BROKE + "a second reply with id '2' (anthropic/text/b): {"),
}


@pytest.mark.parametrize("fault", SEVERAL)
def test_the_culprit_is_found_among_several(run_port: Any, fault: str) -> None:
    check(run_port(f"several-{fault}"), SEVERAL[fault])
