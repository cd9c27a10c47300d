"""Faults in reading an OpenAI-style server's chunks: calls, text, usage, reasons."""

from __future__ import annotations

import re
from typing import Any

from conformance.tree import Number
from tests.mutants.events import choices_of
from tests.mutants.exchange import Ask
from tests.mutants.mutant import events
from tests.mutants.walk import objects

Event = dict[str, Any]
Tree = dict[str, Any]


def _deltas(events: list[Event]) -> list[Tree]:
    return [choice["delta"] for choice in choices_of(events) if isinstance(choice.get("delta"), dict)]


def _fragments(events: list[Event]) -> list[Tree]:
    return [call for delta in _deltas(events) for call in objects(delta.get("tool_calls"))]


def _function(call: Tree) -> Tree:
    found = call.get("function")
    return found if isinstance(found, dict) else {}


# -- calls ------------------------------------------------------------------------------------------------------------


@events("openai")
def gives_every_fragment_to_the_last_call(events: list[Event]) -> None:
    """A chunk's fragment goes to the call that began last, whatever its index."""
    last: Any = None
    for call in _fragments(events):
        last = call.get("index") if call.get("id") and _function(call).get("name") else last
        call["index"] = last


@events("openai")
def trims_fragments(events: list[Event]) -> None:
    """White space at the edges of an argument's fragment is cut."""
    for call in _fragments(events):
        if type(text := _function(call).get("arguments")) is str:
            _function(call)["arguments"] = text.strip()


@events("openai")
def needs_an_index(events: list[Event]) -> None:
    """A fragment without an index is the first call's."""
    for call in _fragments(events):
        if call.get("index") is None:
            call["index"] = Number("0")
            call.pop("id", None)


@events("openai")
def begins_a_call_with_each_fragment(events: list[Event]) -> None:
    """A repeated id and name begin a call each time."""
    seen: dict[Any, int] = {}
    for place, call in enumerate(_fragments(events)):
        if call.get("id") in seen and _function(call).get("name"):
            call["index"] = Number(str(100 + place))
            call["id"] += str(place)
        seen[call.get("id")] = place


@events("openai")
def joins_calls_of_one_index(events: list[Event]) -> None:
    """A new id with a name at a known index continues the call."""
    known: dict[Any, Any] = {}
    for call in _fragments(events):
        if call.get("id") and call.get("index") is not None:
            call["id"] = known.setdefault(call["index"], call["id"])


@events("openai")
def begins_a_call_with_each_id(events: list[Event]) -> None:
    """A new id without a name at a known index begins a call."""
    known: dict[Any, Any] = {}
    for place, call in enumerate(_fragments(events)):
        before = known.setdefault(call.get("index"), call.get("id"))
        if call.get("id") and call["id"] != before and not _function(call).get("name"):
            call["index"] = Number(str(50 + place))
            _function(call)["name"] = "unknown"


@events("openai")
def takes_empty_ids_for_ids(events: list[Event]) -> None:
    """An empty id or name on a later fragment takes the call's away."""
    for call in _fragments(events):
        if call.get("id") == "" or _function(call).get("name") == "":
            call["index"] = Number("9")
            call["id"] = "empty"
            _function(call)["name"] = "empty"


@events("openai")
def needs_a_name_at_once(events: list[Event]) -> None:
    """A call whose name comes after its id has none."""
    for call in _fragments(events):
        if call.get("id") and not _function(call).get("name"):
            call.setdefault("function", {})["name"] = "unknown"


@events("openai")
def begins_no_call_by_its_name(events: list[Event]) -> None:
    """Without index and id a name begins no call."""
    seen = False
    for call in _fragments(events):
        if "index" not in call and not call.get("id") and _function(call).get("name"):
            if seen:
                del _function(call)["name"]
            seen = True


@events("openai")
def reads_the_first_call_of_a_delta(events: list[Event]) -> None:
    """Of several calls in one delta the first is read."""
    for delta in _deltas(events):
        if isinstance(delta.get("tool_calls"), list):
            del delta["tool_calls"][1:]


@events("openai")
def reads_no_call_of_the_first_chunk(events: list[Event]) -> None:
    """A call in the first chunk is not read."""
    first = _deltas(events)[0]
    if first.get("tool_calls") and first.get("role"):
        del first["tool_calls"]


@events("openai")
def reads_nothing_beside_the_reason(events: list[Event]) -> None:
    """What stands on the chunk with the finish reason is not read."""
    for choice in choices_of(events):
        if choice.get("finish_reason") and choice.get("delta"):
            choice["delta"] = {}


@events("openai")
def streams_arguments_as_text_only(events: list[Event]) -> None:
    """Arguments given as an object are lost in a stream."""
    for call in _fragments(events):
        if isinstance(_function(call).get("arguments"), dict):
            _function(call)["arguments"] = ""


@events("openai")
def loses_the_fragment_before_the_end(events: list[Event]) -> None:
    """The last of several fragments of a call is lost."""
    own = _fragments(events)
    if len(own) > 2 and isinstance(_function(own[-1]).get("arguments"), str):
        _function(own[-1])["arguments"] = ""


@events("openai")
def reads_no_streamed_function_call(events: list[Event]) -> None:
    """function_call deltas are lost."""
    for delta in _deltas(events):
        delta.pop("function_call", None)


@events("openai")
def needs_a_streamed_type(events: list[Event]) -> Any:
    """A call without a type is not read."""
    for delta in _deltas(events):
        if isinstance(delta.get("tool_calls"), list):
            delta["tool_calls"] = [
                c for c in delta["tool_calls"] if "type" in c or not _function(c).get("name") or not c.get("id")
            ]


@events("openai")
def makes_up_streamed_ids(events: list[Event]) -> None:
    """A call without an id gets one of its own making."""
    seen: set[Any] = set()
    for call in _fragments(events):
        key = call.get("index")
        if not call.get("id") and _function(call).get("name") and key not in seen:
            call["id"] = f"call_{len(seen)}"
        seen.add(key)


@events("openai")
def loses_extras_of_streamed_calls(events: list[Event]) -> None:
    """What a server adds to a streamed call is lost."""
    for call in _fragments(events):
        call.pop("extra_content", None)


@events("openai")
def takes_an_empty_list_for_calls(events: list[Event]) -> None:
    """An empty or null list of calls makes a chunk unreadable."""
    for event in events:
        if any("tool_calls" in d and not d["tool_calls"] for d in _deltas([event])):
            event["data"] = "no calls"


# -- text, reasoning, refusal -----------------------------------------------------------------------------------------


@events("openai")
def strips_streamed_content(events: list[Event]) -> None:
    """Chunks of white space are lost."""
    for delta in _deltas(events):
        if isinstance(delta.get("content"), str) and not delta["content"].strip():
            delta["content"] = ""


@events("openai")
def streams_no_parts(events: list[Event]) -> None:
    """Content given as parts is lost."""
    for delta in _deltas(events):
        if isinstance(delta.get("content"), list):
            delta["content"] = None


@events("openai")
def streams_reasoning_as_content(events: list[Event]) -> None:
    """Reasoning is streamed as content."""
    for delta in _deltas(events):
        thought = delta.pop("reasoning_content", None) or delta.pop("reasoning", None)
        if isinstance(thought, str):
            delta["content"] = thought


@events("openai")
def streams_one_name_of_reasoning(events: list[Event]) -> None:
    """Streamed reasoning is read under one of its two names."""
    for delta in _deltas(events):
        delta.pop("reasoning", None)


@events("openai")
def streams_refusals_as_content(events: list[Event]) -> None:
    """A refusal is streamed as content."""
    for delta in _deltas(events):
        if isinstance(delta.get("refusal"), str):
            delta["content"] = delta.pop("refusal")


@events("openai")
def cuts_tags_out_of_streams(events: list[Event]) -> None:
    """What looks like a tag of thinking is cut out of the text."""
    for delta in _deltas(events):
        if isinstance(delta.get("content"), str):
            delta["content"] = re.sub(r"</?(think|reasoning)>", "", delta["content"])


@events("openai")
def stumbles_over_empty_deltas(events: list[Event]) -> None:
    """A chunk whose delta is empty before the end makes the stream unreadable."""
    for event in events[:-2]:
        if any(not c.get("delta") and not c.get("finish_reason") for c in choices_of([event])):
            event["data"] = "empty"


@events("openai")
def needs_a_choice_first(events: list[Event]) -> None:
    """A first chunk without a choice makes the stream unreadable."""
    if not choices_of(events[:1]) and "error" not in events[0]["data"]:
        events[0]["data"] = "no choice"


@events("openai")
def stumbles_over_extra_keys_of_chunks(events: list[Event]) -> None:
    """A key nobody knows makes a chunk unreadable."""
    known = {
        "id",
        "object",
        "created",
        "model",
        "choices",
        "usage",
        "error",
        "system_fingerprint",
        "x_groq",
        "service_tier",
    }
    for event in events:
        if isinstance(event["data"], dict) and event["data"].keys() - known:
            event["data"] = "unknown"


@events("openai")
def takes_null_errors_of_chunks_for_errors(events: list[Event]) -> None:
    """An error that is null in a chunk is an error."""
    for event in events:
        if isinstance(event["data"], dict) and event["data"].get("error", 0) is None:
            event["data"]["error"] = {"message": "null"}


@events("openai")
def streams_the_model_that_was_asked(events: list[Event], ask: Ask) -> None:
    """The model of an OpenAI-style stream is the one that was asked."""
    for event in events:
        if isinstance(event["data"], dict) and "model" in event["data"]:
            event["data"]["model"] = ask.client["model"]


@events("openai")
def streams_the_last_choice(events: list[Event]) -> None:
    """Of several streamed choices the last is read."""
    if any(choice.get("index") == "1" for choice in choices_of(events)):
        for choice in choices_of(events):
            choice["index"] = Number("0" if choice.get("index") == "1" else "1")


@events("openai")
def reads_every_choice(events: list[Event]) -> None:
    """Several streamed choices are read as one."""
    for choice in choices_of(events):
        if choice.get("index") not in (None, "0"):
            choice["index"] = Number("0")
