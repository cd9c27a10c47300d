"""Shapes of JSON values as data: what a key may hold, and what is wrong when it holds something else.

A *kind* is a function of a value and its place that yields faults. Kinds say nothing about a provider:
each provider renders the faults in its own words (`anthropic/schema.py`, `openai/schema.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from conformance.providers.at import At


@dataclass(frozen=True, slots=True)
class Fault:
    """One place where a value does not fit its shape.

    `code` is one of missing, extra, type, choice, pattern, long, low, high, few, many, tag. `want` is
    what the shape allows, `got` what was found. `rule` names a rule of its own, if the shape has one;
    `key` is the key that holds an unknown tag.
    """

    code: str
    at: At
    want: object = ""
    got: object = ""
    rule: str | None = None
    key: str = ""


Kind = Callable[[object, At], Iterator[Fault]]


def json_type(value: object) -> str:
    """The JSON type of a decoded value: null, boolean, integer, number, string, list or object."""
    return _TYPES.get(type(value), "object" if isinstance(value, dict) else type(value).__name__)


_TYPES: Mapping[type, str] = {
    type(None): "null",
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "list",
    dict: "object",
}


def anything(_value: object, _at: At) -> Iterator[Fault]:
    """Any value at all."""
    yield from ()


def text(pattern: str | None = None, most: int | None = None) -> Kind:
    """A string, matching the pattern as a whole and at most `most` characters long."""
    compiled = re.compile(pattern) if pattern else None

    def kind(value: object, at: At) -> Iterator[Fault]:
        if not isinstance(value, str):
            yield Fault("type", at, "string", json_type(value))
        elif compiled and not compiled.fullmatch(value):
            yield Fault("pattern", at, pattern, value)
        elif most is not None and len(value) > most:
            yield Fault("long", at, most, len(value))

    return kind


def _plain(type_name: str, *python: type) -> Kind:
    def kind(value: object, at: At) -> Iterator[Fault]:
        if not isinstance(value, python):
            yield Fault("type", at, type_name, json_type(value))

    return kind


flag: Kind = _plain("boolean", bool)
mapping: Kind = _plain("object", dict)


def _ranged(type_name: str, python: tuple[type, ...], least: float | None, most: float | None) -> Kind:
    def kind(value: object, at: At) -> Iterator[Fault]:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not isinstance(value, python):
            yield Fault("type", at, type_name, json_type(value))
        elif least is not None and value < least:
            yield Fault("low", at, least, value)
        elif most is not None and value > most:
            yield Fault("high", at, most, value)

    return kind


def whole(least: int | None = None, most: int | None = None) -> Kind:
    """An integer within the bounds, both allowed."""
    return _ranged("integer", (int,), least, most)


def number(least: float | None = None, most: float | None = None) -> Kind:
    """Any number within the bounds, both allowed."""
    return _ranged("number", (int, float), least, most)


def one_of(*words: str) -> Kind:
    """One of the given strings."""
    allowed = frozenset(words)

    def kind(value: object, at: At) -> Iterator[Fault]:
        if not isinstance(value, str) or value not in allowed:
            yield Fault("choice", at, words, value)

    return kind


def null_or(inner: Kind) -> Kind:
    """Null, or what `inner` allows."""

    def kind(value: object, at: At) -> Iterator[Fault]:
        if value is not None:
            yield from inner(value, at)

    return kind


def listing(item: Kind, least: int = 0, most: int | None = None) -> Kind:
    """A list of `item`, with at least `least` and at most `most` of them."""

    def kind(value: object, at: At) -> Iterator[Fault]:
        if not isinstance(value, list):
            yield Fault("type", at, "list", json_type(value))
            return
        if len(value) < least:
            yield Fault("few", at, least, len(value))
        if most is not None and len(value) > most:
            yield Fault("many", at, most, len(value))
            return
        for index, element in enumerate(value):
            yield from item(element, at / index)

    return kind


def by_type(**kinds: Kind) -> Kind:
    """The kind named after the value's JSON type; integers also answer to `number`."""
    wanted = " or ".join(kinds)

    def kind(value: object, at: At) -> Iterator[Fault]:
        found = json_type(value)
        chosen = kinds.get(found)
        if chosen is None:
            yield Fault("type", at, wanted, found)
        else:
            yield from chosen(value, at)

    return kind


def mapping_of(item: Kind, most: int | None = None, key: Kind = anything) -> Kind:
    """An object whose keys are free: `key` judges each name, `item` each value."""

    def kind(value: object, at: At) -> Iterator[Fault]:
        if not isinstance(value, dict):
            yield Fault("type", at, "object", json_type(value))
            return
        if most is not None and len(value) > most:
            yield Fault("many", at, most, len(value))
        for name, element in value.items():
            yield from key(name, at / name)
            yield from item(element, at / name)

    return kind


def record(known: Mapping[str, Kind], required: Sequence[str] = (), missing: Mapping[str, str] | None = None) -> Kind:
    """An object of the known keys and no other.

    `missing` names the rule broken when a required key is absent, where it has one of its own.
    """
    rules = missing or {}

    def kind(value: object, at: At) -> Iterator[Fault]:
        if not isinstance(value, dict):
            yield Fault("type", at, "object", json_type(value))
            return
        for name in required:
            if name not in value:
                yield Fault("missing", at / name, rule=rules.get(name))
        for name, element in value.items():
            inner = known.get(name)
            if inner is None:
                yield Fault("extra", at / name)
            else:
                yield from inner(element, at / name)

    return kind


def tagged(
    variants: Mapping[str, Kind],
    key: str = "type",
    default: str | None = None,
    rule: str | None = None,
    free: re.Pattern[str] | None = None,
) -> Kind:
    """An object whose `key` chooses the variant.

    `default` is the variant when the key is absent or null, `rule` is broken by an unknown tag, and
    tags that match `free` are not looked into (variants behind a beta header).
    """

    def kind(value: object, at: At) -> Iterator[Fault]:
        if not isinstance(value, dict):
            yield Fault("type", at, "object", json_type(value))
            return
        tag = value.get(key)
        if tag is None:
            tag = default
        if tag is None:
            yield Fault("missing", at / key)
        elif isinstance(tag, str) and tag in variants:
            yield from variants[tag](value, at.tagged(tag))
        elif not (free and isinstance(tag, str) and free.fullmatch(tag)):
            yield Fault("tag", at, tuple(variants), tag, rule, key)

    return kind


def ruled(rule: str, inner: Kind, *codes: str) -> Kind:
    """`inner`, with its own faults (of the given codes, or all) breaking a rule of their own name."""

    def kind(value: object, at: At) -> Iterator[Fault]:
        for fault in inner(value, at):
            own = fault.at is at and fault.rule is None and (not codes or fault.code in codes)
            yield replace(fault, rule=rule) if own else fault

    return kind
