"""How processes end, told truthfully."""

from __future__ import annotations

import subprocess
import sys

import pytest

from conformance.drivers import ending
from conformance.drivers.ending import Ending, exited, wait_for

WAYS = [
    ("raise SystemExit(0)", "exit code 0", ""),
    ("raise SystemExit(7)", "exit code 7", ""),
    ("import os; os._exit(137)", "exit code 137", "a shell or container says so of a process that SIGKILL killed"),
    ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "killed by SIGKILL", ""),
    ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "killed by SIGSEGV", ""),
]


@pytest.mark.parametrize("here", [True, False])
@pytest.mark.parametrize(("program", "how", "hint"), WAYS)
def test_each_end_is_told(program: str, how: str, hint: str, here: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not here:
        monkeypatch.setattr(ending, "_WAITID", None)
    process = subprocess.Popen([sys.executable, "-c", program])
    found = wait_for(process)
    assert (str(found), found.hint) == (how, hint)
    assert exited(process)
    assert process.wait() == found.code


def test_waiting_does_not_give_the_id_back() -> None:
    process = subprocess.Popen([sys.executable, "-c", ""])
    wait_for(process)
    assert process.returncode is None
    assert exited(process)
    process.wait()


def test_one_that_runs_has_not_ended() -> None:
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    assert not exited(process)
    process.communicate(b"\n")
    assert exited(process)


def test_one_that_somebody_else_waited_for() -> None:
    process = subprocess.Popen([sys.executable, "-c", "raise SystemExit(3)"])
    process.wait()
    assert wait_for(process) == Ending(3)


def test_a_signal_nobody_knows() -> None:
    assert str(Ending(-250)) == "killed by signal 250"
