"""Faults in what is known of models, and in thinking. Anthropic style.

The model table has a setting that overrides it, so that a wrong table is that setting.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tests.mutants.exchange import Ask
from tests.mutants.mutant import body, message, register, request
from tests.mutants.walk import blocks, given, holder, turns

Tree = dict[str, Any]

_STRICTEST = {"refuses": ["sampling", "enabled", "disabled", "forced-choice", "prefill"], "thinking": "on"}


def _table(name: str, fault: str, rows: Callable[[str], Tree | None]) -> None:
    """A wrong row for the configured model, where `rows` has one and no setting speaks of the model already."""

    def spoil(message: Tree, ask: Ask) -> Tree:
        model = str(ask.client.get("model", ""))
        if ask.style != "anthropic" or "models" in ask.client or (row := rows(model)) is None:
            return message
        return {**message, "client": {**ask.client, "models": {model: row}}}

    register(rows, "asks", spoil, name, fault)


def _when(pattern: str, row: Tree) -> Callable[[str], Tree | None]:
    return lambda model: row if re.search(pattern, model) else None


_table("knows-no-models", "Every model takes everything.", _when("", {}))
_table(
    "knows-names-only-at-the-start",
    "A model is known only where its name begins with claude.",
    _when(r"^(?!claude)", {}),
)
_table("knows-no-newer-models", "A version beyond the table is unrestricted.", _when(r"-(6|7)$|-5-6|fable-5-2", {}))
_table("knows-no-older-models", "A version before the table is unrestricted.", _when(r"-3-7|fable-4", {}))
_table("reads-dates-as-versions", "A date after a version makes it the newest.", _when(r"-\d-\d{8}$", _STRICTEST))
_table(
    "rounds-versions-up",
    "A version between two rows takes the newer one.",
    _when(r"-5-2|-5-4|opus-4-9|haiku-5$|haiku-4-6", _STRICTEST),
)
_table(
    "restricts-unknown-names",
    "A name of no row takes the newest row.",
    _when(r"^house|^claude-3|latest|instant", _STRICTEST),
)
_table(
    "restricts-first-models",
    "The first Claude 4 models refuse temperature beside top_p.",
    _when(r"(opus|sonnet)-4(-\d{8})?$", {"refuses": ["adaptive", "temperature-with-top_p"], "efforts": []}),
)
_table(
    "offers-no-prefill",
    "No known model takes a prefill.",
    _when(r"-4-5|-4-1|sonnet-4$", {"refuses": ["adaptive", "prefill"], "efforts": []}),
)
_table(
    "thinks-adaptively-everywhere",
    "Every model thinks adaptively.",
    _when(r"-4-5|-4-1|(opus|sonnet|haiku)-4$|3-7", {"thinking": "off"}),
)
_table(
    "thinks-manually-everywhere",
    "Every model of version 4.6 to 5 thinks with a budget.",
    _when(r"-4-[678]|-5$", {"refuses": ["adaptive"], "efforts": []}),
)
_table(
    "offers-every-effort", "Every model is offered xhigh.", _when(r"-4-6", {"refuses": ["prefill"], "thinking": "off"})
)
_table(
    "offers-no-max-effort",
    "The 4.6 models are not offered max.",
    _when(r"-4-6", {"refuses": ["prefill"], "efforts": ["low", "medium", "high"], "thinking": "off"}),
)
_table(
    "thinks-by-default-everywhere", "Every model thinks by default.", _when(r"-4-[678]|claude-x", {"thinking": "on"})
)
_table(
    "thinks-nowhere-by-default",
    "No model thinks by default.",
    _when(r"-5|mythos|fable", {"refuses": ["sampling"], "thinking": "off"}),
)
_table(
    "lets-every-model-choose-freely",
    "No model refuses a forced call.",
    _when(r"-5-5|fable-5-1|preview", {"refuses": ["sampling", "enabled", "disabled", "prefill"], "thinking": "on"}),
)
_table(
    "lets-no-newer-model-be-forced",
    "Every newer model refuses a forced call.",
    _when(r"haiku-5-5|-5$|-5-2026|-4-[568]", _STRICTEST),
)
_table(
    "disables-thinking-nowhere",
    "No model lets thinking be switched off.",
    _when(r"-5$|-4-[68]|haiku-5-5", {"refuses": ["sampling", "disabled", "prefill"], "thinking": "on"}),
)


@message("anthropic")
def ignores_the_models_setting(message: Tree) -> None:
    """The setting models is ignored."""
    message["client"] = {key: value for key, value in message["client"].items() if key != "models"}


@message("anthropic")
def matches_the_models_setting_by_prefix(message: Tree, ask: Ask) -> None:
    """The setting models applies to every name that begins alike."""
    rows, model = ask.client["models"], ask.client["model"]
    found = [row for name, row in rows.items() if model.startswith(name)]
    if found:
        message["client"] = {**ask.client, "models": {**rows, model: found[0]}}


@message("anthropic")
def forgets_what_the_newer_version_refuses(message: Tree) -> None:
    """Under a newer anthropic-version sampling is sent as ever."""
    message["client"] = {key: value for key, value in message["client"].items() if key != "anthropic_version"}


@request("anthropic")
def sends_sampling_of_one(request: Tree) -> None:
    """A sampling parameter of 1 is dropped in silence, as if it changed nothing."""
    for key in ("temperature", "top_p"):
        if given(request).get(key) == "1":
            holder(request, key).pop(key)


@body("anthropic")
def keeps_top_p_and_drops_temperature(body: Tree, ask: Ask) -> None:
    """Of two sampling parameters a model refuses together the temperature is dropped."""
    params = given(ask.request)
    if "temperature" in body and "top_p" not in body and "top_p" in params and "thinking" not in body:
        del body["temperature"]
        body["top_p"] = params["top_p"]


@request("anthropic")
def drops_forced_choices_silently(request: Tree, ask: Ask) -> None:
    """A forced call that the model refuses is dropped instead of an error."""
    if re.search(r"-5-5|fable-5-1|fable-5-2|preview|-6|-7|house", ask.client["model"]):
        request.pop("tool_choice", None)


@request("anthropic")
def drops_refused_prefills(request: Tree, ask: Ask) -> None:
    """A prefill that the model refuses is dropped instead of an error."""
    last = request["messages"][-1]
    if (
        re.search(r"-4-[678]|-5|fable|mythos|house", ask.client["model"])
        and last["role"] == "assistant"
        and len(request["messages"]) > 1
    ):
        del request["messages"][-1]


@request("anthropic")
def asks_for_more_after_a_prefill(request: Tree) -> None:
    """A final assistant turn gets a dummy user turn behind it."""
    if request["messages"][-1]["role"] == "assistant" and request["messages"][-1].get("content"):
        request["messages"].append({"role": "user", "content": "Continue."})


@body("anthropic")
def trims_prefills_in_front(body: Tree) -> None:
    """A final assistant text loses white space in front as well."""
    last = body["messages"][-1]
    if last["role"] == "assistant":
        last["content"][-1]["text"] = last["content"][-1]["text"].strip()


@body("anthropic")
def trims_only_spaces_of_prefills(body: Tree, ask: Ask) -> None:
    """Line ends and tabs at the end of a prefill are sent."""
    last = [turn for turn in turns(ask.request, "assistant") if isinstance(turn.get("content"), str)][-1]["content"]
    if body["messages"][-1]["role"] == "assistant" and last.rstrip() == body["messages"][-1]["content"][-1]["text"]:
        body["messages"][-1]["content"][-1]["text"] = last.rstrip(" ")


@body("anthropic")
def trims_every_assistant_text(body: Tree) -> None:
    """Every assistant text loses its trailing white space."""
    for block in blocks(body, "text", "assistant"):
        block["text"] = block["text"].rstrip()


@request("anthropic")
def sends_empty_prefills(request: Tree) -> None:
    """An empty final assistant turn is sent as a blank text."""
    last = request["messages"][-1]
    if last["role"] == "assistant" and isinstance(last["content"], str) and not last["content"].strip():
        last["content"] = "_"


@body("anthropic")
def looks_for_a_prefill_last_only(body: Tree, ask: Ask) -> None:
    """An assistant text before system or dropped turns is not taken for the final one."""
    if ask.request["messages"][-1]["role"] != "assistant" and body["messages"][-1]["role"] == "assistant":
        given_texts = [
            t["content"]
            for t in turns(ask.request, "assistant")
            if isinstance(t["content"], str) and t["content"].strip()
        ]
        body["messages"][-1]["content"][-1]["text"] = given_texts[-1]
