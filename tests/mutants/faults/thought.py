"""Faults in reading thinking, refusals and raw, and in repairing replies."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.mutants.exchange import Ask, Received
from tests.mutants.mutant import (
    received,
    result,
)
from tests.mutants.walk import (
    answered_blocks,
    stop_reason,
)

Tree = dict[str, Any]


# -- thinking, refusal, raw -------------------------------------------------------------------------------------------


@result("anthropic")
def loses_reasoning(result: Tree) -> None:
    """The thinking text is lost."""
    result["reasoning"] = None


@result("anthropic")
def keeps_no_thinking_for_the_history(result: Tree) -> None:
    """to_message() carries no thinking blocks."""
    result["message"].pop("thinking_blocks", None)


@result("anthropic")
def keeps_no_redacted_thinking(result: Tree) -> None:
    """to_message() leaves redacted thinking out."""
    own = result["message"]["thinking_blocks"]
    result["message"]["thinking_blocks"] = [block for block in own if block["type"] != "redacted_thinking"]


@result("anthropic")
def keeps_redacted_thinking_last(result: Tree) -> None:
    """to_message() puts redacted thinking behind the signed blocks."""
    result["message"]["thinking_blocks"].sort(key=lambda block: block["type"] == "redacted_thinking")


@result("anthropic")
def keeps_known_keys_of_thinking(result: Tree) -> None:
    """to_message() leaves out what a thinking block holds beside text and signature."""
    known = ("type", "thinking", "signature", "data")
    own = result["message"]["thinking_blocks"]
    result["message"]["thinking_blocks"] = [{k: v for k, v in block.items() if k in known} for block in own]


@result("anthropic")
def keeps_no_empty_thinking(result: Tree) -> None:
    """to_message() leaves a signed block without text out."""
    own = result["message"]["thinking_blocks"]
    result["message"]["thinking_blocks"] = [block for block in own if block.get("thinking", "x")]


@result("anthropic")
def keeps_unsigned_thinking(result: Tree, ask: Ask) -> None:
    """to_message() carries thinking without a signature."""
    if any(not block.get("signature") for block in answered_blocks(ask, "thinking")):
        result["message"]["thinking_blocks"] = [{"type": "thinking", "thinking": "…"}]


@result("anthropic")
def invents_reasoning(result: Tree, ask: Ask) -> None:
    """Redacted or withheld thinking gives a text that says so."""
    found = answered_blocks(ask, "redacted_thinking") or [
        b for b in answered_blocks(ask, "thinking") if not b.get("thinking")
    ]
    if found and not result["reasoning"]:
        result["reasoning"] = "[redacted]"


@result("anthropic")
def writes_null_keys_into_the_history(result: Tree) -> None:
    """to_message() carries empty keys where there is nothing."""
    result["message"].setdefault("reasoning_content", None)


@result("anthropic")
def loses_refusal_texts(result: Tree) -> None:
    """The explanation of a refusal is lost."""
    result["refusal"] = None


@result("anthropic")
def gives_refusals_as_text(result: Tree) -> None:
    """The explanation of a refusal is added to the text."""
    result["text"] += result["refusal"] or ""


@result("anthropic")
def invents_refusal_texts(result: Tree, ask: Ask) -> None:
    """A refusal without an explanation gets one."""
    if stop_reason(ask) == "refusal" and not result["refusal"]:
        result["refusal"] = "The model refused."


@result("anthropic")
def gives_text_as_the_refusal(result: Tree, ask: Ask) -> None:
    """The text of a refused answer is moved to refusal."""
    if stop_reason(ask) == "refusal" and result["text"]:
        result["refusal"], result["text"] = result["text"], ""


@result()
def gives_the_model_asked(result: Tree, ask: Ask) -> None:
    """model is always the one that was asked."""
    result["model"] = ask.client["model"]


@result()
def leaves_the_model_unknown(result: Tree, ask: Ask) -> None:
    """Where the reply names no model, model is empty."""
    if ask.last and isinstance(ask.last.tree, dict) and not ask.last.tree.get("model"):
        result["model"] = ""


@result()
def gives_known_keys_of_raw(result: Tree) -> None:
    """raw holds only the keys that the translator reads."""
    known = (
        "id",
        "type",
        "role",
        "model",
        "content",
        "stop_reason",
        "stop_sequence",
        "usage",
        "choices",
        "object",
        "created",
        "stop_details",
    )
    result["raw"] = {key: value for key, value in result["raw"].items() if key in known}


@result()
def gives_read_blocks_of_raw(result: Tree) -> None:
    """raw leaves out the blocks that the translator does not read."""
    result["raw"]["content"] = [
        block for block in result["raw"]["content"] if block["type"] in ("text", "tool_use", "thinking")
    ]


# -- repair -----------------------------------------------------------------------------------------------------------


@received("anthropic")
def repairs_numbers_too(received: Received, ask: Ask) -> Received:
    """A reply that needs repair is read and written anew, numbers and all."""
    text = received.body.decode("utf-8", "replace")
    if not re.search(r"\\ud[89a-f]", text, re.IGNORECASE) and "\ufffd" not in text:
        return received
    try:
        return received.with_body(json.dumps(json.loads(text)).encode())
    except ValueError:
        return received


@received()
def cuts_lone_halves(received: Received, ask: Ask) -> Received:
    """Half a surrogate pair in a reply is cut out without a word."""
    text = received.body.decode("utf-8", "surrogateescape")
    bare = re.sub(r"(?<!\\)((?:\\\\)*)\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])", r"\1", text)
    return received.with_body(bare.encode("utf-8", "surrogateescape"))


@received()
def takes_pairs_for_halves(received: Received, ask: Ask) -> Received:
    """Escaped pairs become two U+FFFD."""
    return received.with_body(
        re.sub(rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}", rb"\\ufffd\\ufffd", received.body)
    )


@received()
def reads_escaped_escapes(received: Received, ask: Ask) -> Received:
    """An escape that is itself escaped is taken for half a pair."""
    return received.with_body(re.sub(rb"\\\\u[dD][0-9a-fA-F]{3}", rb"\\ufffd", received.body))
