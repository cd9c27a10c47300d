"""Faults in cache marks. Anthropic style."""

from __future__ import annotations

from typing import Any

from tests.mutants.exchange import Ask
from tests.mutants.mutant import (
    body,
    request,
)
from tests.mutants.walk import (
    blocks,
    nested,
    objects,
    tools,
    turns,
)

Tree = dict[str, Any]


def _marked(body: Tree) -> list[Tree]:
    return [
        part for part in nested([body.get("tools"), body.get("system"), body["messages"]]) if "cache_control" in part
    ]


@body("anthropic")
def loses_cache_marks(body: Tree) -> None:
    """No cache mark is sent."""
    for part in _marked(body):
        del part["cache_control"]


@body("anthropic")
def loses_marks_on_media(body: Tree) -> None:
    """A mark on a picture, document or placeholder is lost."""
    for block in blocks(body):
        if block.get("type") in ("image", "document") or str(block.get("text", "")).startswith("[unsupported"):
            block.pop("cache_control", None)


@body("anthropic")
def loses_marks_on_tools(body: Tree) -> None:
    """A mark on a tool is lost."""
    for tool in tools(body):
        tool.pop("cache_control", None)


@body("anthropic")
def loses_marks_on_results(body: Tree) -> None:
    """A mark of a tool message is put on no block."""
    for block in blocks(body, "tool_result", "user"):
        block.pop("cache_control", None)


@body("anthropic")
def loses_marks_on_calls(body: Tree) -> None:
    """A mark of an assistant message with calls is lost."""
    for block in blocks(body, "tool_use", "assistant"):
        block.pop("cache_control", None)


@body("anthropic")
def loses_the_ttl_of_marks(body: Tree) -> None:
    """The ttl of a cache mark is lost."""
    for part in _marked(body):
        part["cache_control"].pop("ttl", None)


@body("anthropic")
def joins_marked_system_texts(body: Tree) -> None:
    """A marked system prompt is sent as one string, without its marks."""
    if isinstance(body["system"], list):
        body["system"] = "\n\n".join(block["text"] for block in body["system"])


@body("anthropic")
def marks_every_block_of_a_message(body: Tree) -> None:
    """A mark on one block is put on each block of its message."""
    for turn in turns(body):
        found = [block["cache_control"] for block in objects(turn["content"]) if "cache_control" in block]
        for block in objects(turn["content"]) if found else ():
            block["cache_control"] = found[-1]


@body("anthropic")
def joins_marked_texts(body: Tree) -> None:
    """A marked text joins its neighbours and takes the mark along."""
    for turn in turns(body):
        content = turn["content"]
        if isinstance(content, list) and len(content) > 1 and all(block.get("type") == "text" for block in content):
            marks = [block["cache_control"] for block in content if "cache_control" in block]
            if marks:
                turn["content"] = [
                    {"type": "text", "text": "".join(b["text"] for b in content), "cache_control": marks[-1]}
                ]


@body("anthropic")
def moves_marks_of_parts_to_the_result(body: Tree) -> None:
    """A mark on a part of a tool message is put on the result."""
    for block in blocks(body, "tool_result", "user"):
        for inner in objects(block["content"]):
            if "cache_control" in inner:
                block["cache_control"] = inner.pop("cache_control")


@request("anthropic")
def keeps_the_first_four_marks(request: Tree) -> None:
    """Of five marks the first four win."""
    marked = [
        part
        for part in nested([request.get("tools"), request["messages"]])
        if isinstance(part.get("cache_control"), dict)
    ]
    for part in marked[4:]:
        del part["cache_control"]


@body("anthropic")
def sends_more_than_four_marks(body: Tree, ask: Ask) -> None:
    """Marks beyond the fourth are sent as well."""
    if sum("cache_control" in part for part in nested([ask.request.get("tools"), ask.request["messages"]])) > 4:
        for part in [*objects(body.get("tools")), *objects(body.get("system")), *blocks(body)]:
            part.setdefault("cache_control", {"type": "ephemeral"})


@body("anthropic")
def sends_at_most_three_marks(body: Tree) -> None:
    """Only the last three marks are sent."""
    for part in _marked(body)[:-3]:
        del part["cache_control"]


@request("anthropic")
def drops_message_marks(request: Tree) -> None:
    """A mark on a message, not on a part, is lost."""
    for turn in turns(request):
        turn.pop("cache_control", None)


@request("anthropic")
def ignores_odd_marks(request: Tree) -> None:
    """A mark that is no object is ignored instead of an error."""
    for part in nested([request.get("tools"), request["messages"]]):
        if not isinstance(part.get("cache_control", {}), dict) and part["cache_control"] is not None:
            del part["cache_control"]


@request("anthropic")
def takes_null_for_a_mark(request: Tree) -> None:
    """A null mark makes the content a list of blocks, as a mark would."""
    for part in nested(request["messages"]):
        if "cache_control" in part and part["cache_control"] is None:
            part["cache_control"] = {"type": "ephemeral"}


@body("anthropic")
def marks_blank_text(body: Tree, ask: Ask) -> None:
    """A mark on a blank text is moved to the block before it."""
    blank = [p for p in nested(ask.request["messages"]) if "cache_control" in p and not str(p.get("text", "x")).strip()]
    for turn in turns(body, "user") if blank else ():
        content = turn["content"] if isinstance(turn["content"], list) else [{"type": "text", "text": turn["content"]}]
        turn["content"] = [*content[:-1], {**content[-1], "cache_control": {"type": "ephemeral"}}]


@body("anthropic")
def marks_thinking(body: Tree, ask: Ask) -> None:
    """A mark on a thinking block is sent with it."""
    marked = [
        part for part in nested(ask.request["messages"]) if part.get("type") == "thinking" and "cache_control" in part
    ]
    for block in blocks(body, "thinking") if marked else ():
        block["cache_control"] = marked[0]["cache_control"]
