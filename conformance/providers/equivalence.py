"""Bodies that a provider reads alike: one normaliser for each row of `fixtures/equivalences.json`.

A normaliser rewrites both the expected and the received tree into one form; two trees that are equal afterwards mean
the same to the provider (corpus-and-protocol, "Two verdict strengths"). Rows are data, and which style a row is for
is read from its `where`; what it does is here. Looseners in an expected tree are left as they stand.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from conformance.tree import Json

Body = dict[str, Json]
Headers = dict[str, str]


class NormalForms:
    """The normal forms of bodies and headers under the rows of an `equivalences.json`, for each style it names."""

    def __init__(self, path: Path) -> None:
        rows: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))["equivalences"]
        #: Row id → the styles its places belong to.
        self.rows = {str(row["id"]): {place.partition(":")[0] for place in row["where"]} for row in rows}

    def body(self, body: Json, style: str) -> Json:
        """The body in the style's normal form; the argument is not changed."""
        if isinstance(body, dict):
            for name, normalise in BODY.items():
                body = normalise(body) if style in self.rows.get(name, ()) else body
        return body

    def headers(self, headers: Mapping[str, str], style: str) -> Headers:
        """The headers, by lower-case name, in the style's normal form."""
        found = dict(headers)
        for name, normalise in HEADERS.items():
            found = normalise(found) if style in self.rows.get(name, ()) else found
        return found


# -- getting at the parts ----------------------------------------------------------------------------------------------


def _messages(body: Body) -> list[Json] | None:
    found = body.get("messages")
    return found if isinstance(found, list) else None


def _each_message(body: Body, change: Callable[[Body], Body]) -> Body:
    messages = _messages(body)
    if messages is None:
        return body
    return {**body, "messages": [change(item) if isinstance(item, dict) else item for item in messages]}


def _each_block(body: Body, change: Callable[[Body], Body]) -> Body:
    def in_message(message: Body) -> Body:
        content = message.get("content")
        if not isinstance(content, list):
            return message
        return {**message, "content": [change(item) if isinstance(item, dict) else item for item in content]}

    return _each_message(body, in_message)


def _each_tool(body: Body, change: Callable[[Body], Body]) -> Body:
    tools = body.get("tools")
    if not isinstance(tools, list):
        return body
    return {**body, "tools": [change(item) if isinstance(item, dict) else item for item in tools]}


def _without(item: Body, key: str, values: tuple[Json, ...]) -> Body:
    """The object without `key`, where it holds one of the values that mean the same as its absence."""
    if key in item and any(item[key] == value and type(item[key]) is type(value) for value in values):
        return {name: value for name, value in item.items() if name != key}
    return item


def _text_of(block: Json) -> str | None:
    """The text of a block that holds nothing but a text: no `cache_control`, no citations."""
    match block:
        case {"type": "text", "text": str() as text, **rest} if not rest and type(text) is str:
            return text
        case _:
            return None


def _texts(value: Json) -> list[str] | None:
    if not isinstance(value, list) or not value:
        return None
    found = [_text_of(block) for block in value]
    return None if None in found else [text for text in found if text is not None]


# -- the rows ----------------------------------------------------------------------------------------------------------


def _as_blocks(holder: Body) -> Body:
    content = holder.get("content")
    return {**holder, "content": [{"type": "text", "text": content}]} if type(content) is str else holder


def _string_is_one_text_block(body: Body) -> Body:
    """Content becomes blocks; `system` becomes a string, which is what its other row joins blocks into."""
    body = _each_message(body, _as_blocks)
    body = _each_block(body, lambda block: _as_blocks(block) if block.get("type") == "tool_result" else block)
    texts = _texts(body.get("system"))
    return {**body, "system": texts[0]} if texts is not None and len(texts) == 1 else body


def _system_blocks_join(body: Body) -> Body:
    texts = _texts(body.get("system"))
    return body if texts is None or len(texts) == 1 else {**body, "system": "\n\n".join(texts)}


def _mergeable(message: Json) -> Body | None:
    """The message with content as blocks, if it has a role, content, nothing else, and no tool result."""
    if not isinstance(message, dict) or set(message) != {"role", "content"}:
        return None
    found = _as_blocks(message)
    blocks = found["content"]
    if not isinstance(blocks, list):
        return None
    results = any(isinstance(block, dict) and block.get("type") == "tool_result" for block in blocks)
    return None if results else found


def _merge(held: Json, message: Json) -> Body | None:
    """One turn of two neighbours, or None where they stay two."""
    match _mergeable(held), _mergeable(message):
        case {"role": before, "content": [*left]}, {"role": role, "content": [*right]} if before == role:
            return {"role": role, "content": [*left, *right]}
        case _:
            return None


def _same_role_turns_merge(body: Body) -> Body:
    messages = _messages(body)
    if messages is None:
        return body
    turns: list[Json] = []
    for message in messages:
        merged = _merge(turns[-1], message) if turns else None
        if merged is None:
            turns.append(message)
        else:
            turns[-1] = merged
    return {**body, "messages": turns}


def _tool_choice_auto_absent(body: Body) -> Body:
    return _without(body, "tool_choice", ({"type": "auto"}, "auto")) if body.get("tools") else body


def _is_error_false_absent(body: Body) -> Body:
    return _each_block(
        body, lambda block: _without(block, "is_error", (False,)) if block.get("type") == "tool_result" else block
    )


def _stream_false_absent(body: Body) -> Body:
    return _without(body, "stream", (False,))


def _tool_type_custom_absent(body: Body) -> Body:
    return _each_tool(body, lambda tool: _without(tool, "type", ("custom",)))


def _strict_false_absent(body: Body) -> Body:
    def in_tool(tool: Body) -> Body:
        function = tool.get("function")
        inner: Body = {"function": _without(function, "strict", (False,))} if isinstance(function, dict) else {}
        return {**_without(tool, "strict", (False,)), **inner}

    return _each_tool(body, in_tool)


def _bearer_is_x_api_key(headers: Headers) -> Headers:
    """Where both are sent `x-api-key` counts (B1), so a Bearer beside it is left alone."""
    scheme, _, key = headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or "x-api-key" in headers:
        return headers
    return {**{name: value for name, value in headers.items() if name != "authorization"}, "x-api-key": key.strip()}


#: Row id → what it does to a body.
BODY: Final[dict[str, Callable[[Body], Body]]] = {
    "string-is-one-text-block": _string_is_one_text_block,
    "system-blocks-join": _system_blocks_join,
    "same-role-turns-merge": _same_role_turns_merge,
    "tool-choice-auto-absent": _tool_choice_auto_absent,
    "is-error-false-absent": _is_error_false_absent,
    "stream-false-absent": _stream_false_absent,
    "tool-type-custom-absent": _tool_type_custom_absent,
    "strict-false-absent": _strict_false_absent,
}

#: Row id → what it does to headers.
HEADERS: Final[dict[str, Callable[[Headers], Headers]]] = {"bearer-is-x-api-key": _bearer_is_x_api_key}
