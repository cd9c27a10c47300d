"""Faults in streams that break: cut, stalled, with errors in them."""

from __future__ import annotations

from typing import Any

from tests.mutants.events import read_events
from tests.mutants.exchange import Ask, Received, Sent
from tests.mutants.mutant import answer, chunked, deltas, error, events, exchange, message

Event = dict[str, Any]
Tree = dict[str, Any]

_END = {
    "anthropic": [
        {"event": None, "data": {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}},
        {"event": None, "data": {"type": "message_stop"}},
    ],
    "openai": [{"event": None, "data": "[DONE]"}],
}


def _is_error(event: Event) -> bool:
    data = event["data"]
    if isinstance(data, list):
        return bool(data) and isinstance(data[0], dict) and "error" in data[0]
    return isinstance(data, dict) and (data.get("type") == "error" or bool(data.get("error")))


def _has_ended(events: list[Event], style: str) -> bool:
    if style == "anthropic":
        return any(isinstance(event["data"], dict) and event["data"].get("type") == "message_stop" for event in events)
    return any(event["data"] == "[DONE]" for event in events)


def _streamed(ask: Ask) -> bool:
    return ask.last is not None and ask.last.chunks is not None


@events()
def finishes_streams_that_were_cut(events: list[Event], ask: Ask) -> Any:
    """A stream that ends without its end marker is finished."""
    cut = events and not _has_ended(events, ask.style) and not any(map(_is_error, events))
    return [*(event for event in events if isinstance(event["data"], dict)), *_END[ask.style]] if cut else events


@events()
def finishes_streams_at_errors(events: list[Event], ask: Ask) -> Any:
    """An error in a stream ends it as if it were whole."""
    place = next((n for n, event in enumerate(events) if _is_error(event)), None)
    return events if place is None else [*events[:place], *_END[ask.style]]


@events()
def reads_on_past_errors(events: list[Event], ask: Ask) -> Any:
    """An error in a stream is skipped."""
    return [event for event in events if not _is_error(event)]


@events()
def skips_data_that_is_no_json(events: list[Event]) -> Any:
    """Data that is no JSON is skipped."""
    return [event for event in events if event["data"] == "[DONE]" or type(event["data"]) is not str]


@events()
def needs_the_event_name_of_errors(events: list[Event]) -> Any:
    """An error without its event name, or in another shape, is skipped."""
    return [
        event
        for event in events
        if not _is_error(event)
        or event["event"]
        or (set(event["data"]) == {"error"} and "type" in event["data"]["error"])
    ]


@events("openai")
def needs_no_error_beside_a_finish(events: list[Event]) -> None:
    """An error beside a choice that says finished is not seen."""
    for event in events:
        if _is_error(event) and isinstance(event["data"], dict) and event["data"].get("choices"):
            del event["data"]["error"]


@events("openai")
def takes_done_for_a_must(events: list[Event]) -> Any:
    """What follows the finish reason is not read, an error included."""
    place = next(
        (
            n
            for n, e in enumerate(events)
            if isinstance(e["data"], dict) and any(c.get("finish_reason") for c in e["data"].get("choices") or ())
        ),
        None,
    )
    return events if place is None else [*(e for e in events[: place + 1]), *_END["openai"]]


@events("anthropic")
def takes_the_stop_reason_for_the_end(events: list[Event]) -> Any:
    """What follows the stop reason is not read, an error included."""
    place = next(
        (
            n
            for n, e in enumerate(events)
            if isinstance(e["data"], dict) and (e["data"].get("delta") or {}).get("stop_reason")
        ),
        None,
    )
    return events if place is None else [*events[: place + 1], _END["anthropic"][1]]


@chunked()
def takes_a_broken_stream_for_whole(received: Received, ask: Ask) -> Received:
    """A connection that breaks inside a stream is its end."""
    return received.with_chunks(received.chunks or (), "whole") if received.ending == "broken" else received


@chunked()
def takes_a_stalled_stream_for_whole(received: Received, ask: Ask) -> Received:
    """A stream that stops arriving is at its end."""
    return received.with_chunks(received.chunks or (), "whole") if received.ending == "stalled" else received


@error()
def gives_streamed_errors_502(error: Tree, ask: Ask) -> None:
    """An error in a stream is a 502."""
    if error["kind"] == "provider" and _streamed(ask):
        error["status"] = 502


@error()
def gives_streamed_errors_their_200(error: Tree, ask: Ask) -> None:
    """An error in a stream keeps the status 200."""
    if error["kind"] == "provider" and _streamed(ask):
        error["status"] = 200


@error()
def reports_streamed_errors_as_no_answer(error: Tree, ask: Ask) -> None:
    """An error in a stream is reported as an invalid response."""
    if _streamed(ask):
        error["kind"] = "invalid-response"


@error()
def reports_cut_streams_as_resets(error: Tree, ask: Ask) -> None:
    """A stream without its end marker is reported as a broken connection."""
    if _streamed(ask) and error["kind"] == "invalid-response":
        error.update(kind="transport", type="reset")


@error()
def reads_request_ids_of_events_first(error: Tree, ask: Ask) -> None:
    """The request id of an event beats the header's."""
    if _streamed(ask) and ask.last:
        found = [event["data"] for event in read_events(ask.last.body) if isinstance(event["data"], dict)]
        ids = [data["request_id"] for data in found if "request_id" in data]
        error["request_id"] = ids[-1] if ids else error["request_id"]


@error()
def loses_request_ids_of_streams(error: Tree, ask: Ask) -> None:
    """The request id of a stream that fails is lost."""
    if _streamed(ask):
        error.pop("request_id", None)


@deltas()
def loses_what_had_come(deltas: list[Tree], ask: Ask) -> Any:
    """What had come before a stream broke is lost."""
    return deltas if any("finish_reason" in delta for delta in deltas) else []


@answer()
def finishes_broken_streams(answer: Tree) -> None:
    """A broken stream has a finish before its error."""
    if "deltas" in answer and "error" in answer and answer["deltas"]:
        answer["deltas"].append({"finish_reason": "stop"})


@answer()
def completes_calls_of_broken_streams(answer: Tree) -> None:
    """A call that a broken stream left open gets its {}."""
    if "deltas" in answer and "error" in answer and any("tool_calls" in delta for delta in answer["deltas"]):
        answer["deltas"].append({"tool_calls": [{"index": 0, "function": {"arguments": "{}"}}]})


@answer()
def swallows_broken_streams(answer: Tree) -> None:
    """A stream that breaks ends without an error."""
    if "deltas" in answer and "error" in answer and answer["deltas"]:
        answer.pop("error")
        answer["result"] = {"text": "", "tool_calls": [], "finish_reason": "stop"}
        answer["warnings"] = []


@answer()
def fires_after_broken_streams(answer: Tree) -> None:
    """after_llm fires for a stream that breaks."""
    if "error" in answer and "deltas" in answer:
        answer["fired"]["after_llm"] = 1


@answer()
def fires_with_each_delta(answer: Tree) -> None:
    """after_llm fires with each delta."""
    if "result" in answer and "deltas" in answer:
        answer["fired"]["after_llm"] = len(answer["deltas"])


@exchange
def retries_begun_streams(post: Any, sent: Sent, ask: Ask) -> Received:
    """A stream that breaks after its first byte is tried again."""
    got = post(sent)
    broken = got.chunks is not None and (got.ending == "broken" or b'"error":' in got.body or got.body.startswith(b":"))
    return post(sent) if broken and ask.client.get("retries") else got


@message()
def never_retries_streams(message: Tree) -> None:
    """Nothing is tried again in a stream."""
    if message["op"] == "stream":
        message["client"]["retries"] = 0
