"""Faults in the arguments of calls in the history. Anthropic style."""

from __future__ import annotations

import json
import re
from typing import Any

from conformance.tree import NotJson, Number, compact, read
from tests.mutants.mutant import (
    body,
    request,
)
from tests.mutants.walk import (
    as_double,
    blocks,
    calls,
    functions,
    mapped,
)

Tree = dict[str, Any]


def _inputs(body: Tree, change: Any) -> None:
    for block in blocks(body, "tool_use", "assistant"):
        block["input"] = change(block["input"])


@body("anthropic")
def reads_numbers_as_doubles(body: Tree) -> None:
    """Numbers of arguments go through a double."""
    _inputs(body, lambda value: mapped(value, as_double))


@body("anthropic")
def writes_whole_floats_as_integers(body: Tree) -> None:
    """A number with a point and nothing behind it becomes an integer."""
    _inputs(body, lambda value: mapped(value, _whole))


def _whole(leaf: Any) -> Any:
    return Number(re.sub(r"\.0+$", "", leaf)) if isinstance(leaf, Number) else leaf


@body("anthropic")
def writes_big_integers_as_text(body: Tree) -> None:
    """Integers beyond 2^53 are sent as text."""
    _inputs(body, lambda value: mapped(value, _as_text))


def _as_text(leaf: Any) -> Any:
    big = isinstance(leaf, Number) and leaf.lstrip("-").isdigit() and len(leaf) > 15
    return str(leaf) if big else leaf


@body("anthropic")
def sends_arguments_as_text(body: Tree) -> None:
    """Arguments that hold a list or object are sent as their text, not as an object."""
    for block in blocks(body, "tool_use", "assistant"):
        if any(isinstance(item, list | dict) for item in block["input"].values()):
            block["input"] = compact(block["input"])


@body("anthropic")
def parses_arguments_twice(body: Tree) -> None:
    """Texts inside arguments that hold JSON are parsed as well."""
    _inputs(body, lambda value: mapped(value, parsed))


def parsed(leaf: Any) -> Any:
    try:
        value = read(leaf) if isinstance(leaf, str) and not isinstance(leaf, Number) else leaf
    except NotJson:
        return leaf
    return value if isinstance(value, dict | list) else leaf


@body("anthropic")
def drops_empty_values_of_arguments(body: Tree) -> None:
    """Null and empty values inside arguments are dropped."""
    _inputs(body, without_empty)


def without_empty(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {key: without_empty(item) for key, item in value.items() if item not in (None, "", [], {}, False)}


@body("anthropic")
def drops_keys_with_underscores(body: Tree) -> None:
    """Keys that other languages treat specially are lost from arguments."""
    _inputs(
        body,
        lambda value: {k: v for k, v in value.items() if k not in ("__proto__", "constructor", "toString", "", "$ref")},
    )


@body("anthropic")
def calls_the_raw_text_otherwise(body: Tree) -> None:
    """Malformed arguments are kept under a key of the translator's own."""
    _inputs(body, lambda value: {"arguments": value["_raw"]} if list(value) == ["_raw"] else value)


@request("anthropic")
def repairs_arguments(request: Tree) -> None:
    """Malformed arguments are repaired by guessing."""
    for function in functions(request):
        text = function["arguments"]
        for close in ("}", '"}', "]}", '"]}', "null}", ":null}"):
            if isinstance(text, str) and text.startswith("{") and not is_object(text) and is_object(text + close):
                function["arguments"] = text + close


@request("anthropic")
def reads_the_first_value_of_arguments(request: Tree) -> None:
    """Text after the object is ignored."""
    for function in functions(request):
        try:
            _, end = json.JSONDecoder().raw_decode(function["arguments"].lstrip())
        except (ValueError, AttributeError):
            continue
        function["arguments"] = function["arguments"].lstrip()[:end]


@request("anthropic")
def takes_the_last_of_equal_keys(request: Tree) -> None:
    """Of a key that stands twice in arguments the last value wins, in silence."""
    for function in functions(request):
        value = json.loads(function["arguments"], parse_float=Number, parse_int=Number)
        if isinstance(value, dict) and not is_object(function["arguments"]):
            function["arguments"] = compact(value)


@request("anthropic")
def reads_python_literals(request: Tree) -> None:
    """Arguments in another language's notation are taken for JSON."""
    for function in functions(request):
        text = function["arguments"]
        if isinstance(text, str) and not is_object(text):
            loose = text.replace("'", '"').replace("True", "true").replace("None", "null")
            loose = re.sub(r",\s*([}\]])", r"\1", re.sub(r"//.*|```(json)?", "", loose)).strip()
            function["arguments"] = loose if is_object(loose) else text


@request("anthropic")
def writes_nan_as_null(request: Tree) -> None:
    """NaN and Infinity in arguments become null."""
    for function in functions(request):
        text = function["arguments"]
        if isinstance(text, str) and re.search(r"[:\[]\s*-?(NaN|Infinity)", text):
            function["arguments"] = re.sub(r"-?(NaN|Infinity)", "null", text)


@request("anthropic")
def wraps_other_values(request: Tree) -> None:
    """Arguments that are JSON but no object are put into one."""
    for function in functions(request):
        text = function.get("arguments")
        value = read(text) if isinstance(text, str) and type(text) is str else text
        if isinstance(value, list | Number | bool) or (isinstance(value, str) and value.strip()):
            function["arguments"] = {"value": value}


@request("anthropic")
def takes_arguments_only_as_text(request: Tree) -> None:
    """Arguments given as an object are lost."""
    for function in functions(request):
        if isinstance(function.get("arguments"), dict):
            function["arguments"] = "{}"


@body("anthropic")
def omits_empty_input(body: Tree) -> None:
    """A call without arguments gets no input at all."""
    for block in blocks(body, "tool_use", "assistant"):
        if block["input"] == {}:
            del block["input"]


@body("anthropic")
def sends_null_for_no_arguments(body: Tree, ask: Any) -> None:
    """Absent, blank or null arguments are sent as null."""
    given = [function.get("arguments") for function in functions(ask.request)]
    for block, text in zip(blocks(body, "tool_use", "assistant"), given, strict=True):
        if not isinstance(text, str) or not text.strip() or text == "null":
            block["input"] = None if block["input"] == {} else block["input"]


@request("anthropic")
def one_bad_call_spoils_all(request: Tree) -> None:
    """A malformed call makes the calls beside it lose their arguments."""
    for turn in request["messages"]:
        own = [call["function"] for call in turn.get("tool_calls") or () if "function" in call]
        if len(own) > 1 and any(not is_object(function["arguments"]) for function in own):
            for function in own:
                function["arguments"] = "{}"


@request("anthropic")
def refuses_malformed_arguments(request: Tree) -> None:
    """Malformed arguments stop the call: one bad turn bricks the conversation."""
    for function in functions(request):
        text = function.get("arguments")
        if isinstance(text, str) and text.strip() and text.strip() != "null" and not is_object(text):
            request["messages"] = None


def is_object(text: Any) -> bool:
    try:
        return isinstance(read(text), dict)
    except (NotJson, TypeError, AttributeError):
        return False


def depth(text: str, deepest: int) -> bool:
    return text.count("{") + text.count("[") > deepest


@request("anthropic")
def cuts_deep_arguments(request: Tree) -> None:
    """Arguments nested deeper than 128 levels are taken for malformed."""
    for function in functions(request):
        text = function["arguments"]
        if isinstance(text, str) and depth(text, 128) and not depth(text, 512):
            function["arguments"] = text + "}"


@request("anthropic")
def refuses_deep_arguments(request: Tree) -> None:
    """Arguments nested deeper than 512 levels stop the call."""
    for function in functions(request):
        if isinstance(function["arguments"], str) and depth(function["arguments"], 512):
            request["messages"] = None


@request("anthropic")
def refuses_long_integers(request: Tree) -> None:
    """An integer of thousands of digits makes arguments malformed."""
    for function in functions(request):
        if re.search(r"\d{4301}", function["arguments"]):
            function["arguments"] += "}"


@request("anthropic")
def unescapes_arguments(request: Tree) -> None:
    """Escapes inside arguments are written out before they are parsed."""
    for function in functions(request):
        if "\\" in function["arguments"]:
            function["arguments"] = re.sub(
                r"\\(n|t|\"|\\)", lambda found: {"n": "\n", "t": "\t"}.get(found[1], found[1]), function["arguments"]
            )


@body("anthropic")
def escapes_line_ends_again(body: Tree) -> None:
    """Line ends, tabs and quotes in texts of arguments are escaped once more."""
    _inputs(body, lambda value: mapped(value, lambda leaf: json.dumps(leaf)[1:-1] if type(leaf) is str else leaf))


@request("anthropic")
def keeps_space_around_arguments(request: Tree) -> None:
    """White space around arguments makes them malformed."""
    for function in functions(request):
        text = function["arguments"]
        if isinstance(text, str) and text.strip() and text != text.strip():
            function["arguments"] = f"({text})"


@request("anthropic")
def defaults_arguments_of_declared_calls(request: Tree) -> None:
    """An empty object of arguments is filled by the translator."""
    for function in functions(request):
        if (
            isinstance(function.get("arguments"), str)
            and re.fullmatch(r"\s*\{\s+\}\s*|\{\}", function["arguments"])
            and len(list(calls(request))) == 1
        ):
            function["arguments"] = '{"input":""}'


@body("anthropic")
def lowers_keys_of_arguments(body: Tree) -> None:
    """Keys of arguments that differ in case become one."""
    _inputs(body, lambda value: {key.lower(): item for key, item in value.items()})


@body("anthropic")
def reads_numbers_in_texts(body: Tree) -> None:
    """Texts inside arguments that look like numbers become numbers."""
    _inputs(body, lambda value: mapped(value, _as_number))


def _as_number(leaf: Any) -> Any:
    return Number(leaf) if type(leaf) is str and leaf.isascii() and leaf.isdigit() else leaf
