"""A gateway's event stream as deltas, and the `chat.completion` they add up to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from conformance.drivers.chat import REMARKS, usage_of
from conformance.tree import Json, NotJson, Number, read_bytes

_LINE_END: Final = re.compile(rb"\r\n|\n|\r")
_DONE: Final = b"[DONE]"

#: Texts of a delta that add up, and the key of the message each belongs to.
_TEXTS: Final = ("content", "reasoning_content", "refusal")

#: Signed thinking, for which Chat Completions has no delta: a part of the message alone.
_SIGNED: Final = "thinking_blocks"


def events(body: bytes) -> Iterator[bytes]:
    """The data of each server-sent event that came whole."""
    data: list[bytes] = []
    for line in _LINE_END.split(body)[:-1]:
        if line.startswith(b"data:"):
            data.append(line[5:].removeprefix(b" "))
        elif not line and data:
            yield b"\n".join(data)
            data = []


@dataclass
class Streamed:
    """What a stream brought: its deltas as SPEC section 6 writes them, and what ended it.

    `broken` says why it is no whole answer; `failed` is the error object that it carried, if any.
    """

    deltas: list[Json] = field(default_factory=list)
    done: bool = False
    broken: str = ""
    failed: Json = None
    _message: dict[str, Json] = field(default_factory=dict)
    _texts: dict[str, list[str]] = field(default_factory=dict)
    _calls: dict[str, dict[str, Any]] = field(default_factory=dict)
    _finish: Json = None
    _usage: Json = None
    _model: Json = None

    def completion(self) -> dict[str, Json]:
        """The `chat.completion` that the deltas add up to."""
        calls = [{**call, "function": _joined(call["function"])} for call in self._calls.values()]
        texts = {key: "".join(pieces) for key, pieces in self._texts.items()}
        message: dict[str, Json] = {"role": "assistant", "content": None, **self._message, **texts}
        if calls:
            message["tool_calls"] = [*calls]
        choice: dict[str, Json] = {"index": Number("0"), "message": message, "finish_reason": self._finish}
        return {"model": self._model, "choices": [choice], "usage": self._usage}

    def add(self, chunk: dict[str, Json]) -> None:
        """Take one chunk: its envelope goes, its delta stays, finish and usage become deltas of their own."""
        self._model = chunk.get("model") or self._model
        match chunk.get("choices"):
            case [dict() as choice, *_]:
                if isinstance(delta := choice.get("delta"), dict):
                    said = _said(delta)
                    self._fold(said)
                    if told := {key: value for key, value in said.items() if key != _SIGNED}:
                        self.deltas.append(told)
                if (finish := choice.get("finish_reason")) is not None:
                    self._finish = finish
                    self.deltas.append({"finish_reason": finish})
        if isinstance(usage := chunk.get("usage"), dict):
            self._usage = usage
            self.deltas.append({"usage": usage_of(usage)})

    def _fold(self, delta: dict[str, Json]) -> None:
        for key, value in delta.items():
            if key in _TEXTS and type(value) is str:  # a number is no text
                self._texts.setdefault(key, []).append(value)
            elif key == "tool_calls" and isinstance(value, list):
                for call in value:
                    if isinstance(call, dict):
                        self._fold_call(call)
            elif isinstance(value, list) and isinstance(before := self._message.get(key), list):
                self._message[key] = [*before, *value]
            elif key != "role":
                self._message[key] = value

    def _fold_call(self, piece: dict[str, Json]) -> None:
        function = piece.get("function")
        more: dict[str, Json] = function if isinstance(function, dict) else {}
        call = self._calls.setdefault(str(piece.get("index")), {"function": {"name": "", "arguments": []}})
        for key in ("id", "type"):
            if piece.get(key):
                call.setdefault(key, piece[key])
        call["function"]["name"] = call["function"]["name"] or more.get("name") or ""
        call["function"]["arguments"].append(str(more.get("arguments") or ""))


def _joined(function: dict[str, Any]) -> dict[str, Json]:
    return {**function, "arguments": "".join(function["arguments"])}


def _said(delta: dict[str, Json]) -> dict[str, Json]:
    """A delta without a gateway's own remarks; in a call, `index` is none."""
    said: dict[str, Json] = {key: value for key, value in delta.items() if value is not None and key not in REMARKS}
    if isinstance(calls := said.get("tool_calls"), list):
        said["tool_calls"] = [_said_call(call) if isinstance(call, dict) else call for call in calls]
    return said


def _said_call(call: dict[str, Json]) -> dict[str, Json]:
    return {key: value for key, value in call.items() if key not in REMARKS or key == "index"}


def streamed(data: Iterable[bytes]) -> Streamed:
    """Read the events of a stream up to its end marker, its error, or what is no chunk."""
    found = Streamed()
    for event in data:
        if event.startswith(_DONE):
            found.done = True
            return found
        try:
            chunk = read_bytes(event)
        except NotJson as wrong:
            found.broken = f"an event that is no JSON ({wrong.message})"
            return found
        if not isinstance(chunk, dict):
            found.broken = "an event that is no chunk"
            return found
        if chunk.get("error"):
            found.failed, found.broken = chunk["error"], "an error event"
            return found
        found.add(chunk)
    found.broken = "it ended without [DONE]"
    return found
