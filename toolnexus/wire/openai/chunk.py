"""Reading one chunk: a strict shape that almost every chunk has, and key by key what compatible servers make of it
(A8, A10).
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Raw, Struct

from toolnexus.wire.exact import decode_fields


class FunctionPiece(Struct, gc=False):
    """A piece of what is called."""

    name: str | None = None
    arguments: str | None = None


class CallPiece(Struct, gc=False, forbid_unknown_fields=True):
    """A piece of a call; which call, its index or id says."""

    index: int | None = None
    id: str | None = None
    type: str | None = None
    function: FunctionPiece | None = None


class DeltaPiece(Struct, gc=False, forbid_unknown_fields=True):
    """A delta with what almost every delta has; anything else is read key by key."""

    role: str | None = None
    content: str | None = None
    tool_calls: list[CallPiece] | None = None
    refusal: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None


class ChoicePiece(Struct, gc=False):
    """The one choice of a chunk."""

    delta: DeltaPiece
    index: int | None = 0
    finish_reason: str | None = None
    usage: dict[str, Any] | None = None


class Chunk(Struct, gc=False):
    """One chunk."""

    choices: list[ChoicePiece]
    id: str | None = None
    model: str | None = None
    usage: dict[str, Any] | None = None
    x_groq: dict[str, Any] | None = None
    error: Any = None


decode_chunk = msgspec.json.Decoder(Chunk).decode


def raw_delta(data: bytes, place: int) -> dict[str, Raw]:
    """The delta of the choice at a place of a chunk, each key as its bytes."""
    choices = plain_items(decode_fields(data)["choices"])
    return decode_fields(decode_fields(choices[place])["delta"])


def plain_items(raw: Raw | None) -> list[Raw]:
    """The elements of a JSON list as their bytes; none where it is no list."""
    if raw is None or bytes(raw)[:1] != b"[":
        return []
    return msgspec.json.decode(raw, type=list[Raw])


def careful_call(call: dict[str, Any], raw: Raw) -> CallPiece:
    index = call.get("index")
    keys = decode_fields(raw)
    function = call.get("function")
    return CallPiece(
        index if isinstance(index, int) and not isinstance(index, bool) else None,
        text_of(call, "id"),
        None,
        careful_function(function, keys["function"]) if isinstance(function, dict) else None,
    )


def careful_function(function: dict[str, Any], raw: Raw) -> FunctionPiece:
    arguments = function.get("arguments")
    if arguments is not None and not isinstance(arguments, str):
        # An object is its own bytes, as in the plain reply.
        arguments = bytes(decode_fields(raw)["arguments"]).decode()
    return FunctionPiece(text_of(function, "name"), arguments)


def content_text(content: Any) -> str | None:
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") in (None, "text")]
        return "".join(text for text in texts if isinstance(text, str))
    return content if isinstance(content, str) else None


def text_of(value: dict[str, Any], key: str) -> str | None:
    text = value.get(key)
    return text if isinstance(text, str) else None
