"""Arguments of calls in the history: JSON inside a JSON string, where half a surrogate pair hides one level deeper.

Everything else of a message is sent as it came (clauses `openai.passthrough`, `request.unicode`).
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Raw

from toolnexus.wire.clean import surrogate_warning
from toolnexus.wire.exact import decode_fields, decode_items, encode, plain, repair_escapes
from toolnexus.wire.log import Log

SURROGATE_WORDS = (b"\\\\ud", b"\\\\uD")
"""How an escaped surrogate looks inside an escaped string; messages without one are not looked into."""


def repair_arguments(messages: list[Raw], log: Log) -> list[Raw]:
    """The messages with each lone surrogate escape inside arguments as `\\ufffd`; the others keep their bytes."""
    return [_message(raw, f"/messages/{index}", log) for index, raw in enumerate(messages)]


def _message(raw: Raw, at: str, log: Log) -> Raw:
    keys = decode_fields(raw)
    calls = keys.get("tool_calls")
    changed = False
    if calls is not None and bytes(calls)[:1] == b"[":
        items = decode_items(calls)
        repaired = [_call(item, f"{at}/tool_calls/{place}/function", log) for place, item in enumerate(items)]
        if any(new is not old for new, old in zip(repaired, items, strict=True)):
            keys["tool_calls"], changed = Raw(encode(repaired)), True
    if "function_call" in keys:
        function = _function(keys["function_call"], f"{at}/function_call", log)
        changed = changed or function is not keys["function_call"]
        keys["function_call"] = function
    return Raw(encode(keys)) if changed else raw


def _call(raw: Raw, at: str, log: Log) -> Raw:
    keys = _object(raw)
    if "function" not in keys:
        return raw
    function = _function(keys["function"], at, log)
    if function is keys["function"]:
        return raw
    keys["function"] = function
    return Raw(encode(keys))


def _function(raw: Raw, at: str, log: Log) -> Raw:
    keys = _object(raw)
    arguments: Any = plain(keys["arguments"]) if "arguments" in keys else None
    if not isinstance(arguments, str):
        return raw
    text, repaired = repair_escapes(arguments)
    if not repaired:
        return raw
    log.warnings.append(surrogate_warning(f"{at}/arguments"))
    keys["arguments"] = Raw(encode(text))
    return Raw(encode(keys))


def _object(raw: Raw) -> dict[str, Raw]:
    try:
        return decode_fields(raw)
    except (msgspec.MsgspecError, RecursionError):
        return {}
