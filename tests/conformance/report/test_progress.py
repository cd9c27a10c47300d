"""How far a run is, on a terminal and elsewhere."""

from __future__ import annotations

from typing import Any

from conformance.report.progress import NAMED, Progress


class Screen:
    """Keeps what is written; `~` marks a line that is written over."""

    def __init__(self, isatty: bool) -> None:
        self.isatty = isatty
        self.lines: list[str] = []

    def rewrite(self, line: str, **_: bool) -> None:
        self.lines.append(f"~{line}")

    def write_line(self, line: str, **_: bool) -> None:
        self.lines.append(line)


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def ran(make: Any, states: list[str], *, isatty: bool, seconds: float = 1.0, total: int | None = None) -> list[str]:
    screen, clock = Screen(isatty), Clock()
    progress = Progress(screen, 80, clock)
    progress.total = len(states) if total is None else total
    for number, state in enumerate(states):
        clock.now += seconds
        progress.add(make(f"a/b/{number}", state))
    progress.end()
    return screen.lines


def test_elsewhere_there_is_a_line_a_tenth(make: Any) -> None:
    lines = ran(make, ["pass"] * 2000, isatty=False, seconds=0.01)
    assert len(lines) == 10
    assert lines[0] == " 10%  200/2000  200 pass  2 s, 18 s left"
    assert lines[-1] == "100%  2000/2000  2000 pass  20 s"


def test_elsewhere_no_silence_is_longer_than_half_a_minute(make: Any) -> None:
    assert len(ran(make, ["pass"] * 9, isatty=False, seconds=31, total=1000)) == 9


def test_on_a_terminal_one_line_is_written_over(make: Any) -> None:
    lines = ran(make, ["pass"] * 1000, isatty=True, seconds=0.01)
    assert all(line.startswith("~") for line in lines[:-1])
    assert 90 < len(lines) < 110
    assert lines[0] == "~  0%  1/1000  1 pass  0 s, 10 s left  a/b/0"
    assert lines[-2:] == ["~100%  1000/1000  1000 pass  10 s", ""]


def test_on_a_terminal_the_line_fits(make: Any) -> None:
    screen = Screen(True)
    Progress(screen, 20, Clock()).add(make("a/very/long-name-of-a-case"))
    assert len(screen.lines[0]) <= 20


def test_failures_are_named_at_once_but_not_by_the_hundred(make: Any) -> None:
    lines = ran(make, ["pass", *["fail"] * 500], isatty=False, seconds=0.001)
    named = [line for line in lines if line.startswith("FAIL")]
    assert len(named) == NAMED
    assert named[0] == "FAIL       a/b/1  request: /max_tokens"
    assert named[-1].endswith("(from here on failures are only counted)")
    assert lines[-1] == "100%  501/501  500 fail  1 pass  1 s"


def test_what_does_not_count_is_not_named(make: Any) -> None:
    assert len(ran(make, ["n/a"] * 10, isatty=False)) == 10


def test_without_a_total_there_is_no_share(make: Any) -> None:
    assert ran(make, ["pass"], isatty=True, total=0)[0] == "~1  1 pass  1 s  a/b/0"


def test_long_runs_count_minutes(make: Any) -> None:
    assert ran(make, ["pass"] * 2, isatty=False, seconds=125, total=4)[0].endswith("2 min 05 s, 6 min 15 s left")
