"""Faults in reading how a stream ends and what it cost, both styles."""

from __future__ import annotations

from typing import Any

from conformance.tree import Number, compact
from tests.mutants.events import choices_of, of_type
from tests.mutants.mutant import events

Event = dict[str, Any]
Tree = dict[str, Any]


# -- Anthropic --------------------------------------------------------------------------------------------------------


@events("anthropic")
def takes_a_later_null_for_the_reason(events: list[Event]) -> None:
    """A later message_delta without a reason takes the reason away."""
    own = of_type(events, "message_delta")
    if len(own) > 1 and own[-1]["delta"].get("stop_reason") is None:
        for data in own:
            data["delta"]["stop_reason"] = None


@events("anthropic")
def takes_the_first_reason(events: list[Event]) -> None:
    """The stop reason is read from message_start."""
    for data in of_type(events, "message_delta"):
        if data["delta"].get("stop_reason") not in ("end_turn", "tool_use"):
            data["delta"]["stop_reason"] = None


@events("anthropic")
def needs_a_streamed_reason(events: list[Event]) -> Any:
    """A stream that ends without a reason has not ended."""
    said = [data["delta"].get("stop_reason") for data in of_type(events, "message_delta")]
    return events if any(said) else [event for event in events if event["data"]["type"] != "message_stop"]


@events("anthropic")
def streams_no_explanations(events: list[Event]) -> None:
    """The explanation of a refusal is not streamed."""
    for data in of_type(events, "message_delta"):
        data["delta"].pop("stop_details", None)


def _counts(events: list[Event]) -> list[Tree]:
    return [data["usage"] for data in of_type(events, "message_delta") if isinstance(data.get("usage"), dict)]


@events("anthropic")
def counts_the_start_only(events: list[Event]) -> None:
    """Counts of message_delta are not read where message_start has some."""
    if of_type(events, "message_start")[0]["message"].get("usage"):
        for usage in _counts(events):
            for key in [key for key in usage if key != "output_tokens"]:
                del usage[key]


@events("anthropic")
def counts_the_end_only(events: list[Event]) -> None:
    """Counts of message_start are not read where cached or where message_delta has none."""
    for data in of_type(events, "message_start"):
        usage = data["message"]["usage"]
        if any(key.startswith("cache") for key in usage) or not _counts(events):
            usage.clear()


@events("anthropic")
def adds_output_counts_up(events: list[Event]) -> None:
    """Output counts of several events are added up."""
    own = [usage for usage in _counts(events) if isinstance(usage.get("output_tokens"), Number)]
    start = of_type(events, "message_start")[0]["message"].get("usage") or {}
    if len(own) > 1 or int(start.get("output_tokens") or 0) > 1:
        total = sum(int(usage["output_tokens"]) for usage in own) + int(start.get("output_tokens") or 0)
        own[-1]["output_tokens"] = Number(str(total))


@events("anthropic")
def counts_the_first_message_delta(events: list[Event]) -> Any:
    """Of several message_delta events the first counts."""
    own = _counts(events)
    for usage in own[1:]:
        usage.clear()


@events("anthropic")
def lets_null_counts_override(events: list[Event]) -> None:
    """Null counts in message_delta take those of message_start away."""
    for usage in _counts(events):
        for key, value in usage.items():
            if value is None:
                usage[key] = Number("0")


@events("anthropic")
def lets_no_zero_override(events: list[Event]) -> None:
    """A zero in message_delta does not count."""
    for usage in _counts(events):
        for key in [key for key, value in usage.items() if value == "0"]:
            del usage[key]


@events("anthropic")
def lets_no_input_grow(events: list[Event]) -> None:
    """Input counts in message_delta are not read."""
    for usage in _counts(events):
        usage.pop("input_tokens", None)


@events("anthropic")
def loses_details_of_streamed_usage(events: list[Event]) -> None:
    """Cached and thinking tokens of a stream are not read."""
    for usage in [*_counts(events), of_type(events, "message_start")[0]["message"].get("usage") or {}]:
        for key in ("output_tokens_details", "cache_read_input_tokens", "cache_creation_input_tokens"):
            usage.pop(key, None)


@events("anthropic")
def counts_nothing_as_zero(events: list[Event]) -> None:
    """Where the provider counts nothing a usage of zeros is made up."""
    if not _counts(events) and not of_type(events, "message_start")[0]["message"].get("usage"):
        of_type(events, "message_delta")[-1]["usage"] = {"input_tokens": Number("0"), "output_tokens": Number("0")}


@events("anthropic")
def adds_streamed_thinking_to_the_output(events: list[Event]) -> None:
    """Thinking tokens of a stream are added to the output."""
    for usage in _counts(events):
        thought = usage["output_tokens_details"]["thinking_tokens"]
        usage["output_tokens"] = Number(str(int(usage["output_tokens"]) + int(thought)))


# -- OpenAI -----------------------------------------------------------------------------------------------------------


def _said(events: list[Event]) -> list[Tree]:
    return [choice for choice in choices_of(events) if choice.get("finish_reason")]


@events("openai")
def takes_the_first_finish(events: list[Event]) -> None:
    """Of several finish reasons the first counts."""
    for choice in _said(events)[1:]:
        choice["finish_reason"] = None


@events("openai")
def ends_at_the_first_finish(events: list[Event]) -> Any:
    """What comes after the first finish reason is not read."""
    place = next(n for n, event in enumerate(events) if _said([event]))
    return [*events[: place + 1], {"event": None, "data": "[DONE]"}]


@events("openai")
def needs_done(events: list[Event]) -> Any:
    """A stream without [DONE] has not ended."""
    if events[-1]["data"] != "[DONE]" and _said(events):
        for choice in _said(events):
            choice["finish_reason"] = None
    return events


@events("openai")
def needs_a_finish(events: list[Event]) -> Any:
    """A stream without a finish reason has not ended."""
    return events if _said(events) else [event for event in events if event["data"] != "[DONE]"]


@events("openai")
def takes_an_empty_reason_for_the_end(events: list[Event]) -> Any:
    """A chunk without the key finish_reason, or with an empty one, ends the answer."""
    for place, event in enumerate(events):
        if any(choice.get("finish_reason", "") == "" for choice in choices_of([event])):
            return [*events[: place + 1], {"event": None, "data": "[DONE]"}]
    return events


def _usages(events: list[Event]) -> list[Tree]:
    chunks = [event["data"] for event in events if isinstance(event["data"], dict)]
    return [chunk for chunk in chunks if isinstance(chunk.get("usage"), dict)]


@events("openai")
def counts_the_first_usage(events: list[Event]) -> None:
    """Of several usages the first counts."""
    for chunk in _usages(events)[1:]:
        chunk["usage"] = None


@events("openai")
def lets_a_null_usage_override(events: list[Event]) -> Any:
    """A later null usage takes the usage away."""
    chunks = [event["data"] for event in events if isinstance(event["data"], dict) and "usage" in event["data"]]
    if len(_usages(events)) > 1 and chunks[-1]["usage"] is None:
        for chunk in chunks:
            chunk["usage"] = None


@events("openai")
def counts_only_chunks_withoutchoices_of(events: list[Event]) -> None:
    """Usage on a chunk with a choice is not read."""
    for chunk in _usages(events):
        if chunk.get("choices"):
            chunk["usage"] = None


@events("openai")
def counts_only_after_the_finish(events: list[Event]) -> None:
    """A usage chunk before the finish is not read."""
    place = next(n for n, event in enumerate(events) if _said([event]))
    for chunk in _usages(events[:place]):
        chunk["usage"] = None


@events("openai")
def counts_nothing_insidechoices_of(events: list[Event]) -> None:
    """Usage inside the choice is not read."""
    for choice in choices_of(events):
        choice.pop("usage", None)


@events("openai")
def counts_nothing_in_x_groq(events: list[Event]) -> None:
    """Usage in x_groq is not read."""
    for event in events:
        if isinstance(event["data"], dict):
            event["data"].pop("x_groq", None)


@events("openai")
def counts_x_groq_first(events: list[Event]) -> None:
    """Usage in x_groq counts before the chunk's own."""
    for event in events:
        if isinstance(event["data"], dict) and isinstance(more := event["data"].get("x_groq"), dict):
            event["data"]["usage"] = more.get("usage", event["data"].get("usage"))


@events("openai")
def loses_details_of_the_usage_chunk(events: list[Event]) -> None:
    """Cached and reasoning tokens of a stream are not read."""
    for chunk in _usages(events):
        for key in ("prompt_tokens_details", "completion_tokens_details", "prompt_cache_hit_tokens"):
            chunk["usage"].pop(key, None)


@events("openai")
def sums_streamed_totals(events: list[Event]) -> None:
    """The total of a stream is always the sum."""
    for chunk in _usages(events):
        chunk["usage"].pop("total_tokens", None)


@events("openai")
def leaves_streamed_totals_zero(events: list[Event]) -> None:
    """A missing total of a stream is 0."""
    for chunk in _usages(events):
        chunk["usage"].setdefault("total_tokens", Number("0"))


@events("openai")
def counts_streams_by_themselves(events: list[Event]) -> Any:
    """Where the server counts nothing a usage is made up."""
    if _usages(events) or "x_groq" in compact([event["data"] for event in events]) or not _said(events):
        return events
    if any("usage" in choice for choice in choices_of(events)):
        return events
    usage = {"prompt_tokens": Number("0"), "completion_tokens": Number("1")}
    return [*events[:-1], {"event": None, "data": {"choices": [], "usage": usage}}, events[-1]]
