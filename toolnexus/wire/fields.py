"""The request as the wire reads it: each top-level field as its own JSON bytes.

Two doors lead here, a client's body as it came and values built in Python; behind them there is one path, and no token
of what came as JSON is ever rewritten.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import msgspec
from msgspec import UNSET, Raw, Struct

from toolnexus.errors import InvalidRequest
from toolnexus.result import Warning
from toolnexus.wire.clean import Cleaner, dumped_model, note_surrogate, pointer_key
from toolnexus.wire.exact import (
    INSIDE,
    MAX_DEPTH,
    decode_fields,
    decode_string,
    repair_escapes,
    repair_text,
    too_deep,
    where,
)
from toolnexus.wire.shapes import Body, decode_body

OWN_FIELDS = ("messages", "tools", "tool_choice", "system", "max_tokens")
"""The fields of the request itself; every other field of a body is one of its `params`."""

_NULL = Raw(b"null")
_TRUE = Raw(b"true")
_REFUSED_PARAMS = frozenset({"messages", "tools", "tool_choice", "model", "system"})


class Fields(Struct):
    """One request, split: the JSON bytes of each field present, and where the caller wrote each param.

    `plain` is set instead of the bytes of messages and tools where the whole body had the plain shape.
    """

    messages: Raw | None = None
    tools: Raw | None = None
    tool_choice: Raw | None = None
    system: str | None = None
    max_tokens: Raw | int | None = None
    model: str | None = None
    params: dict[str, Raw] = {}
    places: dict[str, str] = {}
    warnings: list[Warning] = []
    plain: Body | None = None

    def refuse_stream(self) -> None:
        """Raises `InvalidRequest` where a plain call was asked to stream (SPEC section 1)."""
        if self.params.get("stream") == _TRUE:
            raise InvalidRequest("translate gives one answer; a true stream asks for another", self.place("stream"))

    def place(self, param: str) -> str:
        """The JSON pointer of a param: `/params/seed`, or `/seed` where it stood at the top of a body."""
        return self.places.get(param) or f"/params/{pointer_key(param)}"


def plain_from_body(body: bytes) -> Fields | None:
    """A body of the plain shape, decoded in one pass; None where it is of any other."""
    try:
        plain = decode_body(body)
    except (msgspec.MsgspecError, RecursionError):
        return None
    choice = plain.tool_choice
    if not _is_clean(plain):
        return None
    return Fields(
        None,
        None,
        None if choice is UNSET or choice == _NULL else choice,
        plain.system,
        plain.max_tokens,
        plain.model,
        plain=plain,
    )


def _is_clean(plain: Body) -> bool:
    """Whether what was skipped is sound: UTF-8, and not too deep; half a surrogate pair was refused by msgspec."""
    skipped = [tool.function.parameters for tool in plain.tools or () if tool.function.parameters is not UNSET]
    skipped += [part for message in plain.messages if message.content.__class__ is list for part in message.content]
    if plain.tool_choice is not UNSET:
        skipped.append(plain.tool_choice)
    # Looked at together, which is cheap: each is whole, so that the deepest of them is as deep as all.
    data = b"".join(skipped)
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return not too_deep(data, INSIDE, max(map(len, map(bytes, skipped)), default=0))


def from_body(body: bytes, *, sound: bool = False) -> Fields:
    """A client's Chat Completions body, split without decoding its values (clause `request.json-clean`).

    `sound` says that its Unicode is known to be. Raises `InvalidRequest` where the body is no JSON object (with line
    and column), no UTF-8, or nests too deep.
    """
    warnings: list[Warning] = []
    if not sound:
        body, warnings = _sound_unicode(body)
    try:
        parts = decode_fields(body)
    except (msgspec.MsgspecError, RecursionError):
        raise InvalidRequest(_what_is_wrong(body), "") from None
    fields = Fields(warnings=warnings)
    _own_fields(fields, parts)
    params = _nested_params(parts.pop("params", None))
    # A field written at the top wins over one in `params`: it is nearer to what OpenAI would have read.
    fields.places = {name: f"/{pointer_key(name)}" for name in parts}
    fields.params = params | parts if params else parts
    _settle_params(fields)
    for name, raw in fields.params.items():
        refuse_depth(raw, fields.place(name))
    if fields.tool_choice is not None:
        refuse_depth(fields.tool_choice, "/tool_choice")
    return fields


def _sound_unicode(body: bytes) -> tuple[bytes, list[Warning]]:
    if body.startswith(b"\xef\xbb\xbf"):
        body = body[3:]
    try:
        body.decode()
    except UnicodeDecodeError as error:
        raise InvalidRequest(f"the body is no UTF-8 (byte {error.start})", "") from None
    if b"\\ud" in body or b"\\uD" in body:
        return _repair(body)
    return body, []


def refuse_depth(raw: Raw, pointer: str) -> None:
    """Raises `InvalidRequest` where a value nests deeper than is carried (clause `request.json-clean`)."""
    if too_deep(bytes(raw)):
        raise InvalidRequest(f"nested deeper than {MAX_DEPTH} levels", pointer)


def from_values(
    *,
    messages: Any,
    tools: Any,
    tool_choice: Any,
    system: Any,
    max_tokens: Any,
    params: Any,
) -> Fields:
    """Values built in Python, walked once and encoded; the caller's objects are only read.

    Raises `InvalidRequest` where a value cannot be JSON, or `params` is no mapping.
    """
    cleaner = Cleaner()
    fields = Fields(warnings=cleaner.warnings)
    given = {
        "messages": messages,
        "tools": tools,
        "tool_choice": tool_choice,
        "system": system,
        "max_tokens": max_tokens,
    }
    if messages is not None and not isinstance(messages, list | tuple):
        messages = given["messages"] = _as_list(messages, "/messages")
    if tools is not None and not isinstance(tools, list | tuple):
        tools = given["tools"] = _as_list(tools, "/tools")
    _own_fields(
        fields,
        {
            # Nesting counts from the message or tool, as it does in a body.
            name: cleaner.raw(value, f"/{name}", -1 if name in ("messages", "tools") else 0)
            for name, value in given.items()
            if value is not None
        },
    )
    if params is not None:
        if hasattr(params, "model_dump"):
            params = dumped_model(params)
        if not isinstance(params, Mapping):
            raise InvalidRequest("params is no mapping", "/params")
        for name, value in params.items():
            if not isinstance(name, str):
                raise InvalidRequest("a params key is no string", "/params")
            if value is not None:
                fields.params[name] = cleaner.raw(value, f"/params/{pointer_key(name)}")
    _settle_params(fields)
    return fields


def _as_list(value: Any, pointer: str) -> list[Any]:
    """Sequences and iterators are read as lists; a string or mapping is a mistake."""
    if isinstance(value, str | bytes | Mapping) or not hasattr(value, "__iter__"):
        raise InvalidRequest(f"expected a list, got {type(value).__name__}", pointer)
    return list(value)


def _own_fields(fields: Fields, parts: dict[str, Raw]) -> None:
    """Moves the request's own fields out of `parts`, leaving its params."""
    for name in [name for name, raw in parts.items() if raw == _NULL]:
        del parts[name]
    fields.messages = parts.pop("messages", None)
    fields.tools = parts.pop("tools", None)
    fields.tool_choice = parts.pop("tool_choice", None)
    fields.max_tokens = parts.pop("max_tokens", None)
    fields.system = _string(parts.pop("system", None), "/system")
    fields.model = _string(parts.pop("model", None), "/model")


def _string(raw: Raw | None, pointer: str) -> str | None:
    if raw is None:
        return None
    try:
        return decode_string(raw)
    except msgspec.MsgspecError:
        raise InvalidRequest("expected a string", pointer) from None


def _nested_params(raw: Raw | None) -> dict[str, Raw]:
    if raw is None:
        return {}
    try:
        return decode_fields(raw)
    except msgspec.MsgspecError:
        raise InvalidRequest("params is no object", "/params") from None


def _settle_params(fields: Fields) -> None:
    """Nulls are absent, `max_tokens` moves to its place, and what has a place of its own is refused (SPEC 1)."""
    params = fields.params
    for name in [name for name, raw in params.items() if raw == _NULL]:
        del params[name]
    for name in params:
        if name in _REFUSED_PARAMS:
            raise InvalidRequest(f"{name} has a place of its own and may not stand in params", fields.place(name))
    duplicate = params.get("max_tokens")
    if duplicate is not None:
        if fields.max_tokens is None:
            fields.max_tokens = duplicate
            fields.places["max_tokens"] = "/params/max_tokens"
        elif fields.max_tokens != duplicate:
            fields.warnings.append(
                Warning("param-dropped", "/params/max_tokens", "max_tokens was given twice; the argument was sent")
            )
        del params["max_tokens"]


def _repair(body: bytes) -> tuple[bytes, list[Warning]]:
    """Replaces lone surrogate escapes in a body, and says at which strings (clause `request.unicode`)."""
    text, repaired = repair_escapes(body.decode())
    if not repaired:
        return body, []
    warnings: list[Warning] = []
    # A body that is no JSON is refused with its own reason a moment later.
    with suppress(ValueError, RecursionError):
        _surrogate_places(json.loads(body), "", warnings)
    return text.encode(), warnings


def _surrogate_places(value: Any, pointer: str, warnings: list[Warning]) -> None:
    if isinstance(value, str):
        if repair_text(value)[1]:
            note_surrogate(pointer, warnings)
    elif isinstance(value, dict):
        for key, item in value.items():
            _surrogate_places(key, f"{pointer}/{pointer_key(key)}", warnings)
            _surrogate_places(item, f"{pointer}/{pointer_key(key)}", warnings)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _surrogate_places(item, f"{pointer}/{index}", warnings)


def _what_is_wrong(body: bytes) -> str:
    stripped = body.strip()
    if not stripped:
        return "the body is empty"
    if stripped[:1] not in b"{":
        return (
            f"the body is no JSON object: {where(body)}" if stripped[:1] not in b'["' else "the body is no JSON object"
        )
    return f"the body is no JSON: {where(body)}"
