"""Faults in the arguments of calls in the answer, both styles."""

from __future__ import annotations

import json
import re
from typing import Any

from conformance.tree import compact, read
from tests.mutants.faults.arguments import depth, is_object, parsed, without_empty
from tests.mutants.mutant import (
    received,
    result,
)
from tests.mutants.walk import (
    as_double,
    called,
    mapped,
)

Tree = dict[str, Any]


# -- in the answer ----------------------------------------------------------------------------------------------------


def _reparsed(text: str) -> str:
    return json.dumps(json.loads(text), ensure_ascii=False, separators=(",", ":"))


@result("anthropic")
def reads_answered_numbers_as_doubles(result: Tree) -> None:
    """Numbers in a call's input go through a double on their way back."""
    for call in result["tool_calls"]:
        call["arguments"] = compact(mapped(read(call["arguments"]), as_double))


@result("anthropic")
def writes_answered_floats_as_integers(result: Tree) -> None:
    """1.0 in a call's input comes back as 1."""
    for call in result["tool_calls"]:
        call["arguments"] = re.sub(r"(\d)\.0+(?=[,}\]\s])", r"\1", call["arguments"])


@result("anthropic")
def gives_arguments_as_an_object(result: Tree) -> None:
    """Arguments of parallel calls come back as objects, not as strings."""
    if len(result["tool_calls"]) > 1:
        for call in result["tool_calls"]:
            call["arguments"] = json.loads(call["arguments"])


@result("anthropic")
def gives_empty_arguments_as_nothing(result: Tree) -> None:
    """A call without input comes back with an empty string."""
    for call in result["tool_calls"]:
        if call["arguments"] == "{}":
            call["arguments"] = ""


@result("anthropic")
def drops_empty_values_of_the_input(result: Tree) -> None:
    """Null and empty values of a call's input are lost."""
    for call in result["tool_calls"]:
        call["arguments"] = compact(without_empty(read(call["arguments"])))


@result("anthropic")
def sorts_keys_of_the_input(result: Tree) -> None:
    """The keys of a call's input come back in alphabetical order."""
    for call in result["tool_calls"]:
        call["arguments"] = compact(dict(sorted(read(call["arguments"]).items())))


@result("anthropic")
def respaces_the_input(result: Tree) -> None:
    """A call's input is parsed and written again, without its own spaces."""
    for call in result["tool_calls"]:
        call["arguments"] = compact(read(call["arguments"]))


@result("anthropic")
def escapes_the_input(result: Tree) -> None:
    """Characters outside ASCII in a call's input are escaped."""
    for call in result["tool_calls"]:
        call["arguments"] = json.dumps(json.loads(call["arguments"]))


@result("anthropic")
def encodes_the_input_twice(result: Tree) -> None:
    """An input with texts that hold quotes is encoded twice."""
    for call in result["tool_calls"]:
        if '\\"' in call["arguments"]:
            call["arguments"] = json.dumps(call["arguments"])


@result("anthropic")
def parses_texts_of_the_input(result: Tree) -> None:
    """Texts in a call's input that hold JSON are parsed."""
    for call in result["tool_calls"]:
        call["arguments"] = compact(mapped(read(call["arguments"]), parsed))


@result("anthropic")
def strips_texts_of_the_input(result: Tree) -> None:
    """Texts in a call's input are stripped and lose their line ends."""
    for call in result["tool_calls"]:
        call["arguments"] = compact(
            mapped(read(call["arguments"]), lambda leaf: leaf.replace("\n", " ").strip() if type(leaf) is str else leaf)
        )


@result("anthropic")
def drops_odd_keys_of_the_input(result: Tree) -> None:
    """Keys that other languages treat specially are lost from a call's input."""
    for call in result["tool_calls"]:
        value = read(call["arguments"])
        call["arguments"] = compact(
            {k: v for k, v in value.items() if k not in ("__proto__", "constructor", "toString", "")}
        )


@result("anthropic")
def cuts_long_arguments(result: Tree) -> None:
    """Arguments beyond 64 KiB are cut."""
    for call in result["tool_calls"]:
        call["arguments"] = call["arguments"][:65536]


@result("anthropic")
def gives_deep_input_as_nothing(result: Tree) -> None:
    """An input nested deeper than 100 levels comes back empty."""
    for call in result["tool_calls"]:
        if depth(call["arguments"], 100):
            call["arguments"] = "{}"


# -- OpenAI style -----------------------------------------------------------------------------------------------------


@result("openai")
def respaces_arguments(result: Tree) -> None:
    """An OpenAI server's arguments are parsed and written again."""
    for call in result["tool_calls"]:
        if call["type"] == "function" and is_object(call["arguments"]):
            call["arguments"] = _reparsed(call["arguments"])


@result("openai")
def repairs_answered_arguments(result: Tree) -> None:
    """Arguments that are no JSON object come back as an empty object."""
    for call in result["tool_calls"]:
        if call["type"] == "function" and not is_object(call["arguments"]):
            call["arguments"] = "{}"


@result("openai")
def reads_arguments_as_doubles(result: Tree) -> None:
    """Numbers in an OpenAI server's arguments go through a double."""
    for call in result["tool_calls"]:
        call["arguments"] = compact(mapped(read(call["arguments"]), as_double))


@result("openai")
def leaves_missing_arguments_empty(result: Tree) -> None:
    """A call without arguments comes back with an empty string."""
    for call in result["tool_calls"]:
        if call["arguments"] == "{}":
            call["arguments"] = ""


@result("openai")
def unescapes_answered_arguments(result: Tree) -> None:
    """Escapes in an OpenAI server's arguments are written out."""
    for call in result["tool_calls"]:
        call["arguments"] = re.sub(
            r"\\u([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16)), call["arguments"]
        ).replace("\\/", "/")


@result("openai")
def escapes_answered_arguments(result: Tree) -> None:
    """Characters outside ASCII in an OpenAI server's arguments are escaped."""
    for call in result["tool_calls"]:
        call["arguments"] = "".join(c if c.isascii() else json.dumps(c)[1:-1] for c in call["arguments"])


@received("openai")
def loses_arguments_that_are_objects(received: Any, ask: Any) -> Any:
    """Arguments that a server sends as an object are lost."""
    tree = received.tree if isinstance(received.tree, dict) else {}
    if not any(isinstance(function.get("arguments"), dict) for function in called(tree)):
        return received
    text = re.sub(rb'"arguments":\s*\{[^{}]*\}', b'"arguments":"{}"', received.body)
    return received.with_body(text)
