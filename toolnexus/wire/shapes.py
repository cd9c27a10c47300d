"""The OpenAI shapes that almost every request has, and nothing else: decoded in one pass, unknown keys refused.

What these shapes refuse is read key by key elsewhere, with warnings and pointers; both readings give the same values.
Fields stand in the order in which clients write them: the decoder looks for the next one first.
"""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType


class Function(Struct, gc=False, forbid_unknown_fields=True):
    """What is called; `arguments` is a JSON text, null when there are none."""

    name: str
    arguments: str | None = None


class Call(Struct, gc=False, forbid_unknown_fields=True, kw_only=True):
    """One call of an assistant message."""

    id: str | None = None
    type: str = "function"
    function: Function


class Message(Struct, gc=False, forbid_unknown_fields=True, kw_only=True):
    """A message with nothing but what every message may have."""

    role: str
    tool_call_id: str | None = None
    content: str | list[Raw] | None = None
    tool_calls: list[Call] | None = None


class FunctionSpec(Struct, gc=False, forbid_unknown_fields=True):
    """A function's declaration; `parameters` is its schema, as it came."""

    name: str
    description: str | None = None
    parameters: Raw | UnsetType = UNSET
    strict: bool | None = None


class ToolSpec(Struct, gc=False, forbid_unknown_fields=True, kw_only=True):
    """A function tool."""

    type: Literal["function"] = "function"
    function: FunctionSpec


class Body(Struct, gc=False, forbid_unknown_fields=True, kw_only=True):
    """A whole request body with nothing but its own fields."""

    model: str | None = None
    messages: list[Message]
    tools: list[ToolSpec] | None = None
    tool_choice: Raw | UnsetType = UNSET
    max_tokens: int | None = None
    system: str | None = None
    stream: Literal[False] | None = None


decode_body = msgspec.json.Decoder(Body).decode
decode_messages = msgspec.json.Decoder(list[Message]).decode
decode_message = msgspec.json.Decoder(Message).decode
decode_tools = msgspec.json.Decoder(list[ToolSpec]).decode
decode_tool = msgspec.json.Decoder(ToolSpec).decode
