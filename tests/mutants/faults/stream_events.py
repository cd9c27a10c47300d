"""Faults in reading Anthropic's stream events: blocks, fragments, usage, reasons, errors."""

from __future__ import annotations

import re
from typing import Any

from conformance.tree import compact
from tests.mutants.events import of_type
from tests.mutants.exchange import Ask
from tests.mutants.mutant import events

Event = dict[str, Any]
Tree = dict[str, Any]


def _deltas(events: list[Event], kind: str) -> list[Tree]:
    return [data["delta"] for data in of_type(events, "content_block_delta") if data["delta"].get("type") == kind]


def _without(events: list[Event], unwanted: Any) -> list[Event]:
    return [event for event in events if not (isinstance(event["data"], dict) and unwanted(event["data"]))]


# -- text and thinking ------------------------------------------------------------------------------------------------


@events("anthropic")
def streams_the_first_text_block(events: list[Event]) -> None:
    """Of several text blocks the first is streamed."""
    texts = [
        data["index"] for data in of_type(events, "content_block_start") if data["content_block"].get("type") == "text"
    ]
    for data in of_type(events, "content_block_delta"):
        if data["index"] in texts[1:]:
            data["delta"]["text"] = ""


@events("anthropic")
def loses_text_of_block_starts(events: list[Event]) -> None:
    """Text that stands in a block's start is lost."""
    for data in of_type(events, "content_block_start"):
        if data["content_block"].get("type") == "text":
            data["content_block"]["text"] = ""


@events("anthropic")
def loses_thinking_of_block_starts(events: list[Event]) -> None:
    """Thinking that stands in a block's start is lost."""
    for data in of_type(events, "content_block_start"):
        if data["content_block"].get("type") == "thinking":
            data["content_block"]["thinking"] = ""


@events("anthropic")
def loses_signatures_of_block_starts(events: list[Event]) -> None:
    """A signature that stands in a block's start is lost."""
    for data in of_type(events, "content_block_start"):
        if data["content_block"].get("signature"):
            data["content_block"]["signature"] = ""


@events("anthropic")
def loses_streamed_signatures(events: list[Event]) -> None:
    """Signatures that come as deltas are lost."""
    for delta in _deltas(events, "signature_delta"):
        delta["signature"] = ""


@events("anthropic")
def signs_only_blocks_with_the_key(events: list[Event]) -> None:
    """A block that begins without the key signature is never signed."""
    open_blocks = {d["index"] for d in of_type(events, "content_block_start") if "signature" in d["content_block"]}
    for data in of_type(events, "content_block_delta"):
        if data["delta"].get("type") == "signature_delta" and data["index"] not in open_blocks:
            data["delta"]["signature"] = ""


@events("anthropic")
def decodes_streamed_signatures(events: list[Event]) -> None:
    """A signature that is no base64 is lost."""
    for delta in _deltas(events, "signature_delta"):
        if not re.fullmatch(r"[A-Za-z0-9+/]+=*", delta["signature"]):
            delta["signature"] = ""


@events("anthropic")
def streams_thinking_as_text(events: list[Event]) -> None:
    """Thinking is streamed as text."""
    for delta in _deltas(events, "thinking_delta"):
        delta.update(type="text_delta", text=delta.pop("thinking"))
    for data in of_type(events, "content_block_start"):
        if data["content_block"].get("type") == "thinking":
            data["content_block"] = {"type": "text", "text": data["content_block"].get("thinking", "")}


@events("anthropic")
def streams_no_redacted_thinking(events: list[Event]) -> Any:
    """Redacted thinking of a stream is lost."""
    gone = [
        d["index"]
        for d in of_type(events, "content_block_start")
        if d["content_block"].get("type") == "redacted_thinking"
    ]
    return _without(events, lambda data: data.get("index") in gone)


@events("anthropic")
def streams_citations(events: list[Event]) -> None:
    """Citations are streamed as text."""
    for delta in _deltas(events, "citations_delta"):
        delta.clear()
        delta.update(type="text_delta", text="[1]")


@events("anthropic")
def strips_streamed_texts(events: list[Event]) -> None:
    """Fragments of white space are lost."""
    for delta in _deltas(events, "text_delta"):
        delta["text"] = delta["text"] if delta["text"].strip() else ""


# -- calls ------------------------------------------------------------------------------------------------------------


@events("anthropic")
def loses_the_last_fragment(events: list[Event]) -> None:
    """The last fragment of several of a call is lost."""
    own = _deltas(events, "input_json_delta")
    if len(own) > 2:
        own[-1]["partial_json"] = ""


@events("anthropic")
def loses_input_of_block_starts(events: list[Event]) -> None:
    """Input that stands in a block's start is lost."""
    for data in of_type(events, "content_block_start"):
        if data["content_block"].get("type") == "tool_use":
            data["content_block"]["input"] = {}


@events("anthropic")
def adds_fragments_to_the_start_input(events: list[Event]) -> None:
    """Input in a block's start is put before the fragments."""
    begun = {d["index"]: d["content_block"].get("input") for d in of_type(events, "content_block_start")}
    for data in of_type(events, "content_block_delta"):
        if data["delta"].get("type") == "input_json_delta" and begun.get(data["index"]):
            data["delta"]["partial_json"] = compact(begun.pop(data["index"])) + data["delta"]["partial_json"]


@events("anthropic")
def gives_fragments_to_the_last_call(events: list[Event]) -> None:
    """A fragment goes to the call that began last, whatever its index."""
    last: Any = None
    for event in events:
        data = event["data"]
        if data["type"] == "content_block_start":
            last = data["index"]
        elif data["type"] == "content_block_delta" and data["delta"]["type"] == "input_json_delta":
            data["index"] = last


@events("anthropic")
def parses_each_fragment(events: list[Event]) -> None:
    """A fragment is stripped, as if it were JSON of its own."""
    for delta in _deltas(events, "input_json_delta"):
        delta["partial_json"] = delta["partial_json"].strip()


@events("anthropic")
def reads_escapes_in_fragments(events: list[Event]) -> None:
    """Escapes inside a fragment are written out."""
    for delta in _deltas(events, "input_json_delta"):
        delta["partial_json"] = delta["partial_json"].replace("\\n", " ").replace("\\u00", "").replace("\\/", "/")


@events("anthropic")
def writes_fragments_anew(events: list[Event]) -> None:
    """The fragments of a call are parsed in the end and written anew."""
    import json

    whole: dict[Any, str] = {}
    for data in of_type(events, "content_block_delta"):
        if data["delta"].get("type") == "input_json_delta":
            whole[data["index"]] = whole.get(data["index"], "") + data["delta"]["partial_json"]
    for data in of_type(events, "content_block_delta"):
        if data["delta"].get("type") == "input_json_delta":
            text = whole.pop(data["index"], "")
            data["delta"]["partial_json"] = json.dumps(json.loads(text), separators=(",", ":")) if text.strip() else ""


@events("anthropic")
def repairs_streamed_arguments(events: list[Event]) -> None:
    """Arguments that are no JSON in the end become an empty object."""
    import json

    own = _deltas(events, "input_json_delta")
    try:
        json.loads("".join(delta["partial_json"] for delta in own))
    except ValueError:
        for delta in own if len(of_type(events, "message_stop")) and len(own) == 2 else ():
            delta["partial_json"] = ""


@events("anthropic")
def streams_server_tools(events: list[Event]) -> None:
    """What the server's own tools do is streamed as calls."""
    for data in of_type(events, "content_block_start"):
        if data["content_block"].get("type") == "server_tool_use":
            data["content_block"]["type"] = "tool_use"


@events("anthropic")
def ends_calls_at_pings(events: list[Event]) -> Any:
    """A ping inside a call ends it."""
    place = next(n for n, event in enumerate(events) if event["data"]["type"] == "ping" and n > 2)
    return [
        *events[:place],
        *_without(events[place:], lambda data: data.get("delta", {}).get("type") == "input_json_delta"),
    ]


# -- the rest of the events -------------------------------------------------------------------------------------------


@events("anthropic")
def stumbles_over_pings(events: list[Event]) -> None:
    """A ping makes the stream unreadable."""
    for event in events:
        if event["data"]["type"] == "ping":
            event["data"] = "ping"


@events("anthropic")
def stumbles_over_unknown_events(events: list[Event]) -> None:
    """An event nobody knows makes the stream unreadable."""
    known = (
        "message_start",
        "message_delta",
        "message_stop",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "ping",
        "error",
    )
    for event in events:
        if event["data"]["type"] not in known:
            event["data"] = "unknown"


@events("anthropic")
def stumbles_over_extra_keys(events: list[Event]) -> None:
    """A key nobody knows makes the stream unreadable."""
    known = {"type", "message", "index", "content_block", "delta", "usage", "error", "request_id"}
    for event in events:
        if event["data"].keys() - known:
            event["data"] = "unknown"


@events("anthropic")
def reads_the_type_of_events_first(events: list[Event]) -> None:
    """An event whose type does not come first is not known."""
    for event in events:
        if next(iter(event["data"])) != "type":
            event["data"]["type"] = "unknown"


@events("anthropic")
def streams_the_model_asked(events: list[Event], ask: Ask) -> None:
    """The model of a stream is the one that was asked."""
    for data in of_type(events, "message_start"):
        data["message"]["model"] = ask.client["model"]


@events("anthropic")
def needs_a_model(events: list[Event]) -> None:
    """A message_start without a model makes the stream unreadable."""
    for event in events:
        if event["data"]["type"] == "message_start" and not event["data"]["message"].get("model"):
            event["data"] = "no model"
