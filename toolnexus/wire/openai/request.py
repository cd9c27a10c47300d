"""One request as the body of `POST /chat/completions`: sent as given, token for token (SPEC section 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Raw, Struct

from toolnexus.errors import InvalidRequest
from toolnexus.wire.exact import decode_items, plain
from toolnexus.wire.exact import encode as encode_json
from toolnexus.wire.exchange import ProviderRequest
from toolnexus.wire.fields import Fields, refuse_depth
from toolnexus.wire.log import Log
from toolnexus.wire.openai.arguments import SURROGATE_WORDS, repair_arguments
from toolnexus.wire.openai.parts import translate_parts
from toolnexus.wire.shapes import Body, Message

if TYPE_CHECKING:
    from toolnexus.config import ClientConfig
    from toolnexus.request import TranslateRequest

_SYSTEM_ROLES = ("system", "developer")
# A neutral part says one of these as its type; a body without these words has none, and is not looked into.
_NEUTRAL_WORDS = (b'"image"', b'"audio"', b'"file"')
_AUTO = Raw(b'"auto"')


class _Role(Struct):
    role: Any = None


_decode_roles = msgspec.json.Decoder(list[_Role]).decode


def encode(request: TranslateRequest, config: ClientConfig, stream: bool) -> ProviderRequest:
    """The provider request for one translation. Raises `InvalidRequest` for whatever cannot be sent."""
    fields, shape = request.fields(), request.plain_fields().plain
    log = Log(list(fields.warnings))
    body: dict[str, Any] = {"model": config.model, "messages": _messages(fields, shape, config, log)}
    limit = _max_tokens(fields)
    if limit is not None:
        body["max_tokens"] = limit
    tools = _tools(request, fields, shape)
    if request.toolkit is not None:
        log.warnings.extend(request.toolkit.warnings())
    if tools:
        body["tools"] = tools
    if fields.tool_choice is not None:
        if bytes(fields.tool_choice)[:1] not in (b'"', b"{"):
            raise InvalidRequest("tool_choice is a string or an object", "/tool_choice")
        if tools:
            body["tool_choice"] = fields.tool_choice
        elif fields.tool_choice != _AUTO:
            log.warn("tool-choice-dropped", "/tool_choice", "a tool choice without tools was not sent")
    if stream and config.stream_usage:
        body["stream_options"] = {"include_usage": True}
    body.update(fields.params)
    if stream:
        body["stream"] = True
    else:
        fields.refuse_stream()
    return ProviderRequest("POST", config.url, config.request_headers, encode_json(body), tuple(log.warnings))


def _messages(fields: Fields, shape: Body | None, config: ClientConfig, log: Log) -> Raw | list[Raw]:
    raw = fields.messages
    if raw is None:
        raise InvalidRequest("a request needs messages", "/messages")
    if shape is not None and shape.messages and all(map(_is_sent_as_it_is, shape.messages)):
        return _with_system(raw, [message.role for message in shape.messages], fields.system, config.system_prompt)
    try:
        roles = _decode_roles(raw)
    except (msgspec.MsgspecError, RecursionError):
        raise _what_is_wrong(raw) from None
    if not roles:
        raise InvalidRequest("a request needs at least one message", "/messages")
    data = bytes(raw)
    if data.count(b"{") + data.count(b"[") > 512:
        for index, item in enumerate(decode_items(raw)):
            refuse_depth(item, f"/messages/{index}")
    messages: Raw | list[Raw] = raw
    if any(word in data for word in _NEUTRAL_WORDS):
        messages = translate_parts(raw, log)
    if any(word in data for word in SURROGATE_WORDS):
        messages = repair_arguments(_items(messages), log)
    return _with_system(messages, [item.role for item in roles], fields.system, config.system_prompt)


def _is_sent_as_it_is(message: Message) -> bool:
    """Whether a message of the plain shape has neither parts nor arguments with half a surrogate pair."""
    if message.content.__class__ is list:
        return False
    return not message.tool_calls or not any("\\u" in (call.function.arguments or "") for call in message.tool_calls)


def _what_is_wrong(raw: Raw) -> InvalidRequest:
    try:
        items = decode_items(raw)
    except (msgspec.MsgspecError, RecursionError):
        return InvalidRequest("messages is no list", "/messages")
    for index, item in enumerate(items):
        if bytes(item)[:1] != b"{":
            return InvalidRequest("a message is no object", f"/messages/{index}")
    return InvalidRequest("a message cannot be read", "/messages")


def _with_system(
    messages: Raw | list[Raw], roles: list[Any], override: str | None, client: str | None
) -> Raw | list[Raw]:
    """The system prompt in its place (clause `system.override`)."""
    has_system = any(role in _SYSTEM_ROLES for role in roles)
    if override and not override.isspace():
        items = _items(messages)
        kept = (
            [item for item, role in zip(items, roles, strict=True) if role not in _SYSTEM_ROLES]
            if has_system
            else items
        )
        return [_system(override), *kept]
    if client and not client.isspace() and not has_system:
        return [_system(client), *_items(messages)]
    return messages


def _items(messages: Raw | list[Raw]) -> list[Raw]:
    return messages if isinstance(messages, list) else decode_items(messages)


def _system(text: str) -> Raw:
    return Raw(encode_json({"role": "system", "content": text}))


def _max_tokens(fields: Fields) -> Raw | int | None:
    given = fields.max_tokens
    if given is None:
        return None
    value = given if isinstance(given, int) else plain(given)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        place = fields.places.get("max_tokens", "/max_tokens")
        raise InvalidRequest("a token limit is a whole number of at least 0", place)
    return given if value > 0 else None


def _tools(request: TranslateRequest, fields: Fields, shape: Body | None) -> Raw | list[Raw]:
    declared: list[Raw] = list(request.toolkit.declarations("openai")) if request.toolkit is not None else []
    if fields.tools is None:
        return declared
    if shape is not None and not declared:
        return fields.tools if shape.tools else []
    try:
        items = decode_items(fields.tools)
    except (msgspec.MsgspecError, RecursionError):
        raise InvalidRequest("expected a list of tools", "/tools") from None
    for index, item in enumerate(items):
        refuse_depth(item, f"/tools/{index}")
    return [*declared, *items] if declared or not items else fields.tools
