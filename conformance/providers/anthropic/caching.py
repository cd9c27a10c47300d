"""What the service demands of `cache_control` (wire-facts B4, B8 44, 45)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from conformance.providers.anthropic.conversation import Conversation
from conformance.providers.anthropic.rules import RULES
from conformance.providers.at import BODY, At
from conformance.providers.violation import Violation

MOST_MARKS = 4

Mark = tuple[Mapping[str, Any], At]


def marks_are_few(talk: Conversation) -> Iterator[Violation]:
    """B8 44: four marks a request; the automatic one takes a slot."""
    found = len(list(_marked(talk))) + bool(talk.body.get("cache_control"))
    if found > MOST_MARKS:
        yield RULES["b8-44-cache-marks"].broken(found=found)


def marks_are_on_text(talk: Conversation) -> Iterator[Violation]:
    """B8 45: an empty text is not cached."""
    for block, at in _marked(talk):
        if block.get("type") == "text" and block.get("text") == "":
            yield RULES["b8-45-cache-on-empty-text"].broken(at.tagged("text"))


def longer_marks_come_first(talk: Conversation) -> Iterator[Violation]:
    """B4: an entry of one hour precedes those of five minutes, in the order tools, system, messages."""
    short = False
    for block, at in _marked(talk):
        lasting = block["cache_control"].get("ttl") == "1h"
        if lasting and short:
            yield RULES["b4-cache-ttl-order"].broken(at)
        short = short or not lasting


def _marked(talk: Conversation) -> Iterator[Mark]:
    for item, at in _candidates(talk):
        if isinstance(item.get("cache_control"), dict):
            yield item, at


def _candidates(talk: Conversation) -> Iterator[Mark]:
    for field in ("tools", "system"):
        listed = talk.body.get(field)
        for index, item in enumerate(listed if isinstance(listed, list) else []):
            if isinstance(item, dict):
                yield item, BODY / field / index
    for block in talk.blocks():
        # The service caches up to the end of a block, so what is nested in it comes before its own mark.
        for inner in block.nested() if block.type == "tool_result" else ():
            yield inner.data, inner.at
        yield block.data, block.at


CHECKS = (marks_are_few, marks_are_on_text, longer_marks_come_first)
