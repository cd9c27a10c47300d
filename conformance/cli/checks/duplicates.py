"""Cases that differ only in words: they check one thing twice and count once.

Two cases are alike when client, request, exchanges and outcome are the same after their words are taken out: texts of
plain words become one word, names and ids are numbered by first use. A text that is empty, blank, not ASCII or that
holds markup stays as it is, since that is what such cases are about.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from conformance.cli.checks.source import Source
from conformance.tree import Json, Number, compact

#: The parts of a case that say what it checks.
PARTS = (
    *("repeat", "client", "toolkit", "hooks", "request_params", "body_transform", "request", "request_text"),
    *("exchanges", "declare", "deltas", "result", "error", "fired", "warnings", "variants"),
)
WORDY = frozenset({"text", "content", "description", "thinking", "reasoning", "refusal", "system", "message", "title"})
NAMING = frozenset({"id", "name", "tool_call_id", "tool_use_id"})

_WORDS = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9 ,.;:'?!-]*[A-Za-z0-9.?!])?")
_NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")


@dataclass(slots=True)
class _Wordless:
    """Takes the words out of one case; `names` remembers which name came first."""

    names: dict[str, str] = field(default_factory=dict)

    def of(self, value: Json, key: str = "") -> Json:
        if isinstance(value, dict):
            return {name: self.of(item, name) for name, item in value.items()}
        if isinstance(value, list):
            return [self.of(item, key) for item in value]
        if not isinstance(value, str) or isinstance(value, Number):
            return value
        if key in NAMING and _NAME.fullmatch(value):
            return self.names.setdefault(value, f"name {len(self.names)}")
        return "words" if key in WORDY and _WORDS.fullmatch(value) else self.names.get(value, value)


def signature(case: Source) -> str:
    """What the case checks, without its words."""
    wordless = _Wordless()
    return compact([wordless.of(case.tree.get(part), part) for part in PARTS])


def alike(cases: Iterable[Source]) -> list[list[Source]]:
    """The groups of two and more cases that are alike, each in the order given."""
    groups: dict[str, list[Source]] = {}
    for case in cases:
        groups.setdefault(signature(case), []).append(case)
    return [group for group in groups.values() if len(group) > 1]
