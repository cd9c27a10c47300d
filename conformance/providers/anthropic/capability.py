"""What the model named in the body, and the API version, refuse (wire-facts B8 22, 25, 31-35, 38-41, 55, 57)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from conformance.providers.anthropic.blocks import THINKING_BLOCKS
from conformance.providers.anthropic.conversation import Conversation, Turn
from conformance.providers.anthropic.models import Model
from conformance.providers.anthropic.rules import RULES
from conformance.providers.at import BODY
from conformance.providers.violation import Violation

NEXT_VERSION = "2026-10-21"
SAMPLERS = ("temperature", "top_p", "top_k")
# The values that change nothing pass everywhere on 2023-06-01 (B8 32); top_k has none.
NEUTRAL = {"temperature": 1, "top_p": 1}


def thinking_mode(body: Mapping[str, Any]) -> str:
    """The `type` of the body's thinking, "" when there is none."""
    thinking = body.get("thinking")
    mode = thinking.get("type") if isinstance(thinking, dict) else None
    return mode if isinstance(mode, str) else ""


def effort(body: Mapping[str, Any]) -> str:
    """The body's `output_config.effort`, "" when there is none."""
    output = body.get("output_config")
    level = output.get("effort") if isinstance(output, dict) else None
    return level if isinstance(level, str) else ""


def forced(body: Mapping[str, Any]) -> bool:
    """Whether the tool choice demands a call."""
    choice = body.get("tool_choice")
    return isinstance(choice, dict) and choice.get("type") in ("any", "tool")


def _thinks(body: Mapping[str, Any]) -> bool:
    return thinking_mode(body) in ("enabled", "adaptive", "between_tools")


def sampling(talk: Conversation, row: Model | None) -> Iterator[Violation]:
    """B8 31, 32, 34, B7: sampling the model does not take, or not in this combination."""
    body = talk.body
    given = [name for name in SAMPLERS if name in body]
    if row is None:
        return
    if row.sampling:
        for name in given:
            if body[name] != NEUTRAL.get(name):
                yield RULES["b8-32-sampling-refused"].broken(BODY / name, name=name)
        return
    if row.both_samplers and "temperature" in given and "top_p" in given:
        yield RULES["b8-31-both-samplers"].broken(BODY / "top_p")
    if _thinks(body):
        yield from _sampling_while_thinking(body)


def _sampling_while_thinking(body: Mapping[str, Any]) -> Iterator[Violation]:
    if body.get("temperature", 1) != 1:
        yield RULES["b8-34-temperature-with-thinking"].broken(BODY / "temperature")
    if "top_k" in body:
        yield RULES["b7-sampling-with-thinking"].broken(BODY / "top_k", name="top_k", reason="cannot be set")
    top_p = body.get("top_p", 1)
    if isinstance(top_p, (int, float)) and not 0.95 <= top_p <= 1:
        reason = "must be between 0.95 and 1"
        yield RULES["b7-sampling-with-thinking"].broken(BODY / "top_p", name="top_p", reason=reason)


def output_limit(talk: Conversation, row: Model | None) -> Iterator[Violation]:
    """B8 35: no more output than the model can give."""
    asked = talk.body.get("max_tokens")
    if row and isinstance(asked, int) and asked > row.max_output:
        rule = RULES["b8-35-max-tokens-limit"]
        yield rule.broken(BODY / "max_tokens", asked=asked, limit=row.max_output, model=talk.body.get("model"))


def forced_choice(talk: Conversation, row: Model | None) -> Iterator[Violation]:
    """B8 22, 23: a forced call, on models that refuse it and beside manual thinking."""
    if not forced(talk.body):
        return
    if row and row.forced:
        yield RULES["b8-22-forced-choice"].broken(BODY / "tool_choice")
    if thinking_mode(talk.body) == "enabled":
        yield RULES["b8-23-choice-and-thinking"].broken(BODY / "tool_choice")


def thinking_kind(talk: Conversation, row: Model | None) -> Iterator[Violation]:
    """B8 39: the kind of thinking the model takes."""
    mode = thinking_mode(talk.body)
    if row is None or not mode:
        return
    refused = {
        "enabled": row.enabled,
        "disabled": row.disabled or (row.disabled_above_high and effort(talk.body) in ("xhigh", "max")),
        "adaptive": row.adaptive,
    }
    if refused.get(mode):
        yield RULES[f"b8-39-thinking-{mode}"].broken(BODY / "thinking")


def effort_level(talk: Conversation, row: Model | None) -> Iterator[Violation]:
    """B8 40: an effort the model offers."""
    level = effort(talk.body)
    if row is None or not level or level in row.efforts:
        return
    at = BODY / "output_config" / "effort"
    if row.efforts:
        yield RULES["b8-40-effort-level"].broken(at, level=level, levels=", ".join(sorted(row.efforts)))
    else:
        yield RULES["b8-40-effort"].broken(at)


def budget(talk: Conversation, row: Model | None) -> Iterator[Violation]:
    """B8 38: the thinking budget fits inside `max_tokens`; its minimum is the schema's business."""
    thinking = talk.body.get("thinking")
    asked = thinking.get("budget_tokens") if isinstance(thinking, dict) else None
    most = talk.body.get("max_tokens")
    if thinking_mode(talk.body) == "enabled" and isinstance(asked, int) and isinstance(most, int) and asked >= most > 0:
        yield RULES["b8-38-budget-above-max-tokens"].broken(BODY / "max_tokens")


def prewarm(talk: Conversation, row: Model | None) -> Iterator[Violation]:
    """B2: `max_tokens: 0` warms the cache and goes with nothing that asks for an answer."""
    body = talk.body
    if body.get("max_tokens") != 0 or isinstance(body.get("max_tokens"), bool):
        return
    output = body.get("output_config")
    asks = {
        "stream": body.get("stream") is True,
        "thinking.enabled": thinking_mode(body) == "enabled",
        "output_config.format": isinstance(output, dict) and bool(output.get("format")),
        "tool_choice": forced(body),
    }
    for name, present in asks.items():
        if present:
            yield RULES["b2-max-tokens-zero"].broken(BODY / "max_tokens", with_=name)


def prefill(talk: Conversation, row: Model | None) -> Iterator[Violation]:
    """B8 25, 57: an answer begun by the caller, on models that refuse it and beside thinking."""
    last = talk.prefill()
    if last is None:
        return
    if row and row.prefill:
        yield RULES["b8-25-prefill"].broken(last.at)
    if _thinks(talk.body):
        yield RULES["b8-57-thinking-and-prefill"].broken(last.at)


def system_role(talk: Conversation, row: Model | None) -> Iterator[Violation]:
    """B3.1: system turns among the messages."""
    for message in talk.messages if row and row.system_role else ():
        if message.role == "system":
            yield RULES["b3-system-role-refused"].broken(message.at)


def thinking_comes_first(talk: Conversation, row: Model | None) -> Iterator[Violation]:
    """B8 41: with manual thinking, the running tool turn starts with its thinking block."""
    running = _running_turn(talk) if thinking_mode(talk.body) == "enabled" else []
    starts = [turn.blocks[0] for turn in running]
    if starts and not any(block.type in THINKING_BLOCKS for block in starts):
        yield RULES["b8-41-thinking-first"].broken(starts[-1].at, found=starts[-1].type)


def _running_turn(talk: Conversation) -> list[Turn]:
    """The assistant's turns of the tool loop that the last message goes on with, in order."""
    loop: list[Turn] = []
    for number in range(len(talk.turns) - 1, 0, -2):
        results, calls = talk.turns[number], talk.turns[number - 1]
        if results.role != "user" or not results.of_type("tool_result") or not calls.of_type("tool_use"):
            break
        loop.insert(0, calls)
    return loop


Check = Callable[[Conversation, Model | None], Iterator[Violation]]

CHECKS: tuple[Check, ...] = (
    sampling,
    output_limit,
    forced_choice,
    thinking_kind,
    effort_level,
    budget,
    prewarm,
    prefill,
    system_role,
    thinking_comes_first,
)


def next_version(talk: Conversation) -> Iterator[Violation]:
    """B8 33, 55: what version 2026-10-21 refuses and 2023-06-01 takes."""
    for name in SAMPLERS:
        if name in talk.body:
            yield RULES["b8-33-sampling-gone"].broken(BODY / name)
    for block in talk.blocks():
        if block.type == "document" and block.message.role == "assistant":
            yield RULES["b8-55-document-in-assistant"].broken(block.at)
        elif block.message.role == "user" and block.type == "text" and block.data.get("citations"):
            yield RULES["b8-55-user-citations"].broken(block.at / "citations")
