"""The system prompt: hoisted text, the client's, or the request's override.

Clauses `anthropic.system-hoist`, `system.override`.
"""

from __future__ import annotations

from msgspec import Raw

from toolnexus.wire.anthropic import content, marks
from toolnexus.wire.anthropic.blocks import Block
from toolnexus.wire.anthropic.content import Piece
from toolnexus.wire.anthropic.marks import Mark
from toolnexus.wire.log import Log

Hoisted = list[tuple[int, list[Piece], Raw | None]]
"""The system messages that were hoisted: index, pieces, and the message's own cache mark."""


def choose(
    hoisted: Hoisted, override: str | None, client: str | None, log: Log, sent: list[Mark]
) -> str | list[Block] | None:
    """The `system` value to send, None for none; `sent` receives the cache marks it carries."""
    if override and not override.isspace():
        return override
    if client and not client.isspace():
        for index, pieces, _ in hoisted:
            if any(piece.text is None or piece.text.strip() for piece in pieces):
                log.warn("system-replaced", f"/messages/{index}", "the client's system prompt was sent in its place")
        return client
    if not hoisted:
        return None
    if any(mark is not None or any(piece.mark is not None for piece in pieces) for _, pieces, mark in hoisted):
        return _blocks(hoisted, log, sent) or None
    texts = [_text(pieces) for _, pieces, _ in hoisted]
    return "\n\n".join([text for text in texts if text and not text.isspace()]) or None


def _text(pieces: list[Piece]) -> str:
    # A part that is no text was read as the text block that names it.
    return "".join([piece.text if piece.text is not None else getattr(piece.block, "text", "") for piece in pieces])


def _blocks(hoisted: Hoisted, log: Log, sent: list[Mark]) -> list[Block]:
    blocks: list[Block] = []
    for index, pieces, mark in hoisted:
        own = content.to_blocks(pieces, log, sent)
        if mark is not None and own:
            marks.put_mark(own[-1], mark, f"/messages/{index}/cache_control", sent, log)
        elif mark is not None:
            marks.lost(log, f"/messages/{index}/cache_control", "an empty text takes no cache mark")
        blocks.extend(own)
    return blocks
