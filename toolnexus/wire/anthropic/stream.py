"""Anthropic's events as deltas, and as the plain reply they add up to (SPEC section 6; wire-facts B11, D11)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from toolnexus.result import Usage, Warning
from toolnexus.wire.anthropic.reply import _careful_usage, _explanation, _Usage, finish_reason
from toolnexus.wire.anthropic.reply import _usage as usage_of
from toolnexus.wire.delta import ROLE, CallDelta, Delta
from toolnexus.wire.exact import encode, plain

if TYPE_CHECKING:
    from toolnexus.config import ClientConfig


class _Piece(Struct, gc=False):
    """A block's or message's delta; which fields there are depends on its type."""

    type: str | None = None
    text: str | None = None
    partial_json: str | None = None
    thinking: str | None = None
    signature: str | None = None


class _Event(Struct, gc=False):
    type: str
    index: int | None = None
    delta: _Piece | None = None


_decode_event = msgspec.json.Decoder(_Event).decode

_NO_INPUT = (b"{}", b"null")


class _OpenBlock:
    """A block that has begun: what it started as, and what its deltas bring."""

    __slots__ = ("call", "fragments", "kind", "signature", "start", "text")

    def __init__(self, kind: str, start: dict[str, Any]) -> None:
        self.kind = kind
        self.start = start
        self.call: int | None = None
        self.fragments: list[str] | None = None
        self.text: list[str] = []
        self.signature: str | None = None


class Events:
    """The state of one Anthropic stream: `event` gives the deltas of one event, `ended` whether its end marker came."""

    __slots__ = (
        "_begun",
        "_blocks",
        "_calls",
        "_closed",
        "_config",
        "_details",
        "_keep",
        "_reason",
        "_usage",
        "ended",
        "message",
        "warnings",
    )

    def __init__(self, config: ClientConfig, keep: bool) -> None:
        self._config = config
        self._keep = keep
        self._calls = 0
        self._blocks: dict[int, _OpenBlock] = {}
        self._closed: list[tuple[int, _OpenBlock]] = []
        self._usage: dict[str, Any] = {}
        self._reason: str | None = None
        self._details: Any = None
        self.message: dict[str, Any] = {}
        self.warnings: list[Warning] = []
        self._begun = False
        self.ended = False

    # -- deltas -------------------------------------------------------------------------------------------------------

    def event(self, data: bytes) -> list[Delta]:
        """The deltas of one event's data. Raises msgspec's error where it is no JSON."""
        deltas = self._event(data)
        if deltas and not self._begun:
            # The role comes first, also where a server leaves `message_start` out.
            self._begun = True
            return deltas if deltas[0] is ROLE else [ROLE, *deltas]
        return deltas

    def _event(self, data: bytes) -> list[Delta]:
        try:
            event = _decode_event(data)
        except msgspec.ValidationError:
            event = None
        if event is not None and event.type == "content_block_delta" and event.delta is not None:
            return self._delta(event.index, event.delta)
        value = plain(data)
        kind = value.get("type") if isinstance(value, dict) else None
        handler = _HANDLERS.get(kind) if isinstance(kind, str) else None
        return handler(self, value, data) if handler is not None else []

    def _delta(self, index: int | None, piece: _Piece) -> list[Delta]:
        block = self._blocks.get(index or 0)
        if block is None:
            return []
        kind = piece.type
        if kind == "text_delta":
            if not piece.text:
                return []
            if self._keep:
                block.text.append(piece.text)
            return [Delta(content=piece.text)] if block.kind == "text" else []
        if kind == "input_json_delta":
            fragment = piece.partial_json
            if not fragment or block.call is None:
                return []
            if self._keep:
                block.fragments = block.fragments or []
                block.fragments.append(fragment)
            elif block.fragments is None:
                block.fragments = []
            return [Delta(tool_call=CallDelta(block.call, arguments=fragment))]
        if kind == "thinking_delta":
            if not piece.thinking:
                return []
            if self._keep:
                block.text.append(piece.thinking)
            return [Delta(reasoning=piece.thinking)]
        if kind == "signature_delta":
            block.signature = (block.signature or "") + (piece.signature or "")
        return []

    def _careful_delta(self, value: dict[str, Any], data: bytes) -> list[Delta]:
        delta, index = value.get("delta"), value.get("index")
        if not isinstance(delta, dict):
            return []
        piece = _Piece(**{key: text for key in _Piece.__struct_fields__ if isinstance(text := delta.get(key), str)})
        return self._delta(index if isinstance(index, int) else 0, piece)

    def _message_start(self, value: dict[str, Any], data: bytes) -> list[Delta]:
        message = value.get("message")
        first = not self._begun
        if isinstance(message, dict):
            # What would make a plain reply an error is no part of an answer that streams.
            self.message = {key: item for key, item in message.items() if key not in ("error", "type")}
            self._take_usage(message.get("usage"))
            self._reason = _word(message.get("stop_reason")) or self._reason
        return [ROLE] if first else []

    def _block_start(self, value: dict[str, Any], data: bytes) -> list[Delta]:
        start = value.get("content_block")
        if not isinstance(start, dict):
            return []
        index = value.get("index")
        place = index if isinstance(index, int) else 0
        before = self._blocks.pop(place, None)
        if before is not None:
            # A block that begins again ends what was open under its index.
            return [*self._close(place, before), *self._block_start(value, data)]
        block = _OpenBlock(_word(start.get("type")) or "unknown", start)
        self._blocks[place] = block
        if block.kind == "tool_use":
            return [self._begin_call(block, data)]
        text = start.get(_TEXT_OF.get(block.kind, ""))
        if not isinstance(text, str) or not text:
            return []
        block.text.append(text)
        return [Delta(content=text) if block.kind == "text" else Delta(reasoning=text)]

    def _begin_call(self, block: _OpenBlock, data: bytes) -> Delta:
        name = _word(block.start.get("name")) or ""
        block.call = self._calls
        block.start["input"] = _given_input(data)
        self._calls += 1
        return Delta(tool_call=CallDelta(block.call, _word(block.start.get("id")) or "", name))

    def _block_stop(self, value: dict[str, Any], data: bytes) -> list[Delta]:
        index = value.get("index")
        place = index if isinstance(index, int) else 0
        block = self._blocks.pop(place, None)
        return [] if block is None else self._close(place, block)

    def _close(self, place: int, block: _OpenBlock) -> list[Delta]:
        if self._keep:
            self._closed.append((place, block))
        if block.call is None:
            return []
        if block.fragments is not None:
            return []
        # A call that streamed no input has what it began with, or none: an empty object (clause `stream.empty-args`).
        return [Delta(tool_call=CallDelta(block.call, arguments=block.start["input"]))]

    def _message_delta(self, value: dict[str, Any], data: bytes) -> list[Delta]:
        delta = value.get("delta")
        if isinstance(delta, dict):
            self._reason = _word(delta.get("stop_reason")) or self._reason
            self._details = delta.get("stop_details") or self._details
        self._take_usage(value.get("usage"))
        return []

    def _message_stop(self, value: dict[str, Any], data: bytes) -> list[Delta]:
        if self.ended:
            return []
        self.ended = True
        deltas: list[Delta] = []
        for place in sorted(self._blocks):
            deltas += self._close(place, self._blocks[place])
        self._blocks.clear()
        explanation = _explanation(self._details if isinstance(self._details, dict) else None)
        if explanation is not None:
            deltas.append(Delta(refusal=explanation))
        deltas.append(Delta(finish_reason=finish_reason(self._reason, self._calls > 0, self.warnings)))
        if self._usage:
            deltas.append(Delta(usage=self.usage))
        return deltas

    def at_end(self, rest: bytes) -> list[Delta]:
        """Nothing: only `message_stop` ends the answer, and an event without its blank line is none (F2)."""
        return []

    def _take_usage(self, usage: Any) -> None:
        """Cumulative: the last value that is not null wins, field by field."""
        if isinstance(usage, dict):
            self._usage.update({key: value for key, value in usage.items() if value is not None})

    # -- what it adds up to -------------------------------------------------------------------------------------------

    @property
    def model(self) -> str:
        """The model that answers, as far as it said."""
        return _word(self.message.get("model")) or self._config.model

    @property
    def response_id(self) -> str | None:
        """The answer's id, as far as it said."""
        return _word(self.message.get("id"))

    @property
    def usage(self) -> Usage:
        """The tokens so far."""
        return usage_of(_careful_usage(self._usage) if self._usage else _Usage())

    def arguments(self) -> list[str]:
        """The arguments of each call as they were streamed, also where they are no JSON."""
        calls = [block for _, block in [*self._closed, *self._blocks.items()] if block.call is not None]
        calls.sort(key=lambda block: block.call or 0)
        return ["".join(block.fragments or []) or block.start["input"] for block in calls]

    def whole(self) -> bytes:
        """The plain reply of the same answer, as the provider would have sent it (clause `stream.equals`)."""
        blocks = sorted([*self._closed, *self._blocks.items()], key=lambda item: item[0])
        whole = {
            "type": "message",
            **self.message,
            "content": [_whole_block(block) for _, block in blocks],
            "stop_reason": self._reason,
        }
        if self._usage:
            whole["usage"] = self._usage
        if self._details is not None:
            whole["stop_details"] = self._details
        return encode(whole)


def _whole_block(block: _OpenBlock) -> dict[str, Any]:
    start = dict(block.start)
    if block.call is not None:
        arguments = "".join(block.fragments or []) or start["input"]
        start["input"] = Raw(arguments.encode()) if _is_json(arguments) else {"_raw": arguments}
        return start
    key = _TEXT_OF.get(block.kind)
    if key is not None:
        start[key] = "".join(block.text)
    if block.signature is not None:
        start["signature"] = (start.get("signature") or "") + block.signature
    return start


def _is_json(text: str) -> bool:
    try:
        msgspec.json.decode(text, type=Raw)
    except (msgspec.MsgspecError, RecursionError):
        return False
    return True


class _StartInput(Struct):
    input: Raw | UnsetType = UNSET


class _Start(Struct):
    content_block: _StartInput


_decode_start = msgspec.json.Decoder(_Start).decode


def _given_input(data: bytes) -> str:
    """The input a call begins with, its own bytes; `{}` where there is none."""
    try:
        given = _decode_start(data).content_block.input
    except (msgspec.MsgspecError, RecursionError):
        return "{}"
    if given is UNSET or bytes(given) in _NO_INPUT:
        return "{}"
    return bytes(given).decode()


def _word(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


_TEXT_OF = {"text": "text", "thinking": "thinking"}
_HANDLERS = {
    "message_start": Events._message_start,
    "content_block_start": Events._block_start,
    "content_block_delta": Events._careful_delta,
    "content_block_stop": Events._block_stop,
    "message_delta": Events._message_delta,
    "message_stop": Events._message_stop,
}
