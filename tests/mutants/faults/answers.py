"""Faults in reading Anthropic's answers: text, other blocks, calls."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.mutants.exchange import Ask, Received
from tests.mutants.mutant import (
    received,
    reply,
    result,
)
from tests.mutants.walk import (
    answered_blocks,
    content,
    objects,
)

Tree = dict[str, Any]


# -- text -------------------------------------------------------------------------------------------------------------


@reply("anthropic")
def reads_the_first_text_only(reply: Tree) -> None:
    """Of several text blocks the first is read."""
    for block in list(content(reply, "text"))[1:]:
        reply["content"].remove(block)


@reply("anthropic")
def reads_the_last_text_only(reply: Tree) -> None:
    """Of several text blocks the last is read."""
    for block in list(content(reply, "text"))[:-1]:
        reply["content"].remove(block)


@result("anthropic")
def joins_texts_by_a_line_end(result: Tree, ask: Ask) -> None:
    """Text blocks are joined by line ends."""
    texts = [block["text"] for block in answered_blocks(ask, "text")]
    if len(texts) > 1:
        result["text"] = "\n".join(texts)


@result("anthropic")
def strips_answers(result: Tree) -> None:
    """White space around an answer's text is stripped."""
    result["text"] = result["text"].strip()


@result("anthropic")
def loses_text_beside_answered_calls(result: Tree) -> None:
    """Text beside calls is lost."""
    if result["tool_calls"]:
        result["text"] = ""


@result("anthropic")
def loses_text_beside_calls_in_the_history(result: Tree) -> None:
    """to_message() leaves the text beside calls out."""
    if result["tool_calls"]:
        result["message"]["content"] = None


@result("anthropic")
def escapes_answers(result: Tree) -> None:
    """Characters outside ASCII come back as escapes."""
    result["text"] = "".join(c if c.isascii() else json.dumps(c)[1:-1] for c in result["text"])


@result("anthropic")
def cuts_long_answers(result: Tree) -> None:
    """An answer beyond 64 KiB is cut."""
    result["text"] = result["text"][:65536]


@result("anthropic")
def parses_json_answers(result: Tree) -> None:
    """A text that holds JSON comes back as its value."""
    try:
        value = json.loads(result["text"])
    except ValueError:
        return
    result["text"] = json.dumps(value) if isinstance(value, dict | list) and len(result["text"]) > 9 else result["text"]


@result("anthropic")
def reads_escapes_of_answers_twice(result: Tree) -> None:
    """What looks like an escape in a text is read once more."""
    result["text"] = re.sub(r"\\(u[0-9a-fA-F]{4}|n|\"|\\)", lambda found: json.loads(f'"{found[0]}"'), result["text"])


@result("anthropic")
def unescapes_entities(result: Tree) -> None:
    """HTML entities and markup of a text are changed."""
    result["text"] = (
        result["text"]
        .replace("&amp;", "&")
        .replace("&lt;", "<")
        .replace("\r\n", "\n")
        .replace("\u2028", "\n")
        .replace("\u00a0", " ")
    )


@result("anthropic")
def appends_citations(result: Tree, ask: Ask) -> None:
    """Citations are written into the text."""
    if any(block.get("citations") for block in answered_blocks(ask, "text")):
        result["text"] += " [1]"


@received("anthropic")
def takes_content_for_a_list(received: Received, ask: Ask) -> Received:
    """Content given as a string is no answer."""
    tree = received.tree
    text = isinstance(tree, dict) and isinstance(tree.get("content"), str)
    return received.with_body(b"{}") if text else received


@reply("anthropic")
def stumbles_over_empty_texts(reply: Tree) -> None:
    """An empty text block reads as the word null."""
    for block in content(reply, "text"):
        block["text"] = block["text"] or "null"


@received("anthropic")
def reads_the_type_first(received: Received, ask: Ask) -> Received:
    """A block whose type does not come first is not known."""
    tree = received.tree
    if not isinstance(tree, dict) or not isinstance(tree.get("content"), list):
        return received
    kept = [block for block in objects(tree["content"]) if next(iter(block), "type") == "type"]
    return received.with_tree({**tree, "content": kept}) if len(kept) < len(tree["content"]) else received


@reply("anthropic")
def fills_empty_answers(reply: Tree) -> None:
    """An answer without any block gets a text."""
    if reply["content"] == []:
        reply["content"].append({"type": "text", "text": "(empty)"})


# -- other blocks -----------------------------------------------------------------------------------------------------


@reply("anthropic")
def reads_thinking_as_text(reply: Tree) -> None:
    """Thinking leaks into the text."""
    for block in list(content(reply, "thinking")):
        reply["content"].insert(0, {"type": "text", "text": block["thinking"]})


@reply("anthropic")
def reads_unknown_blocks_as_text(reply: Tree) -> None:
    """A block of an unknown type leaks into the text."""
    known = ("text", "tool_use", "thinking", "redacted_thinking")
    for block in list(content(reply)):
        if (
            block.get("type") not in known
            and "server" not in str(block.get("type"))
            and "result" not in str(block.get("type"))
        ):
            reply["content"].append({"type": "text", "text": json.dumps(block, default=str)})


@reply("anthropic")
def reads_server_calls_as_calls(reply: Tree) -> None:
    """A call of the server's own tools is a client's call."""
    for block in content(reply):
        if block.get("type") == "server_tool_use":
            block["type"] = "tool_use"


@reply("anthropic")
def reads_server_results_as_text(reply: Tree) -> None:
    """Results of the server's own tools leak into the text."""
    for block in list(content(reply)):
        if str(block.get("type")).endswith("_tool_result"):
            reply["content"].append({"type": "text", "text": str(block.get("content"))})


@received("anthropic")
def stumbles_over_unknown_blocks(received: Received, ask: Ask) -> Received:
    """A block of an unknown type makes the answer unreadable."""
    known = ("text", "tool_use", "thinking", "redacted_thinking")
    tree = received.tree
    odd = isinstance(tree, dict) and any(block.get("type") not in known for block in content(tree))
    return received.with_body(b"{}") if odd else received


@received("anthropic")
def stumbles_over_big_numbers(received: Received, ask: Ask) -> Received:
    """A number that no double holds makes the answer unreadable."""
    big = re.search(rb"[:\[, ]-?\d+(\.\d+)?[eE][+]?\d{3,}|\d{4301}", received.body)
    return received.with_body(b"{}") if big else received


# -- calls ------------------------------------------------------------------------------------------------------------


@result("anthropic")
def gives_only_the_first_call(result: Tree) -> None:
    """Of parallel calls only the first comes back."""
    del result["tool_calls"][1:]


@result("anthropic")
def gives_sixteen_calls_at_most(result: Tree) -> None:
    """Calls beyond the sixteenth are lost."""
    del result["tool_calls"][16:]


@result("anthropic")
def gives_calls_backwards(result: Tree) -> None:
    """Parallel calls come back last first."""
    result["tool_calls"].reverse()


@result("anthropic")
def sorts_calls_by_name(result: Tree) -> None:
    """Calls come back sorted by name."""
    result["tool_calls"].sort(key=lambda call: call["name"])


@result("anthropic")
def gives_equal_calls_once(result: Tree) -> None:
    """Two calls with the same name and input are one."""
    result["tool_calls"] = list({(call["name"], call["arguments"]): call for call in result["tool_calls"]}.values())


@result("anthropic")
def renames_call_ids(result: Tree) -> None:
    """Ids that are not the vendor's own form are replaced."""
    for call in result["tool_calls"]:
        if not call["id"].startswith("toolu_"):
            call["id"] = f"toolu_{call['id']}"


@result("anthropic")
def gives_openai_ids(result: Tree) -> None:
    """Ids come back as call_ in front of the vendor's."""
    if len(result["tool_calls"]) == 1:
        call = result["tool_calls"][0]
        call["id"] = call["id"].replace("toolu_", "call_")


@reply("anthropic")
def reads_calls_with_known_keys_only(reply: Tree) -> None:
    """A call with keys the provider added is not read."""
    known = {"type", "id", "name", "input"}
    reply["content"] = [b for b in reply["content"] if b.get("type") != "tool_use" or b.keys() <= known]


@result("anthropic")
def unwraps_inputs(result: Tree) -> None:
    """An input that looks like a block is taken for one."""
    for call in result["tool_calls"]:
        value = json.loads(call["arguments"])
        if isinstance(value, dict) and "type" in value and "text" in value:
            result["text"] += value["text"]


@result("anthropic")
def strips_control_characters(result: Tree) -> None:
    """Control characters are cut out of a text."""
    result["text"] = re.sub("[\x00-\x08\x0b-\x1f\x7f]", "", result["text"])


@result("anthropic")
def reads_markup_as_calls(result: Tree) -> None:
    """The markup of a call in a text is taken for one."""
    if "<invoke" in result["text"]:
        result["tool_calls"].append({"id": "x", "type": "function", "name": "x", "arguments": "{}"})
