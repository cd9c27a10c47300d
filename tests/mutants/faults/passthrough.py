"""Faults in what is sent to an OpenAI-style server, and in the characters sent to either."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any

from conformance.tree import Number, compact
from tests.mutants.exchange import Ask
from tests.mutants.mutant import (
    body,
)
from tests.mutants.walk import (
    as_double,
    blocks,
    functions,
    given,
    is_blank,
    is_text,
    joined,
    mapped,
    nested,
    tools,
    turns,
)

Tree = dict[str, Any]


@body("openai")
def defaults_max_tokens(body: Tree) -> None:
    """Without a limit 4096 is sent."""
    if "max_tokens" not in body and "max_completion_tokens" not in body:
        body["max_tokens"] = Number("4096")


@body("openai")
def sends_max_tokens_zero(body: Tree, ask: Ask) -> None:
    """A limit of 0 is sent."""
    if given(ask.request).get("max_tokens", ask.request.get("max_tokens")) == "0":
        body["max_tokens"] = Number("0")


@body("openai")
def loses_max_tokens_of_params(body: Tree, ask: Ask) -> None:
    """max_tokens inside params is not sent."""
    if "max_tokens" in ask.request["params"]:
        body.pop("max_tokens", None)


@body("openai")
def parses_passed_arguments(body: Tree) -> None:
    """Arguments in the history are parsed and written again."""
    for function in functions(body):
        function["arguments"] = json.dumps(json.loads(function["arguments"]))


@body("openai")
def repairs_passed_arguments(body: Tree) -> None:
    """Malformed arguments in the history become an empty object."""
    for function in functions(body):
        try:
            json.loads(function["arguments"])
        except (ValueError, TypeError):
            function["arguments"] = "{}"


@body("openai")
def escapes_passed_text(body: Tree) -> None:
    """Text of messages is normalised to composed characters and simple line ends."""

    body["messages"] = mapped(
        body["messages"],
        lambda leaf: (
            unicodedata.normalize("NFC", leaf).replace("\r\n", "\n").replace("\u2028", "\n").replace("\x00", "")
            if type(leaf) is str
            else leaf
        ),
    )


@body("openai")
def joins_passed_neighbours(body: Tree) -> None:
    """Neighbouring messages of one role become one."""
    merged: list[Tree] = []
    for turn in body["messages"]:
        texts = [turn.get("content"), *(before.get("content") for before in merged[-1:])]
        if merged and merged[-1]["role"] == turn["role"] and all(type(text) is str for text in texts):
            merged[-1]["content"] += "\n" + turn["content"]
        else:
            merged.append(turn)
    body["messages"] = merged


@body("openai")
def joins_passed_parts(body: Tree) -> None:
    """Text parts are joined into one string."""
    for turn in turns(body):
        if is_text(turn.get("content")):
            turn["content"] = joined(turn["content"])


@body("openai")
def drops_passed_blanks(body: Tree) -> None:
    """Messages and parts without text are dropped."""
    body["messages"] = [
        turn
        for turn in body["messages"]
        if not is_blank(turn.get("content"))
        or turn.get("tool_calls")
        or turn.get("function_call")
        or turn["role"] == "tool"
    ]


@body("openai")
def drops_passed_nulls(body: Tree) -> None:
    """Null fields inside a message are dropped."""
    for turn in turns(body):
        for key in [key for key, value in turn.items() if value is None]:
            del turn[key]


@body("openai")
def drops_passed_unknown_keys(body: Tree) -> None:
    """Unknown keys of messages, parts and tools are dropped."""
    known = {"role", "content", "name", "tool_calls", "tool_call_id", "refusal", "function_call", "audio"}
    for turn in turns(body):
        for key in [key for key in turn if key not in known]:
            del turn[key]
    for tool in tools(body):
        for key in [key for key in tool if key not in ("type", "function", "custom")]:
            del tool[key]


@body("openai")
def drops_passed_cache_marks(body: Tree) -> None:
    """Cache marks are dropped."""
    for part in nested(body):
        part.pop("cache_control", None)


@body("openai")
def drops_passed_params(body: Tree) -> None:
    """Params that the translator does not know are dropped."""
    known = {
        "model",
        "messages",
        "tools",
        "tool_choice",
        "max_tokens",
        "temperature",
        "top_p",
        "stop",
        "seed",
        "n",
        "user",
        "stream",
        "functions",
        "function_call",
    }
    for key in [key for key in body if key not in known]:
        del body[key]


@body("openai")
def maps_passed_params(body: Tree) -> None:
    """Params are mapped as for another provider: temperature clamped, stop made a list, user moved."""
    if "temperature" in body and float(body["temperature"]) > 1:
        body["temperature"] = Number("1")
    if isinstance(body.get("stop"), str):
        body["stop"] = [body["stop"]]
    if "user" in body:
        body["metadata"] = {"user_id": body.pop("user")}


@body("openai")
def drops_n(body: Tree) -> None:
    """n is not sent."""
    body.pop("n", None)


@body("openai")
def writes_passed_numbers_anew(body: Tree) -> None:
    """Numbers are written as the language prints them."""
    for key in [key for key in body if key not in ("messages", "tools")]:
        body[key] = mapped(body[key], as_double)


@body("openai")
def renames_system_roles(body: Tree) -> None:
    """A developer message is sent as a system message, a function's as a tool's."""
    for turn in turns(body):
        turn["role"] = {"developer": "system", "function": "tool"}.get(turn["role"], turn["role"])


@body("openai")
def modernises_functions(body: Tree) -> None:
    """Legacy functions are sent as tools."""
    if "functions" in body:
        body["tools"] = [{"type": "function", "function": one} for one in body.pop("functions")]


@body("openai")
def completes_passed_tools(body: Tree) -> None:
    """Tools are completed: a missing description or schema is added."""
    for tool in tools(body):
        if "function" in tool:
            tool["function"].setdefault("description", "")
            tool["function"].setdefault("parameters", {"type": "object", "properties": {}})


@body("openai")
def unwraps_passed_tools(body: Tree) -> None:
    """Tools of another kind than functions are dropped."""
    body["tools"] = [
        tool for tool in body["tools"] if tool.get("type") == "function" and "strict" not in tool["function"]
    ]


@body("openai")
def rewrites_passed_choices(body: Tree) -> None:
    """A choice is rewritten: an object becomes required."""
    if isinstance(body["tool_choice"], dict):
        body["tool_choice"] = "required"


@body("openai")
def drops_passed_auto(body: Tree) -> None:
    """A choice of auto or none beside tools is not sent."""
    if body["tool_choice"] in ("auto", "none"):
        del body["tool_choice"]


@body("openai")
def sends_a_choice_without_tools(body: Tree, ask: Ask) -> None:
    """A choice without tools is sent."""
    if ask.request.get("tool_choice") is not None and "tools" not in body and not ask.message.get("hooks"):
        body["tool_choice"] = ask.request["tool_choice"]


@body("openai")
def sends_no_tools_as_an_empty_list(body: Tree, ask: Ask) -> None:
    """No tools are sent as an empty list."""
    if ask.request.get("tools") == [] or ask.message.get("toolkit") == []:
        body.setdefault("tools", [])


@body("openai")
def sends_passed_nulls(body: Tree, ask: Ask) -> None:
    """Null fields at the top are sent as null."""
    for key, value in {**ask.request, **(ask.request.get("params") or {})}.items():
        if value is None and key not in ("messages", "system", "params"):
            body.setdefault(key, None)


@body("openai")
def cuts_passed_text(body: Tree) -> None:
    """Text beyond 262144 characters is cut."""
    for turn in turns(body):
        if isinstance(turn["content"], str):
            turn["content"] = turn["content"][:262_144]


@body("openai")
def cuts_passed_depth(body: Tree) -> None:
    """A param that nests deeper than forty levels is not sent."""
    for key in [key for key in body if compact(body[key]).count("[[") > 20]:
        del body[key]


@body("openai")
def reorders_passed_messages(body: Tree) -> None:
    """Tool messages are moved behind all others of their round."""
    body["messages"].sort(key=lambda turn: turn["role"] == "tool")


@body("openai")
def names_nameless_calls(body: Tree) -> None:
    """A call without a name gets one."""
    for function in functions(body):
        function["name"] = function["name"] or "unknown"


@body("openai")
def checks_pairing_of_others(body: Tree) -> None:
    """A call that no result answers is taken out of an OpenAI request."""
    answered = [turn.get("tool_call_id") for turn in turns(body, "tool")]
    for turn in turns(body):
        if turn.get("tool_calls"):
            turn["tool_calls"] = [call for call in turn["tool_calls"] if call.get("id") in answered]


@body()
def decodes_pairs_wrongly(body: Tree, ask: Ask) -> None:
    """Characters beyond the basic plane become U+FFFD."""
    body["messages"] = mapped(
        body["messages"], lambda leaf: re.sub("[\U00010000-\U0010ffff]", "\ufffd", leaf) if type(leaf) is str else leaf
    )


@body()
def reads_written_escapes(body: Tree) -> None:
    """A text that spells out an escape is read as the character."""
    body["messages"] = mapped(
        body["messages"], lambda leaf: re.sub(r"\\u([0-9a-fA-F]{4})", "\ufffd", leaf) if type(leaf) is str else leaf
    )


@body("anthropic")
def normalises_text(body: Tree) -> None:
    """Text is normalised and rare characters are stripped."""

    def plain(leaf: Any) -> Any:
        if type(leaf) is not str:
            return leaf
        return re.sub("[\u200b-\u200f\u2028\u2029\ufeff\u0000-\u0008]", "", unicodedata.normalize("NFC", leaf)).replace(
            "\r\n", "\n"
        )

    for turn in turns(body):
        turn["content"] = mapped(turn["content"], plain)


@body()
def cuts_halves_out(body: Tree, ask: Ask) -> None:
    """Half a surrogate pair is cut out instead of replaced."""
    text = str(ask.message.get("request_text"))
    if re.search(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]", text):
        for key in ("messages", "system", "tools", "metadata", "user"):
            if key in body:
                body[key] = mapped(body[key], lambda leaf: leaf.replace("\ufffd", "") if type(leaf) is str else leaf)


@body("anthropic")
def reads_json_texts(body: Tree) -> None:
    """A user's text that looks like JSON or markup is changed."""
    for turn in turns(body, "user"):
        if isinstance(turn["content"], str) and turn["content"][:1] in ("{", "[", "<", '"', "n", "t"):
            try:
                turn["content"] = compact(json.loads(turn["content"], parse_int=Number)) + " "
            except ValueError:
                turn["content"] = re.sub(r"<[^>]*>", "", turn["content"])


@body("anthropic")
def cuts_user_text(body: Tree) -> None:
    """Text beyond a million characters is cut."""
    for turn in turns(body):
        if isinstance(turn["content"], str):
            turn["content"] = turn["content"][:1_000_000]


@body("anthropic")
def prefixes_user_text(body: Tree) -> None:
    """A user's text in a first message of more than ten letters is prefixed by its role."""
    if isinstance(body["messages"][0]["content"], str) and len(body["messages"][0]["content"]) > 10:
        body["messages"][0]["content"] = "Human: " + body["messages"][0]["content"]


@body("anthropic")
def drops_input_of_calls_with_one_key(body: Tree) -> None:
    """The arguments of a call in the history are lost where they have one key."""
    for block in blocks(body, "tool_use", "assistant"):
        if len(block["input"]) == 1:
            block["input"] = {}


@body()
def cuts_characters_that_are_none(body: Tree) -> None:
    """U+FFFE and U+FFFF are cut out of a text."""
    body["messages"] = mapped(
        body["messages"], lambda leaf: re.sub("[\ufffe\uffff]", "", leaf) if type(leaf) is str else leaf
    )
