"""Anthropic's blocks and turns, as they are encoded (wire-facts B3, B4).

Key order is the provider's documentation's; an absent optional is not sent, never null (B2). A block passed through unchanged is its
own `msgspec.Raw`, or a `dict` of them where one key had to change.
"""

from __future__ import annotations

from msgspec import Raw, Struct


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
