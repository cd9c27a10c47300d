"""A stream's deltas, joined so that ports may cut differently (SPEC section 6, "Deltas").

Each delta is taken apart into single steps; empty texts and empty token counts say nothing, and neighbouring fragments
of one text or of one call are one. Order, index, ids and content stay exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from conformance.listed import counts
from conformance.tree import Json

#: Texts whose neighbouring fragments are one.
_TEXTS: Final = ("content", "reasoning_content", "refusal")

#: The order of what comes in one delta, where an object has none: as a reader would hear it. The rest stands behind.
_ORDER: Final = ("role", "reasoning_content", "content", "refusal", "tool_calls")


def joined(deltas: Json) -> Json:
    """The steps of a list of deltas, in canonical form; what is no list of objects is handed back as it is."""
    if not isinstance(deltas, list):
        return deltas
    steps: list[Json] = []
    run = _Run()
    for delta in deltas:
        for step in _steps(delta) if isinstance(delta, dict) else (delta,):
            follower = _Run(step)
            if not run.takes(follower):
                run.close()
                steps.append(step)
                run = follower
    run.close()
    return steps


class _Run:
    """A step and the fragments behind it that are of the same text or call; joined at once, for streams are long."""

    def __init__(self, step: Json = None) -> None:
        self._holder, self._key, self._name = _fragment(step)
        self._pieces = [] if self._holder is None else [self._holder[self._key]]

    def takes(self, other: _Run) -> bool:
        """Adds the fragment of a step that goes on with this one."""
        if other._holder is None or self._holder is None or other._name != self._name:
            return False
        self._pieces.extend(other._pieces)
        return True

    def close(self) -> None:
        """Puts the pieces together."""
        if self._holder is not None and len(self._pieces) > 1:
            self._holder[self._key] = "".join(map(str, self._pieces))


def _fragment(step: Json) -> tuple[dict[str, Json] | None, str, tuple[str, Json]]:
    """Where a step's text stands, and whose it is; None where it is no fragment. A number is no text."""
    if not isinstance(step, dict) or len(step) != 1:
        return None, "", ("", None)
    ((key, value),) = step.items()
    if key in _TEXTS and type(value) is str:
        return step, key, ("text", key)
    match value:
        case [{"index": index, "function": dict() as function, **others}] if key == "tool_calls" and not others:
            if function.keys() == {"arguments"} and type(function["arguments"]) is str:
                return function, "arguments", ("call", index)
    return None, "", ("", None)


def _steps(delta: dict[str, Json]) -> Iterator[Json]:
    for key, value in sorted(delta.items(), key=_place):
        if key in _TEXTS:
            if value not in (None, ""):
                yield {key: value}
        elif key == "tool_calls" and isinstance(value, list):
            for call in value:
                yield from _call_steps(call)
        elif value is not None:
            yield {key: counts(value) if key == "usage" else value}


def _place(row: tuple[str, Json]) -> int:
    return _ORDER.index(row[0]) if row[0] in _ORDER else len(_ORDER)


def _call_steps(call: Json) -> Iterator[Json]:
    """A call's beginning and its first fragment are two steps, however they were sent."""
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(call, dict) or not isinstance(function, dict):
        yield {"tool_calls": [call]}
        return
    arguments = function.get("arguments")
    if "id" in call or "name" in function:
        head = {key: value for key, value in call.items() if key != "function"}
        named: dict[str, Json] = {**function, "arguments": ""}
        yield {"tool_calls": [{**head, "function": named}]}
    if arguments not in (None, ""):
        yield {"tool_calls": [{"index": call.get("index"), "function": {"arguments": arguments}}]}
