"""Faults in pairing calls with their results. Anthropic style."""

from __future__ import annotations

from typing import Any

from tests.mutants.mutant import (
    body,
    request,
)
from tests.mutants.walk import (
    blocks,
    calls,
    objects,
    turns,
)

Tree = dict[str, Any]


# -- pairing ----------------------------------------------------------------------------------------------------------


@request("anthropic")
def invents_missing_results(request: Tree) -> None:
    """A call without a result gets a dummy one instead of an error."""
    made: list[Any] = []
    waiting: list[Any] = []
    for turn in [*request["messages"], {"role": "end"}]:
        if turn.get("role") in ("user", "assistant", "end"):
            made.extend({"role": "tool", "tool_call_id": call, "content": "interrupted"} for call in waiting)
            waiting = [call.get("id") for call in objects(turn.get("tool_calls"))]
        elif turn.get("role") == "tool" and turn.get("tool_call_id") in waiting:
            waiting.remove(turn.get("tool_call_id"))
        made.append(turn)
    request["messages"] = made[:-1]


@request("anthropic")
def drops_unanswered_calls(request: Tree) -> None:
    """A call without a result is dropped instead of an error."""
    answered = [turn.get("tool_call_id") for turn in turns(request, "tool")]
    for turn in turns(request, "assistant"):
        if turn.get("tool_calls"):
            turn["tool_calls"] = [call for call in turn["tool_calls"] if call.get("id") in answered]


@request("anthropic")
def drops_an_unanswered_call_at_the_end(request: Tree) -> None:
    """Calls at the very end of a history are dropped instead of an error."""
    last = request["messages"][-1]
    if last["role"] == "assistant" and last["tool_calls"]:
        del request["messages"][-1]


@request("anthropic")
def drops_orphaned_results(request: Tree) -> None:
    """A result without its call is dropped instead of an error."""
    kept: list[Any] = []
    open_calls: list[Any] = []
    for turn in request["messages"]:
        if turn.get("role") in ("user", "assistant"):
            open_calls = [call.get("id") for call in objects(turn.get("tool_calls"))]
        if turn.get("role") == "tool":
            if turn.get("tool_call_id") not in open_calls:
                continue
            open_calls.remove(turn.get("tool_call_id"))
        kept.append(turn)
    request["messages"] = kept


@request("anthropic")
def sends_orphaned_results_as_text(request: Tree) -> None:
    """A result without any call of that id becomes a user's text instead of an error."""
    known = [call.get("id") for call in calls(request)]
    for turn in turns(request, "tool"):
        if turn.get("tool_call_id") not in known:
            turn["role"] = "user"


@request("anthropic")
def keeps_the_last_of_two_results(request: Tree) -> None:
    """Of two results for one call the last is kept, without an error."""
    last = {turn.get("tool_call_id"): turn for turn in turns(request, "tool")}
    asked = [call.get("id") for call in calls(request)]
    if len(set(asked)) == len(asked):
        request["messages"] = [
            turn for turn in request["messages"] if turn.get("role") != "tool" or last[turn.get("tool_call_id")] is turn
        ]


@request("anthropic")
def moves_late_results_to_their_call(request: Tree) -> None:
    """A result that comes after another message is moved to its call instead of an error."""
    results = {turn.get("tool_call_id"): turn for turn in turns(request, "tool")}
    moved: list[Any] = []
    for turn in request["messages"]:
        if turn.get("role") != "tool":
            moved.append(turn)
            moved.extend(results[call["id"]] for call in objects(turn.get("tool_calls")) if call["id"] in results)
    if len(moved) == len(request["messages"]):
        request["messages"] = moved


@request("anthropic")
def pairs_ids_without_case(request: Tree) -> None:
    """Call ids are compared without case."""
    known = {str(call.get("id")).lower(): call.get("id") for call in calls(request)}
    for turn in turns(request, "tool"):
        turn["tool_call_id"] = known.get(str(turn.get("tool_call_id")).lower(), turn.get("tool_call_id"))


@request("anthropic")
def pairs_results_by_place(request: Tree) -> None:
    """Results are paired with calls by their place, whatever their ids say."""
    asked: list[Any] = []
    for turn in turns(request):
        if turn.get("role") == "assistant":
            asked = [call["id"] for call in objects(turn.get("tool_calls"))]
        elif turn.get("role") == "tool" and asked:
            turn["tool_call_id"] = asked.pop(0)


# -- calls ------------------------------------------------------------------------------------------------------------


@request("anthropic")
def loses_parallel_calls(request: Tree) -> None:
    """Of several calls in one turn only the first is sent, with its result."""
    gone = [call.get("id") for turn in turns(request) for call in list(objects(turn.get("tool_calls")))[1:]]
    for turn in turns(request):
        if turn.get("tool_calls"):
            del turn["tool_calls"][1:]
    request["messages"] = [
        turn for turn in request["messages"] if turn.get("tool_call_id") not in gone or turn.get("role") != "tool"
    ]


@request("anthropic")
def sends_at_most_thirty_two_calls(request: Tree) -> None:
    """Calls of a turn beyond the thirty-second are dropped with their results."""
    gone = [call.get("id") for turn in turns(request) for call in list(objects(turn.get("tool_calls")))[32:]]
    for turn in turns(request):
        if turn.get("tool_calls"):
            del turn["tool_calls"][32:]
    request["messages"] = [turn for turn in request["messages"] if turn.get("tool_call_id") not in gone]


@body("anthropic")
def reverses_parallel_calls(body: Tree) -> None:
    """Parallel calls of one turn are sent last first."""
    for turn in turns(body, "assistant"):
        found = [block for block in objects(turn["content"]) if block.get("type") == "tool_use"]
        rest = [block for block in objects(turn["content"]) if block.get("type") != "tool_use"]
        turn["content"] = [*rest, *reversed(found)]


@body("anthropic")
def merges_equal_calls(body: Tree) -> None:
    """Calls of one turn with the same name and input become one."""
    for turn in turns(body, "assistant"):
        kept: list[Any] = []
        for block in turn["content"]:
            if not any(b.get("type") == "tool_use" and {**b, "id": 0} == {**block, "id": 0} for b in kept):
                kept.append(block)
        turn["content"] = kept


@request("anthropic")
def needs_a_type_on_calls(request: Tree) -> None:
    """A call without its type is not taken for one."""
    for turn in turns(request, "assistant"):
        if turn.get("tool_calls"):
            turn["tool_calls"] = [
                call for call in turn["tool_calls"] if call.get("type") == "function" and "index" not in call
            ]


@request("anthropic")
def takes_no_custom_calls(request: Tree) -> None:
    """A custom call in the history is taken for a function call without arguments."""
    for call in calls(request):
        if "custom" in call:
            call["function"] = {"name": call.pop("custom")["name"], "arguments": "{}"}
            call["type"] = "function"


@body("anthropic")
def parses_custom_input(body: Tree) -> None:
    """The text of a custom call in the history is sent bare, not as an object."""
    for block in blocks(body, "tool_use", "assistant"):
        if list(block["input"]) == ["input"] and isinstance(block["input"]["input"], str):
            block["input"] = {"_raw": block["input"]["input"]}


@body("anthropic")
def sends_plain_turns_with_empty_calls(body: Tree, ask: Any) -> None:
    """An empty list of calls makes a plain text turn lose its text."""
    empty = [turn for turn in turns(ask.request, "assistant") if "tool_calls" in turn and not turn["tool_calls"]]
    texts = [turn.get("content") for turn in empty]
    body["messages"] = [
        turn for turn in body["messages"] if turn["role"] == "user" or turn["content"][0].get("text") not in texts
    ]
