"""What a case says of its port's doing, rewritten to what was seen: requests, outcome, deltas, warnings.

Only what a case looks at is touched: the keys it lists, the headers it names. What it asks and what the provider
answers never change.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, cast

from conformance.authoring.change import Change, Merge, quoted
from conformance.case import Case, expand
from conformance.compare import match
from conformance.deltas import joined
from conformance.listed import ERROR_KEYS, result_views
from conformance.observation import Answer, Call, NoAnswer, NotStarted, Observation
from conformance.tree import Json, NotJson, Number, read, read_bytes

Tree = dict[str, Json]


class Unblessable(Exception):
    """What was seen cannot become an expectation; the message says why, in one line."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What one case saw, and under which circumstances: the stub's address, and what the port can tell."""

    case: Case
    observation: Observation
    stub: str
    capabilities: tuple[str, ...]

    @property
    def answer(self) -> dict[str, Json]:
        """The port's answer; raises `Unblessable` where there is none to take for right."""
        if self.observation.stub_fault is not None:
            raise Unblessable(self.observation.stub_fault)
        match self.observation.outcome:
            case Answer(value={"skip": _}):
                raise Unblessable("the port skipped it")
            case Answer(value=value):
                return value
            case NoAnswer(message=message) | NotStarted(message=message):
                raise Unblessable(f"the port gave no answer: {message}")


def rewritten(tree: Tree, seen: Seen) -> tuple[Tree, list[Change]]:
    """The case with its expectations as they were seen, and every change; raises `Unblessable`."""
    merge = Merge()
    found = dict(tree)
    _ = seen.answer  # without one there is nothing to take for right
    for part in _PARTS:
        found = part(found, seen, merge)
    return found, merge.changes


# -- calls ------------------------------------------------------------------------------------------------------------


def _exchanges(tree: Tree, seen: Seen, merge: Merge) -> Tree:
    if "exchanges" not in tree:
        return tree
    exchanges = cast("list[Tree]", tree["exchanges"])
    calls, repeat = seen.observation.calls, seen.case.repeat
    if strays := seen.observation.strays:
        raise Unblessable(f"{len(strays)} calls belong to no script, the first {strays[0].method} {strays[0].path}")
    if len(calls) > len(exchanges) * repeat:
        raise Unblessable(f"it made {len(calls)} calls, and the case has replies for {len(exchanges) * repeat}")
    if len(calls) < len(exchanges) * repeat and repeat > 1:
        raise Unblessable(f"it made {len(calls)} calls of {len(exchanges)} times {repeat}")
    for number in range(len(calls), len(exchanges)):
        merge.trim(exchanges[number], f"/exchanges/{number}")
    kept = [
        {**exchange, "expect": _expect(cast("Tree", exchange["expect"]), call, seen, merge, f"/exchanges/{n}/expect")}
        for n, (exchange, call) in enumerate(zip(exchanges, calls, strict=False))
    ]
    return {**tree, "exchanges": cast("Json", kept)}


def _expect(expect: Tree, call: Call, seen: Seen, merge: Merge, at: str) -> Tree:
    found: Tree = {}
    for key, want in expect.items():
        if key in ("method", "path"):
            got = call.method if key == "method" else call.path
            found[key] = merge.of(want, got, f"{at}/{key}")
        elif key == "headers":
            found[key] = _headers(cast("Tree", want), call, seen, merge, f"{at}/{key}")
        elif key in ("present_headers", "absent_headers"):
            found[key] = _named(cast("list[str]", want), call, merge, f"{at}/{key}")
        else:
            found[key] = merge.of(want, _body(call), f"{at}/{key}")
    return found


def _headers(headers: Tree, call: Call, seen: Seen, merge: Merge, at: str) -> Json:
    found: Tree = {}
    for name, want in headers.items():
        got = call.header.get(name.lower())
        if got is None:
            merge.trim(want, f"{at}/{name}")
        elif match(expand(want, seen.stub, seen.observation.key), got) is None:
            found[name] = want
        else:
            said = got.replace(seen.observation.key, "{key}").replace(seen.stub, "{stub}")
            found[name] = merge.fix(want, said, f"{at}/{name}")
    return found


def _named(names: list[str], call: Call, merge: Merge, at: str) -> Json:
    """Names of headers that have to be there, or must not: those of which it is still true."""
    wanted = at.endswith("present_headers")
    kept = [name for name in names if (name.lower() in call.header) is wanted]
    for index, name in enumerate(names):
        if name not in kept:
            merge.trim(name, f"{at}/{index}")
    return cast("Json", kept)


def _body(call: Call) -> Json:
    try:
        return read_bytes(call.body)
    except NotJson as wrong:
        raise Unblessable(f"it sent a body that is no JSON: {wrong.message}") from None


# -- outcome ----------------------------------------------------------------------------------------------------------

_STYLES: Final = ("openai", "anthropic", "gemini")


def _outcome(tree: Tree, seen: Seen, merge: Merge) -> Tree:
    answer = seen.answer
    want = next(key for key in _OUTCOMES if key in tree)
    got = next((key for key in ("result", "error") if key in answer), "declare")
    if want != got:
        if "declare" in (want, got):
            raise Unblessable(f"it gave {got} where the case asks for {want}")
        merge.trim(tree[want], f"/{want}")
        made = merge.create(_CREATED[got](cast("Tree", answer[got]), seen), f"/{got}")
        return {**{key: value for key, value in tree.items() if key != want}, got: made}
    return {**tree, want: _OUTCOMES[want](tree, answer, seen, merge)}


def _result(tree: Tree, answer: Tree, seen: Seen, merge: Merge) -> Json:
    want, got = cast("Tree", tree["result"]), cast("Tree", answer["result"])
    if not want:
        made = _created_result(got, seen)
        return {key: merge.create(value, f"/result/{key}") for key, value in made.items()}
    left, right = cast("tuple[Tree, Tree]", result_views(want, got))
    return {key: _field(key, want, (left, right), got, merge) for key in want}


def _field(key: str, want: Tree, views: tuple[Tree, Tree], got: Tree, merge: Merge) -> Json:
    """One listed field of a result; what counts as equal is what the verdict compares."""
    left, right = views
    if key in right and match(left[key], right[key]) is None:
        return want[key]
    at = f"/result/{key}"
    if key == "tool_calls":
        return merge.of(want[key], _calls(want[key], got.get(key)), at)
    if key == "usage" and isinstance(want[key], dict) and isinstance(got.get(key), dict):
        counts = cast("Tree", got[key])
        return merge.of(want[key], {name: counts.get(name, Number("0")) for name in cast("Tree", want[key])}, at)
    value = got.get(key)
    return merge.of(want[key], "" if value is None and key in ("text", "finish_reason") else value, at)


def _calls(want: Json, got: Json) -> Json:
    """The calls as a case writes them: no empty keys, and no type where it is a function and the case is silent."""
    rows = want if isinstance(want, list) else []
    found: list[Json] = []
    for index, call in enumerate(got if isinstance(got, list) else []):
        named = index < len(rows) and isinstance(rows[index], dict) and "type" in cast("Tree", rows[index])
        found.append(_call(cast("Tree", call), named))
    return found


def _call(call: Tree, named: bool = False) -> Tree:
    silent = {} if named else {"type": "function"}
    return {key: value for key, value in call.items() if value is not None and silent.get(key) != value}


def _error(tree: Tree, answer: Tree, seen: Seen, merge: Merge) -> Json:
    want, got = cast("Tree", tree["error"]), cast("Tree", answer["error"])
    found: Tree = {}
    for key, value in want.items():
        unseen = key == "pointer" and "pointers" not in seen.capabilities
        same = unseen or match(value, got.get(key)) is None or (value in (None, "") and got.get(key) in (None, ""))
        found[key] = value if same else merge.of(value, got.get(key), f"/error/{key}")
    return found


def _declare(tree: Tree, answer: Tree, seen: Seen, merge: Merge) -> Json:
    return merge.of(tree["declare"], {style: answer.get(style) for style in cast("Tree", tree["declare"])}, "/declare")


_OUTCOMES: Final[Mapping[str, Callable[[Tree, Tree, Seen, Merge], Json]]] = {
    "result": _result,
    "error": _error,
    "declare": _declare,
}


def _created_result(got: Tree, seen: Seen) -> Tree:
    """A result where the case had none: what every caller reads, and of the rest what is not empty."""
    calls = [
        _loose_arguments(_call(cast("Tree", call)), seen) for call in cast("list[Json]", got.get("tool_calls") or [])
    ]
    usage = got.get("usage")
    counts = (
        {name: count for name, count in usage.items() if count not in (None, "0")} if isinstance(usage, dict) else {}
    )
    made: Tree = {"text": got.get("text") or "", "tool_calls": [], "finish_reason": got.get("finish_reason")}
    more = {"usage": cast("Json", counts), "refusal": got.get("refusal"), "reasoning": got.get("reasoning")}
    made |= {key: value for key, value in more.items() if value}
    # The arguments are loose already, and must not be quoted.
    return {key: cast("Json", calls) if key == "tool_calls" else quoted(value) for key, value in made.items()}


def _loose_arguments(call: Tree, seen: Seen) -> Tree:
    """Arguments as equal JSON, where the clause is not about their bytes: serialisers space them differently."""
    arguments = call.get("arguments")
    if seen.case.style != "anthropic" or type(arguments) is not str:
        return call
    try:
        return {**call, "arguments": {"$json": read(arguments)}}
    except NotJson:
        return call


def _created_error(got: Tree, seen: Seen) -> Tree:
    """An error where the case had a result; texts are the provider's own or not compared."""
    silent = {"message"} if got.get("kind") != "provider" else set()
    return {key: got[key] for key in ERROR_KEYS if got.get(key) not in (None, "") and key not in silent}


_CREATED: Final[Mapping[str, Callable[[Tree, Seen], Json]]] = {"result": _created_result, "error": _created_error}


# -- beside the outcome -----------------------------------------------------------------------------------------------


def _deltas(tree: Tree, seen: Seen, merge: Merge) -> Tree:
    if "deltas" not in tree:
        return tree
    written = cast("list[Json]", tree["deltas"])
    want, got = joined(written), joined(seen.answer.get("deltas", []))
    if match(want, got) is None:
        return tree
    found = cast("list[Json]", merge.of(want, got, "/deltas"))
    if len(cast("list[Json]", want)) == len(written):  # a step each: what did not move stays as it is written
        steps = zip(written, cast("list[Json]", want), found, strict=False)
        kept = [old if step == new else new for old, step, new in steps]
        found = [*kept, *found[len(kept) :]]
    return {**tree, "deltas": found}


def _fired(tree: Tree, seen: Seen, merge: Merge) -> Tree:
    fired = seen.answer.get("fired")
    if "fired" not in tree or not isinstance(fired, dict):
        return tree
    listed = {key: fired.get(key, Number("0")) for key in cast("Tree", tree["fired"])}
    return {**tree, "fired": merge.of(tree["fired"], cast("Json", listed), "/fired")}


def _warnings(tree: Tree, seen: Seen, merge: Merge) -> Tree:
    if "warnings" not in seen.capabilities:
        return tree
    want = cast("list[Tree]", tree.get("warnings", []))
    left = Counter(_warning(row) for row in cast("list[Tree]", seen.answer.get("warnings") or []))
    kept: list[Json] = []
    for index, row in enumerate(want):
        if left[_warning(row)] > 0:
            left[_warning(row)] -= 1
            kept.append(row)
        else:
            merge.trim(row, f"/warnings/{index}")
    for code, pointer in left.elements():
        kept.append(merge.create({"code": code, "pointer": pointer}, f"/warnings/{len(kept)}"))
    rest = {key: value for key, value in tree.items() if key != "warnings"}
    return {**rest, "warnings": kept} if kept else rest


def _warning(row: Tree) -> tuple[str, str]:
    return str(row.get("code", "")), str(row.get("pointer", ""))


_PARTS: Final[tuple[Callable[[Tree, Seen, Merge], Tree], ...]] = (_exchanges, _outcome, _deltas, _fired, _warnings)
