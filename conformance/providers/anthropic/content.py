"""What the service demands of text and of empty messages (wire-facts B8 5-8, 26)."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.providers.anthropic.conversation import Block, Conversation
from conformance.providers.anthropic.rules import RULES
from conformance.providers.at import BODY, At
from conformance.providers.violation import Violation

_EMPTY = {"user": "b8-07-empty-user"}


def messages_have_content(talk: Conversation) -> Iterator[Violation]:
    """B8 7, 8: only the last assistant message may be empty."""
    for message in talk.messages:
        optional = message is talk.messages[-1] and message.role == "assistant"
        if message.content in ("", []) and not optional:
            yield RULES[_EMPTY.get(message.role, "b8-08-empty-message")].broken(message.at)


def texts_say_something(talk: Conversation) -> Iterator[Violation]:
    """B8 5, 6: no empty and no blank text block, in messages and in tool results."""
    for block in talk.blocks():
        yield from _judge(block)
        if block.type == "tool_result" and isinstance(block.data.get("content"), list):
            for inner in block.nested():
                yield from _judge(inner)


def system_says_something(talk: Conversation) -> Iterator[Violation]:
    """B8 5, 6 for `system`; an empty string there is only suspected to be refused."""
    system = talk.body.get("system")
    at = BODY / "system"
    if system == "":
        yield RULES["b8-05-empty-system"].broken(at)
    texts: list[tuple[object, At]] = [(system, at)] if system != "" else []
    if isinstance(system, list):
        texts = [(item.get("text"), at / index) for index, item in enumerate(system) if isinstance(item, dict)]
    for text, place in texts:
        yield from _text(text, place, "system")


def the_last_answer_is_trimmed(talk: Conversation) -> Iterator[Violation]:
    """B8 26: the last text of a prefilled answer ends in no whitespace."""
    last = talk.messages[-1] if talk.messages else None
    if last is None or last.role != "assistant" or not last.blocks:
        return
    final = last.blocks[-1]
    text = final.text_of("text") if final.type == "text" else ""
    if text.strip() and text != text.rstrip():
        yield RULES["b8-26-trailing-whitespace"].broken(final.at)


def _judge(block: Block) -> Iterator[Violation]:
    if block.type == "text":
        yield from _text(block.data.get("text"), block.at, "messages")


def _text(text: object, at: At, field: str) -> Iterator[Violation]:
    if text == "":
        yield RULES["b8-05-empty-text"].broken(at, field=field)
    elif isinstance(text, str) and not text.strip():
        yield RULES["b8-06-blank-text"].broken(at, field=field)


CHECKS = (messages_have_content, texts_say_something, system_says_something, the_last_answer_is_trimmed)
