"""Faults in tool choices. Anthropic style."""

from __future__ import annotations

from typing import Any

from tests.mutants.exchange import Ask
from tests.mutants.mutant import (
    body,
    request,
)
from tests.mutants.walk import (
    tools,
)

Tree = dict[str, Any]


@body("anthropic")
def sends_auto(body: Tree) -> None:
    """auto is sent where the caller's choice is auto or absent beside several tools."""
    if len(body["tools"]) > 1 and "tool_choice" not in body:
        body["tool_choice"] = {"type": "auto"}


@body("anthropic")
def sends_the_auto_that_was_asked(body: Tree, ask: Ask) -> None:
    """auto is sent when the caller says so."""
    if ask.request.get("tool_choice") in ("auto", {"type": "auto"}) and "tools" in body:
        body["tool_choice"] = {"type": "auto"}


@body("anthropic")
def sends_required_as_auto(body: Tree) -> None:
    """required becomes auto: no call is forced."""
    if body["tool_choice"] == {"type": "any"}:
        body["tool_choice"] = {"type": "auto"}


@body("anthropic")
def sends_a_named_choice_as_any(body: Tree) -> None:
    """A named tool becomes any: another one may be called."""
    if body["tool_choice"]["type"] == "tool":
        body["tool_choice"] = {"type": "any"}


@body("anthropic")
def declares_only_the_named_tool(body: Tree) -> None:
    """With a named choice the other tools are not declared."""
    if body["tool_choice"]["type"] == "tool":
        body["tools"] = [tool for tool in body["tools"] if tool["name"] == body["tool_choice"]["name"]]


@body("anthropic")
def drops_tools_for_none(body: Tree) -> None:
    """A choice of none takes the tools away."""
    if body["tool_choice"] == {"type": "none"}:
        del body["tools"], body["tool_choice"]


@body("anthropic")
def loses_the_choice_of_none(body: Tree) -> None:
    """A choice of none is not sent: the model may call."""
    if body["tool_choice"] == {"type": "none"}:
        del body["tool_choice"]


@request("anthropic")
def ignores_unknown_choices(request: Tree) -> None:
    """A choice of no known form is ignored instead of an error."""
    choice = request.get("tool_choice")
    known = ("auto", "none", "required", "any", "function", "tool", "allowed_tools", "custom")
    if (choice if isinstance(choice, str) else choice.get("type") if isinstance(choice, dict) else "") not in known:
        request.pop("tool_choice", None)


@request("anthropic")
def ignores_choices_of_undeclared_tools(request: Tree) -> None:
    """A choice of a tool that is not declared is ignored instead of an error."""
    choice = request["tool_choice"]
    names = [(tool.get("function") or tool.get("custom") or tool)["name"] for tool in tools(request)]
    if (choice.get("function") or choice.get("custom") or choice)["name"] not in names and names:
        del request["tool_choice"]


@request("anthropic")
def ignores_choices_in_anthropic_shape(request: Tree) -> None:
    """A choice in Anthropic shape means nothing."""
    if isinstance(request["tool_choice"], dict) and request["tool_choice"].get("type") in ("any", "tool", "none"):
        del request["tool_choice"]


@request("anthropic")
def ignores_allowed_tools(request: Tree) -> None:
    """allowed_tools is ignored: every tool stays declared."""
    if request["tool_choice"]["type"] == "allowed_tools":
        del request["tool_choice"]


@request("anthropic")
def loses_the_mode_of_allowed_tools(request: Tree) -> None:
    """allowed_tools filters the tools, but never forces a call."""
    request["tool_choice"]["allowed_tools"]["mode"] = "auto"


@body("anthropic")
def declares_allowed_tools_as_listed(body: Tree, ask: Ask) -> None:
    """allowed_tools declares its tools in the order of the list."""
    listed = ask.request["tool_choice"]["allowed_tools"]["tools"]
    names = [(tool.get("function") or tool.get("custom") or tool)["name"] for tool in listed]
    body["tools"].sort(key=lambda tool: names.index(tool["name"]))


@request("anthropic")
def skips_undeclared_allowed_tools(request: Tree) -> None:
    """allowed_tools may list what is not declared."""
    names = [(tool.get("function") or tool.get("custom") or tool)["name"] for tool in tools(request)]
    allowed = request["tool_choice"]["allowed_tools"]
    allowed["tools"] = [t for t in allowed["tools"] if (t.get("function") or t.get("custom") or t).get("name") in names]
    if not allowed["tools"]:
        del request["tool_choice"]


@body("anthropic")
def ignores_parallel_tool_calls(body: Tree) -> None:
    """parallel_tool_calls: false has no effect."""
    if body["tool_choice"].pop("disable_parallel_tool_use", None) and body["tool_choice"] == {"type": "auto"}:
        del body["tool_choice"]


@body("anthropic")
def disables_parallel_calls_of_none(body: Tree, ask: Ask) -> None:
    """parallel_tool_calls: false is added to a choice of none as well."""
    if (
        body["tool_choice"] == {"type": "none"}
        and ask.request.get("params", ask.request).get("parallel_tool_calls") is False
    ):
        body["tool_choice"]["disable_parallel_tool_use"] = True


@body("anthropic")
def disables_parallel_calls_without_tools(body: Tree, ask: Ask) -> None:
    """parallel_tool_calls: false is sent where there are no tools."""
    if "tools" not in body and ask.request.get("params", ask.request).get("parallel_tool_calls") is False:
        body["tool_choice"] = {"type": "auto", "disable_parallel_tool_use": True}


@body("anthropic")
def says_parallel_true(body: Tree, ask: Ask) -> None:
    """parallel_tool_calls: true is sent as such."""
    if ask.request.get("params", ask.request).get("parallel_tool_calls") is True and "tools" in body:
        body.setdefault("tool_choice", {"type": "auto"})["disable_parallel_tool_use"] = False


@body("anthropic")
def sends_null_tools_and_choices(body: Tree, ask: Ask) -> None:
    """tools or a choice that are null are sent as null."""
    for key in ("tools", "tool_choice"):
        if ask.request.get(key, 0) is None:
            body.setdefault(key, None)
