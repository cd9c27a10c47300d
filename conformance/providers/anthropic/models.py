"""What each model refuses (wire-facts B9, B3.1, B8 35, 40), as data.

A row is found by name as the clause `anthropic.models` says: `claude-<family>-<version>` anywhere in the name; a newer
version of a known family takes its newest row, a version between two rows the older of them, one before the oldest row
that row, every other name none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

LEVELS = ("low", "medium", "high", "xhigh", "max")
WITHOUT_XHIGH = ("low", "medium", "high", "max")
UP_TO_HIGH = ("low", "medium", "high")
NO_EFFORT: tuple[str, ...] = ()

_NAME = re.compile(
    r"claude-(?P<family>opus|sonnet|haiku|fable|mythos)-"
    r"(?:(?P<preview>preview)|(?P<major>\d{1,2})(?:[-.](?P<minor>\d{1,2})(?!\d))?(?!\d))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Model:
    """What one model refuses.

    `sampling`, `enabled`, `disabled`, `adaptive`, `forced`, `prefill` are B9's letters S E D A F P;
    `disabled_above_high` is D only with effort xhigh or max, `both_samplers` refuses temperature beside
    top_p, `system_role` refuses mid-conversation system turns. `efforts` are the levels on offer,
    `max_output` is in tokens.
    """

    sampling: bool = False
    enabled: bool = False
    disabled: bool = False
    adaptive: bool = False
    forced: bool = False
    prefill: bool = False
    disabled_above_high: bool = False
    both_samplers: bool = False
    system_role: bool = False
    efforts: tuple[str, ...] = LEVELS
    max_output: int = 128_000


_OPUS_4 = Model(adaptive=True, system_role=True, efforts=NO_EFFORT, max_output=32_000)
_OPUS_4_1 = Model(adaptive=True, both_samplers=True, system_role=True, efforts=NO_EFFORT, max_output=32_000)
_OTHER_4 = Model(adaptive=True, system_role=True, efforts=NO_EFFORT, max_output=64_000)
_OPUS_4_5 = Model(adaptive=True, both_samplers=True, system_role=True, efforts=UP_TO_HIGH, max_output=64_000)
_OTHER_4_5 = Model(adaptive=True, both_samplers=True, system_role=True, efforts=NO_EFFORT, max_output=64_000)
_4_6 = Model(prefill=True, both_samplers=True, system_role=True, efforts=WITHOUT_XHIGH)
_OPUS_4_7 = Model(sampling=True, enabled=True, prefill=True, system_role=True)
_OPUS_4_8 = Model(sampling=True, enabled=True, prefill=True)
_SONNET_5 = Model(sampling=True, enabled=True, prefill=True, system_role=True)
_SOMETIMES_ON = Model(sampling=True, enabled=True, prefill=True, disabled_above_high=True)
_ALWAYS_ON = Model(sampling=True, enabled=True, disabled=True, prefill=True)
_NEWEST = Model(sampling=True, enabled=True, disabled=True, forced=True, prefill=True)
_MYTHOS_PREVIEW = Model(sampling=True, disabled=True, forced=True, prefill=True)

Version = tuple[int, int]

PREVIEW: Version = (0, 0)

ROWS: dict[str, dict[Version, Model]] = {
    "opus": {
        (4, 0): _OPUS_4,
        (4, 1): _OPUS_4_1,
        (4, 5): _OPUS_4_5,
        (4, 6): _4_6,
        (4, 7): _OPUS_4_7,
        (4, 8): _OPUS_4_8,
        (5, 0): _SOMETIMES_ON,
        (5, 5): _NEWEST,
    },
    "sonnet": {(4, 0): _OTHER_4, (4, 5): _OTHER_4_5, (4, 6): _4_6, (5, 0): _SONNET_5, (5, 5): _NEWEST},
    "haiku": {(4, 0): _OTHER_4, (4, 5): _OTHER_4_5, (5, 5): _SOMETIMES_ON},
    "fable": {(5, 0): _ALWAYS_ON, (5, 1): _NEWEST},
    "mythos": {PREVIEW: _MYTHOS_PREVIEW, (5, 0): _ALWAYS_ON},
}


def model(name: object) -> Model | None:
    """The row of a model by its name, or None for a name that no row matches."""
    found = _NAME.search(name) if isinstance(name, str) else None
    if found is None:
        return None
    rows = ROWS[found["family"].lower()]
    versions = sorted(row for row in rows if row != PREVIEW)
    if found["preview"]:
        return rows.get(PREVIEW, rows[versions[-1]])
    version = (int(found["major"]), int(found["minor"] or 0))
    older = [row for row in versions if row <= version]
    return rows[older[-1] if older else versions[0]]
