"""Faults in refusing what cannot be sent: taken all the same, or pointed at wrongly. Anthropic style."""

from __future__ import annotations

import re
from typing import Any

from conformance.tree import Number
from tests.mutants.mutant import error, message, request
from tests.mutants.walk import objects, turns

Tree = dict[str, Any]


def _invalid(error: Tree) -> bool:
    return bool(error["kind"] == "invalid-request" and error.get("pointer"))


@error()
def points_at_the_request(error: Tree) -> None:
    """An invalid request has no pointer."""
    if _invalid(error) and not error["pointer"].startswith(("/messages/", "/tools/", "/toolkit/")):
        error["pointer"] = ""


@error()
def points_at_the_whole_message(error: Tree) -> None:
    """The pointer names the message, not the value in it."""
    error["pointer"] = re.sub(r"^(/messages/\d+)/.*", r"\1", error["pointer"])


@error()
def points_at_all_messages(error: Tree) -> None:
    """The pointer names the messages, not the one at fault."""
    error["pointer"] = re.sub(r"^/messages/\d+$", "/messages", error["pointer"])


@error()
def points_at_the_whole_tool(error: Tree) -> None:
    """The pointer names the tool, not the value in it."""
    error["pointer"] = re.sub(r"^(/tools/\d+)/.*", r"\1", error["pointer"])


@error()
def points_at_the_next_message(error: Tree) -> None:
    """The pointer counts messages after hoisting, or from one."""
    error["pointer"] = re.sub(r"^/messages/(\d+)$", lambda found: f"/messages/{int(found[1]) + 1}", error["pointer"])


@error()
def points_without_params(error: Tree) -> None:
    """The pointer of a param lacks its place."""
    error["pointer"] = error["pointer"].replace("/params/", "/")


@request("anthropic")
def reads_odd_content_as_text(request: Tree) -> None:
    """Content that is neither text, null nor a list becomes its text."""
    for turn in turns(request):
        content = turn.get("content")
        if isinstance(content, bool | dict | Number):
            turn["content"] = str(content)


@request("anthropic")
def drops_odd_messages(request: Tree) -> None:
    """A message that is no object is dropped."""
    if len(request["messages"]) > 1:
        request["messages"] = list(objects(request["messages"]))


@request("anthropic")
def reads_odd_messages_as_text(request: Tree) -> None:
    """A message that is a text becomes a user's."""
    request["messages"] = [
        turn if isinstance(turn, dict) else {"role": "user", "content": str(turn)} for turn in request["messages"]
    ]


@request("anthropic")
def takes_unknown_roles_for_users(request: Tree) -> None:
    """A role that does not exist is a user's."""
    for turn in turns(request):
        if turn.get("role") not in ("system", "developer", "user", "assistant", "tool", "function"):
            turn["role"] = "user"


@request("anthropic")
def drops_odd_parts(request: Tree) -> None:
    """A part that is no object, or has no type, is dropped."""
    for turn in turns(request):
        if isinstance(turn.get("content"), list):
            turn["content"] = [
                part for part in turn["content"] if isinstance(part, dict) and type(part.get("type")) is str
            ] or "."


@request("anthropic")
def reads_odd_calls_as_none(request: Tree) -> None:
    """tool_calls of a wrong type are ignored."""
    for turn in turns(request):
        if "tool_calls" in turn and not isinstance(turn["tool_calls"], list):
            turn["tool_calls"] = []


@message()
def cuts_deep_values(message: Tree) -> None:
    """What nests deeper than 512 levels is cut instead of an error."""
    message["request_text"] = re.sub(r"\[{513,}\]{513,}", "0", message["request_text"])


@message()
def refuses_moderate_depth(message: Tree) -> None:
    """What nests deeper than 256 levels is refused."""
    if re.search(r"(?<!\[)\[{256,511}\]", message["request_text"]):
        message["request_text"] = "{}"


@request("anthropic")
def ignores_odd_tools_and_systems(request: Tree) -> None:
    """tools, system and params of a wrong type are ignored."""
    for key, kind in (("tools", list), ("system", str), ("params", dict)):
        if key in request and (not isinstance(request[key], kind) or isinstance(request[key], Number)):
            del request[key]


@request("anthropic")
def ignores_odd_limits(request: Tree) -> None:
    """A limit that is negative or no integer is ignored."""
    if not re.fullmatch(r"\d+", str(request["max_tokens"])) or not isinstance(request["max_tokens"], Number):
        del request["max_tokens"]


@request("anthropic")
def reads_descriptions_as_text(request: Tree) -> None:
    """A tool's description that is no text becomes one."""
    for tool in request["tools"]:
        named = tool.get("function") or tool.get("custom") or tool
        if "description" in named and type(named["description"]) is not str:
            named["description"] = str(named["description"])


@request("anthropic")
def drops_empty_media(request: Tree) -> None:
    """An image or file without data or address is dropped."""
    for turn in turns(request):
        if isinstance(turn["content"], list):
            turn["content"] = [part for part in turn["content"] if _has_media(part)] or "."


def _has_media(part: Tree) -> bool:
    image, file = part.get("image_url"), part.get("file")
    if part.get("type") == "image_url":
        url = image if isinstance(image, str) else (image or {}).get("url")
        return isinstance(url, str) and bool(url.strip()) and "!!" not in url
    if part.get("type") == "file" and (file is not None or "source" not in part):
        return bool(
            part.get("data")
            or part.get("url")
            or (isinstance(file, dict) and (file.get("file_data") or file.get("file_id")))
        )
    return part.get("type") != "image" or bool(part.get("data")) != bool(part.get("url")) or "source" in part
