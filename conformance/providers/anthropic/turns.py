"""What the service demands of tool calls, their results and the order of turns (wire-facts B8 9-14, 24-29, 54)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile, zip_longest

from conformance.providers.anthropic.blocks import PLACES, ROLES, SERVER_RESULTS
from conformance.providers.anthropic.conversation import Block, Conversation, Turn
from conformance.providers.anthropic.rules import RULES
from conformance.providers.violation import Violation


def blocks_in_their_role(talk: Conversation) -> Iterator[Violation]:
    """B8 14, B4: calls and thinking belong to the assistant, results and media to the user."""
    for block in talk.blocks():
        role, rule = PLACES.get(block.type, (block.message.role, ""))
        if role != block.message.role and block.message.role in ROLES:
            place = block.message.at if rule.startswith("b8-14") else block.at
            yield RULES[rule].broken(place, block=block.type, role=role)


def tool_use_ids_are_unique(talk: Conversation) -> Iterator[Violation]:
    """B8 11: an id names one call of the whole conversation."""
    seen: set[str] = set()
    for block in talk.blocks():
        if block.type == "tool_use" and (name := block.text_of("id")):
            if name in seen:
                yield RULES["b8-11-tool-use-id-reused"].broken(block.at)
            seen.add(name)


def calls_are_answered(talk: Conversation) -> Iterator[Violation]:
    """B8 9: the next turn begins with the results of every call, before anything else."""
    for turn, following in _with_next(talk):
        if turn.role != "assistant":
            continue
        answered = {block.text_of("tool_use_id") for block in _leading_results(following)}
        open_calls = [block for block in turn.of_type("tool_use") if block.text_of("id") not in answered]
        if open_calls:
            ids = ", ".join(block.text_of("id") for block in open_calls)
            yield RULES["b8-09-unanswered-tool-use"].broken(open_calls[0].message.at, ids=ids)


def results_answer_calls(talk: Conversation) -> Iterator[Violation]:
    """B8 10: a result names a call of the turn right before."""
    previous: Turn | None = None
    for turn in talk.turns:
        if turn.role == "user":
            calls = previous.of_type("tool_use") if previous and previous.role == "assistant" else []
            known = {call.text_of("id") for call in calls}
            for block in turn.of_type("tool_result"):
                if (name := block.text_of("tool_use_id")) not in known:
                    yield RULES["b8-10-unexpected-result"].broken(block.at, id=name)
        previous = turn


def one_result_per_call(talk: Conversation) -> Iterator[Violation]:
    """B8 12: a call has one result."""
    for turn in talk.turns:
        seen: set[str] = set()
        for block in turn.of_type("tool_result") if turn.role == "user" else ():
            name = block.text_of("tool_use_id")
            if name in seen:
                yield RULES["b8-12-two-results"].broken(block.at, id=name)
            seen.add(name)


def results_share_a_message(talk: Conversation) -> Iterator[Violation]:
    """House rule (B8 29): Anthropic merges neighbours, but many servers look only at the next message."""
    for turn, following in _with_next(talk):
        results = _leading_results(following) if turn.role == "assistant" else []
        split = next((block for block in results if block.message is not results[0].message), None)
        if split is not None:
            yield RULES["results-in-one-turn"].broken(split.message.at)


def errors_have_content(talk: Conversation) -> Iterator[Violation]:
    """B8 13: a failed call says something."""
    for block in talk.blocks():
        failed = block.type == "tool_result" and block.data.get("is_error") is True
        if failed and not block.data.get("content"):
            yield RULES["b8-13-empty-error"].broken(block.at)


def history_has_tools(talk: Conversation) -> Iterator[Violation]:
    """B8 24: tool blocks without declared tools; unproved, hence never blocking."""
    used = any(block.type in ("tool_use", "tool_result") for block in talk.blocks())
    if used and not talk.body.get("tools"):
        yield RULES["b8-24-history-without-tools"].broken()


def the_user_speaks_first(talk: Conversation) -> Iterator[Violation]:
    """B8 27: refused in 2024, reported as accepted since."""
    if talk.messages and talk.messages[0].role == "assistant":
        yield RULES["b8-27-assistant-first"].broken(talk.messages[0].at)


def system_turns_have_their_place(talk: Conversation) -> Iterator[Violation]:
    """B3.1: a mid-conversation system turn follows a user turn and precedes an assistant turn or the end."""
    for number, turn in enumerate(talk.turns):
        if turn.role != "system":
            continue
        place = turn.messages[0].at
        if turn.messages[0].index == 0:
            yield RULES["b3-system-first"].broken(place)
            continue
        before = talk.turns[number - 1] if number else None
        after = talk.turns[number + 1] if number + 1 < len(talk.turns) else None
        if not (_admits_system(before) and (after is None or after.role == "assistant")):
            yield RULES["b3-system-place"].broken(place)


def server_tools_are_resolved(talk: Conversation) -> Iterator[Violation]:
    """B8 54: a server tool's call has its result in the same turn.

    It may still be open while the turn is resumed, or while the user answers client calls of the
    same turn with nothing but results (B10).
    """
    for turn, following in _with_next(talk):
        if turn.role != "assistant" or following is None or _only_results(following):
            continue
        resolved = {block.text_of("tool_use_id") for block in turn.of_type(*SERVER_RESULTS)}
        for block in turn.of_type("server_tool_use"):
            if block.text_of("id") not in resolved:
                words = {"tool": block.text_of("name"), "id": block.text_of("id")}
                yield RULES["b8-54-unresolved-server-tool"].broken(block.at, **words)


def _with_next(talk: Conversation) -> Iterator[tuple[Turn, Turn | None]]:
    yield from zip_longest(talk.turns, talk.turns[1:])


def _leading_results(turn: Turn | None) -> list[Block]:
    if turn is None or turn.role != "user":
        return []
    return list(takewhile(lambda block: block.type == "tool_result", turn.blocks))


def _only_results(turn: Turn) -> bool:
    return bool(turn.blocks) and all(block.type == "tool_result" for block in turn.blocks)


def _admits_system(turn: Turn | None) -> bool:
    if turn is None:
        return False
    return turn.role == "user" or (bool(turn.blocks) and turn.blocks[-1].type in SERVER_RESULTS)


CHECKS = (
    blocks_in_their_role,
    tool_use_ids_are_unique,
    calls_are_answered,
    results_answer_calls,
    one_result_per_call,
    results_share_a_message,
    errors_have_content,
    history_has_tools,
    the_user_speaks_first,
    system_turns_have_their_place,
    server_tools_are_resolved,
)
