"""Faults in reading how Anthropic's answers ended and what they cost."""

from __future__ import annotations

import re
from typing import Any

from conformance.tree import Number
from tests.mutants.exchange import Ask
from tests.mutants.mutant import (
    answer,
    result,
)
from tests.mutants.walk import (
    answered_blocks,
    stop_reason,
)

Tree = dict[str, Any]


# -- finish -----------------------------------------------------------------------------------------------------------


@result("anthropic")
def finishes_as_said_beside_calls(result: Tree, ask: Ask) -> None:
    """Beside a call the provider's word decides."""
    words = {
        "end_turn": "stop",
        "stop_sequence": "stop",
        "max_tokens": "length",
        "refusal": "content_filter",
        "pause_turn": "stop",
    }
    if result["tool_calls"]:
        result["finish_reason"] = words.get(
            stop_reason(ask), "stop" if stop_reason(ask) != "tool_use" else "tool_calls"
        )


@result("anthropic")
def finishes_calls_as_stop(result: Tree) -> None:
    """A turn with calls finishes as stop."""
    if result["finish_reason"] == "tool_calls" and result["text"]:
        result["finish_reason"] = "stop"


@result("anthropic")
def finishes_with_function_call(result: Tree) -> None:
    """A single call finishes with the legacy word."""
    if result["finish_reason"] == "tool_calls" and len(result["tool_calls"]) == 1:
        result["finish_reason"] = "function_call"


@result("anthropic")
def finishes_as_the_provider_said(result: Tree, ask: Ask) -> None:
    """The provider's own word is handed on where it is none of OpenAI's."""
    if stop_reason(ask) not in ("end_turn", "tool_use"):
        result["finish_reason"] = stop_reason(ask)


@result("anthropic")
def finishes_cut_answers_as_stop(result: Tree, ask: Ask) -> None:
    """An answer cut at the limit finishes as stop."""
    if result["finish_reason"] == "length" and stop_reason(ask) != "model_context_window_exceeded":
        result["finish_reason"] = "stop"


@result("anthropic")
def finishes_full_windows_as_stop(result: Tree, ask: Ask) -> None:
    """A full context window finishes as stop."""
    if stop_reason(ask) == "model_context_window_exceeded":
        result["finish_reason"] = "stop"


@result("anthropic")
def finishes_refusals_as_stop(result: Tree) -> None:
    """A refusal finishes as stop."""
    if result["finish_reason"] == "content_filter":
        result["finish_reason"] = "stop"


@result("anthropic")
def finishes_unknown_words_as_length(result: Tree, ask: Ask) -> None:
    """A word nobody knows finishes as length."""
    if stop_reason(ask) not in (
        "end_turn",
        "tool_use",
        "max_tokens",
        "stop_sequence",
        "refusal",
        "stop",
        "length",
        "content_filter",
        "model_context_window_exceeded",
        None,
    ):
        result["finish_reason"] = "length"


@result("anthropic")
def finishes_tool_use_as_calls(result: Tree, ask: Ask) -> None:
    """tool_use without a call finishes as tool_calls."""
    if stop_reason(ask) == "tool_use":
        result["finish_reason"] = "tool_calls"


@result("anthropic")
def leaves_missing_words_null(result: Tree, ask: Ask) -> None:
    """An answer without a stop reason has no finish reason."""
    if stop_reason(ask) is None:
        result["finish_reason"] = None


@result("anthropic")
def finishes_server_tools_as_calls(result: Tree, ask: Ask) -> None:
    """A turn in which the server's tools ran finishes as tool_calls."""
    if answered_blocks(ask, "server_tool_use"):
        result["finish_reason"] = "tool_calls"


@result("anthropic")
def appends_the_stop_sequence(result: Tree, ask: Ask) -> None:
    """The stop sequence that was hit is put back into the text."""
    tree = ask.last.tree if ask.last else {}
    result["text"] += tree["stop_sequence"] or ""


@result("anthropic")
def calls_structured_output_a_call(result: Tree, ask: Ask) -> None:
    """Structured output comes back as a call of a hidden tool."""
    if "response_format" in (ask.request.get("params") or {}) and result["text"].startswith("{"):
        result["tool_calls"] = [{"id": "json", "type": "function", "name": "json", "arguments": result["text"]}]


# -- usage ------------------------------------------------------------------------------------------------------------


def _usage(ask: Ask) -> Tree:
    tree = ask.last.tree if ask.last else {}
    found = tree.get("usage")
    return found if isinstance(found, dict) else {}


def _number(usage: Tree, key: str) -> int:
    value = usage.get(key)
    return int(value) if isinstance(value, Number) else 0


@result("anthropic")
def leaves_cached_tokens_out(result: Tree, ask: Ask) -> None:
    """Tokens read from the cache are not counted."""
    cached = _number(_usage(ask), "cache_read_input_tokens")
    for key in ("prompt_tokens", "total_tokens"):
        result["usage"][key] -= cached


@result("anthropic")
def leaves_cache_writes_out(result: Tree, ask: Ask) -> None:
    """Tokens written to the cache are not counted."""
    written = _number(_usage(ask), "cache_creation_input_tokens")
    for key in ("prompt_tokens", "total_tokens"):
        result["usage"][key] -= written


@result("anthropic")
def counts_cache_writes_twice(result: Tree, ask: Ask) -> None:
    """The split of cache writes is counted beside their sum."""
    split = _usage(ask).get("cache_creation")
    for key in ("ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens"):
        result["usage"]["prompt_tokens"] += _number(split, key)


@result("anthropic")
def details_no_cached_tokens(result: Tree) -> None:
    """Cached tokens are counted, but not detailed."""
    result["usage"]["cached_tokens"] = result["usage"]["cache_write_tokens"] = 0


@result("anthropic")
def adds_thinking_to_the_output(result: Tree) -> None:
    """Thinking tokens are added to the output once more."""
    for key in ("completion_tokens", "total_tokens"):
        result["usage"][key] += result["usage"]["reasoning_tokens"]


@result("anthropic")
def details_no_thinking_tokens(result: Tree) -> None:
    """Thinking tokens are not detailed."""
    result["usage"]["reasoning_tokens"] = 0


@result("anthropic")
def swaps_input_and_output(result: Tree) -> None:
    """Input and output are swapped in the usage."""
    usage = result["usage"]
    usage["prompt_tokens"], usage["completion_tokens"] = usage["completion_tokens"], usage["prompt_tokens"]


@result("anthropic")
def counts_input_as_total(result: Tree) -> None:
    """The total leaves the output out."""
    result["usage"]["total_tokens"] = result["usage"]["prompt_tokens"]


@result("anthropic")
def leaves_missing_counts_null(result: Tree, ask: Ask) -> None:
    """Without both counts there is no usage."""
    if not isinstance(_usage(ask).get("input_tokens"), Number) or not isinstance(
        _usage(ask).get("output_tokens"), Number
    ):
        result["usage"] = {"prompt_tokens": None, "completion_tokens": None, "total_tokens": -1}


@result("anthropic")
def counts_everything(result: Tree, ask: Ask) -> None:
    """Every number in the usage is counted as a token."""
    extra = sum(
        int(v)
        for k, v in _usage(ask).items()
        if isinstance(v, Number) and v.isdigit() and not re.match("(in|out|cache)", k)
    )
    extra += sum(int(v) for k, v in _usage(ask).get("server_tool_use", {}).items() if isinstance(v, Number))
    result["usage"]["total_tokens"] += extra


@answer("anthropic")
def knows_no_openai_reasons(answer: Tree, ask: Ask) -> None:
    """OpenAI's own words from an Anthropic-style server are reported as unknown."""
    if stop_reason(ask) in ("stop", "length", "content_filter"):
        answer["warnings"].append({"code": "finish-reason-unmapped", "pointer": "/stop_reason", "message": "unknown"})
