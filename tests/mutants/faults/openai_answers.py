"""Faults in reading an OpenAI-style server's answers: calls, text, finish, usage."""

from __future__ import annotations

import re
from typing import Any

from conformance.tree import Number, compact
from tests.mutants.exchange import Ask, Received
from tests.mutants.mutant import (
    received,
    reply,
    result,
)
from tests.mutants.walk import (
    choice,
    message,
    reply_calls,
)

Tree = dict[str, Any]


# -- ids and calls of answers -----------------------------------------------------------------------------------------


def _bare(ask: Ask) -> list[int]:
    """The places of calls that came without an id."""
    tree = ask.last.tree if ask.last else {}
    found = list(reply_calls(tree)) if isinstance(tree, dict) else []
    return [place for place, call in enumerate(found) if not call.get("id")]


@result("openai")
def leaves_calls_without_ids(result: Tree, ask: Ask) -> None:
    """A call without an id comes back with an empty one."""
    for place in _bare(ask):
        result["tool_calls"][place]["id"] = ""


@result("openai")
def numbers_calls_without_ids(result: Tree, ask: Ask) -> None:
    """A derived id says nothing of the response."""
    for place in _bare(ask):
        result["tool_calls"][place]["id"] = f"call_{place}"


@result("openai")
def numbers_only_calls_without_ids(result: Tree, ask: Ask) -> None:
    """The place in a derived id counts only the calls that got one."""
    for number, place in enumerate(_bare(ask)):
        call = result["tool_calls"][place]
        call["id"] = re.sub(r"_\d+(_*)$", rf"_{number}\1", call["id"])


@result("openai")
def derives_ids_without_looking(result: Tree, ask: Ask) -> None:
    """A derived id may be the one that another call has."""
    for place in _bare(ask):
        call = result["tool_calls"][place]
        call["id"] = call["id"].rstrip("_")


@result("openai")
def derives_ids_uncleaned(result: Tree, ask: Ask) -> None:
    """A derived id holds the response id as it is."""
    tree = ask.last.tree if ask.last else {}
    for place in _bare(ask):
        call = result["tool_calls"][place]
        call["id"] = f"call_{tree['id']}_{place}" if tree.get("id") else call["id"]


@result("openai")
def makes_up_ids_without_a_response(result: Tree, ask: Ask) -> None:
    """Without a response id a derived id is made up."""
    tree = ask.last.tree if ask.last else {}
    for place in _bare(ask):
        if not tree.get("id"):
            result["tool_calls"][place]["id"] = f"call_unknown_{place}"


@result("openai")
def renames_given_ids(result: Tree) -> None:
    """Ids the server gave are changed where they are not call_ something."""
    for call in result["tool_calls"]:
        if not call["id"].startswith("call_"):
            call["id"] = re.sub(r"[^a-zA-Z0-9_-]", "_", f"call_{call['id']}")[:40]


@reply("openai")
def sorts_calls_by_index(reply: Tree) -> None:
    """Calls are sorted by the index they carry."""
    message(reply)["tool_calls"].sort(key=lambda call: int(call.get("index", "0")))


@reply("openai")
def needs_a_type_on_answered_calls(reply: Tree) -> None:
    """A call without its type is not read."""
    own = message(reply)
    own["tool_calls"] = [call for call in own["tool_calls"] if call.get("type")]


@reply("openai")
def reads_no_custom_calls(reply: Tree) -> None:
    """A call of a custom tool is read as a function's, its input as JSON."""
    for call in reply_calls(reply):
        if call.get("type") == "custom":
            call["type"] = "function"
            custom = call.pop("custom")
            call["function"] = {"name": custom["name"], "arguments": compact({"input": custom["input"]})}


@reply("openai")
def reads_no_function_call(reply: Tree) -> None:
    """A legacy function_call in an answer is lost."""
    message(reply).pop("function_call", None)


@reply("openai")
def reads_the_first_call_only(reply: Tree) -> None:
    """Of several calls of an OpenAI server the first comes back."""
    del message(reply)["tool_calls"][1:]


@reply("openai")
def reads_equal_calls_once(reply: Tree) -> None:
    """Equal calls of an OpenAI server become one."""
    own = message(reply)
    own["tool_calls"] = list({compact(call["function"]): call for call in own["tool_calls"]}.values())


# -- text, reasoning, refusal -----------------------------------------------------------------------------------------


@reply("openai")
def reads_no_text_beside_calls(reply: Tree) -> None:
    """Text beside an OpenAI server's calls is lost."""
    if message(reply)["tool_calls"]:
        message(reply)["content"] = None


@result("openai")
def reads_missing_text_as_null(result: Tree, ask: Ask) -> None:
    """Without content the text is the word None."""
    if result["tool_calls"] and not result["text"]:
        result["text"] = "None"


@reply("openai")
def reads_the_first_part_only(reply: Tree) -> None:
    """Of content given as parts the first is read."""
    if isinstance(message(reply)["content"], list):
        del message(reply)["content"][1:]


@result("openai")
def joins_read_parts_by_line_ends(result: Tree, ask: Ask) -> None:
    """Content given as parts is joined by line ends."""
    own = message(ask.last.tree if ask.last else {})["content"]
    texts = [part["text"] for part in own if part.get("type") == "text"]
    if len(texts) > 1:
        result["text"] = "\n".join(texts)


@reply("openai")
def reads_reasoning_as_text(reply: Tree) -> None:
    """Reasoning is put in front of the text."""
    own = message(reply)
    thought = own.get("reasoning_content") or own.get("reasoning")
    if thought:
        own["content"] = f"{thought}{own.get('content') or ''}"


@result("openai")
def reads_no_reasoning(result: Tree) -> None:
    """The server's reasoning is lost."""
    result["reasoning"] = None


@reply("openai")
def reads_one_name_of_reasoning(reply: Tree) -> None:
    """Reasoning is read under one of its two names."""
    message(reply).pop("reasoning", None)


@reply("openai")
def reads_calls_out_of_text(reply: Tree) -> None:
    """A call that only stands in the text is taken for one."""
    own = message(reply)
    if re.search(r"<tool_call>|\{\"name\"|<function", str(own.get("content"))):
        own["tool_calls"] = [{"id": "call_1", "type": "function", "function": {"name": "x", "arguments": "{}"}}]


@result("openai")
def strips_read_text(result: Tree) -> None:
    """White space around an OpenAI server's text is stripped."""
    result["text"] = result["text"].strip()


@result("openai")
def cuts_thinking_out_of_text(result: Tree) -> None:
    """What stands between think tags in the text is cut out."""
    result["text"] = re.sub(r"(<think>)?[^<]*</think>\s*|<think>[^<]*$", "", result["text"])


@result("openai")
def reads_refusals_as_text(result: Tree) -> None:
    """A refusal is the text."""
    result["text"] += result["refusal"] or ""


@result("openai")
def reads_no_refusals(result: Tree) -> None:
    """A refusal is lost."""
    result["refusal"] = None


@result("openai")
def finishes_read_refusals_as_filtered(result: Tree) -> None:
    """Beside a refusal the finish is content_filter, whatever the server said."""
    if result["refusal"]:
        result["finish_reason"] = "content_filter"


@result("openai")
def invents_read_refusals(result: Tree) -> None:
    """Filtered answers get a refusal."""
    if result["finish_reason"] == "content_filter" and not result["refusal"]:
        result["refusal"] = "filtered"


@result("openai")
def writes_null_refusals_into_the_history(result: Tree, ask: Ask) -> None:
    """to_message() carries a null refusal where the server sent one."""
    if "refusal" in message(ask.last.tree if ask.last else {}):
        result["message"].setdefault("refusal", None)


# -- finish -----------------------------------------------------------------------------------------------------------


def _said(ask: Ask) -> str | None:
    tree = ask.last.tree if ask.last else {}
    found = choice(tree).get("finish_reason") if isinstance(tree, dict) else None
    return found if isinstance(found, str) else None


@result("openai")
def finishes_as_the_server_said(result: Tree, ask: Ask) -> None:
    """The server's own word is handed on."""
    result["finish_reason"] = _said(ask)


@result("openai")
def finishes_calls_as_said(result: Tree, ask: Ask) -> None:
    """Beside a call the server's word decides."""
    if result["tool_calls"] and _said(ask) in ("stop", "length", "content_filter"):
        result["finish_reason"] = _said(ask)


@result("openai")
def finishes_by_lower_case_words(result: Tree, ask: Ask) -> None:
    """A word in upper case is not known."""
    if _said(ask) and _said(ask) != str(_said(ask)).lower():
        result["finish_reason"] = "stop" if result["finish_reason"] != "stop" else "length"


def _finishes(name: str, fault: str, words: str, other: str) -> None:
    def edit(result: Tree, ask: Ask) -> None:
        if not result["tool_calls"] and str(_said(ask)).lower() in words.split():
            result["finish_reason"] = other

    result("openai", name=name, fault=fault)(edit)


_finishes(
    "reads-no-other-words-for-length",
    "Only length finishes as length.",
    "max_tokens model_length max_output_tokens max_completion_tokens model_context_window_exceeded",
    "stop",
)
_finishes(
    "reads-no-other-words-for-filters",
    "Only content_filter finishes as content_filter.",
    "refusal safety recitation blocklist prohibited_content spii content_filtered sensitive",
    "stop",
)
_finishes(
    "reads-no-other-words-for-stop",
    "A natural end in another vendor's word is length.",
    "end_turn eos eos_token stop_sequence complete completed finished",
    "length",
)
_finishes("finishes-filtered-text-as-stop", "Filtered text finishes as stop.", "content_filter", "stop")
_finishes("finishes-length-as-stop", "A full budget finishes as stop.", "length", "stop")
_finishes("finishes-missing-words-as-length", "An answer without a finish reason is length.", "none", "length")


@result("openai")
def finishes_by_native_words(result: Tree, ask: Ask) -> None:
    """The server's native reason beside the finish reason decides."""
    own = choice(ask.last.tree if ask.last else {})
    if any(key in own for key in ("native_finish_reason", "stop_reason", "matched_stop", "stop_sequence")):
        result["finish_reason"] = "length"


# -- usage ------------------------------------------------------------------------------------------------------------


def _counted(ask: Ask) -> Tree:
    tree = ask.last.tree if ask.last else {}
    found = tree.get("usage") if isinstance(tree, dict) else None
    return found if isinstance(found, dict) else {}


@result("openai")
def sums_the_total_itself(result: Tree) -> None:
    """The total is always the sum."""
    result["usage"]["total_tokens"] = result["usage"]["prompt_tokens"] + result["usage"]["completion_tokens"]


@result("openai")
def leaves_a_missing_total_zero(result: Tree, ask: Ask) -> None:
    """A missing total is 0."""
    if not isinstance(_counted(ask).get("total_tokens"), Number):
        result["usage"]["total_tokens"] = 0


@result("openai")
def reads_no_details_of_usage(result: Tree) -> None:
    """Cached and reasoning tokens are not read."""
    result["usage"].update(cached_tokens=0, reasoning_tokens=0, cache_write_tokens=0)


@result("openai")
def takes_cached_tokens_off(result: Tree) -> None:
    """Cached tokens are taken off the prompt."""
    result["usage"]["prompt_tokens"] -= result["usage"]["cached_tokens"]


@reply("openai")
def reads_cache_hits_under_one_name(reply: Tree) -> None:
    """prompt_cache_hit_tokens are not read."""
    reply["usage"].pop("prompt_cache_hit_tokens", None)


@reply("openai")
def reads_cache_hits_first(reply: Tree) -> None:
    """prompt_cache_hit_tokens beat the details."""
    reply["usage"]["prompt_tokens_details"] = {"cached_tokens": reply["usage"]["prompt_cache_hit_tokens"]}


@result("openai")
def counts_other_numbers_of_usage(result: Tree, ask: Ask) -> None:
    """Counts of the server's own are added to the total."""
    extra = [key for key in _counted(ask) if not re.match(r"(prompt|completion|total|cached)_", key)]
    if extra:
        result["usage"]["total_tokens"] += 1


@result("openai")
def estimates_missing_usage(result: Tree, ask: Ask) -> None:
    """Without usage the tokens are estimated."""
    if not isinstance(_counted(ask).get("prompt_tokens"), Number):
        result["usage"].update(prompt_tokens=1, total_tokens=1)


@result("openai")
def gives_null_reasoning_as_text(result: Tree, ask: Ask) -> None:
    """Reasoning that is null is the word None."""
    if message(ask.last.tree if ask.last else {}).get("reasoning_content", 0) is None:
        result["reasoning"] = "None"


@received("openai")
def stumbles_over_null_details(received: Received, ask: Ask) -> Received:
    """Null in the details of a usage makes an answer unreadable."""
    tree = received.tree if isinstance(received.tree, dict) else {}
    usage = tree.get("usage") or {}
    details = [value for key, value in usage.items() if key.endswith("_details")]
    null = any(value is None or None in value.values() for value in details)
    return received.with_body(b"{}") if null else received
