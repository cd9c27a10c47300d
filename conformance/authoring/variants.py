"""What a variant expects otherwise than its case, as changes at pointers: the only form a case file has for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, cast

from conformance.authoring.change import Change
from conformance.authoring.expectation import Unblessable
from conformance.tree import ABSENT, Json, get, put, steps

Tree = dict[str, Json]


#: What says of a part that there is none.
_EMPTY: Final[dict[str, Json]] = {"/warnings": []}


def applied(base: Tree, changes: Mapping[str, Json]) -> Tree:
    """The case's tree with a variant's changes, as it is written."""
    tree: Json = {key: value for key, value in base.items() if key != "variants"}
    for pointer, value in changes.items():
        tree = put(tree, pointer, value)
    return cast("Tree", tree)


def overridden(variant: Mapping[str, Json], tree: Tree, changes: Iterable[Change]) -> Tree:
    """The variant's changes, so extended that they lead to `tree`; raises `Unblessable` where they cannot.

    A variant puts values, and takes none away: where a list got longer or something went, what is around it is put
    whole.
    """
    found = dict(variant)
    for change in changes:
        _override(found, _place(change), tree)
    return found


def _place(change: Change) -> str:
    """The pointer whose value has to be put."""
    parent, _, last = change.pointer.rpartition("/")
    if change.kind == "fix" or (change.kind == "create" and not last.isdigit()):
        return change.pointer
    if not parent:
        raise Unblessable(f"a variant cannot take {change.pointer} away; write a case of its own")
    return parent


def _override(found: Tree, pointer: str, tree: Tree) -> None:
    around = _around(found, pointer)
    place = pointer if around is None else around
    value = get(tree, place)
    value = _EMPTY.get(place, ABSENT) if value is ABSENT else value
    if value is ABSENT:
        raise Unblessable(f"a variant cannot take {place} away; write a case of its own")
    for inner in [name for name in found if name != place and f"{name}/".startswith(f"{place}/")]:
        del found[inner]
    found[place] = value


def _around(found: Tree, pointer: str) -> str | None:
    """What the variant puts already around the place; what it appends to a list counts as the list."""
    for name in found:
        whole = name.removesuffix("/-") if steps(name)[-1] == "-" else name
        if f"{pointer}/".startswith(f"{whole}/"):
            return whole
    return None
