"""How far a run is, for thousands of cases: one line that is rewritten on a terminal, a line a tenth elsewhere."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from typing import Final, Protocol

from conformance.report.events import CaseJudged
from conformance.report.terminal import brief

#: Failures that are named at once; the rest is counted until the end.
NAMED: Final = 10

#: Seconds between two pictures on a terminal, and the longest silence elsewhere.
_BLINK: Final = 0.1
_SILENCE: Final = 30.0


class Screen(Protocol):
    """The part of pytest's terminal reporter that is used."""

    @property
    def isatty(self) -> bool:
        """Can a line be written over?"""

    def rewrite(self, line: str, **markup: bool) -> None:
        """Write over the current line."""

    def write_line(self, line: str, **markup: bool) -> None:
        """Write a line."""


class Progress:
    """Takes each verdict as it comes; `total` is how many will come, 0 while that is unknown."""

    def __init__(self, screen: Screen, width: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.total = 0
        self._screen = screen
        self._width = width
        self._clock = clock
        self._began = self._shown = clock()
        self._states: Counter[str] = Counter()
        self._done = 0
        self._red = 0
        self._tenth = 0

    def add(self, event: CaseJudged) -> None:
        """Count a verdict, and show how far the run is when it is time to."""
        self._done += 1
        self._states[event.state] += 1
        if event.red:
            self._red += 1
            self._name(event)
        if self._screen.isatty:
            self._blink(event.id)
        else:
            self._step()

    def end(self) -> None:
        """The last picture stays."""
        if self._screen.isatty and self._done:
            self._screen.rewrite(self._line(""), erase=True)
            self._screen.write_line("")

    def _name(self, event: CaseJudged) -> None:
        if self._red > NAMED:
            return
        if self._screen.isatty:
            self._screen.rewrite("", erase=True)
        more = "  (from here on failures are only counted)" if self._red == NAMED else ""
        self._screen.write_line(f"{event.state.upper():<10} {event.id}  {brief(event)}{more}", red=True)

    def _blink(self, name: str) -> None:
        now = self._clock()
        if now - self._shown >= _BLINK or self._done == 1:
            self._shown = now
            self._screen.rewrite(self._line(name), erase=True)

    def _step(self) -> None:
        now = self._clock()
        tenth = 10 * self._done // self.total if self.total else 0
        if tenth > self._tenth or now - self._shown >= _SILENCE:
            self._tenth, self._shown = tenth, now
            self._screen.write_line(self._line(""))

    def _line(self, name: str) -> str:
        states = "  ".join(f"{count} {state}" for state, count in self._states.most_common())
        share = f"{100 * self._done // self.total:3}%  {self._done}/{self.total}" if self.total else str(self._done)
        text = f"{share}  {states}  {self._left()}  {name}".rstrip()
        return text[: self._width - 1] if self._screen.isatty else text

    def _left(self) -> str:
        spent = self._clock() - self._began
        if not self.total or self._done >= self.total:
            return _time(spent)
        return f"{_time(spent)}, {_time(spent / self._done * (self.total - self._done))} left"


def _time(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{seconds // 60:.0f} min {seconds % 60:02.0f} s"
