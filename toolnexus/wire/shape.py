"""Changing a built body at its top level, key by key, so that what is not changed keeps its bytes.

Clauses `hooks.override`, `shape.params`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Raw

from toolnexus.result import Warning
from toolnexus.wire.clean import Cleaner, pointer_key
from toolnexus.wire.exact import decode_fields, encode, plain

REFUSED = ("messages", "tools", "stream")
"""Keys that `request_params` may not set: they are the request itself."""


def seen_by_hook(body: bytes) -> dict[str, Any]:
    """What `before_llm` is shown: the provider-shaped messages and tools as plain values, and the model."""
    keys = decode_fields(body)
    return {
        "messages": plain(keys["messages"]),
        "tools": plain(keys["tools"]) if "tools" in keys else [],
        "model": plain(keys["model"]),
    }


def replaced(body: bytes, answer: Mapping[str, Any]) -> bytes:
    """The body with the `messages`, `tools` or `model` that a hook gave.

    Raises `InvalidRequest` where one cannot be JSON.
    """
    keys = decode_fields(body)
    cleaner = Cleaner()
    for name in ("model", "messages", "tools"):
        value = answer.get(name)
        if value is not None:
            keys[name] = cleaner.raw(value, f"/{name}")
    if answer.get("tools") is not None and not answer["tools"]:
        # No tools: neither `tools` nor `tool_choice` is sent (clause `tools.omit-empty`).
        keys.pop("tools", None)
        keys.pop("tool_choice", None)
    return encode(keys)


def merged(body: bytes, params: Mapping[str, Any]) -> tuple[bytes, list[Warning]]:
    """The body with `request_params` over it, and a warning for each key that may not be set there."""
    keys = decode_fields(body)
    cleaner = Cleaner()
    warnings: list[Warning] = []
    for name, value in params.items():
        at = f"/request_params/{pointer_key(str(name))}"
        if name in REFUSED:
            warnings.append(Warning("request-params-refused", at, f"{name} is the request's own and was not replaced"))
        else:
            keys[name] = cleaner.raw(value, at)
    return encode(keys), [*cleaner.warnings, *warnings]


def encoded(value: Any) -> bytes:
    """A transformed body as bytes. Raises `InvalidRequest` where it cannot be JSON."""
    raw: Raw = Cleaner().raw(value, "")
    return bytes(raw)
