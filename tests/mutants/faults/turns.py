"""Faults in the turns of a conversation. Anthropic style."""

from __future__ import annotations

import itertools
from typing import Any

from tests.mutants.mutant import (
    body,
    request,
)
from tests.mutants.walk import (
    contents,
    is_blank,
    is_result_turn,
    is_text,
    joined,
    objects,
    turns,
)

Tree = dict[str, Any]


# -- turns ------------------------------------------------------------------------------------------------------------


@body("anthropic")
def splits_results(body: Tree) -> None:
    """Each tool result becomes a user turn of its own: merge nothing."""
    body["messages"] = [
        {**turn, "content": [block]} if is_result_turn(turn) else turn
        for turn in body["messages"]
        for block in (turn["content"] if is_result_turn(turn) else [None])
    ]


@body("anthropic")
def merges_the_user_turn_after_results(body: Tree) -> None:
    """A user message after tool results is appended to their turn."""
    merged: list[Any] = []
    for turn in body["messages"]:
        if merged and is_result_turn(merged[-1]) and turn.get("role") == "user":
            merged[-1]["content"].extend(as_blocks(turn["content"]))
        else:
            merged.append(turn)
    body["messages"] = merged


@body("anthropic")
def swallows_the_turn_after_results(body: Tree) -> None:
    """A user message after tool results is lost."""
    turns = body["messages"]
    body["messages"] = [
        turn
        for before, turn in zip([None, *turns], turns, strict=False)
        if not (is_result_turn(before) and turn.get("role") == "user" and not is_result_turn(turn))
    ]


@body("anthropic")
def merges_user_neighbours(body: Tree) -> None:
    """Two user messages in a row become one."""
    _merge_neighbours(body, "user")


@body("anthropic")
def merges_assistant_neighbours(body: Tree) -> None:
    """Two assistant messages in a row become one."""
    _merge_neighbours(body, "assistant")


def _merge_neighbours(body: Tree, role: str) -> None:
    merged: list[Any] = []
    for turn in body["messages"]:
        if merged and merged[-1].get("role") == role == turn.get("role") and not is_result_turn(merged[-1]):
            merged[-1] = {"role": role, "content": [*as_blocks(merged[-1]["content"]), *as_blocks(turn["content"])]}
        else:
            merged.append(turn)
    body["messages"] = merged


def as_blocks(content: Any) -> list[Any]:
    """A content as a list of blocks."""
    return content if isinstance(content, list) else [{"type": "text", "text": content}]


@body("anthropic")
def sends_assistant_text_as_a_string(body: Tree) -> None:
    """An assistant turn of one text is sent as a string."""
    for turn in turns(body, "assistant"):
        if is_text(turn["content"]) and len(turn["content"]) == 1:
            turn["content"] = turn["content"][0]["text"]


@body("anthropic")
def keeps_text_parts_as_blocks(body: Tree, ask: Any) -> None:
    """A user's text parts are sent as text blocks, not as one string."""
    parts = {
        joined(turn["content"]): turn["content"] for turn in turns(ask.request, "user") if is_text(turn.get("content"))
    }
    for turn in turns(body, "user"):
        if isinstance(turn["content"], str) and turn["content"] in parts:
            turn["content"] = parts[turn["content"]]


@request("anthropic")
def joins_parts_with_a_line_end(request: Tree) -> None:
    """Neighbouring text parts are joined with a line end between them."""
    for _, parts in contents(request):
        for part, after in itertools.pairwise(parts):
            if part.get("type") == after.get("type") == "text" and not is_blank(after.get("text")):
                part["text"] += "\n"


@request("anthropic")
def joins_parts_with_a_space(request: Tree) -> None:
    """Text parts are stripped and joined by a space."""
    for turn in turns(request):
        if is_text(turn.get("content")):
            turn["content"] = " ".join(part["text"].strip() for part in turn["content"])


@request("anthropic")
def sends_only_the_first_text_part(request: Tree) -> None:
    """Of several text parts of a message only the first is sent."""
    for turn in turns(request):
        if is_text(turn.get("content")):
            del turn["content"][1:]


@request("anthropic")
def strips_user_text(request: Tree) -> None:
    """White space around a user's text is stripped."""
    for turn in turns(request, "user"):
        if isinstance(turn.get("content"), str):
            turn["content"] = turn["content"].strip()


@request("anthropic")
def strips_assistant_text(request: Tree) -> None:
    """White space around an assistant's text is stripped, wherever it stands."""
    for turn in turns(request, "assistant"):
        if isinstance(turn.get("content"), str):
            turn["content"] = turn["content"].strip()


@request("anthropic")
def strips_results(request: Tree) -> None:
    """White space around a tool's output is stripped."""
    for turn in turns(request, "tool"):
        if isinstance(turn.get("content"), str):
            turn["content"] = turn["content"].strip()


@request("anthropic")
def joins_lines_of_results(request: Tree) -> None:
    """Line ends in a tool's output are normalised and tabs become spaces."""
    for turn in turns(request, "tool"):
        if isinstance(turn.get("content"), str):
            turn["content"] = " ".join(turn["content"].split())


@body("anthropic")
def invents_an_opening_user_turn(body: Tree) -> None:
    """A conversation that opens with the assistant gets a dummy user turn in front."""
    if body["messages"] and body["messages"][0].get("role") == "assistant":
        body["messages"].insert(0, {"role": "user", "content": "."})


@body("anthropic")
def drops_the_opening_assistant_turn(body: Tree) -> None:
    """A conversation that opens with the assistant loses that turn."""
    if len(body["messages"]) > 1 and body["messages"][0].get("role") == "assistant":
        del body["messages"][0]


@body("anthropic")
def keeps_the_last_ten_turns(body: Tree) -> None:
    """A long history is cut to its last ten turns."""
    del body["messages"][:-10]


# -- blank ------------------------------------------------------------------------------------------------------------


@request("anthropic")
def fills_blank_turns(request: Tree) -> None:
    """A turn without content gets a dummy text instead of going."""
    for turn in turns(request):
        if turn.get("role") in ("user", "assistant") and not (turn.get("tool_calls") or turn.get("function_call")):
            said = turn.get("refusal") or turn.get("thinking_blocks") or not is_blank(turn.get("content"))
            turn["content"] = turn.get("content") if said else "Please continue."


@request("anthropic")
def fills_blank_text_beside_calls(request: Tree) -> None:
    """A call without text gets a dummy text where the content is blank."""
    for turn in turns(request, "assistant"):
        if turn.get("tool_calls") and turn.get("content") is not None and is_blank(turn["content"]):
            turn["content"] = "."


@request("anthropic")
def fills_null_beside_calls(request: Tree) -> None:
    """A null content beside legacy calls or several calls becomes a dummy text."""
    for turn in turns(request, "assistant"):
        if len(turn.get("tool_calls") or ()) > 1 and turn.get("content") is None:
            turn["content"] = "."


@body("anthropic")
def sends_blank_blocks(body: Tree, ask: Any) -> None:
    """Blank text parts among pictures are sent as blank blocks."""
    for turn in turns(ask.request):
        content = turn.get("content")
        if isinstance(content, list) and not is_text(content):
            for place, part in enumerate(content):
                if isinstance(part, dict) and part.get("type") == "text" and is_blank(part.get("text")):
                    for sent in turns(body):
                        if isinstance(sent["content"], list) and not is_result_turn(sent):
                            sent["content"].insert(place, {"type": "text", "text": part.get("text")})


@request("anthropic")
def drops_blank_parts_between_words(request: Tree) -> None:
    """A blank part between two texts is dropped, and the words run together."""
    for _, parts in contents(request):
        kept = [part for part in parts if not (part.get("type") == "text" and is_blank(part.get("text")))]
        parts[:] = kept or parts


@body("anthropic")
def puts_text_after_calls(body: Tree) -> None:
    """An assistant's text is put behind its calls."""
    for turn in turns(body, "assistant"):
        if isinstance(turn["content"], list):
            turn["content"].sort(key=lambda block: block.get("type") == "text")


@body("anthropic")
def loses_text_beside_calls(body: Tree) -> None:
    """An assistant's text beside calls is lost."""
    for turn in turns(body, "assistant"):
        kinds = {block.get("type") for block in objects(turn["content"])}
        if "tool_use" in kinds and "text" in kinds:
            turn["content"] = [block for block in turn["content"] if block.get("type") != "text"]


@body("anthropic")
def splits_text_parts_before_calls(body: Tree, ask: Any) -> None:
    """Text parts beside calls are sent as a block each."""
    for turn in turns(ask.request, "assistant"):
        if is_text(turn.get("content")) and turn.get("tool_calls"):
            for sent in turns(body, "assistant"):
                own = sent["content"]
                if own and own[0].get("type") == "text" and own[0]["text"] == joined(turn["content"]):
                    own[:1] = turn["content"]


@body("anthropic")
def splits_text_from_calls(body: Tree) -> None:
    """Text and calls of one assistant message become two messages."""
    body["messages"] = [part for turn in body["messages"] for part in _split(turn)]


def _split(turn: Tree) -> list[Tree]:
    content = turn.get("content")
    if turn.get("role") != "assistant" or not isinstance(content, list):
        return [turn]
    texts = [block for block in content if block.get("type") == "text"]
    rest = [block for block in content if block.get("type") != "text"]
    return [{**turn, "content": part} for part in (texts, rest) if part]


@request("anthropic")
def loses_refusals(request: Tree) -> None:
    """A refusal in the history is lost."""
    for turn in turns(request, "assistant"):
        turn.pop("refusal", None)
        if isinstance(turn.get("content"), list):
            turn["content"] = [part for part in turn["content"] if part.get("type") != "refusal"]


@request("anthropic")
def joins_the_refusal_to_the_text(request: Tree) -> None:
    """A refusal is joined to the content's text instead of following it."""
    for turn in turns(request, "assistant"):
        if isinstance(turn.get("content"), str) and turn["content"] and turn.get("refusal"):
            turn["content"] += turn.pop("refusal")


@body("anthropic")
def puts_refusals_last(body: Tree, ask: Any) -> None:
    """A refusal is put behind the calls."""
    refusals = [turn["refusal"] for turn in turns(ask.request, "assistant") if turn.get("refusal")]
    for turn in turns(body, "assistant"):
        turn["content"].sort(key=lambda block: block.get("text") in refusals)


@body("anthropic")
def sends_empty_refusals(body: Tree, ask: Any) -> None:
    """An empty refusal field is sent as an empty text."""
    empty = [turn for turn in turns(ask.request, "assistant") if turn.get("refusal", None) in ("", " ", "\n")]
    for turn in list(turns(body, "assistant"))[: len(empty)]:
        turn["content"].append({"type": "text", "text": ""})
