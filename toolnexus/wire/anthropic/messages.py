"""Reading OpenAI messages: one strict shape that almost every message has, and a careful reading of the rest.

`Message` is decoded at once for the whole list and refuses unknown keys. Where it refuses, `careful` reads that message
key by key, names what has no place, and gives the same shape with its extras. The builder in `turns.py` sees no
difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Raw, Struct

from toolnexus.errors import InvalidRequest
from toolnexus.wire.anthropic.marks import read_mark
from toolnexus.wire.exact import MAX_DEPTH, decode_fields, decode_items, encode, plain, too_deep
from toolnexus.wire.fields import Fields
from toolnexus.wire.log import Log
from toolnexus.wire.shapes import Call, Function, Message, decode_message, decode_messages


class Extras(Struct, gc=False):
    """What only some messages have: read carefully, kept beside the message."""

    refusal: str | None = None
    thinking: list[Raw] = []
    mark: Raw | None = None
    function: str | None = None
    legacy: bool = False
    arguments_at: list[str] = []

    def function_at(self, index: int, place: int) -> str:
        """The pointer to the name and arguments of the call at `place`, in the message `index`."""
        return self.arguments_at[place] if self.arguments_at else f"/messages/{index}/tool_calls/{place}/function"


class Careful(Struct, gc=False):
    """A message that was read key by key: the common shape, and its extras."""

    message: Message
    extras: Extras


_COMMON = frozenset({"role", "content", "cache_control"})
_KNOWN = {
    "system": _COMMON,
    "developer": _COMMON,
    "user": _COMMON,
    "assistant": _COMMON
    | {"tool_calls", "function_call", "refusal", "thinking_blocks", "reasoning_content", "reasoning", "id"},
    "tool": _COMMON | {"tool_call_id"},
    "function": _COMMON | {"name"},
}
_CALL_KEYS = frozenset({"id", "type", "index", "function", "custom"})
_FUNCTION_KEYS = frozenset({"name", "arguments"})
_CUSTOM_KEYS = frozenset({"name", "input"})


def read_messages(fields: Fields, log: Log) -> Sequence[Message | Careful]:
    """The messages of a request. Raises `InvalidRequest` at the first that is none."""
    messages: Sequence[Message | Careful]
    if fields.plain is not None:
        messages = fields.plain.messages
    elif fields.messages is None:
        raise InvalidRequest("a request needs messages", "/messages")
    else:
        try:
            messages = decode_messages(fields.messages)
        except (msgspec.MsgspecError, RecursionError):
            messages = _read_each(fields.messages, log)
    if not messages:
        raise InvalidRequest("a request needs at least one message", "/messages")
    return messages


def arguments_of(messages: list[Message]) -> list[str]:
    """The arguments of every call in a plain history that has some."""
    calls = [message.tool_calls for message in messages if message.tool_calls]
    return [call.function.arguments for turn in calls for call in turn if call.function.arguments]


def _read_each(raw: Raw, log: Log) -> list[Message | Careful]:
    try:
        items = decode_items(raw)
    except (msgspec.MsgspecError, RecursionError):
        raise InvalidRequest("messages is no list", "/messages") from None
    messages: list[Message | Careful] = []
    for index, item in enumerate(items):
        try:
            messages.append(decode_message(item))
        except (msgspec.MsgspecError, RecursionError):
            messages.append(careful(item, f"/messages/{index}", log))
    return messages


def careful(raw: Raw, at: str, log: Log) -> Careful:
    """One message read key by key; what has no place is named.

    Raises `InvalidRequest` at a known key of a wrong type.
    """
    if too_deep(bytes(raw)):
        raise InvalidRequest(f"nested deeper than {MAX_DEPTH} levels", at)
    try:
        keys = decode_fields(raw)
    except (msgspec.MsgspecError, RecursionError):
        raise InvalidRequest("a message is no object", at) from None
    value = {key: plain(item) for key, item in keys.items()}
    role = value.get("role")
    if not isinstance(role, str) or role not in _KNOWN:
        raise InvalidRequest(f"role {role!r} is none of {', '.join(_KNOWN)}", f"{at}/role")
    log.unknown(value, _KNOWN[role], at)
    message = Message(role=role, content=_content(value.get("content"), keys, at))
    extras = Extras(mark=read_mark(keys.get("cache_control"), f"{at}/cache_control"))
    if role == "assistant":
        _assistant(value, keys, message, extras, at, log)
    elif role == "tool":
        message.tool_call_id = _optional_text(value, "tool_call_id", at)
    elif role == "function":
        extras.function = _optional_text(value, "name", at)
        if extras.function is None:
            raise InvalidRequest("a function message needs the name of its call", at)
    return Careful(message, extras)


def _content(value: Any, keys: dict[str, Raw], at: str) -> str | list[Raw] | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list):
        return decode_items(keys["content"])
    raise InvalidRequest("content is no string, null or list of parts", f"{at}/content")


def _optional_text(value: dict[str, Any], key: str, at: str) -> str | None:
    text = value.get(key)
    if text is not None and not isinstance(text, str):
        raise InvalidRequest(f"{key} is no string", f"{at}/{key}")
    return text


def _assistant(
    value: dict[str, Any], keys: dict[str, Raw], message: Message, extras: Extras, at: str, log: Log
) -> None:
    extras.refusal = _optional_text(value, "refusal", at)
    if value.get("thinking_blocks"):
        if not isinstance(value["thinking_blocks"], list):
            raise InvalidRequest("thinking_blocks is no list", f"{at}/thinking_blocks")
        extras.thinking = decode_items(keys["thinking_blocks"])
    else:
        for key in ("reasoning_content", "reasoning"):
            if value.get(key):
                log.dropped(f"{at}/{key}", "reasoning without its signed thinking_blocks cannot be sent back")
    if value.get("tool_calls") is not None:
        if not isinstance(value["tool_calls"], list):
            raise InvalidRequest("tool_calls is no list", f"{at}/tool_calls")
        items = decode_items(keys["tool_calls"])
        message.tool_calls = [_call(item, f"{at}/tool_calls/{j}", extras, log) for j, item in enumerate(items)]
    if value.get("function_call") is not None:
        function = _function(keys["function_call"], f"{at}/function_call", log)
        extras.legacy = True
        extras.arguments_at.append(f"{at}/function_call")
        message.tool_calls = [*(message.tool_calls or []), Call(function=function, type="legacy")]


def _call(raw: Raw, at: str, extras: Extras, log: Log) -> Call:
    keys = _object(raw, "a call is no object", at)
    value = {key: plain(item) for key, item in keys.items()}
    log.unknown(value, _CALL_KEYS, at)
    call_id = _optional_text(value, "id", at)
    if value.get("type") == "custom" or (value.get("custom") is not None and value.get("function") is None):
        extras.arguments_at.append(f"{at}/custom")
        return Call(function=_custom(keys.get("custom"), f"{at}/custom", log), id=call_id)
    extras.arguments_at.append(f"{at}/function")
    if "function" not in keys:
        raise InvalidRequest("a call needs its function", at)
    return Call(function=_function(keys["function"], f"{at}/function", log), id=call_id)


def _object(raw: Raw, message: str, at: str) -> dict[str, Raw]:
    try:
        return decode_fields(raw)
    except (msgspec.MsgspecError, RecursionError):
        raise InvalidRequest(message, at) from None


def _function(raw: Raw, at: str, log: Log) -> Function:
    keys = _object(raw, "function is no object", at)
    value = {key: plain(item) for key, item in keys.items()}
    log.unknown(value, _FUNCTION_KEYS, at)
    name = _optional_text(value, "name", at) or ""
    arguments = value.get("arguments")
    if arguments is None or isinstance(arguments, str):
        return Function(name, arguments)
    # An object is its own JSON text (clause `anthropic.args-object`); anything else turns out malformed by the same
    # reading.
    return Function(name, bytes(keys["arguments"]).decode())


def _custom(raw: Raw | None, at: str, log: Log) -> Function:
    keys = _object(raw or Raw(b""), "a custom call needs its name and input", at)
    value = {key: plain(item) for key, item in keys.items()}
    log.unknown(value, _CUSTOM_KEYS, at)
    text = _optional_text(value, "input", at) or ""
    return Function(_optional_text(value, "name", at) or "", encode({"input": text}).decode())
