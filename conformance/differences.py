"""All differences between two trees, for people: rendered by deepdiff, which never judges.

deepdiff takes `[1]` and `[1.0]`, `[True]` and `[1]` for equal unless told otherwise, so it is given every scalar as its
JSON text, and only asked once `compare.match` has said that there is a difference.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from conformance.compare import Kind, loosener, match, type_of
from conformance.faults import KitFault
from conformance.tree import ABSENT, Absent, Json, compact, get, join

#: How many differences of one comparison are kept.
MOST: Final = 50

#: What a path looks like to deepdiff and to us.
_Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference: where, how, and both values as JSON text; None is absent."""

    where: str
    kind: Kind
    want: str | None
    got: str | None


def between(want: Json, got: Json, at: str = "") -> tuple[Difference, ...]:
    """Every difference of two trees that do not match, in document order, at most `MOST`.

    `at` goes before each pointer. Raises `KitFault` when none is found: a verdict that cannot be shown is a fault of
    the kit, not of the port.
    """
    found = sorted(_paths(want, got), key=_order(want, got))
    if not found:
        raise KitFault(f"a comparison failed, but shows no difference: {compact(want)[:200]} and {compact(got)[:200]}")
    return tuple(_difference(want, got, path, at) for path in found[:MOST])


def _paths(want: Json, got: Json) -> set[_Path]:
    from deepdiff import DeepDiff  # takes longer to import than a whole run without failures

    found = DeepDiff(
        _resolved(want, got),
        _leaves(got),
        view="tree",
        zip_ordered_iterables=True,
        threshold_to_diff_deeper=0,
        ignore_private_variables=False,  # a key may begin with two underscores
    )
    return {tuple(level.path(output_format="list")) for levels in found.values() for level in levels}


def _leaves(value: Json) -> object:
    """The tree with each scalar as its JSON text: texts are all that deepdiff then has to tell apart."""
    if isinstance(value, dict):
        return {key: _leaves(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_leaves(item) for item in value]
    return compact(value)


def _resolved(want: Json, got: Json | Absent, loose: bool = True) -> object:
    """The expected tree as leaves, where whatever matches already is what was received."""
    if got is not ABSENT and match(want, got, loose=loose) is None:
        return _leaves(got)
    found = loosener(want) if loose else None
    if found is not None:
        return _resolved(found[1], got, loose=False) if found[0] == "$literal" else compact(want)
    if isinstance(want, dict):
        inner = got if isinstance(got, dict) else {}
        return {key: _resolved(item, inner.get(key, ABSENT), loose) for key, item in want.items()}
    if isinstance(want, list):
        pairs = got if isinstance(got, list) else []
        return [_resolved(item, pairs[n] if n < len(pairs) else ABSENT, loose) for n, item in enumerate(want)]
    return compact(want)


def _difference(want: Json, got: Json, path: _Path, at: str) -> Difference:
    pointer = _pointer(path)
    left, right = _expected(want, path), get(got, pointer)
    return Difference(at + pointer, _kind(left, right), _text(left), _text(right))


def _expected(want: Json, path: _Path) -> Json | Absent:
    """What a case expects at a path of the received tree: `$literal` is a step there, but none here."""
    value, loose = want, True
    for step in path:
        found = loosener(value) if loose else None
        if found is not None and found[0] == "$literal":
            value, loose = found[1], False
        inner = get(value, join("", step))
        if inner is ABSENT:
            return ABSENT
        value = inner
    return value


def _kind(want: Json | Absent, got: Json | Absent) -> Kind:
    if want is ABSENT or got is ABSENT:
        return "unexpected" if want is ABSENT else "missing"
    return "type" if loosener(want) is None and type_of(want) != type_of(got) else "value"


def _text(value: Json | Absent) -> str | None:
    return None if isinstance(value, Absent) else compact(value)


def _pointer(path: _Path) -> str:
    pointer = ""
    for step in path:
        pointer = join(pointer, step)
    return pointer


def _order(want: Json, got: Json) -> Callable[[_Path], int]:
    """Document order: that of the expected tree, then that of what came besides."""
    places: dict[_Path, int] = {}
    for tree in (want, got):
        for path in _walk(tree, ()):
            places.setdefault(path, len(places))
    return lambda path: places.get(path, len(places))


def _walk(value: Json, path: _Path) -> list[_Path]:
    found = [path]
    if isinstance(value, dict):
        for key, item in value.items():
            found.extend(_walk(item, (*path, key)))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            found.extend(_walk(item, (*path, index)))
    return found
