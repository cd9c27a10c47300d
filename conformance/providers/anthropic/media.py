"""What the service demands of pictures and documents sent inline (wire-facts B8 48-51)."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping
from typing import Any

from conformance.providers import pictures
from conformance.providers.anthropic.conversation import Block, Conversation
from conformance.providers.anthropic.rules import RULES
from conformance.providers.at import At
from conformance.providers.violation import Violation

MOST_BYTES = 10 * 1024 * 1024
MOST_IMAGES = 600
MOST_PIXELS = 8000
MANY_IMAGES = 20
MANY_IMAGES_PIXELS = 2000


def media_is_readable(talk: Conversation) -> Iterator[Violation]:
    """B8 48-51: inline data is base64, is what it says it is, and fits the limits."""
    blocks = list(_media(talk))
    count = sum(block.type == "image" for block in blocks)
    if count > MOST_IMAGES:
        yield RULES["b8-51-image-count"].broken(count=count)
    for block in blocks:
        yield from _inline(block, count > MANY_IMAGES)


def _media(talk: Conversation) -> Iterator[Block]:
    for block in talk.blocks():
        if block.type in ("image", "document"):
            yield block
        elif block.type == "tool_result":
            yield from (inner for inner in block.nested() if inner.type in ("image", "document"))


def _inline(block: Block, many: bool) -> Iterator[Violation]:
    source = block.data.get("source")
    if not isinstance(source, dict) or source.get("type") != "base64" or not isinstance(source.get("data"), str):
        return
    at = (block.inside / "source").tagged("base64")
    data = _decoded(source["data"])
    if data is None:
        yield RULES["b8-49-base64"].broken(at / "data")
    elif block.type == "image":
        yield from _image(source, data, at, many)
    elif not data.startswith(b"%PDF"):
        yield RULES["b8-49-unreadable"].broken(at / "data", what="document")


def _image(source: Mapping[str, Any], data: bytes, at: At, many: bool) -> Iterator[Violation]:
    size = len(source["data"])
    if size > MOST_BYTES:
        yield RULES["b8-51-image-size"].broken(at, size=size)
    found = pictures.sniff(data)
    if found is None:
        yield RULES["b8-49-unreadable"].broken(at / "data", what="image")
    elif found != source.get("media_type"):
        yield RULES["b8-48-image-type-differs"].broken(at, declared=source.get("media_type"), found=found)
    limit, scope = (MANY_IMAGES_PIXELS, " for many-image requests") if many else (MOST_PIXELS, "")
    if max(pictures.dimensions(data) or (0, 0)) > limit:
        yield RULES["b8-50-image-dimensions"].broken(at / "data", limit=limit, scope=scope)


def _decoded(data: str) -> bytes | None:
    try:
        return base64.b64decode(data, validate=True) or None
    except (binascii.Error, ValueError):
        return None


CHECKS = (media_is_readable,)
