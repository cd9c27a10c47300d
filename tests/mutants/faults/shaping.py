"""Faults in request_params and body_transform."""

from __future__ import annotations

import copy
from typing import Any

from conformance.tree import Number
from tests.mutants.exchange import Ask
from tests.mutants.mutant import (
    answer,
    body,
    message,
)

Tree = dict[str, Any]


@message()
def ignores_request_params(message: Tree) -> None:
    """request_params are ignored."""
    message.pop("request_params", None)


@message()
def ignores_body_transform(message: Tree) -> None:
    """body_transform is not called."""
    message.pop("body_transform", None)


@body()
def lets_the_built_body_win(body: Tree, ask: Ask) -> None:
    """request_params yield to what the request says."""
    given = {**ask.request, **(ask.request.get("params") or {})}
    names = {"stop_sequences": "stop"}
    for key in ask.part("request_params"):
        value = given.get(names.get(key, key))
        if value is not None and key not in ("messages", "tools"):
            body[key] = value


@body("anthropic")
def lets_defaults_win(body: Tree, ask: Ask) -> None:
    """request_params yield to a default."""
    if "max_tokens" in ask.part("request_params") and "max_tokens" not in ask.request:
        body["max_tokens"] = Number("4096")


@body("anthropic")
def lets_the_built_system_win(body: Tree, ask: Ask) -> None:
    """request_params may not set system."""
    if "system" in ask.part("request_params"):
        body["system"] = next(turn["content"] for turn in ask.request["messages"] if turn["role"] == "system")


@body()
def lets_request_params_hold_messages(body: Tree, ask: Ask) -> None:
    """messages, tools and stream in request_params are sent."""
    for key in ("messages", "tools", "stream"):
        if key in ask.part("request_params"):
            body[key] = ask.part("request_params")[key]


@message()
def maps_request_params(message: Tree, ask: Ask) -> None:
    """request_params are read in OpenAI's words and mapped."""
    own = message["request_params"]
    for name, other in (("stop", "stop_sequences"), ("max_completion_tokens", "max_tokens")):
        if name in own:
            own[other] = own.pop(name)


@body()
def loses_defaults_beside_request_params(body: Tree, ask: Ask) -> None:
    """With request_params the choice and the system prompt are not sent."""
    if ask.part("request_params") and "system" not in ask.part("request_params"):
        body.pop("system", None)


@body()
def transforms_before_request_params(body: Tree, ask: Ask) -> None:
    """request_params are merged over what body_transform made."""
    if "body_transform" in ask.message:
        for key, value in ask.part("request_params").items():
            if key in ask.part("body_transform"):
                body[key] = value


@body()
def transforms_before_the_hook(body: Tree, ask: Ask) -> None:
    """before_llm sees the body after body_transform, which then is undone."""
    if ask.part("hooks")["before_llm"]["replace"]:
        for key in ask.part("body_transform"):
            body.pop(key, None)


@body()
def transforms_flatly(body: Tree, ask: Ask) -> None:
    """body_transform replaces nested objects whole."""
    for key, value in ask.part("body_transform").items():
        if isinstance(value, dict):
            body[key] = value


@body()
def cannot_remove(body: Tree, ask: Ask) -> None:
    """body_transform cannot take a field out."""
    names = {
        "metadata": {"user_id": (ask.request.get("params") or {}).get("user")},
        "max_tokens": ask.request.get("max_tokens"),
    }
    for key, value in ask.part("body_transform").items():
        if value is None:
            body[key] = names.get(key) or ask.part("request_params").get(key)


@body()
def joins_lists_of_the_transform(body: Tree, ask: Ask) -> None:
    """A list that body_transform returns is added to the built one."""
    for key, value in ask.part("body_transform").items():
        if isinstance(value, list):
            body[key] = [*value, *value]


@body()
def lets_the_transform_touch_no_messages(body: Tree, ask: Ask) -> None:
    """body_transform may not change the messages."""
    if "messages" in ask.part("body_transform"):
        body["messages"] = copy.deepcopy(ask.request["messages"])


@body()
def lets_the_transform_touch_no_tools(body: Tree, ask: Ask) -> None:
    """body_transform may not change the tools."""
    if "tools" in ask.part("body_transform"):
        del body["tools"][1:]


@body()
def transforms_the_first_attempt_only(body: Tree, ask: Ask) -> None:
    """A second attempt goes out without what body_transform made."""
    if ask.exchanges and not ask.message.get("repeat"):
        for key in ask.part("body_transform"):
            body[key] = ask.request.get(key)


@body()
def sends_params_on_the_first_attempt_only(body: Tree, ask: Ask) -> None:
    """A second attempt goes out without request_params."""
    if ask.exchanges and not ask.message.get("repeat"):
        for key in ask.part("request_params"):
            body.pop(key, None)


@body()
def piles_request_params_up(body: Tree, ask: Ask) -> None:
    """Lists of request_params grow with each call of the client."""
    if ask.exchanges and ask.message.get("repeat"):
        for key, value in ask.part("request_params").items():
            if isinstance(value, list) and key not in ("messages", "tools"):
                body[key] = [*value, *value]


@body()
def piles_the_transform_up(body: Tree, ask: Ask) -> None:
    """body_transform sees the body of the last call."""
    if ask.exchanges and ask.message.get("repeat") and "body_transform" in ask.message:
        body["messages"] = [*body["messages"], *body["messages"]]


@answer()
def warns_of_refused_params_once(answer: Tree, ask: Ask) -> None:
    """A refused key of request_params is reported in the first call only."""
    if len(ask.exchanges) > 1:
        answer["warnings"] = [row for row in answer["warnings"] if row["code"] != "request-params-refused"]


@body()
def sends_empty_extras(body: Tree, ask: Ask) -> None:
    """Empty request_params or an empty patch leave a mark in the body."""
    if ask.message.get("request_params") == {} or ask.message.get("body_transform") == {}:
        body["stream"] = False
