"""The messages of a body as turns: what the rules about the conversation read.

Reading is tolerant: what the schema refuses (a message that is no object, a block without a type) is left out here,
so that one fault does not hide the next.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from conformance.providers.anthropic.blocks import SERVER_RESULTS
from conformance.providers.at import BODY, At


@dataclass(frozen=True, slots=True)
class Block:
    """One content block; string content is read as one text block at the content's own place (B3)."""

    type: str
    data: Mapping[str, Any]
    at: At
    message: Message

    @property
    def inside(self) -> At:
        """The block's place with its union tag, as schema messages name it."""
        return self.at.tagged(self.type)

    def text_of(self, key: str) -> str:
        """A string field of the block, "" when it is absent or no string."""
        value = self.data.get(key)
        return value if isinstance(value, str) else ""

    def nested(self) -> list[Block]:
        """The blocks inside a tool result's content, or a document's inline content."""
        return _blocks(self.data.get("content"), self.inside / "content", self.message)


@dataclass(frozen=True, slots=True, eq=False)
class Message:
    """One message of the body, with its index in `messages`."""

    index: int
    role: str
    content: object
    blocks: list[Block]
    at: At


@dataclass(frozen=True, slots=True)
class Turn:
    """Neighbouring messages of one role, which the service reads as one (B3, B8 28)."""

    role: str
    messages: list[Message]

    @property
    def blocks(self) -> list[Block]:
        """The blocks of all its messages, in order."""
        return [block for message in self.messages for block in message.blocks]

    def of_type(self, *types: str) -> list[Block]:
        """Its blocks of the given types."""
        return [block for block in self.blocks if block.type in types]


@dataclass(frozen=True, slots=True)
class Conversation:
    """A body's messages and turns, beside the rest of the body."""

    body: Mapping[str, Any]
    messages: list[Message]
    turns: list[Turn]

    def blocks(self) -> Iterator[Block]:
        """Every block of every message, without those nested in tool results."""
        for message in self.messages:
            yield from message.blocks

    def prefill(self) -> Message | None:
        """The last message, if it is the beginning of an answer.

        An assistant message that ends in a server tool's block is no prefill: it resumes a paused
        turn (B10 `pause_turn`).
        """
        last = self.messages[-1] if self.messages else None
        if last is None or last.role != "assistant":
            return None
        resumes = last.blocks and last.blocks[-1].type in ("server_tool_use", *SERVER_RESULTS)
        return None if resumes else last


def read(body: Mapping[str, Any]) -> Conversation:
    """The conversation a body holds."""
    messages = list(_messages(body.get("messages")))
    turns = [Turn(role, list(group)) for role, group in groupby(messages, key=lambda message: message.role)]
    return Conversation(body, messages, turns)


def _messages(raw: object) -> Iterator[Message]:
    for index, item in enumerate(raw if isinstance(raw, list) else []):
        if isinstance(item, dict) and isinstance(item.get("role"), str):
            at = BODY / "messages" / index
            message = Message(index, item["role"], item.get("content"), [], at)
            message.blocks.extend(_blocks(message.content, at / "content", message))
            yield message


def _blocks(content: object, at: At, message: Message) -> list[Block]:
    if isinstance(content, str):
        return [Block("text", {"type": "text", "text": content}, at, message)] if content else []
    if not isinstance(content, list):
        return []
    return [
        Block(item["type"], item, at / index, message)
        for index, item in enumerate(content)
        if isinstance(item, dict) and isinstance(item.get("type"), str)
    ]
