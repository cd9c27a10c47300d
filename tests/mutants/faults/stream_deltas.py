"""Faults in the deltas that a stream is made into, both styles."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.mutants.exchange import Ask
from tests.mutants.mutant import answer, deltas
from tests.mutants.walk import objects

Delta = dict[str, Any]
Tree = dict[str, Any]


def _calls(deltas: list[Delta]) -> list[Tree]:
    return [call for delta in deltas for call in objects(delta.get("tool_calls"))]


def _is_end(delta: Delta) -> bool:
    return "finish_reason" in delta or "usage" in delta


# -- order and roles --------------------------------------------------------------------------------------------------


@deltas("anthropic")
def streams_no_role(deltas: list[Delta]) -> Any:
    """A stream of calls alone has no role."""
    calls = _calls(deltas)
    return (
        [delta for delta in deltas if "role" not in delta]
        if calls and not any("content" in d for d in deltas)
        else None
    )


@deltas("openai")
def streams_no_role_of_its_own(deltas: list[Delta]) -> Any:
    """An OpenAI-style stream of calls alone has no role."""
    calls = _calls(deltas)
    return (
        [delta for delta in deltas if "role" not in delta]
        if calls and not any("content" in d for d in deltas)
        else None
    )


@deltas()
def streams_the_role_with_empty_answers_never(deltas: list[Delta]) -> Any:
    """The role comes with the first content, and never without one."""
    said = [delta for delta in deltas if not _is_end(delta) and "role" not in delta]
    return None if said else [delta for delta in deltas if "role" not in delta]


@deltas()
def streams_the_role_again(deltas: list[Delta]) -> Any:
    """The role is repeated before calls that follow a text."""
    place = next(n for n, delta in enumerate(deltas) if "tool_calls" in delta and n and "content" in deltas[n - 1])
    return [*deltas[:place], {"role": "assistant"}, *deltas[place:]]


@deltas()
def repeats_the_role_as_the_server_does(deltas: list[Delta], ask: Ask) -> Any:
    """The role comes as often as the server names it, and only where it does."""
    body = ask.last.body if ask.last and ask.last.chunks else b""
    count = body.count(b'"role":') if ask.style == "openai" else 1
    rest = [delta for delta in deltas if "role" not in delta]
    return [{"role": "assistant"}] * count + rest if deltas and count != 1 else None


@deltas()
def streams_usage_before_the_finish(deltas: list[Delta]) -> Any:
    """Usage beside calls comes before the finish."""
    if not _calls(deltas):
        return None
    return sorted(deltas, key=lambda delta: 2 if "finish_reason" in delta else 1 if "usage" in delta else 0)


@deltas()
def streams_no_usage(deltas: list[Delta]) -> Any:
    """A stream with cached or reasoning tokens has no usage delta."""
    detailed = any(
        delta.get("usage", {}).get(key)
        for delta in deltas
        for key in ("cached_tokens", "reasoning_tokens", "cache_write_tokens")
    )
    return [delta for delta in deltas if "usage" not in delta] if detailed else None


@deltas()
def streams_calls_before_text(deltas: list[Delta]) -> Any:
    """Calls are streamed in front of the text that stood before them."""
    return sorted(
        deltas, key=lambda delta: 0 if "role" in delta else 3 if _is_end(delta) else 1 if "tool_calls" in delta else 2
    )


@deltas()
def gathers_text_in_front(deltas: list[Delta]) -> Any:
    """All text of a stream is given before its calls."""
    return sorted(
        deltas, key=lambda delta: 0 if "role" in delta else 3 if _is_end(delta) else 2 if "tool_calls" in delta else 1
    )


@deltas()
def gathers_calls_in_turn(deltas: list[Delta]) -> Any:
    """Fragments of calls that come in turns are given call by call."""
    calls = [delta for delta in deltas if "tool_calls" in delta]
    ordered = iter(sorted(calls, key=lambda delta: delta["tool_calls"][0]["index"]))
    return [next(ordered) if "tool_calls" in delta else delta for delta in deltas]


@deltas()
def streams_thinking_in_front(deltas: list[Delta]) -> Any:
    """All reasoning of a stream is given before its text."""
    return sorted(deltas, key=lambda delta: 0 if "role" in delta else 1 if "reasoning_content" in delta else 2)


# -- calls ------------------------------------------------------------------------------------------------------------


@deltas()
def counts_calls_from_one(deltas: list[Delta]) -> None:
    """The index of two or more calls counts from 1."""
    calls = _calls(deltas)
    if any(call["index"] for call in calls):
        for call in calls:
            call["index"] += 1


@deltas("anthropic")
def counts_blocks(deltas: list[Delta], ask: Ask) -> None:
    """The index of a call counts content blocks."""
    if any("content" in delta or "reasoning_content" in delta for delta in deltas):
        for call in _calls(deltas):
            call["index"] += 1


@deltas("anthropic")
def counts_server_blocks(deltas: list[Delta], ask: Ask) -> None:
    """The index of a call counts the server's own tools."""
    if ask.last and b"server_tool_use" in ask.last.body:
        for call in _calls(deltas):
            call["index"] += 2


@deltas()
def counts_no_calls(deltas: list[Delta]) -> None:
    """Every call has the index 0."""
    for call in _calls(deltas):
        call["index"] = 0


@deltas()
def repeats_ids_and_names(deltas: list[Delta]) -> None:
    """Id and name come with each fragment of several calls."""
    heads: dict[int, Tree] = {}
    for call in _calls(deltas):
        if "id" in call:
            heads[call["index"]] = call
        elif len(heads) > 1:
            call["id"] = heads[call["index"]]["id"]
            call["function"]["name"] = heads[call["index"]]["function"]["name"]


@deltas()
def repeats_the_id_of_a_single_call(deltas: list[Delta]) -> None:
    """The id comes with each fragment of a single call."""
    calls = _calls(deltas)
    if len({call["index"] for call in calls}) == 1 and len(calls) > 2:
        for call in calls[1:]:
            call["id"] = calls[0]["id"]


@deltas()
def leaves_empty_calls_without_braces(deltas: list[Delta]) -> None:
    """A call without input has no fragment at all."""
    _braces(deltas, "")


@deltas()
def doubles_braces(deltas: list[Delta]) -> None:
    """A call that streams {} has it twice."""
    _braces(deltas, "{}{}")


def _braces(deltas: list[Delta], by: str) -> None:
    for call in _calls(deltas):
        if call["function"].get("arguments") == "{}":
            call["function"]["arguments"] = by


@deltas()
def fills_empty_calls_at_the_end(deltas: list[Delta]) -> Any:
    """The {} of an empty call comes after all other calls."""
    filled = [d for d in deltas if "tool_calls" in d and d["tool_calls"][0]["function"].get("arguments") == "{}"]
    return [*(d for d in deltas if d not in filled and not _is_end(d)), *filled, *(d for d in deltas if _is_end(d))]


@deltas()
def streams_custom_calls_as_custom(deltas: list[Delta], ask: Ask) -> None:
    """A call of a custom tool streams its bare text."""
    if b'"input"' in (ask.last.body if ask.last else b"") and "custom" in str(ask.request.get("tools")):
        for call in _calls(deltas):
            call["function"]["arguments"] = call["function"].get("arguments", "").replace('{"input":"', "")


@deltas()
def validates_streamed_arguments(deltas: list[Delta]) -> Any:
    """Arguments that are no JSON in the end are not given."""
    whole: dict[int, str] = {}
    for call in _calls(deltas):
        whole[call["index"]] = whole.get(call["index"], "") + call["function"].get("arguments", "")
    broken = [index for index, text in whole.items() if not _is_json(text)]
    for call in _calls(deltas):
        if call["index"] in broken:
            call["function"]["arguments"] = ""
    return None


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


@deltas()
def renames_streamed_ids(deltas: list[Delta]) -> None:
    """Ids that are not the vendor's own form are replaced in a stream."""
    for call in _calls(deltas):
        if not call.get("id", "call_").startswith(("call_", "toolu_")):
            call["id"] = f"call_{call['index']}"


@deltas()
def types_no_calls(deltas: list[Delta]) -> None:
    """A streamed call has no type where the arguments came whole."""
    calls = _calls(deltas)
    if len(calls) == 2:
        calls[0].pop("type", None)


# -- text, reasoning, finish ------------------------------------------------------------------------------------------


@deltas()
def streams_no_reasoning(deltas: list[Delta]) -> Any:
    """Reasoning is not streamed."""
    return [delta for delta in deltas if "reasoning_content" not in delta]


@deltas()
def streams_no_refusals(deltas: list[Delta]) -> Any:
    """Refusals are not streamed."""
    return [delta for delta in deltas if "refusal" not in delta]


@deltas()
def streams_refusals_after_the_finish(deltas: list[Delta]) -> Any:
    """A refusal is streamed behind the finish."""
    return sorted(deltas, key=lambda delta: "refusal" in delta or "usage" in delta)


@deltas()
def streams_explanations_as_content(deltas: list[Delta]) -> Any:
    """An explanation is streamed as content."""
    return [{"content": delta["refusal"]} if "refusal" in delta else delta for delta in deltas]


@deltas()
def streams_empty_refusals(deltas: list[Delta], ask: Ask) -> Any:
    """An empty explanation gives a refusal delta."""
    if (
        ask.last
        and b'"explanation":' in ask.last.body.replace(b" ", b"")
        and not any("refusal" in delta for delta in deltas)
    ):
        return [*deltas[:1], {"refusal": "refused"}, *deltas[1:]]
    return None


@deltas()
def finishes_streams_twice(deltas: list[Delta]) -> Any:
    """A finish of calls comes twice."""
    return [d for delta in deltas for d in ([delta, delta] if delta.get("finish_reason") == "tool_calls" else [delta])]


@deltas()
def finishes_streamed_calls_as_stop(deltas: list[Delta]) -> None:
    """A stream of parallel calls finishes as stop."""
    if len({call["index"] for call in _calls(deltas)}) > 1:
        for delta in deltas:
            if "finish_reason" in delta:
                delta["finish_reason"] = "stop"


@deltas()
def finishes_cut_streams_as_stop(deltas: list[Delta]) -> None:
    """A stream cut at the limit, or filtered, finishes as stop."""
    for delta in deltas:
        if delta.get("finish_reason") in ("length", "content_filter"):
            delta["finish_reason"] = "stop"


@answer()
def folds_streams_otherwise(answer: Tree) -> None:
    """The folded stream loses the message's extras and the raw finish."""
    if "deltas" in answer and "result" in answer:
        own = answer["result"]["message"]
        for key in [key for key in own if key not in ("role", "content", "tool_calls")]:
            del own[key]


@answer()
def folds_no_calls(answer: Tree) -> None:
    """The folded stream holds no calls beside text."""
    if "deltas" in answer and answer["result"]["text"]:
        answer["result"]["tool_calls"] = []


@answer()
def warns_of_nothing_in_streams(answer: Tree) -> None:
    """A stream has no warnings."""
    if "deltas" in answer and "result" in answer:
        answer["warnings"] = []


@answer()
def warns_of_unknown_reasons_beside_streamed_calls(answer: Tree, ask: Ask) -> None:
    """A stop reason nobody knows warns beside streamed calls, too."""
    if (
        "deltas" in answer
        and answer["result"]["tool_calls"]
        and ask.last
        and b"tool_use" not in ask.last.body.rpartition(b"stop_reason")[2]
    ):
        row = {"code": "finish-reason-unmapped", "pointer": "/stop_reason", "message": "unknown"}
        if (
            not answer["warnings"]
            and ask.style == "anthropic"
            and b"end_turn" not in ask.last.body
            and b"max_tokens" not in ask.last.body
        ):
            answer["warnings"] = [row]


@deltas("openai")
def finishes_streamed_calls_as_said(deltas: list[Delta], ask: Ask) -> None:
    """Beside streamed calls the server's word decides."""
    said = re.findall(rb'"finish_reason": ?"(\w+)"', ask.last.body if ask.last else b"")
    if _calls(deltas) and said and said[-1] in (b"stop", b"length", b"content_filter"):
        for delta in deltas:
            if "finish_reason" in delta:
                delta["finish_reason"] = said[-1].decode()
