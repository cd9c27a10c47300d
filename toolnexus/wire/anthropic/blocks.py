"""Anthropic's blocks and turns, as they are encoded (wire-facts B3, B4).

Key order is the provider's documentation's; an absent optional is not sent, never null (B2). A block passed through
unchanged is its own `msgspec.Raw`, or a `dict` of them where one key had to change.
"""

from __future__ import annotations

import msgspec
from msgspec import Raw, Struct

from toolnexus.wire.exact import plain


class Base64Source(Struct, gc=False, tag_field="type", tag="base64"):
    """Bytes in the body."""

    media_type: str
    data: str


class UrlSource(Struct, gc=False, tag_field="type", tag="url"):
    """Bytes the provider fetches."""

    url: str


class TextSource(Struct, gc=False, tag_field="type", tag="text"):
    """A plain text document, decoded."""

    data: str
    media_type: str = "text/plain"


class Text(Struct, gc=False, tag_field="type", tag="text", omit_defaults=True):
    """A text block; never empty or blank (B8 5, 6)."""

    text: str
    cache_control: Raw | None = None


class Image(Struct, gc=False, tag_field="type", tag="image", omit_defaults=True):
    """An image in a user turn or tool result."""

    source: Base64Source | UrlSource
    cache_control: Raw | None = None


class Document(Struct, gc=False, tag_field="type", tag="document", omit_defaults=True):
    """A PDF or plain text in a user turn or tool result."""

    source: Base64Source | UrlSource | TextSource
    title: str | None = None
    cache_control: Raw | None = None


class ToolUse(Struct, gc=False, tag_field="type", tag="tool_use", omit_defaults=True):
    """A call of an assistant turn; `input` is the caller's own bytes (clause `anthropic.args-exact`)."""

    id: str
    name: str
    input: Raw
    cache_control: Raw | None = None


Native = Raw | dict[str, Raw]
"""A block the caller wrote in Anthropic's own shape."""

Block = Text | Image | Document | ToolUse | Native


class ToolResult(Struct, gc=False, tag_field="type", tag="tool_result", omit_defaults=True):
    """The answer to one call; `content` is one string, or native blocks (clause `anthropic.tool-result`)."""

    tool_use_id: str
    content: str | list[Block]
    cache_control: Raw | None = None


class Turn(Struct, gc=False):
    """One message as sent; `content` is a string or a list of blocks."""

    role: str
    content: str | list[Block | ToolResult]


class _Kind(Struct, gc=False):
    type: str = ""


_decode_kind = msgspec.json.Decoder(_Kind).decode
_STRUCTS = {"tool_use": ToolUse, "tool_result": ToolResult}


def kind_of(raw: Raw) -> str:
    """The type of a part or native block given as bytes, `""` where it has none."""
    try:
        return _decode_kind(raw).type
    except (msgspec.MsgspecError, RecursionError):
        return ""


def is_kind(block: Block | ToolResult, kind: str) -> bool:
    """Whether a block is of a kind, ours or native; `thinking` takes in the redacted one."""
    if isinstance(block, Raw | dict):
        found = kind_of(block) if isinstance(block, Raw) else plain(block["type"])
        return bool(found == kind or (kind == "thinking" and found == "redacted_thinking"))
    return kind in _STRUCTS and isinstance(block, _STRUCTS[kind])
