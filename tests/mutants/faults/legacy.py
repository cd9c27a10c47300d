"""Faults in legacy functions and in blocks that are in Anthropic shape already."""

from __future__ import annotations

import re
from typing import Any

from tests.mutants.exchange import Ask
from tests.mutants.faults.ids import each_id
from tests.mutants.mutant import (
    body,
    request,
)
from tests.mutants.walk import (
    blocks,
    calls,
    contents,
    given,
    is_result_turn,
    nested,
    objects,
    turns,
)

Tree = dict[str, Any]


# -- legacy functions -------------------------------------------------------------------------------------------------


@request("anthropic")
def loses_legacy_calls(request: Tree) -> None:
    """A function_call in the history is lost, and its function message with it."""
    request["messages"] = [turn for turn in request["messages"] if turn.get("role") != "function"]
    for turn in turns(request):
        turn.pop("function_call", None)


@request("anthropic")
def sends_function_messages_as_text(request: Tree) -> None:
    """A function message becomes a user's text, its call is lost."""
    for turn in turns(request):
        if turn.get("function_call"):
            turn["content"] = turn.get("content") or "calling"
            del turn["function_call"]
        if turn.get("role") == "function":
            turn["role"] = "user"
            del turn["name"]


@body("anthropic")
def numbers_legacy_ids_from_zero(body: Tree) -> None:
    """Legacy calls get other ids than the contract says."""
    each_id(body, lambda text: re.sub(r"^call_fn_(\d+)$", lambda found: f"call_fn_{int(found[1]) - 1}", text))


@body("anthropic")
def keeps_numbering_legacy_calls(body: Tree, ask: Any) -> None:
    """The numbers of legacy ids go on in the client's next request."""
    before = ask.memory.get("functions", 0)
    ask.memory["functions"] = before + sum(1 for turn in turns(ask.request) if turn.get("function_call"))
    each_id(body, lambda text: re.sub(r"^call_fn_(\d+)$", lambda found: f"call_fn_{int(found[1]) + before}", text))


@request("anthropic")
def loses_functions(request: Tree) -> None:
    """Legacy functions of a request are not declared."""
    request.get("params", {}).pop("functions", None)
    request.pop("functions", None)


@body("anthropic")
def sends_empty_functions(body: Tree, ask: Ask) -> None:
    """An empty list of legacy functions is sent as an empty list of tools."""
    if given(ask.request)["functions"] == []:
        body.setdefault("tools", [])


@body("anthropic")
def declares_functions_first(body: Tree, ask: Any) -> None:
    """Legacy functions are declared before the tools."""
    names = [function["name"] for function in objects(ask.request.get("params", ask.request).get("functions"))]
    body["tools"].sort(key=lambda tool: tool["name"] not in names)


@request("anthropic")
def ignores_the_request_function_call(request: Tree) -> None:
    """The request's function_call is not read as a choice."""
    request.get("params", {}).pop("function_call", None)
    request.pop("function_call", None)


@request("anthropic")
def drops_orphaned_function_messages(request: Tree) -> None:
    """A function message that answers no call of its name is dropped instead of an error."""
    kept: list[Any] = []
    for turn in request["messages"]:
        asked = kept[-1].get("function_call") if kept else None
        if turn.get("role") != "function" or (asked and asked["name"] == turn["name"]):
            kept.append(turn)
    request["messages"] = kept


@request("anthropic")
def answers_open_function_calls(request: Tree) -> None:
    """A function_call without its function message gets a dummy result."""
    made: list[Any] = []
    for turn, after in zip(request["messages"], [*request["messages"][1:], {}], strict=True):
        made.append(turn)
        if turn.get("function_call") and after.get("role") != "function":
            made.append({"role": "function", "name": turn["function_call"]["name"], "content": ""})
    request["messages"] = made


# -- native blocks ----------------------------------------------------------------------------------------------------


@request("anthropic")
def drops_native_blocks(request: Tree) -> None:
    """Blocks already in Anthropic shape are dropped from the messages."""
    native = ("tool_use", "tool_result", "document")
    for turn in turns(request):
        if isinstance(turn.get("content"), list):
            turn["content"] = [
                part
                for part in turn["content"]
                if part.get("type") not in native and not ("source" in part and part.get("type") == "image")
            ]


@body("anthropic")
def sends_a_native_call_twice(body: Tree, ask: Any) -> None:
    """A tool_use that repeats a call of its message is sent beside it."""
    for turn in turns(ask.request, "assistant"):
        if turn.get("tool_calls"):
            for block in objects(turn.get("content")):
                if block.get("type") == "tool_use":
                    sent = next(
                        t for t in turns(body, "assistant") for b in objects(t["content"]) if b.get("id") == block["id"]
                    )
                    sent["content"].append(block)


@body("anthropic")
def keeps_native_results_apart(body: Tree, ask: Any) -> None:
    """Native results after tool messages stay a user turn of their own."""
    native = [
        b["tool_use_id"]
        for turn in turns(ask.request)
        for b in objects(turn.get("content"))
        if b.get("type") == "tool_result"
    ]
    made: list[Any] = []
    for turn in body["messages"]:
        if is_result_turn(turn) and turn["content"][0]["tool_use_id"] not in native:
            place = next(
                (n for n, b in enumerate(turn["content"]) if b.get("tool_use_id") in native), len(turn["content"])
            )
            parts = [turn["content"][:place], turn["content"][place:]]
            made.extend({**turn, "content": part} for part in parts if part)
        else:
            made.append(turn)
    body["messages"] = made


@body("anthropic")
def splits_text_from_native_results(body: Tree) -> None:
    """Text behind native results becomes a message of its own."""
    made: list[Any] = []
    for turn in body["messages"]:
        made.append(turn)
        if is_result_turn(turn):
            texts = [block for block in objects(turn["content"]) if block.get("type") == "text"]
            turn["content"] = [block for block in turn["content"] if block not in texts]
            if texts:
                made.append({"role": "user", "content": texts})
    body["messages"] = made


@request("anthropic")
def sorts_native_results_first(request: Tree) -> None:
    """Text in front of a native result is put behind it instead of an error."""
    for turn in turns(request, "user"):
        if isinstance(turn.get("content"), list):
            turn["content"].sort(key=lambda part: part.get("type") != "tool_result")


@request("anthropic")
def drops_unpaired_native_blocks(request: Tree) -> None:
    """Native calls and results without their counterpart are dropped instead of an error."""
    parts = [part for turn in turns(request) for part in objects(turn.get("content"))]
    asked = [call.get("id") for call in calls(request)] + [p.get("id") for p in parts if p.get("type") == "tool_use"]
    answered = [turn.get("tool_call_id") for turn in turns(request)] + [p.get("tool_use_id") for p in parts]
    for turn in turns(request):
        if isinstance(turn.get("content"), list):
            turn["content"] = [
                part
                for part in turn["content"]
                if (part.get("type") != "tool_use" or part.get("id") in answered)
                and (part.get("type") != "tool_result" or part.get("tool_use_id") in asked)
            ]


@body("anthropic")
def declares_tools_for_the_history(body: Tree) -> None:
    """Tools that the history calls are declared where the request has none."""
    names = [block["name"] for block in blocks(body, "tool_use", "assistant")]
    if names and "tools" not in body:
        schema = {"type": "object", "properties": {}}
        body["tools"] = [{"name": name, "input_schema": schema} for name in dict.fromkeys(names)]


@body("anthropic")
def completes_tools_from_the_history(body: Tree) -> None:
    """A tool that the history calls and the request does not declare is added."""
    declared = {tool.get("name") for tool in objects(body["tools"])}
    schema = {"type": "object", "properties": {}}
    for name in dict.fromkeys(block["name"] for block in blocks(body, "tool_use", "assistant")):
        if name not in declared:
            body["tools"].append({"name": name, "input_schema": schema})


@body("anthropic")
def flattens_the_history_without_tools(body: Tree) -> None:
    """Calls and results become text where the request declares no tools."""
    if "tools" not in body:
        for turn in turns(body):
            for block in objects(turn["content"]):
                if block.get("type") in ("tool_use", "tool_result"):
                    text = block.get("content") or block.get("name")
                    block.clear()
                    block.update(type="text", text=str(text))


@body("anthropic")
def changes_native_media(body: Tree, ask: Ask) -> None:
    """Native pictures and documents lose the keys that the translator does not know."""
    if any("source" in part for part in nested(ask.request["messages"])):
        for block in blocks(body):
            if block.get("type") in ("image", "document"):
                for key in [key for key in block if key not in ("type", "source")]:
                    del block[key]


@body("anthropic")
def moves_native_media_last(body: Tree, ask: Ask) -> None:
    """Native pictures and documents are put at the end of their turn."""
    if any("source" in part for part in nested(ask.request["messages"])):
        for _, content in contents(body):
            content.sort(key=lambda block: "source" in block)
