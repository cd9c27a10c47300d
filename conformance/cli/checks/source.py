"""One case file as lint sees it: its text, its values, and the line of each value."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from conformance.tree import Json, NotJson, join, plain, read_bytes

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong: where it stands, and what would be right. `check` names the rule that found it."""

    path: Path
    line: int
    pointer: str
    message: str
    check: str = ""

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.pointer or '/'}: {self.message}"


@dataclass(frozen=True)
class Source:
    """A case file that could be read. `tree` keeps number tokens, `value` is the same as plain Python values."""

    path: Path
    id: str
    text: str
    tree: dict[str, Json]

    @classmethod
    def load(cls, path: Path) -> Source:
        """Read a case; its id is its path below the folder `cases`, without the suffix. Raises `NotJson`."""
        raw = path.read_bytes()
        tree = read_bytes(raw)
        if not isinstance(tree, dict):
            raise NotJson("a case is an object", 1)
        return cls(path, identity(path), raw.decode("utf-8"), tree)

    @cached_property
    def value(self) -> dict[str, Any]:
        """The case as plain values; numbers that Python cannot hold exactly are floats."""
        value: dict[str, Any] = plain(self.tree)
        return value

    @property
    def cited(self) -> tuple[str, ...]:
        """The ids of the clauses the case cites."""
        return tuple(item for item in self.value.get("clauses") or () if isinstance(item, str))

    @property
    def negative(self) -> bool:
        """Whether the case expects an error or a warning."""
        return "error" in self.value or "warnings" in self.value

    @cached_property
    def _lines(self) -> dict[str, int]:
        return lines(self.text)

    def line(self, pointer: str) -> int:
        """The line of a value, or of the nearest value around it that exists."""
        while pointer and pointer not in self._lines:
            pointer = pointer.rpartition("/")[0]
        return self._lines.get(pointer, 1)

    def fault(self, check: str, pointer: str, message: str) -> Fault:
        """A fault of this case."""
        return Fault(self.path, self.line(pointer), pointer, message, check)


def identity(path: Path) -> str:
    """The id that the file's place gives: what follows the innermost folder `cases`."""
    steps = path.resolve().with_suffix("").parts
    above = [index for index, step in enumerate(steps[:-1]) if step == "cases"]
    return "/".join(steps[above[-1] + 1 :]) if above else steps[-1]


def walk(value: Json, pointer: str = "") -> Iterator[tuple[str, Json]]:
    """Each value with its pointer, outermost first."""
    yield pointer, value
    if isinstance(value, dict):
        for key, item in value.items():
            yield from walk(item, join(pointer, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from walk(item, join(pointer, index))


def mapping(value: Any) -> dict[str, Any]:
    """The value if it is an object, else an empty one: checks go on after a schema fault."""
    return value if isinstance(value, dict) else {}


def variant_values(case: Source) -> Iterator[tuple[str, Json]]:
    """Each value that a variant puts in place, with the pointer where it lands."""
    for changes in mapping(case.tree.get("variants")).values():
        yield from mapping(changes).items()


def lines(text: str) -> dict[str, int]:
    """The line of each value of a valid JSON text by pointer; a member of an object has the line of its key."""
    found = {"": 1}
    steps: list[str | int] = []  # the open containers' current key or index
    pointers = [""]  # the open containers
    line, last, expects_key = 1, 0, False
    for token in _TOKEN.finditer(text):
        line += text.count("\n", last, token.start())
        last = token.start()
        mark = token[0]
        if mark in "]}":
            steps.pop()
            pointers.pop()
        elif mark == ",":
            expects_key = isinstance(steps[-1], str)
            if not expects_key:
                steps[-1] = int(steps[-1]) + 1
        elif mark == ":":
            expects_key = False
        elif expects_key:
            steps[-1] = json.loads(mark)
            found[join(pointers[-1], steps[-1])] = line
        else:
            pointer = join(pointers[-1], steps[-1]) if steps else ""
            found.setdefault(pointer, line)
            if mark in "[{":
                pointers.append(pointer)
                steps.append("" if mark == "{" else 0)
                expects_key = mark == "{"
    return found
