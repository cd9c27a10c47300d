"""Faults in reading compatible servers' habits, in what goes back to them, and in the caller's own. OpenAI style."""

from __future__ import annotations

import re
from typing import Any

from conformance.tree import Number, compact
from tests.mutants.exchange import Ask, Received
from tests.mutants.mutant import (
    body,
    received,
    reply,
    request,
    result,
)
from tests.mutants.walk import (
    calls,
    choice,
    message,
    objects,
    reply_calls,
    turns,
)

Tree = dict[str, Any]


# -- drift ------------------------------------------------------------------------------------------------------------


def _unreadable(got: Received, when: bool) -> Received:
    return got.with_body(b'{"choices":[]}') if when else got


def _tree(got: Received) -> Tree:
    return got.tree if isinstance(got.tree, dict) and got.status < 300 else {}


@received("openai")
def needs_the_usual_fields(received: Received, ask: Ask) -> Received:
    """An answer without id, model or usage is no answer."""
    tree = _tree(received)
    return _unreadable(received, bool(message(tree)) and not {"id", "model", "usage"} <= tree.keys())


@received("openai")
def needs_values_in_fields(received: Received, ask: Ask) -> Received:
    """A null where a value was expected makes an answer unreadable."""
    tree = _tree(received)
    null = (
        any(tree.get(key, 0) is None for key in ("id", "usage", "model", "created"))
        or choice(tree).get("index", 0) is None
    )
    return _unreadable(received, null)


@received("openai")
def needs_fields_of_its_types(received: Received, ask: Ask) -> Received:
    """A field nobody reads of another type makes an answer unreadable."""
    tree = _tree(received)
    odd = not isinstance(tree.get("created", Number("1")), Number | type(None)) or not isinstance(
        tree.get("object", ""), str | type(None)
    )
    return _unreadable(received, odd)


@received("openai")
def stumbles_over_filter_results(received: Received, ask: Ask) -> Received:
    """Unknown keys beside the choices make an answer unreadable."""
    return _unreadable(
        received, any(key in _tree(received) for key in ("prompt_filter_results", "provider", "routing"))
    )


@received()
def stumbles_over_white_space(received: Received, ask: Ask) -> Received:
    """White space in front of the JSON makes an answer unreadable."""
    return received.with_body(b"x") if received.body[:1].isspace() and received.status < 300 else received


@received()
def reads_one_line(received: Received, ask: Ask) -> Received:
    """Of a body printed over many lines the first is read."""
    return (
        received.with_body(received.body.split(b"\n")[0])
        if b"\n" in received.body.strip() and received.status < 300 and received.tree is not None
        else received
    )


@reply("openai")
def reads_the_last_choice(reply: Tree) -> None:
    """Of several choices the last is read."""
    reply["choices"].reverse()


@received("openai")
def reads_null_choices_as_empty(received: Received, ask: Ask) -> Received:
    """An answer without choices is an empty success."""
    tree = received.tree
    if (
        received.status >= 300
        or not isinstance(tree, dict)
        or "error" in tree
        or "choices" not in tree
        or tree["choices"]
    ):
        return received
    return received.with_tree({**tree, "choices": [{"message": {"role": "assistant", "content": ""}}]})


@received("openai")
def reads_odd_choices_as_empty(received: Received, ask: Ask) -> Received:
    """A choice without a message is an empty success."""
    tree = _tree(received)
    first = tree["choices"][0] if isinstance(tree.get("choices"), list) and tree["choices"] else None
    if first is None and not (isinstance(tree.get("choices"), list) and tree["choices"]):
        return received
    if isinstance(first, dict) and isinstance(first.get("message"), dict):
        return received
    return received.with_tree({**tree, "choices": [{"message": {"role": "assistant", "content": ""}}]})


@received("openai")
def needs_no_error_beside_choices(received: Received, ask: Ask) -> Received:
    """An error beside empty choices is not seen."""
    tree = _tree(received)
    if "error" in tree and tree.get("choices") == []:
        return received.with_tree({key: value for key, value in tree.items() if key != "error"})
    return received


# -- what goes back ---------------------------------------------------------------------------------------------------


@result("openai")
def echoes_known_keys_only(result: Tree) -> None:
    """to_message() keeps none of the server's own keys on the message."""
    known = ("role", "content", "tool_calls", "refusal")
    result["message"] = {key: value for key, value in result["message"].items() if key in known}


@result("openai")
def echoes_known_keys_of_calls_only(result: Tree) -> None:
    """to_message() keeps none of the server's own keys on the calls."""
    for call in result["message"]["tool_calls"]:
        for key in [key for key in call if key not in ("id", "type", "function", "custom")]:
            del call[key]


@result("openai")
def echoes_on_every_call(result: Tree) -> None:
    """to_message() puts what one call carried on all of them."""
    own = result["message"]["tool_calls"]
    extra = {k: v for call in own for k, v in call.items() if k not in ("id", "type", "function", "custom")}
    for call in own:
        call.update(extra)


@result("openai")
def echoes_empty_keys(result: Tree, ask: Ask) -> None:
    """to_message() keeps the server's empty keys."""
    own = message(ask.last.tree if ask.last else {})
    for key, value in own.items():
        if value in ([], {}, "") and key not in ("content", "tool_calls"):
            result["message"].setdefault(key, value)


@result("openai")
def echoes_reasoning_only(result: Tree) -> None:
    """to_message() keeps only reasoning of the server's keys."""
    known = ("role", "content", "tool_calls", "refusal", "reasoning_content")
    result["message"] = {key: value for key, value in result["message"].items() if key in known}


@result("openai")
def echoes_plain_answers_whole(result: Tree) -> None:
    """to_message() carries an empty list of calls."""
    result["message"].setdefault("tool_calls", [])


@result("openai")
def echoes_by_id(result: Tree, ask: Ask) -> None:
    """to_message() finds what a call carried by its id, and loses it where there was none."""
    given_ids = [call.get("id") for call in reply_calls(ask.last.tree if ask.last else {})]
    for call in result["message"]["tool_calls"]:
        if call["id"] not in given_ids:
            for key in [key for key in call if key not in ("id", "type", "function", "custom")]:
                del call[key]


# -- the caller's faults ----------------------------------------------------------------------------------------------


@request("openai")
def passes_odd_limits(request: Tree) -> None:
    """A limit that is no number is dropped instead of an error."""
    for holder in (request, request.get("params") or {}):
        if "max_tokens" in holder and not re.fullmatch(
            r"\d+", str(holder["max_tokens"]) if isinstance(holder["max_tokens"], Number) else "x"
        ):
            del holder["max_tokens"]


@request("openai")
def fills_missing_messages(request: Tree) -> None:
    """A request without messages gets one."""
    if not request.get("messages"):
        request["messages"] = [{"role": "user", "content": "."}]


@request("openai")
def wraps_odd_messages(request: Tree) -> None:
    """Messages that are no list become one."""
    if isinstance(request.get("messages"), str):
        request["messages"] = [{"role": "user", "content": request["messages"]}]
    elif isinstance(request.get("messages"), dict):
        request["messages"] = [request["messages"]]


@request("openai")
def ignores_odd_params(request: Tree) -> None:
    """Params that are no object are ignored."""
    if "params" in request and not isinstance(request["params"], dict):
        del request["params"]


@request("openai")
def lets_params_hold_the_request(request: Tree) -> None:
    """Fields of the request inside params are ignored in the OpenAI style."""
    for key in ("messages", "tools", "tool_choice", "model", "system"):
        request["params"].pop(key, None)


@request("openai")
def ignores_stream_in_params(request: Tree) -> None:
    """stream: true is ignored in the OpenAI style."""
    if request["params"].get("stream") is True:
        del request["params"]["stream"]


@request("openai")
def ignores_odd_systems(request: Tree) -> None:
    """A system that is no text is ignored."""
    if not isinstance(request.get("system", ""), str) or isinstance(request.get("system"), Number):
        request.pop("system")


@request("openai")
def ignores_odd_choices(request: Tree) -> None:
    """A tool choice of a wrong type is ignored."""
    if isinstance(request.get("tool_choice"), bool | list | Number):
        del request["tool_choice"]


@request("openai")
def ignores_odd_tools(request: Tree) -> None:
    """Tools that are no list are ignored."""
    if "tools" in request and not isinstance(request["tools"], list):
        del request["tools"]


@request("openai")
def cuts_deep_params(request: Tree) -> None:
    """A value nested too deeply is dropped instead of an error."""
    for key in list(request.get("params") or {}):
        if compact(request["params"][key]).count("[") > 512:
            del request["params"][key]


@body("openai")
def drops_calls_without_names(body: Tree) -> None:
    """A call without a name is dropped with its result."""
    gone = [call.get("id") for call in calls(body) if not call["function"].get("name")]
    body["messages"] = [turn for turn in body["messages"] if turn.get("tool_call_id") not in gone]


@body("openai")
def names_files(body: Tree) -> None:
    """OpenAI's own file part gets a filename."""
    for turn in turns(body):
        for part in objects(turn["content"]):
            if part.get("type") == "file" and "file" in part:
                part["file"]["filename"] = "file"
