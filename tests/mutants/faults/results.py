"""Faults in tool results. Anthropic style."""

from __future__ import annotations

from typing import Any

from tests.mutants.mutant import (
    body,
    request,
)
from tests.mutants.walk import (
    blocks,
    is_blank,
    is_result_turn,
    is_text,
    joined,
    objects,
    turns,
)

Tree = dict[str, Any]


@request("anthropic")
def merges_results_across_rounds(request: Tree) -> None:
    """All tool results of a conversation are gathered behind its last call."""
    results = list(turns(request, "tool"))
    askers = [turn for turn in turns(request, "assistant") if turn.get("tool_calls")]
    if len(askers) > 1:
        kept = [turn for turn in request["messages"] if turn not in results and turn not in askers]
        calls = [call for turn in askers for call in objects(turn["tool_calls"])]
        request["messages"] = [*kept, {"role": "assistant", "content": None, "tool_calls": calls}, *results]


@body("anthropic")
def flattens_results(body: Tree) -> None:
    """Tool results are flattened into a user's text."""
    for turn in body["messages"]:
        if is_result_turn(turn):
            texts = [block["content"] for block in objects(turn["content"]) if isinstance(block.get("content"), str)]
            turn["content"] = "\n".join(texts)


@body("anthropic")
def flattens_results_with_pictures(body: Tree) -> None:
    """A result with other parts than text is flattened to its JSON text."""
    for block in blocks(body, "tool_result"):
        if isinstance(block["content"], list):
            block["content"] = str(block["content"])


@body("anthropic")
def keeps_only_text_of_results(body: Tree) -> None:
    """Pictures and documents of a tool result are lost."""
    for block in blocks(body, "tool_result"):
        if isinstance(block["content"], list):
            block["content"] = joined([inner for inner in objects(block["content"]) if inner.get("type") == "text"])


@body("anthropic")
def moves_pictures_out_of_results(body: Tree) -> None:
    """Pictures of a tool result are put behind it, into the user turn."""
    for turn in body["messages"]:
        if is_result_turn(turn):
            for block in list(objects(turn["content"])):
                if isinstance(block.get("content"), list):
                    turn["content"].extend(inner for inner in block["content"] if inner.get("type") != "text")
                    block["content"] = [inner for inner in block["content"] if inner.get("type") == "text"]


@body("anthropic")
def sends_result_text_as_blocks(body: Tree, ask: Any) -> None:
    """The text parts of a result are sent as blocks, not as one string."""
    parts = {
        turn.get("tool_call_id"): turn["content"] for turn in turns(ask.request, "tool") if is_text(turn.get("content"))
    }
    for block in blocks(body, "tool_result"):
        if isinstance(block["content"], str) and block["tool_use_id"] in parts:
            block["content"] = parts[block["tool_use_id"]]


@body("anthropic")
def adds_is_error_to_results(body: Tree) -> None:
    """A result whose text speaks of an error is marked as one."""
    for block in blocks(body, "tool_result"):
        if "error" in str(block["content"]).lower():
            block["is_error"] = True


@body("anthropic")
def says_no_error_with_each_result(body: Tree) -> None:
    """Each result of a turn with several carries is_error: false."""
    for turn in body["messages"]:
        if is_result_turn(turn) and len(turn["content"]) > 1:
            for block in objects(turn["content"]):
                block["is_error"] = False


@body("anthropic")
def sorts_results_by_call(body: Tree) -> None:
    """Results are sent in the order of the calls, not in that of their messages."""
    order: list[str] = []
    for turn in body["messages"]:
        if turn.get("role") == "assistant":
            order = [block.get("id") for block in objects(turn["content"]) if block.get("type") == "tool_use"]
        elif is_result_turn(turn):
            places = {call: place for place, call in enumerate(order)}
            turn["content"].sort(key=lambda block: places.get(block.get("tool_use_id"), len(places)))


@body("anthropic")
def reverses_results(body: Tree) -> None:
    """Results of one turn are sent last first."""
    for turn in body["messages"]:
        if is_result_turn(turn):
            turn["content"].reverse()


@request("anthropic")
def drops_empty_results(request: Tree) -> None:
    """An empty tool result is dropped, and its call with it."""
    gone = {turn.get("tool_call_id") for turn in turns(request, "tool") if is_blank(turn.get("content"))}
    request["messages"] = [
        turn for turn in request["messages"] if turn.get("role") != "tool" or turn.get("tool_call_id") not in gone
    ]
    for turn in turns(request, "assistant"):
        if isinstance(turn.get("tool_calls"), list):
            turn["tool_calls"] = [call for call in turn["tool_calls"] if call.get("id") not in gone]


@request("anthropic")
def fills_empty_results(request: Tree) -> None:
    """An empty tool result gets a text of the translator's own."""
    for turn in turns(request, "tool"):
        if is_blank(turn.get("content")):
            turn["content"] = "(no output)"
