"""Where things stand in requests, bodies and replies: what mutants look for, and nothing that fails on an odd shape."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from conformance.tree import Number
from tests.mutants.exchange import Ask

Tree = dict[str, Any]


def objects(value: Any) -> Iterator[Tree]:
    """The objects in a list."""
    if isinstance(value, list):
        yield from (item for item in value if isinstance(item, dict))


def turns(body: Tree, role: str = "") -> Iterator[Tree]:
    """The messages of a request or body, of one role or of all."""
    yield from (turn for turn in objects(body.get("messages")) if not role or turn.get("role") == role)


def blocks(body: Tree, kind: str = "", role: str = "") -> Iterator[Tree]:
    """The parts or blocks of all messages, those inside results too."""
    for turn in turns(body, role):
        for block in objects(turn.get("content")):
            if not kind or block.get("type") == kind:
                yield block
            if block.get("type") == "tool_result":
                yield from (inner for inner in objects(block.get("content")) if not kind or inner.get("type") == kind)


def contents(body: Tree) -> Iterator[tuple[Tree, list[Any]]]:
    """Each list of parts or blocks with what holds it, lists inside results too."""
    for turn in turns(body):
        content = turn.get("content")
        if isinstance(content, list):
            yield turn, content
            for block in objects(content):
                if block.get("type") == "tool_result" and isinstance(block.get("content"), list):
                    yield block, block["content"]


def calls(body: Tree) -> Iterator[Tree]:
    """The `tool_calls` of all messages of an OpenAI request."""
    for turn in turns(body):
        yield from objects(turn.get("tool_calls"))


def functions(body: Tree) -> Iterator[Tree]:
    """What the calls of an OpenAI request name: their `function`, and the legacy `function_call`."""
    for call in calls(body):
        if isinstance(call.get("function"), dict):
            yield call["function"]
    for turn in turns(body):
        if isinstance(turn.get("function_call"), dict):
            yield turn["function_call"]


def tools(body: Tree) -> Iterator[Tree]:
    """The declared tools."""
    yield from objects(body.get("tools"))


def schemas(body: Tree) -> Iterator[Tree]:
    """The `input_schema` of each tool of an Anthropic body."""
    yield from (tool["input_schema"] for tool in tools(body) if isinstance(tool.get("input_schema"), dict))


def nested(value: Any) -> Iterator[Tree]:
    """Every object inside a value, itself included, those that may hold others last."""
    if isinstance(value, dict):
        for item in value.values():
            yield from nested(item)
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from nested(item)


def is_result_turn(turn: Any) -> bool:
    """Whether a turn of an Anthropic body holds tool results."""
    return isinstance(turn, dict) and any(b.get("type") == "tool_result" for b in objects(turn.get("content")))


def is_blank(content: Any) -> bool:
    """Whether a content says nothing: absent, blank, or only blank texts."""
    if content is None or isinstance(content, str):
        return not (content or "").strip()
    return isinstance(content, list) and all(
        p.get("type") == "text" and is_blank(p.get("text", 0)) for p in objects(content)
    )


def is_text(content: Any) -> bool:
    """Whether a content is a list of nothing but text parts."""
    return (
        isinstance(content, list)
        and bool(content)
        and all(isinstance(p, dict) and p.get("type") == "text" for p in content)
    )


def joined(content: list[Tree]) -> str:
    """The texts of a list of text parts, one after the other."""
    return "".join(str(part.get("text", "")) for part in content)


OWN_FIELDS = ("messages", "tools", "tool_choice", "system", "max_tokens", "model", "params")
"""The fields of a request that are no params."""


def given(request: Tree) -> Tree:
    """The params of a request, those at the top of a whole body, too."""
    inner = request.get("params")
    top = {key: value for key, value in request.items() if key not in OWN_FIELDS}
    return {**top, **(inner if isinstance(inner, dict) else {})}


def holder(request: Tree, name: str) -> Tree:
    """The object in which a param stands."""
    inner = request.get("params")
    return inner if isinstance(inner, dict) and name in inner else request


def mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    """The value with every leaf changed, numbers and texts in objects and lists."""
    if isinstance(value, dict):
        return {key: mapped(item, change) for key, item in value.items()}
    if isinstance(value, list):
        return [mapped(item, change) for item in value]
    return change(value)


def as_double(leaf: Any) -> Any:
    """A number as it comes out of a double, other leaves unchanged."""
    if not isinstance(leaf, Number):
        return leaf
    if leaf.lstrip("-").isdigit():
        number = float(leaf) if len(leaf) < 300 else float("inf")
        return Number(int(number)) if abs(number) < 1e300 else None
    number = float(leaf)
    return Number(repr(number)) if abs(number) < 1e300 else None


# -- replies ----------------------------------------------------------------------------------------------------------


def content(reply: Tree, kind: str = "") -> Iterator[Tree]:
    """The blocks of an Anthropic reply."""
    yield from (block for block in objects(reply.get("content")) if not kind or block.get("type") == kind)


def choice(reply: Tree) -> Tree:
    """The first choice of an OpenAI reply, else an empty object."""
    return next(objects(reply.get("choices")), {})


def message(reply: Tree) -> Tree:
    """The first message of an OpenAI reply, else an empty object."""
    found = choice(reply).get("message")
    return found if isinstance(found, dict) else {}


def reply_calls(reply: Tree) -> Iterator[Tree]:
    """The calls of an OpenAI reply."""
    yield from objects(message(reply).get("tool_calls"))


def called(reply: Tree) -> Iterator[Tree]:
    """The `function` of each call of an OpenAI reply."""
    yield from (call["function"] for call in reply_calls(reply) if isinstance(call.get("function"), dict))


def answered_blocks(ask: Ask, kind: str = "") -> list[Tree]:
    """The blocks of the last Anthropic answer."""
    tree = ask.last.tree if ask.last else None
    return list(content(tree, kind)) if isinstance(tree, dict) else []


def stop_reason(ask: Ask) -> Any:
    """Why Anthropic says that it stopped."""
    tree = ask.last.tree if ask.last else None
    return tree.get("stop_reason") if isinstance(tree, dict) else None
