"""What each model refuses, as data (wire-facts B9; clause `anthropic.models`).

A name that matches no family is unrestricted: what a server we do not know refuses, it says itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

SAMPLING = "sampling"
ENABLED = "enabled"
DISABLED = "disabled"
ADAPTIVE = "adaptive"
FORCED_CHOICE = "forced-choice"
PREFILL = "prefill"
TEMPERATURE_WITH_TOP_P = "temperature-with-top-p"
REFUSALS = frozenset({SAMPLING, ENABLED, DISABLED, ADAPTIVE, FORCED_CHOICE, PREFILL, TEMPERATURE_WITH_TOP_P})

EFFORTS = ("low", "medium", "high", "xhigh", "max")


class Model(Struct, frozen=True):
    """One row: what is refused, which efforts are offered, and whether thinking is on when nothing is said.

    `known` tells a row of the table from the unrestricted one.
    """

    refuses: frozenset[str] = frozenset()
    efforts: tuple[str, ...] = EFFORTS
    thinks: bool = False
    known: bool = False


UNRESTRICTED = Model()

_NEWEST = frozenset({SAMPLING, ENABLED, DISABLED, FORCED_CHOICE, PREFILL})
_ALWAYS_THINKING = frozenset({SAMPLING, ENABLED, DISABLED, PREFILL})
_FIVE = frozenset({SAMPLING, ENABLED, PREFILL})
_FOUR_SIX = Model(frozenset({PREFILL, TEMPERATURE_WITH_TOP_P}), ("low", "medium", "high", "max"), False, True)
_FOUR_FIVE = Model(frozenset({ADAPTIVE, TEMPERATURE_WITH_TOP_P}), EFFORTS, False, True)
_FOUR = Model(frozenset({ADAPTIVE}), EFFORTS, False, True)
_THINKING_OFF = Model(_FIVE, EFFORTS, False, True)
_THINKING_ON = Model(_FIVE, EFFORTS, True, True)

_PREVIEW = (-1, 0)

# family -> version -> row; a version between two takes the older one, one outside takes the nearest.
_TABLE: dict[str, dict[tuple[int, int], Model]] = {
    "opus": {
        (4, 0): _FOUR,
        (4, 1): _FOUR_FIVE,
        (4, 5): _FOUR_FIVE,
        (4, 6): _FOUR_SIX,
        (4, 7): _THINKING_OFF,
        (4, 8): _THINKING_OFF,
        (5, 0): _THINKING_ON,
        (5, 5): Model(_NEWEST, EFFORTS, True, True),
    },
    "sonnet": {
        (4, 0): _FOUR,
        (4, 5): _FOUR_FIVE,
        (4, 6): _FOUR_SIX,
        (5, 0): _THINKING_ON,
        (5, 5): Model(_NEWEST, EFFORTS, True, True),
    },
    "haiku": {
        (4, 0): _FOUR,
        (4, 5): _FOUR_FIVE,
        (5, 5): _THINKING_ON,
    },
    "fable": {
        (5, 0): Model(_ALWAYS_THINKING, EFFORTS, True, True),
        (5, 1): Model(_NEWEST, EFFORTS, True, True),
    },
    "mythos": {
        _PREVIEW: Model(frozenset({SAMPLING, DISABLED, FORCED_CHOICE, PREFILL}), EFFORTS, True, True),
        (5, 0): Model(_ALWAYS_THINKING, EFFORTS, True, True),
    },
}

# A minor version has at most two digits and no more after them: eight are a date (`claude-sonnet-4-20250514`).
_NAME = re.compile(r"claude-(opus|sonnet|haiku|fable|mythos)-(?:(preview)|(\d{1,2})(?:[-.](\d{1,2})(?!\d))?(?!\d))")


def model_named(name: str, overrides: Mapping[str, Model]) -> Model:
    """The row of a model name; a setting beats the table, and a name outside it is unrestricted."""
    override = overrides.get(name)
    if override is not None:
        return override
    found = _NAME.search(name)
    if found is None:
        return UNRESTRICTED
    family, preview, major, minor = found.groups()
    rows = _TABLE[family]
    if preview:
        return rows.get(_PREVIEW) or rows[max(rows)]
    version = (int(major), int(minor or 0))
    versions = [row for row in rows if row != _PREVIEW]
    older = [row for row in versions if row <= version]
    return rows[max(older) if older else min(versions)]


def read_overrides(setting: Mapping[str, Any] | None) -> dict[str, Model]:
    """The `models` setting as rows: `{name: {"refuses": [...], "efforts": [...], "thinking": "on"|"off"}}`.

    Raises `ValueError` at a word that the table does not know.
    """
    rows: dict[str, Model] = {}
    for name, row in (setting or {}).items():
        if isinstance(row, Model):
            rows[name] = row
            continue
        if not isinstance(row, Mapping):
            raise ValueError(f"models[{name!r}] is no mapping")
        unknown = set(row) - {"refuses", "efforts", "thinking"}
        refuses, efforts = frozenset(row.get("refuses", ())), tuple(row.get("efforts", EFFORTS))
        unknown |= (refuses - REFUSALS) | (set(efforts) - set(EFFORTS)) | ({row.get("thinking", "off")} - {"on", "off"})
        if unknown:
            raise ValueError(f"models[{name!r}]: unknown {', '.join(sorted(map(str, unknown)))}")
        rows[name] = Model(refuses, efforts, row.get("thinking") == "on", bool(row))
    return rows
