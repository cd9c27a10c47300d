"""pytest's own options, and its exit codes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

pytest_plugins = ["pytester"]

WRONG = {"text": "what nobody gives"}


@pytest.fixture(autouse=True)
def cases(folder: Any) -> None:
    folder.add("anthropic/text/a-right", clauses=["call.once"])
    folder.add("anthropic/text/b-wrong", result=WRONG)
    folder.add("anthropic/text/c-right", level="should")
    folder.add("anthropic/text/d-wrong", result=WRONG)


@pytest.mark.parametrize(
    ("word", "passed", "failed"),
    [
        ("a-right", 1, 0),
        ("right and not a-right", 1, 0),
        ("anthropic/text/b-wrong", 0, 1),
        ("call.once", 1, 0),
        ("should", 1, 0),
    ],
)
def test_k_finds_ids_clauses_and_levels(run_kit: Any, word: str, passed: int, failed: int) -> None:
    run_kit("-k", word).assert_outcomes(passed=passed, failed=failed, deselected=4 - passed - failed)


def test_x_stops_at_the_first_failure(run_kit: Any) -> None:
    run_kit("-x").assert_outcomes(passed=1, failed=1)


def test_lf_runs_what_failed_last(run_kit: Any) -> None:
    run_kit("-p", "cacheprovider").assert_outcomes(passed=2, failed=2)
    run_kit("-p", "cacheprovider", "--lf").assert_outcomes(failed=2, deselected=2)


def test_workers_share_the_cases(run_kit: Any, sample_port: Any) -> None:
    run = run_kit("-n", "2", "-v", port=sample_port())
    assert run.ret == 1
    run.assert_outcomes(passed=2, failed=2)
    run.stdout.fnmatch_lines(
        [
            "port: cmd:* (sample 1.0, python)*",
            "*gw*PASSED anthropic/text/a-right*",
            "FAIL  anthropic/text/b-wrong * must · result",
            "  call.once            must    1/1",
            "  anthropic.user-text  must    1/3",
            "4 cases: 2 pass, 2 fail",
        ],
        consecutive=False,
    )


def test_a_port_that_cannot_start_ends_a_run_with_workers(run_kit: Any, sample_port: Any) -> None:
    run = run_kit("-n", "2", port=sample_port("dies"))
    assert run.ret == 10
    assert len(run.stderr.lines) == 1


def test_junitxml_has_a_test_a_case(run_kit: Any, tmp_path: Path) -> None:
    run_kit("--junitxml", str(tmp_path / "report.xml"))
    suite = ElementTree.parse(tmp_path / "report.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("4", "2", "0")
    assert [case.get("name") for case in suite] == [
        f"anthropic.text.{n}" for n in ("a-right", "b-wrong", "c-right", "d-wrong")
    ]
    (failure,) = suite[1]
    assert failure.get("message") == "result: /text"
    assert "what nobody gives" in str(failure.text)


def test_junitxml_calls_what_does_not_apply_skipped(run_kit: Any, folder: Any, tmp_path: Path) -> None:
    folder.add("anthropic/text/e-lacking", requires=["hooks"])
    run_kit("--junitxml", str(tmp_path / "report.xml"), "-k", "e-lacking")
    (case,) = ElementTree.parse(tmp_path / "report.xml").getroot()[0]
    assert case[0].tag == "skipped"
    assert case[0].get("message") == "the port lacks hooks"


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["-k", "right"], 0),
        (["-k", "wrong"], 1),
        (["-k", "neither"], 5),
        (["--toolnexus-level", "x"], 4),
        (["--no-such-option"], 4),
        (["--toolnexus-port", "cmd:no-such-command"], 10),
    ],
)
def test_exit_codes(run_kit: Any, args: list[str], code: int) -> None:
    assert run_kit(*args).ret == code


def test_a_fault_of_the_kit_is_11_and_says_where(run_kit: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("out of order")

    monkeypatch.setattr("conformance.session.judge", broken)
    run = run_kit("-k", "a-right")
    assert run.ret == 11
    run.stdout.fnmatch_lines(
        ["KIT ERROR  anthropic/text/a-right*", "  reason       RuntimeError: out of order (test_with_pytest.py:*)"]
    )


def test_an_interrupt_is_2_and_ends_the_port(pytester: pytest.Pytester, folder: Any, sample_port: Any) -> None:
    args = ["--toolnexus-conformance", f"--toolnexus-fixtures={folder.path}", "--toolnexus-port"]
    run = pytester.runpytest_subprocess(*args, sample_port("interrupts"))
    assert run.ret == 2
    run.stdout.fnmatch_lines(["*KeyboardInterrupt*"])


def test_nothing_checked_is_red(run_kit: Any, folder: Any) -> None:
    folder.add("anthropic/text/e-lacking", requires=["hooks"])
    run = run_kit("-k", "e-lacking")
    assert run.ret == 1
    run.stdout.fnmatch_lines(["red: no case was checked"])


def test_no_thread_or_server_stays(run_kit: Any) -> None:
    run_kit()
    assert [thread.name for thread in threading.enumerate() if thread.name.startswith("toolnexus")] == []


STUBBORN = """
import json, os, pathlib, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
{early}
sys.stdin.readline()
about = {{"name": "x", "language": "x", "version": "1"}}
print(json.dumps({{"op": "hello", "protocol": 1, "port": about, "capabilities": ["anthropic"]}}), flush=True)
sys.stdin.readline()
{late}
"""
WAIT = "pathlib.Path('pid').write_text(str(os.getpid())); time.sleep(60)"


@pytest.mark.parametrize("when", ["early", "late"])
def test_sigterm_ends_a_stubborn_port_too(pytester: pytest.Pytester, folder: Any, when: str) -> None:
    script = pytester.path / "port.py"
    script.write_text(STUBBORN.format(**{"early": "", "late": "", when: WAIT}))
    port = f"cmd:{sys.executable} {script}"
    args = ["--toolnexus-conformance", f"--toolnexus-fixtures={folder.path}", "--toolnexus-port", port]
    run = subprocess.Popen([sys.executable, "-m", "pytest", *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    note = pytester.path / "pid"
    until = time.monotonic() + 30
    while not (note.exists() and note.read_text()) and time.monotonic() < until:
        time.sleep(0.02)
    run.terminate()
    said = b"".join(run.communicate(timeout=30))
    assert run.returncode == 143, said
    assert b"INTERNALERROR" not in said
    assert b"Traceback" not in said
    with pytest.raises(ProcessLookupError):
        os.kill(int(note.read_text()), 0)


def test_the_handler_of_sigterm_is_given_back(run_kit: Any) -> None:
    before = signal.getsignal(signal.SIGTERM)
    run_kit()
    run_kit("--toolnexus-port", "cmd:no-such-command")
    assert signal.getsignal(signal.SIGTERM) == before
