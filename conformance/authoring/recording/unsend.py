"""A provider's request read back as the OpenAI request it may have come from: the caller's half of a recorded case.

It is a draft for people to read. What has no OpenAI form stays in its native shape, which a translator passes through
(`anthropic.native-blocks`), or is left out and named.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, cast

from conformance.tree import Json, compact

Tree = dict[str, Json]
Found = tuple[Tree, list[str]]


def request(style: str, body: Tree) -> Found:
    """The translate request, and the names of the body's fields that are not in it."""
    return _STYLES[style](body)


def _openai(body: Tree) -> Found:
    """OpenAI's own body: what is no field of the request is a parameter."""
    own: Tree = {key: body[key] for key in ("messages", "tools", "tool_choice", "max_tokens") if key in body}
    apart = {*own, "model", "stream", "stream_options"}
    params: Tree = {key: value for key, value in body.items() if key not in apart}
    return ({**own, "params": params} if params else own), []


# -- Anthropic --------------------------------------------------------------------------------------------------------


def _anthropic(body: Tree) -> Found:
    found: Tree = {"messages": [*_system(body.get("system")), *_messages(body.get("messages"))]}
    for key, convert in _FIELDS.items():
        if key in body:
            found[key] = convert(body[key])
    params: Tree = {name: body[key] for key, name in _PARAMS.items() if key in body}
    for field, inside, name, convert in _INSIDE:
        holder = body.get(field)
        if isinstance(holder, dict) and inside in holder and (value := convert(holder[inside])) is not None:
            params[name] = value
    apart = {"model", "stream", "system", "messages", "metadata", "output_config", *_FIELDS, *_PARAMS}
    if "reasoning_effort" in params:
        apart.add("thinking")
    return ({**found, "params": params} if params else found), [key for key in body if key not in apart]


_PARAMS: Final = {"stop_sequences": "stop", "temperature": "temperature", "top_p": "top_p"}


def _format(value: Json) -> Json:
    """A schema of the answer as OpenAI asks for it; the name is ours, since the provider has no place for one."""
    match value:
        case {"type": "json_schema", "schema": dict() as schema}:
            return {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}
        case _:
            return None


#: What stands inside another field, and the parameter it comes from.
_INSIDE: Final[tuple[tuple[str, str, str, Callable[[Json], Json]], ...]] = (
    ("metadata", "user_id", "user", lambda value: value),
    ("output_config", "format", "response_format", _format),
    ("output_config", "effort", "reasoning_effort", lambda value: value),
    ("thinking", "type", "reasoning_effort", lambda value: "none" if value == "disabled" else None),
    ("tool_choice", "disable_parallel_tool_use", "parallel_tool_calls", lambda value: False if value else None),
)


def _system(system: Json) -> list[Json]:
    if isinstance(system, str):
        return [{"role": "system", "content": system}]
    return [{"role": "system", "content": system}] if system else []


def _messages(messages: Json) -> list[Json]:
    found: list[Json] = []
    for message in messages if isinstance(messages, list) else []:
        if isinstance(message, dict) and isinstance(message.get("content"), list):
            found += _TURNS[str(message.get("role"))](message, cast("list[Json]", message["content"]))
        else:
            found.append(message)
    return found


def _assistant(message: Tree, blocks: list[Json]) -> list[Json]:
    """One assistant message: its texts, its calls, and its thinking as `to_message()` carries it."""
    thinking = _of(blocks, "thinking", "redacted_thinking")
    calls = [_call(block) for block in _of(blocks, "tool_use")]
    texts = [block for block in blocks if block not in thinking and _type(block) != "tool_use"]
    found: Tree = {**message, "content": _content(texts)}
    if calls:
        found["tool_calls"] = cast("Json", calls)
    if thinking:
        found["thinking_blocks"] = cast("Json", thinking)
    return [found]


def _user(message: Tree, blocks: list[Json]) -> list[Json]:
    """A message for each result, then what is said beside them."""
    results = [_result(block) for block in _of(blocks, "tool_result")]
    said = [_part(block) for block in blocks if _type(block) != "tool_result"]
    return [*results, *([{**message, "content": _content(said)}] if said or not results else [])]


_TURNS: Final[dict[str, Callable[[Tree, list[Json]], list[Json]]]] = {
    "assistant": _assistant,
    "user": _user,
    "system": lambda message, blocks: [message],
}


def _of(blocks: list[Json], *types: str) -> list[Tree]:
    return [cast("Tree", block) for block in blocks if _type(block) in types]


def _type(block: Json) -> str:
    return str(block.get("type")) if isinstance(block, dict) else ""


def _content(parts: list[Json]) -> Json:
    """Parts as the content of a message: one plain text as a string, none as null."""
    match parts:
        case []:
            return None
        case [{"type": "text", "text": str() as text, **rest}] if not rest:
            return text
        case _:
            return parts


def _call(block: Tree) -> Tree:
    arguments = compact(block.get("input", {}))
    found: Tree = {
        "id": block.get("id"),
        "type": "function",
        "function": {"name": block.get("name"), "arguments": arguments},
    }
    return {**found, **_marked(block)}


def _result(block: Tree) -> Json:
    """A result; one that says it is an error has no OpenAI form and stays as it is."""
    if block.get("is_error"):
        return {"role": "user", "content": [block]}
    content = block.get("content", "")
    shown = [_part(part) for part in content] if isinstance(content, list) else content
    said = _content(shown) if isinstance(shown, list) else shown
    return {"role": "tool", "tool_call_id": block.get("tool_use_id"), "content": said, **_marked(block)}


def _marked(block: Tree) -> Tree:
    return {"cache_control": block["cache_control"]} if "cache_control" in block else {}


def _part(block: Json) -> Json:
    """An image as OpenAI writes it; texts and everything native as they are."""
    match block:
        case {"type": "image", "source": {"type": "base64", "media_type": kind, "data": data}}:
            url = f"data:{kind};base64,{data}"
        case {"type": "image", "source": {"type": "url", "url": str() as url}}:
            pass
        case _:
            return block
    return {"type": "image_url", "image_url": {"url": url}, **_marked(cast("Tree", block))}


def _tools(tools: Json) -> Json:
    return [_tool(tool) for tool in tools] if isinstance(tools, list) else tools


def _tool(tool: Json) -> Json:
    """A declared function; a server tool stays as it is."""
    if not isinstance(tool, dict) or "input_schema" not in tool or tool.get("type") not in (None, "custom"):
        return tool
    named = {"name": tool.get("name"), "description": tool.get("description"), "parameters": tool["input_schema"]}
    function: Tree = {key: value for key, value in named.items() if value is not None}
    if "strict" in tool:
        function["strict"] = tool["strict"]
    return {"type": "function", "function": function, **_marked(tool)}


def _choice(choice: Json) -> Json:
    match choice:
        case {"type": "tool", "name": str() as name}:
            return {"type": "function", "function": {"name": name}}
        case {"type": "any"}:
            return "required"
        case {"type": "auto" | "none" as kind}:
            return str(kind)
        case _:
            return choice


_FIELDS: Final[dict[str, Callable[[Json], Json]]] = {
    "tools": _tools,
    "tool_choice": _choice,
    "max_tokens": lambda value: value,
}

_STYLES: Final[dict[str, Callable[[Tree], Found]]] = {"anthropic": _anthropic, "openai": _openai}
