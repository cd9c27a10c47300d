"""Faults in toolkits, and in what the three adapters declare."""

from __future__ import annotations

import copy
import json
from typing import Any

from conformance.observation import ALARM
from conformance.tree import Number
from tests.mutants.exchange import Ask, Received, Sent
from tests.mutants.mutant import (
    anthropic_tools,
    body,
    exchange,
    gemini_tools,
    message,
    openai_tools,
    register,
    result,
)
from tests.mutants.walk import (
    as_double,
    mapped,
    nested,
    tools,
)

Tree = dict[str, Any]


# -- toolkit ----------------------------------------------------------------------------------------------------------


@exchange
def runs_the_tools(post: Any, sent: Sent, ask: Ask) -> Received:
    """A toolkit tool that the model calls is run."""
    got = post(sent)
    tree = got.tree if isinstance(got.tree, dict) else {}
    names = [tool.get("name") for tool in ask.message.get("toolkit", ())]
    asked = [part.get("name") for part in nested(tree) if "name" in part]
    for _ in [name for name in asked if name in names]:
        post(Sent(sent.url.split("/v1")[0] + ALARM, sent.headers, b"{}"))
    return got


@exchange
def runs_calls_of_the_history(post: Any, sent: Sent, ask: Ask) -> Received:
    """A toolkit tool that the history calls is run again."""
    names = [tool.get("name") for tool in ask.message.get("toolkit", ())]
    for part in nested(ask.request.get("messages", [])):
        if part.get("name") in names and "arguments" in part:
            post(Sent(sent.url.split("/v1")[0] + ALARM, sent.headers, b"{}"))
    return post(sent)


@message()
def forgets_the_toolkit(message: Tree) -> None:
    """The toolkit's tools are not declared."""
    if message["op"] == "translate":
        message.pop("toolkit", None)


@body()
def declares_request_tools_first(body: Tree, ask: Ask) -> None:
    """The request's tools come before the toolkit's."""
    own = [tool["name"] for tool in ask.message["toolkit"]]
    body["tools"].sort(key=lambda tool: (tool.get("function") or tool).get("name") in own)


@body()
def forgets_request_tools_beside_a_toolkit(body: Tree, ask: Ask) -> None:
    """Beside a toolkit the request's own tools are not declared."""
    own = [tool["name"] for tool in ask.message["toolkit"]]
    body["tools"] = [tool for tool in body["tools"] if (tool.get("function") or tool).get("name") in own]


@body()
def declares_the_tools_of_the_last_call_again(body: Tree, ask: Ask) -> None:
    """Tools of one call are declared again by the next call of the client."""
    before = ask.memory.get("tools", [])
    ask.memory["tools"] = copy.deepcopy(body.get("tools", []))
    if before:
        body["tools"] = [*before, *body.get("tools", [])]


@result()
def validates_arguments(result: Tree, ask: Ask) -> None:
    """A toolkit call whose arguments break the tool's schema is dropped."""
    known = {tool["name"]: tool["inputSchema"] for tool in ask.message["toolkit"]}
    result["tool_calls"] = [
        call
        for call in result["tool_calls"]
        if call["name"] not in known
        or set(known[call["name"]].get("required", ())) <= set(json.loads(call["arguments"]))
    ]


@result()
def drops_calls_of_undeclared_tools(result: Tree, ask: Ask) -> None:
    """A call of a tool that nobody declared is dropped."""
    declared = [(t.get("function") or t.get("custom") or t).get("name") for t in tools(ask.request)]
    declared += [tool["name"] for tool in ask.message.get("toolkit", ())]
    if declared:
        result["tool_calls"] = [call for call in result["tool_calls"] if call["name"] in declared]


# -- what the adapters declare ----------------------------------------------------------------------------------------


@openai_tools()
def declares_without_the_wrapper(tools: Any) -> Any:
    """OpenAI declarations lack the wrapper around the function."""
    return [tool["function"] for tool in tools]


@anthropic_tools()
def declares_parameters_to_anthropic(tools: Any) -> None:
    """Anthropic declarations call the schema parameters."""
    for tool in tools:
        tool["parameters"] = tool.pop("input_schema")


@gemini_tools()
def declares_a_list_each_to_gemini(tools: Any) -> Any:
    """Gemini gets a tool object for each function."""
    return [{"functionDeclarations": [one]} for tool in tools for one in tool["functionDeclarations"]]


@gemini_tools()
def cleans_schemas_for_gemini(tools: Any) -> None:
    """Keywords that Gemini once refused are taken out of its schemas."""
    for tool in tools:
        for part in nested(tool):
            for key in ("$defs", "$schema", "additionalProperties", "$ref"):
                part.pop(key, None)


@gemini_tools()
def reads_properties_as_keywords(tools: Any) -> None:
    """A property called like a keyword is taken for one and changed."""
    for tool in tools:
        for part in nested(tool):
            if "properties" in part:
                for key in ("type", "title", "default", "format", "$ref"):
                    part["properties"].pop(key, None)


def _every_style(change: Any) -> Any:
    def spoil(answer: Tree, ask: Ask) -> Tree:
        if "gemini" not in answer:
            return answer
        made = copy.deepcopy(answer)
        change(made)
        return answer if made == answer else made

    return spoil


def _cleaned(answer: Tree) -> None:
    """Declared names are lower-cased and descriptions stripped."""
    for part in nested([answer["openai"], answer["anthropic"], answer["gemini"]]):
        if isinstance(part.get("description"), str) and isinstance(part.get("name"), str):
            part["name"] = part["name"].lower()
            part["description"] = part["description"].strip()


def _sorted(answer: Tree) -> None:
    """Declarations are sorted by name."""
    answer["openai"].sort(key=lambda tool: tool["function"]["name"])
    answer["anthropic"].sort(key=lambda tool: tool["name"])


def _native_only(answer: Tree) -> None:
    """Only the first tool of each source is declared."""
    del answer["openai"][1:], answer["anthropic"][1:]


for _name, _change in {
    "declares-names-cleaned": _cleaned,
    "declares-sorted": _sorted,
    "declares-only-one": _native_only,
}.items():
    register(_change, "answers", _every_style(_change), _name)


@body("openai")
def writes_numbers_of_schemas_short(body: Tree) -> None:
    """Numbers of an OpenAI request's tool schemas go through a double."""
    body["tools"] = mapped(body["tools"], lambda leaf: as_double(leaf) if isinstance(leaf, Number) else leaf)


@gemini_tools()
def declares_no_empty_schemas_to_gemini(tools: Any) -> None:
    """A tool without arguments is declared to Gemini without a schema."""
    for tool in tools:
        for one in tool["functionDeclarations"]:
            if not one["parameters"].get("properties"):
                del one["parameters"]
