"""Looseners: where they may stand, what they take, and the sentence each one needs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from conformance.cli.checks.source import Fault, Source, mapping, variant_values, walk
from conformance.tree import Json, join, plain

#: Where a loosener may stand.
LOOSE_AREAS = re.compile(r"/exchanges/\d+/expect/(headers|body)(/|$)|/(result|error|deltas)(/|$)")
#: Where {"$repeat": [text, n]} may stand.
REPEAT_AREAS = re.compile(r"/(request|request_params|body_transform)(/|$)|/exchanges/\d+/(reply|expect/body)(/|$)")

#: JSON Schema's own keys: alone in an object they are data of a tool schema.
SCHEMA_KEYWORDS = frozenset(
    {
        *("$anchor", "$comment", "$defs", "$dynamicAnchor", "$dynamicRef", "$id", "$recursiveAnchor"),
        *("$recursiveRef", "$ref", "$schema", "$vocabulary"),
    }
)
JSON_TYPES = frozenset({"string", "number", "integer", "boolean", "array", "object", "null"})
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")


def _any(argument: Any) -> str | None:
    return None if argument is True else "$any takes true"


def _type(argument: Any) -> str | None:
    return None if argument in JSON_TYPES else f"$type takes one of {', '.join(sorted(JSON_TYPES))}"


def _regex(argument: Any) -> str | None:
    try:
        re.compile(argument)
    except (re.error, TypeError) as wrong:
        return f"$regex: {wrong}"
    return None


def _json(argument: Any) -> str | None:
    return "$json takes the JSON itself, not the text of it" if isinstance(argument, str) else None


def _any_of(argument: Any) -> str | None:
    return None if isinstance(argument, list) and len(argument) > 1 else "$any_of takes a list of at least two"


def _raw(argument: Any) -> str | None:
    fine = isinstance(argument, str) and _NUMBER.fullmatch(argument)
    return None if fine else "$raw takes a number token as a string"


def _repeat(argument: Any) -> str | None:
    fine = isinstance(argument, list) and len(argument) == 2 and isinstance(argument[0], str)
    return None if fine and isinstance(argument[1], int) and argument[1] > 0 else "$repeat takes [text, n]"


def _fine(argument: Any) -> str | None:
    return None


#: Loosener → what is wrong with its argument, if anything.
LOOSENERS: dict[str, Callable[[Any], str | None]] = {
    "$any": _any,
    "$type": _type,
    "$regex": _regex,
    "$json": _json,
    "$any_of": _any_of,
    "$raw": _raw,
    "$literal": _fine,
}
#: These say exactly what is meant, so they need no sentence.
EXACT = frozenset({"$raw", "$literal"})


def lone_key(value: Json) -> str | None:
    """The `$` key of an object that has no other key."""
    if isinstance(value, dict) and len(value) == 1:
        key = next(iter(value))
        return key if key.startswith("$") else None
    return None


def marks(case: Source) -> Iterator[tuple[str, str, Json]]:
    """Each lone `$` key as (pointer, key, argument), where it takes effect; what $literal holds is plain data."""
    for root, value in [("", case.tree), *variant_values(case)]:
        literal: str | None = None
        for pointer, item in walk(value, root):
            if pointer.startswith("/variants/") or (literal is not None and pointer.startswith(literal)):
                continue
            key = lone_key(item)
            if key is not None and isinstance(item, dict):
                literal = f"{pointer}/" if key == "$literal" else literal
                yield pointer, key, item[key]


def check_looseners(case: Source) -> Iterator[Fault]:
    """Looseners stand where they work, are well-formed and have a sentence; other lone `$` keys are schema keywords."""
    sentences = mapping(case.value.get("loose"))
    used: set[str] = set()
    for pointer, key, argument in marks(case):
        value = plain(argument)
        if key == "$repeat":
            yield from _judge(case, pointer, REPEAT_AREAS, "request, reply and expected body", _repeat(value))
        elif key in LOOSENERS:
            yield from _judge(case, pointer, LOOSE_AREAS, "expect, result, error and deltas", LOOSENERS[key](value))
            covering = [told for told in sentences if f"{pointer}/".startswith(f"{told}/")]
            used.update(covering)
            if not covering and key not in EXACT:
                yield case.fault("looseners", pointer, f"{key} needs a sentence in loose: why is it not exact?")
        elif key not in SCHEMA_KEYWORDS:
            yield case.fault("looseners", pointer, f"{key} is no loosener and no schema keyword; $literal quotes data")
    for pointer in sentences.keys() - used:
        yield case.fault("looseners", join("/loose", pointer), "nothing is loose there")


def _judge(case: Source, pointer: str, areas: re.Pattern[str], where: str, wrong: str | None) -> Iterator[Fault]:
    if not areas.match(pointer):
        yield case.fault("looseners", pointer, f"works only in {where}")
    elif wrong:
        yield case.fault("looseners", pointer, wrong)
