"""A gateway's event stream as deltas."""

from __future__ import annotations

import json
from typing import Any

import pytest

from conformance.drivers.chat import result_of
from conformance.drivers.chunks import events, streamed
from conformance.tree import from_python


def chunk(delta: dict[str, Any] | None = None, finish: str | None = None, **more: Any) -> bytes:
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
    return json.dumps({"id": "c", "object": "chat.completion.chunk", "model": "m", "choices": choices, **more}).encode()


def call(index: int, **more: Any) -> dict[str, Any]:
    return {"tool_calls": [{"index": index, **more}]}


STREAM = [
    chunk({"role": "assistant", "content": ""}, usage=None),
    chunk({"content": "He"}),
    chunk({"content": "llo", "refusal": None}),
    chunk({"reasoning_content": "hm"}),
    chunk(call(0, id="a", type="function", function={"name": "f", "arguments": ""})),
    chunk(call(1, id="b", type="function", function={"name": "g", "arguments": "{"})),
    chunk(call(0, function={"arguments": '{"x"'})),
    chunk(call(1, function={"arguments": "}"})),
    chunk(call(0, function={"arguments": ":1}"})),
    chunk({}, "tool_calls"),
    chunk(usage={"prompt_tokens": 3, "completion_tokens": 5, "total_tokens": 8}),
    b"[DONE]",
]


def test_envelopes_go_and_deltas_stay() -> None:
    found = streamed(STREAM)
    assert found.done
    assert found.deltas[:4] == [
        {"role": "assistant", "content": ""},
        {"content": "He"},
        {"content": "llo"},
        {"reasoning_content": "hm"},
    ]
    assert found.deltas[-2:] == from_python(
        [{"finish_reason": "tool_calls"}, {"usage": {"prompt_tokens": 3, "completion_tokens": 5, "total_tokens": 8}}]
    )


def test_they_add_up() -> None:
    result = result_of(streamed(STREAM).completion())
    assert (result["text"], result["reasoning"], result["finish_reason"]) == ("Hello", "hm", "tool_calls")
    assert result["model"] == "m"
    assert result["tool_calls"] == [
        {"id": "a", "type": "function", "name": "f", "arguments": '{"x":1}'},
        {"id": "b", "type": "function", "name": "g", "arguments": "{}"},
    ]
    assert result["usage"] == from_python({"prompt_tokens": 3, "completion_tokens": 5, "total_tokens": 8})


def test_usage_beside_choices_is_a_delta_of_its_own() -> None:
    found = streamed([chunk({}, "stop", usage={"total_tokens": 1}), b"[DONE]"])
    assert found.deltas == from_python([{"finish_reason": "stop"}, {"usage": {"total_tokens": 1}}])


@pytest.mark.parametrize(
    ("last", "says"),
    [
        ([b'{"error": {"message": "overloaded"}}', chunk({"content": "x"})], "an error event"),
        ([], "it ended without [DONE]"),
        ([b"{"], "an event that is no JSON"),
        ([b"[1]"], "an event that is no chunk"),
    ],
)
def test_a_stream_that_breaks_is_not_done(last: list[bytes], says: str) -> None:
    found = streamed([chunk({"content": "He"}), *last])
    assert not found.done
    assert found.deltas == [{"content": "He"}]
    assert found.broken.startswith(says)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_events_are_read_with_any_line_end(end: str) -> None:
    lines = [": hi", "event: x", "data: a", "", "data:b", "data: c", "", "", "data: cut"]
    assert list(events(end.join(lines).encode())) == [b"a", b"b\nc"]


def test_a_line_separator_inside_a_text_ends_no_line() -> None:
    assert list(events("data: a\u2028b\x85c\n\n".encode())) == ["a\u2028b\x85c".encode()]


def test_a_gateways_own_remarks_are_no_part_of_a_delta() -> None:
    noted = chunk({"content": "a", "provider_specific_fields": {"citation": 1}, "annotations": []})
    called = chunk(call(0, id="a", caller={"type": "direct"}, function={"name": "f", "arguments": "{}"}))
    found = streamed([noted, chunk({"provider_specific_fields": {}}), called])
    assert found.deltas == from_python(
        [{"content": "a"}, {"tool_calls": [{"index": 0, "id": "a", "function": {"name": "f", "arguments": "{}"}}]}]
    )


def test_signed_thinking_adds_up_in_the_message_and_is_no_delta() -> None:
    pieces = [{"type": "thinking", "thinking": text} for text in ("h", "m")]
    found = streamed(chunk({"reasoning_content": piece["thinking"], "thinking_blocks": [piece]}) for piece in pieces)
    assert found.deltas == [{"reasoning_content": "h"}, {"reasoning_content": "m"}]
    (choice,) = found.completion()["choices"]  # type: ignore[misc, union-attr]
    assert choice["message"]["thinking_blocks"] == pieces  # type: ignore[index, call-overload]


def test_a_number_is_no_text() -> None:
    (choice,) = streamed([chunk({"content": 5}), chunk({"content": "a"})]).completion()["choices"]  # type: ignore[misc, union-attr]
    assert choice["message"]["content"] == "a"  # type: ignore[index, call-overload]
