"""How a process ended, told truthfully: its exit code, or the signal that killed it."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from dataclasses import dataclass
from typing import Any, Final

#: Asks how a process ended without giving its id back, which stays the id of its group; not there on every system.
_WAITID: Final = getattr(os, "waitid", None)


@dataclass(frozen=True, slots=True)
class Ending:
    """An exit code, or minus a signal's number (as `subprocess` writes it)."""

    code: int

    def __str__(self) -> str:
        return f"exit code {self.code}" if self.code >= 0 else f"killed by {_signal(-self.code)}"

    @property
    def hint(self) -> str:
        """What a shell or a container means by an exit code above 128; "" for any other."""
        if 128 < self.code < 128 + signal.NSIG:
            return f"a shell or container says so of a process that {_signal(self.code - 128)} killed"
        return ""


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def wait_for(process: subprocess.Popen[bytes]) -> Ending:
    """Wait for the end of a process, however long that takes."""
    if _WAITID is None:
        return Ending(process.wait())
    found = None
    while found is None and process.returncode is None:
        try:
            found = _WAITID(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        except ChildProcessError:  # somebody waited for it just now
            time.sleep(0.001)
    return Ending(int(process.returncode or 0)) if found is None else _told(found)


def _told(found: Any) -> Ending:
    return Ending(found.si_status if found.si_code == os.CLD_EXITED else -found.si_status)


def exited(process: subprocess.Popen[bytes]) -> bool:
    """Has it ended? Where that can be helped, asking does not give its id back."""
    if process.returncode is not None:
        return True
    if _WAITID is None:
        return process.poll() is not None
    try:
        return _WAITID(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:
        return True
