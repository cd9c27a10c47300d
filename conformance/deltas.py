"""A stream's deltas, joined so that ports may cut differently (SPEC section 6, "Deltas").

Each delta is taken apart into single steps; empty texts and empty token counts say nothing, and neighbouring fragments
of one text or of one call are one. Order, index, ids and content stay exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
    for delta in deltas:
        if not isinstance(delta, dict):
            steps.append(delta)
            continue
        for step in _steps(delta):
            if not (steps and _append(steps[-1], step)):
                steps.append(step)
    return steps


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


def _append(last: Json, step: Json) -> bool:
    """Adds a fragment to the step before it where both are of one text or one call."""
    if not isinstance(last, dict) or not isinstance(step, dict):
        return False
    return any(join(last, step) for join in _JOINS)


def _join_text(last: dict[str, Json], step: dict[str, Json]) -> bool:
    (key, text), *more = step.items()
    before = last.get(key)
    if more or key not in _TEXTS or len(last) != 1 or not isinstance(before, str) or not isinstance(text, str):
        return False
    last[key] = before + text
    return True


def _join_arguments(last: dict[str, Json], step: dict[str, Json]) -> bool:
    before, after = _fragment(last), _fragment(step)
    if before is None or after is None or before["index"] != after["index"]:
        return False
    first, second = before["function"], after["function"]
    if not isinstance(first, dict) or not isinstance(second, dict):
        return False
    texts = first["arguments"], second["arguments"]
    if not isinstance(texts[0], str) or not isinstance(texts[1], str):
        return False
    first["arguments"] = texts[0] + texts[1]
    return True


def _fragment(step: dict[str, Json]) -> dict[str, Json] | None:
    calls = step.get("tool_calls")
    if not isinstance(calls, list) or len(calls) != 1 or not isinstance(calls[0], dict):
        return None
    return calls[0] if calls[0].keys() == {"index", "function"} else None


_JOINS: Final[tuple[Callable[[dict[str, Json], dict[str, Json]], bool], ...]] = (_join_text, _join_arguments)
