"""Tool choice: OpenAI's words as Anthropic's (SPEC section 2, "Tools and choice"; wire-facts B6, D5)."""

from __future__ import annotations

from typing import Any

from msgspec import Raw

from toolnexus.errors import InvalidRequest
from toolnexus.wire.anthropic.tools import Tools
from toolnexus.wire.exact import plain
from toolnexus.wire.log import Log

Choice = dict[str, Any]

_WORDS: dict[str, Choice | None] = {
    "auto": None,
    "none": {"type": "none"},
    "required": {"type": "any"},
    "any": {"type": "any"},
}


def choose(raw: Raw | None, place: str, tools: Tools, log: Log, *, parallel: bool) -> Choice | None:
    """The `tool_choice` to send, None for none; `allowed_tools` narrows `tools` on the way.

    Raises `InvalidRequest` for a choice that is none, or names a tool that is not declared (B8 21).
    """
    choice = _read(raw, place, tools) if raw is not None else None
    if not tools.by_name:
        if choice is not None:
            log.warn("tool-choice-dropped", place, "a tool choice without tools was not sent")
        return None
    if parallel or (choice is not None and choice["type"] == "none"):
        return choice
    return {**(choice or {"type": "auto"}), "disable_parallel_tool_use": True}


def _read(raw: Raw, place: str, tools: Tools) -> Choice | None:
    value = plain(raw)
    if isinstance(value, str) and value in _WORDS:
        return _WORDS[value]
    if isinstance(value, dict):
        kind = value.get("type")
        if kind == "allowed_tools":
            return _allowed(value, place, tools)
        for key in ("function", "custom"):
            if isinstance(value.get(key), dict) and kind == key:
                return _named(value[key].get("name"), f"{place}/{key}/name", tools)
        if kind == "tool" or (kind is None and "name" in value and place != "/tool_choice"):
            # Legacy `function_call` names its function without a type.
            return _named(value.get("name"), f"{place}/name", tools)
        if kind in ("auto", "any", "none"):
            return _WORDS[kind]
    raise InvalidRequest("tool_choice is none that OpenAI knows", place)


def _named(name: Any, at: str, tools: Tools) -> Choice:
    if not isinstance(name, str):
        raise InvalidRequest("a named tool choice needs its name", at)
    if tools.by_name and name not in tools.by_name:
        raise InvalidRequest(f"tool_choice names {name!r}, which is not declared", at)
    return {"type": "tool", "name": name}


def _allowed(value: dict[str, Any], place: str, tools: Tools) -> Choice | None:
    allowed = value.get("allowed_tools")
    if not isinstance(allowed, dict) or not isinstance(allowed.get("tools"), list):
        raise InvalidRequest("allowed_tools needs a mode and tools", f"{place}/allowed_tools")
    mode = allowed.get("mode", "auto")
    if mode not in ("auto", "required"):
        raise InvalidRequest("the mode of allowed_tools is auto or required", f"{place}/allowed_tools/mode")
    if not allowed["tools"]:
        raise InvalidRequest("allowed_tools lists no tool", f"{place}/allowed_tools/tools")
    names = []
    for index, tool in enumerate(allowed["tools"]):
        at = f"{place}/allowed_tools/tools/{index}"
        name = _allowed_name(tool)
        if name is None or (tools.by_name and name not in tools.by_name):
            raise InvalidRequest(f"allowed_tools names {name!r}, which is not declared", at)
        names.append(name)
    if tools.by_name:
        tools.only(names)
    return {"type": "any"} if mode == "required" or not tools.by_name else None


def _allowed_name(tool: Any) -> str | None:
    if not isinstance(tool, dict):
        return None
    for key in ("function", "custom"):
        if isinstance(tool.get(key), dict):
            tool = tool[key]
            break
    name = tool.get("name")
    return name if isinstance(name, str) else None
