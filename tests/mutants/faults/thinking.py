"""Faults in thinking, asked for and in the history. Anthropic style."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from conformance.tree import Number
from tests.mutants.exchange import Ask
from tests.mutants.mutant import (
    body,
    request,
    result,
)
from tests.mutants.walk import (
    blocks,
    given,
    holder,
    objects,
    turns,
)

Tree = dict[str, Any]


# -- thinking ---------------------------------------------------------------------------------------------------------


@request("anthropic")
def ignores_reasoning_effort(request: Tree) -> None:
    """reasoning_effort has no effect."""
    holder(request, "reasoning_effort").pop("reasoning_effort", None)


@body("anthropic")
def says_nothing_for_effort_none(body: Tree) -> None:
    """Effort none sends nothing where thinking could be switched off."""
    if body["thinking"] == {"type": "disabled"}:
        del body["thinking"]


@body("anthropic")
def disables_thinking_on_every_model(body: Tree, ask: Ask) -> None:
    """Effort none is sent to models that refuse it or do not know it."""
    if given(ask.request)["reasoning_effort"] == "none":
        body["thinking"] = {"type": "disabled"}


@body("anthropic")
def forgets_the_adaptive_switch(body: Tree) -> None:
    """An effort is sent, but thinking is not switched on."""
    if body["thinking"] == {"type": "adaptive"}:
        del body["thinking"]


@body("anthropic")
def switches_adaptive_on_everywhere(body: Tree) -> None:
    """Thinking is switched on for models that think anyway."""
    if body["output_config"]["effort"] and body["messages"][-1]["role"] == "user":
        body.setdefault("thinking", {"type": "adaptive"})


@body("anthropic")
def sends_minimal(body: Tree, ask: Ask) -> None:
    """minimal is sent, a word the provider does not know."""
    if given(ask.request)["reasoning_effort"] == "minimal" and "output_config" in body:
        body["output_config"]["effort"] = "minimal"


@body("anthropic")
def lowers_high_efforts(body: Tree) -> None:
    """xhigh and max become high."""
    if body["output_config"]["effort"] in ("xhigh", "max"):
        body["output_config"]["effort"] = "high"


@body("anthropic")
def calls_medium_high(body: Tree) -> None:
    """medium is sent as high."""
    if body["output_config"]["effort"] == "medium":
        body["output_config"]["effort"] = "high"


@body("anthropic")
def loses_effort_beside_a_schema(body: Tree) -> None:
    """With a response schema the effort is lost."""
    if "format" in body["output_config"]:
        body["output_config"].pop("effort", None)


def _budget(body: Tree, change: Callable[[int], int]) -> None:
    body["thinking"]["budget_tokens"] = Number(str(change(int(body["thinking"]["budget_tokens"]))))


@body("anthropic")
def thinks_with_other_budgets(body: Tree) -> None:
    """Budgets of higher efforts are other round numbers."""
    _budget(body, lambda tokens: {8192: 10000, 24576: 16000, 32768: 32000}.get(tokens, tokens))


@body("anthropic")
def thinks_with_twice_the_budget(body: Tree) -> None:
    """The smallest budgets are 2048 and 4096."""
    _budget(body, lambda tokens: tokens * 2 if tokens in (1024, 2048) else tokens)


@body("anthropic")
def raises_the_limit_for_thinking(body: Tree) -> None:
    """The caller's limit is raised so that the whole budget fits."""
    if int(body["max_tokens"]) < 10000:
        _budget(body, lambda tokens: max(tokens, 8192))
        body["max_tokens"] = Number("9216")


@body("anthropic")
def lets_the_budget_fill_the_limit(body: Tree) -> None:
    """The budget leaves no room for an answer."""
    if int(body["thinking"]["budget_tokens"]) == int(body["max_tokens"]) - 1024:
        _budget(body, lambda tokens: tokens + 1023)


def _manual(ask: Ask) -> bool:
    return re.search(r"-4-5|-4-1|-4$", ask.client["model"]) is not None


@body("anthropic")
def thinks_without_room(body: Tree, ask: Ask) -> None:
    """A budget is sent that does not fit into the limit."""
    if _manual(ask) and int(body["max_tokens"]) < 2048 and given(ask.request)["reasoning_effort"] != "none":
        body["thinking"] = {"type": "enabled", "budget_tokens": Number("1024")}


@body("anthropic")
def thinks_beside_a_forced_choice(body: Tree, ask: Ask) -> None:
    """Manual thinking is sent beside a forced call."""
    if _manual(ask) and body["tool_choice"]["type"] in ("any", "tool") and given(ask.request)["reasoning_effort"]:
        body["thinking"] = {"type": "enabled", "budget_tokens": Number("8192")}


@body("anthropic")
def thinks_beside_no_choice_at_all(body: Tree) -> None:
    """Manual thinking is left out beside any choice."""
    if "tool_choice" in body and body["thinking"]["type"] == "enabled":
        del body["thinking"]


@body("anthropic")
def drops_adaptive_thinking_for_a_forced_choice(body: Tree) -> None:
    """Adaptive thinking is left out beside a forced call."""
    if body["tool_choice"]["type"] in ("any", "tool") and body["thinking"]["type"] == "adaptive":
        del body["thinking"]


@body("anthropic")
def thinks_in_unsigned_loops(body: Tree, ask: Ask) -> None:
    """Manual thinking is sent in a running tool turn that lacks its signed block."""
    if (
        _manual(ask)
        and given(ask.request)["reasoning_effort"]
        and body["messages"][-1]["role"] == "user"
        and "tool_choice" not in body
        and int(body["max_tokens"]) >= 2048
    ):
        body.setdefault("thinking", {"type": "enabled", "budget_tokens": Number("2048")})


@body("anthropic")
def stops_thinking_after_any_unsigned_loop(body: Tree) -> None:
    """A tool turn that is over keeps manual thinking off."""
    if body["thinking"]["type"] == "enabled":
        for turn in turns(body, "assistant"):
            kinds = [block.get("type") for block in objects(turn["content"])]
            if kinds and kinds[0] == "tool_use":
                body.pop("thinking", None)


@body("anthropic")
def stops_thinking_in_every_loop(body: Tree) -> None:
    """Manual thinking is left out in every running tool turn, signed or not."""
    if body["thinking"]["type"] == "enabled" and any(
        b.get("type") == "tool_result" for b in objects(body["messages"][-1]["content"])
    ):
        del body["thinking"]


@body("anthropic")
def stops_adaptive_thinking_in_loops(body: Tree) -> None:
    """Adaptive thinking is left out in a running tool turn."""
    if body["thinking"]["type"] == "adaptive" and any(
        b.get("type") == "tool_result" for b in objects(body["messages"][-1]["content"])
    ):
        del body["thinking"]


@body("anthropic")
def thinks_beside_a_prefill(body: Tree, ask: Ask) -> None:
    """Thinking is sent beside a final assistant turn."""
    if body["messages"][-1]["role"] == "assistant" and given(ask.request)["reasoning_effort"]:
        body["thinking"] = {"type": "adaptive"}


@body("anthropic")
def sends_sampling_beside_thinking(body: Tree, ask: Ask) -> None:
    """Sampling that thinking excludes is sent."""
    for key in ("temperature", "top_p"):
        if "thinking" in body and key in given(ask.request):
            body.setdefault(key, given(ask.request)[key])


@body("anthropic")
def drops_all_sampling_beside_thinking(body: Tree, ask: Ask) -> None:
    """With an effort asked for every sampling parameter is dropped."""
    if given(ask.request)["reasoning_effort"]:
        for key in ("temperature", "top_p"):
            body.pop(key, None)


# -- thinking in the history ------------------------------------------------------------------------------------------


_THOUGHT = ("thinking", "redacted_thinking")


@request("anthropic")
def loses_thinking_blocks(request: Tree) -> None:
    """Signed thinking of the history is not given back."""
    for turn in turns(request, "assistant"):
        turn.pop("thinking_blocks", None)


@body("anthropic")
def loses_signatures(body: Tree) -> None:
    """Thinking is given back without its signature."""
    for block in blocks(body, "thinking", "assistant"):
        block.pop("signature", None)


@body("anthropic")
def puts_thinking_last(body: Tree) -> None:
    """Thinking blocks are put behind text and calls."""
    for turn in turns(body, "assistant"):
        turn["content"].sort(key=lambda block: block.get("type") in _THOUGHT)


@body("anthropic")
def loses_redacted_thinking(body: Tree) -> None:
    """Redacted thinking is not given back."""
    for turn in turns(body, "assistant"):
        turn["content"] = [block for block in turn["content"] if block.get("type") != "redacted_thinking"]


@body("anthropic")
def gives_back_the_last_thinking_only(body: Tree) -> None:
    """Only the last assistant turn gets its thinking back."""
    for turn in list(turns(body, "assistant"))[:-1]:
        turn["content"] = [block for block in turn["content"] if block.get("type") not in _THOUGHT]


@body("anthropic")
def strips_thinking(body: Tree) -> None:
    """White space of a thinking block is stripped, which breaks its signature."""
    for block in blocks(body, "thinking", "assistant"):
        block["thinking"] = block["thinking"].strip() or "…"


@body("anthropic")
def doubles_thinking_of_the_content(body: Tree, ask: Ask) -> None:
    """Blocks that stand in the content are added once more."""
    for turn, own in zip(turns(ask.request, "assistant"), turns(body, "assistant"), strict=True):
        inside = [part for part in objects(turn.get("content")) if part.get("type") in _THOUGHT]
        own["content"] = [*inside, *own["content"]]


@body("anthropic")
def sends_unsigned_thinking(body: Tree, ask: Ask) -> None:
    """A thinking block without a signature is sent."""
    for turn, own in zip(turns(ask.request, "assistant"), turns(body, "assistant"), strict=True):
        found = [*objects(turn.get("thinking_blocks")), *objects(turn.get("content"))]
        own["content"] = [b for b in found if b.get("type") == "thinking" and not b.get("signature")] + own["content"]


@body("anthropic")
def sends_reasoning_as_text(body: Tree, ask: Ask) -> None:
    """Reasoning without signed blocks is sent as text."""
    for turn, own in zip(turns(ask.request, "assistant"), turns(body, "assistant"), strict=True):
        text = turn.get("reasoning_content") or turn.get("reasoning")
        if text and "thinking_blocks" not in turn:
            own["content"].insert(0, {"type": "text", "text": text})


@result("anthropic")
def joins_thinking_by_line_ends(result: Tree, ask: Ask) -> None:
    """Thinking texts are joined by line ends."""
    tree = ask.last.tree if ask.last else {}
    texts = [
        block["thinking"] for block in objects(tree["content"]) if block.get("type") == "thinking" and block["thinking"]
    ]
    if len(texts) > 1:
        result["reasoning"] = result["message"]["reasoning_content"] = "\n".join(texts)


@body("anthropic")
def thinks_unasked(body: Tree, ask: Ask) -> None:
    """A model that can think does, though no effort was asked for."""
    plain = set(body) == {"model", "max_tokens", "messages"} and len(body["messages"]) == 1 and not given(ask.request)
    if plain and re.search(r"claude-(opus|sonnet)-[45]", body["model"]):
        body["thinking"] = {"type": "adaptive"}
