"""Faults in asking for a stream, and in what comes instead of one."""

from __future__ import annotations

from typing import Any

from tests.mutants.exchange import Ask, Received, Sent
from tests.mutants.mutant import body, exchange, message, received

Tree = dict[str, Any]


@body()
def asks_for_no_stream(body: Tree, ask: Ask) -> None:
    """A streaming request with a limit and tools lacks stream."""
    if body.get("stream") is True and "tools" in body and not ask.message.get("toolkit"):
        del body["stream"]


@body("openai")
def asks_for_no_streamed_usage(body: Tree, ask: Ask) -> None:
    """stream_options are not sent."""
    if "params" in ask.request or "tools" in ask.request:
        body.pop("stream_options", None)


@body("openai")
def forces_streamed_usage(body: Tree) -> None:
    """stream_options of the caller are replaced."""
    if body["stream_options"] != {"include_usage": True}:
        body["stream_options"] = {"include_usage": True}


@body("openai")
def takes_null_stream_options_for_given(body: Tree, ask: Ask) -> None:
    """stream_options that are null are sent as null."""
    if (
        "stream_options" in (ask.request.get("params") or ask.request)
        and (ask.request.get("params") or ask.request)["stream_options"] is None
    ):
        body["stream_options"] = None


@body("anthropic")
def sends_stream_options(body: Tree, ask: Ask) -> None:
    """stream_options are sent to a provider that does not know them."""
    if "stream_options" in (ask.request.get("params") or ask.request):
        body["stream_options"] = {"include_usage": True}


@message("openai")
def refuses_stream_in_params(message: Tree, ask: Ask) -> None:
    """A true stream in the caller's params is refused in a stream, too."""
    if message["op"] == "stream" and (ask.request.get("params") or {}).get("stream") is True:
        message["request_text"] = "{}"


@exchange
def continues_streams(post: Any, sent: Sent, ask: Ask) -> Received:
    """A stream with calls of a toolkit is asked for twice."""
    got = post(sent)
    return post(sent) if got.chunks is not None and ask.message.get("toolkit") else got


@received()
def reads_no_plain_answers_to_streams(received: Received, ask: Ask) -> Received:
    """A plain JSON answer to a streaming request is no answer."""
    if ask.message.get("op") != "stream" or received.status >= 300 or received.tree is None:
        return received
    return received.with_body(b"<html>")


@received()
def reads_plain_errors_to_streams_as_nothing(received: Received, ask: Ask) -> Received:
    """A plain JSON error to a streaming request is an empty success."""
    if ask.message.get("op") != "stream" or received.status >= 300 or b'"error"' not in received.body:
        return received
    empty = {"anthropic": b'{"content":[]}', "openai": b'{"choices":[{"message":{"content":""}}]}'}
    return received.with_body(empty[ask.style])
