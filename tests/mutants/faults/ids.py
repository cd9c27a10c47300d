"""Faults in the ids and names of calls in the history. Anthropic style."""

from __future__ import annotations

import hashlib
import re
from typing import Any

from tests.mutants.mutant import (
    body,
    request,
)
from tests.mutants.walk import (
    blocks,
    calls,
    functions,
    is_result_turn,
    objects,
    turns,
)

Tree = dict[str, Any]

_HASHED = re.compile(r"(.+)_[0-9a-f]{8}")


def each_id(body: Tree, change: Any) -> None:
    for block in blocks(body):
        for key in ("id", "tool_use_id"):
            if isinstance(block.get(key), str) and block.get("type") in ("tool_use", "tool_result"):
                block[key] = change(block[key])


@body("anthropic")
def cleans_ids_without_a_hash(body: Tree) -> None:
    """Refused characters of an id are replaced and nothing tells two such ids apart."""
    each_id(body, lambda text: _HASHED.sub(r"\1", text))


@body("anthropic")
def sends_ids_uncleaned(body: Tree, ask: Any) -> None:
    """Ids are sent as they came, refused characters and all."""
    asked = iter([call.get("id") for call in calls(ask.request)])
    own: dict[str, Any] = {}
    for block in blocks(body, "tool_use", "assistant"):
        own[block["id"]] = next(asked)
        block["id"] = own[block["id"]]
    for block in blocks(body, "tool_result", "user"):
        block["tool_use_id"] = own[block["tool_use_id"]]


@body("anthropic")
def cleans_the_call_but_not_its_result(body: Tree, ask: Any) -> None:
    """A mapped id is sent in the call, the caller's in the result."""
    given = [turn.get("tool_call_id") for turn in turns(ask.request, "tool")]
    for block, call in zip(blocks(body, "tool_result", "user"), given, strict=True):
        block["tool_use_id"] = call


@request("anthropic")
def renumbers_every_id(request: Tree) -> None:
    """Ids of calls are replaced by numbers of the translator's own, results following."""
    own: dict[Any, str] = {}
    for call in calls(request):
        if re.fullmatch(r"toolu_.*|call-.*", str(call.get("id"))):
            own[call["id"]] = call["id"] = f"call_{len(own)}"
    for turn in turns(request, "tool"):
        turn["tool_call_id"] = own.get(turn.get("tool_call_id"), turn.get("tool_call_id"))


@request("anthropic")
def lowers_ids(request: Tree) -> None:
    """Ids are sent in lower case."""
    for call in calls(request):
        call["id"] = call["id"].lower()
    for turn in turns(request, "tool"):
        turn["tool_call_id"] = turn["tool_call_id"].lower()


@request("anthropic")
def cuts_ids_at_forty(request: Tree) -> None:
    """Ids are cut after forty characters."""
    for call in calls(request):
        call["id"] = call["id"][:40]
    for turn in turns(request, "tool"):
        turn["tool_call_id"] = turn["tool_call_id"][:40]


@request("anthropic")
def drops_ids(request: Tree) -> None:
    """Ids of parallel calls are dropped, so that the translator makes its own."""
    for turn in turns(request, "assistant"):
        if len(turn.get("tool_calls") or ()) > 1:
            for call in turn["tool_calls"]:
                call["id"] = ""
    for turn in turns(request, "tool"):
        if not any(call["id"] == turn["tool_call_id"] for call in calls(request)):
            turn["tool_call_id"] = ""


@body("anthropic")
def makes_random_ids(body: Tree) -> None:
    """A call without an id gets one that the next request does not repeat."""
    each_id(body, lambda text: re.sub(r"^call_([0-9a-f]{8})$", r"toolu_\1x", text))


@body("anthropic")
def sends_a_used_id_again(body: Tree) -> None:
    """An id used by an earlier call is sent a second time."""
    seen: dict[str, str] = {}
    for block in blocks(body):
        key = "id" if block.get("type") == "tool_use" else "tool_use_id"
        text = block.get(key)
        found = _HASHED.fullmatch(text) if isinstance(text, str) else None
        if found and found[1] in seen:
            block[key] = found[1]
        elif key == "id" and text:
            seen[text] = text


@body("anthropic")
def hashes_without_looking_around(body: Tree, ask: Any) -> None:
    """A mapped id may take the one that another call really has."""
    own: dict[str, str] = {}
    for block, call in zip(blocks(body, "tool_use", "assistant"), calls(ask.request), strict=True):
        if block["id"] != call["id"] and call["id"] not in own:
            clean = re.sub(r"[^a-zA-Z0-9_-]", "_", call["id"][:40]) or "call"
            digest = hashlib.sha256(f"{call['id']}\0001".encode()).hexdigest()[:8]
            own[block["id"]] = f"{clean}_{digest}"
    each_id(body, lambda text: own.get(text, text))


@body("anthropic")
def pairs_equal_ids_backwards(body: Tree) -> None:
    """Of two calls with one id the first gets the last result."""
    for turn in body["messages"]:
        if is_result_turn(turn):
            results = [block for block in objects(turn["content"]) if block.get("type") == "tool_result"]
            ids = [block["tool_use_id"] for block in results]
            if len({(_HASHED.fullmatch(i) or [i, i])[1] for i in ids}) == 1 < len(ids):
                for block, call in zip(results, reversed(ids), strict=True):
                    block["tool_use_id"] = call


@body("anthropic")
def sends_names_of_the_history_uncleaned(body: Tree, ask: Any) -> None:
    """A call's name that the provider refuses is sent as it is."""
    names = [function.get("name") for function in functions(ask.request)]
    for block, name in zip(blocks(body, "tool_use", "assistant"), names, strict=True):
        block["name"] = name


@body("anthropic")
def cuts_names_at_sixty_four(body: Tree) -> None:
    """Names of tools and calls are cut after 64 characters."""
    for named in [*blocks(body, "tool_use", "assistant"), *objects(body.get("tools"))]:
        if isinstance(named.get("name"), str):
            named["name"] = named["name"][:64]


@body("anthropic")
def cleans_names_by_place(body: Tree) -> None:
    """A refused name is mapped differently in each place where it stands."""
    for place, block in enumerate(blocks(body, "tool_use", "assistant")):
        if _HASHED.fullmatch(str(block.get("name"))) and place:
            block["name"] += f"_{place}"


@body("anthropic")
def cleans_names_without_a_hash(body: Tree) -> None:
    """A refused name loses the characters and may become another tool's."""
    for block in blocks(body, "tool_use", "assistant"):
        block["name"] = _HASHED.sub(r"\1", block["name"])


@body("anthropic")
def lowers_call_names(body: Tree) -> None:
    """Call names are sent in lower case with underscores."""
    for block in blocks(body, "tool_use", "assistant"):
        block["name"] = block["name"].lower().replace("-", "_")
