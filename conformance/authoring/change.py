"""What moved between what a case expects and what a port does, place by place, and the tree that says so.

Three classes: *create*, the case said nothing there; *fix*, it said something else; *trim*, it said what no longer
comes. What matches stays as it is written, looseners and folded texts too.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

from conformance.compare import LOOSENERS, loosener, match
from conformance.tree import ABSENT, Absent, Json, NotJson, compact, expand_repeat, join, read

Class = Literal["create", "fix", "trim"]
CLASSES: Final[tuple[Class, ...]] = ("create", "fix", "trim")


@dataclass(frozen=True, slots=True)
class Change:
    """One place: a pointer into the case file, what stood there, and what shall; `ABSENT` is nothing."""

    pointer: str
    old: Json | Absent
    new: Json | Absent

    @property
    def kind(self) -> Class:
        """The class of the change."""
        if isinstance(self.old, Absent):
            return "create"
        return "trim" if isinstance(self.new, Absent) else "fix"

    @property
    def lines(self) -> tuple[str, ...]:
        """Both values as JSON text, as a reader of a diff expects them."""
        old = () if isinstance(self.old, Absent) else (f"- {compact(self.old)}",)
        return old if isinstance(self.new, Absent) else (*old, f"+ {compact(self.new)}")


@dataclass(slots=True)
class Merge:
    """Merges what came into what is expected, and keeps a change for every place that moved."""

    changes: list[Change] = field(default_factory=list)

    def of(self, want: Json, got: Json, at: str) -> Json:
        """The expected tree, changed only where it does not match; `at` is where it stands in the case file."""
        if match(expand_repeat(want), got) is None:
            return want
        found = loosener(want)
        if found is not None:
            return self.fix(want, _loosely(found[0], got), at)
        if isinstance(want, dict) and isinstance(got, dict) and "$repeat" not in want:
            return self._objects(want, got, at)
        if isinstance(want, list) and isinstance(got, list):
            return self._lists(want, got, at)
        return self.fix(want, quoted(got), at)

    def fix(self, old: Json, new: Json, at: str) -> Json:
        """Puts another value in place of one."""
        self.changes.append(Change(at, old, new))
        return new

    def create(self, new: Json, at: str) -> Json:
        """Puts a value where there was none."""
        self.changes.append(Change(at, ABSENT, new))
        return new

    def trim(self, old: Json, at: str) -> None:
        """Takes a value away."""
        self.changes.append(Change(at, old, ABSENT))

    def _objects(self, want: dict[str, Json], got: dict[str, Json], at: str) -> Json:
        kept: dict[str, Json] = {}
        for key, value in want.items():
            if key in got:
                kept[key] = self.of(value, got[key], join(at, key))
            else:
                self.trim(value, join(at, key))
        created = {key: self.create(quoted(got[key]), join(at, key)) for key in got if key not in want}
        return kept | created

    def _lists(self, want: list[Json], got: list[Json], at: str) -> Json:
        both = zip(want, got, strict=False)
        kept = [self.of(left, right, join(at, index)) for index, (left, right) in enumerate(both)]
        for index in range(len(got), len(want)):
            self.trim(want[index], join(at, index))
        more = range(len(want), len(got))
        return kept + [self.create(quoted(got[index]), join(at, index)) for index in more]


def _loosely(name: str, got: Json) -> Json:
    """What a loosener becomes that no longer matches: equal JSON stays a loosener, anything else is exact from now."""
    if name == "$json" and type(got) is str:
        try:
            return {"$json": read(got)}
        except NotJson:
            return got
    return {"$literal": got} if name == "$literal" else quoted(got)


def quoted(value: Json) -> Json:
    """The value as data: what looks like a loosener is put under `$literal`."""
    if isinstance(value, list):
        return [quoted(item) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1 and (next(iter(value)) in LOOSENERS or "$repeat" in value):
        return {"$literal": value}
    return {key: quoted(item) for key, item in value.items()}
