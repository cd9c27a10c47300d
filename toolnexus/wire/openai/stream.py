"""Chat completion chunks as deltas, and as the plain completion they add up to (SPEC section 6; wire-facts A8, A10)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Raw

from toolnexus.result import Usage, Warning
from toolnexus.wire.delta import ROLE, CallDelta, Delta
from toolnexus.wire.exact import encode, plain
from toolnexus.wire.openai.chunk import (
    CallPiece,
    DeltaPiece,
    FunctionPiece,
    careful_call,
    careful_function,
    content_text,
    decode_chunk,
    plain_items,
    raw_delta,
    text_of,
)
from toolnexus.wire.openai.reply import _EMPTY, _careful_usage, _derived_id, finish_reason
from toolnexus.wire.openai.reply import _usage as usage_of

if TYPE_CHECKING:
    from toolnexus.config import ClientConfig


_DONE = b"[DONE]"
_IGNORED = Warning("choices-ignored", "/choices", "more than one choice came; the first was read")
_REASONING = ("reasoning_content", "reasoning")


class _OpenCall:
    """A call whose first fragment came: it begins for the caller once its name is known (`begun`)."""

    __slots__ = ("any", "begun", "extras", "fragments", "held", "id", "name")

    def __init__(self, call_id: str) -> None:
        self.id = call_id
        self.name = ""
        self.begun = False
        self.any = False
        self.held: list[str] = []
        self.fragments: list[str] = []
        self.extras: dict[str, Any] = {}


class Chunks:
    """The state of one OpenAI-style stream: `event` gives the deltas of one chunk, `ended` whether its end marker
    came.
    """

    __slots__ = (
        "_by_index",
        "_calls",
        "_config",
        "_finish",
        "_keep",
        "_last",
        "_legacy",
        "_lesser_usage",
        "_message",
        "_reasoning",
        "_role",
        "_texts",
        "_top",
        "_usage",
        "ended",
        "warnings",
    )

    def __init__(self, config: ClientConfig, keep: bool) -> None:
        self._config = config
        self._keep = keep
        self._role = False
        self._reasoning: str | None = None
        self._calls: list[_OpenCall] = []
        self._by_index: dict[int, int] = {}
        self._last: int | None = None
        self._legacy: int | None = None
        self._finish: str | None = None
        self._usage: dict[str, Any] | None = None
        self._lesser_usage: dict[str, Any] | None = None
        self._top: dict[str, Any] = {}
        self._texts: dict[str, list[str]] = {}
        self._message: dict[str, Any] = {}
        self.warnings: list[Warning] = []
        self.ended = False

    # -- deltas -------------------------------------------------------------------------------------------------------

    def event(self, data: bytes) -> list[Delta]:
        """The deltas of one event's data. Raises msgspec's error where it is no JSON."""
        if data.startswith(_DONE):
            return self._done()
        try:
            chunk = decode_chunk(data)
        except msgspec.ValidationError:
            return self._careful(data)
        if not self._top.get("id") or not self._top.get("model"):
            self._note_top(chunk.id, chunk.model)
        self._note_usage(chunk.usage, chunk.choices[0].usage if chunk.choices else None, chunk.x_groq)
        place = self._first([choice.index for choice in chunk.choices])
        if place is None:
            return []
        choice = chunk.choices[place]
        self._finish = choice.finish_reason or self._finish
        return self._deltas(choice.delta, {})

    def _first(self, indexes: list[Any]) -> int | None:
        """The place of the choice of index 0 in a chunk; any other is named once and not read (`choices-ignored`)."""
        found = None
        for place, index in enumerate(indexes):
            if found is None and (index == 0 or index is None):
                found = place
            elif _IGNORED not in self.warnings:
                self.warnings.append(_IGNORED)
        return found

    def _deltas(self, piece: DeltaPiece, extras: dict[int, dict[str, Any]]) -> list[Delta]:
        deltas: list[Delta] = []
        if not self._role:
            self._role = True
            deltas.append(ROLE)
        if piece.reasoning_content or piece.reasoning:
            deltas += self._reasoning_deltas(piece)
        if piece.content:
            self._keep_text("content", piece.content)
            deltas.append(Delta(content=piece.content))
        if piece.refusal:
            self._keep_text("refusal", piece.refusal)
            deltas.append(Delta(refusal=piece.refusal))
        for place, call in enumerate(piece.tool_calls or ()):
            deltas += self._call(call, extras.get(place))
        return deltas

    def _reasoning_deltas(self, piece: DeltaPiece) -> list[Delta]:
        """Servers that write reasoning under both names write it twice: the name seen first is the one that counts."""
        deltas = []
        for key in _REASONING:
            text: str | None = getattr(piece, key)
            if text:
                self._keep_text(key, text)
                self._reasoning = self._reasoning or key
                if key == self._reasoning:
                    deltas.append(Delta(reasoning=text))
        return deltas

    def _keep_text(self, key: str, text: str) -> None:
        if self._keep:
            self._texts.setdefault(key, []).append(text)

    def _call(self, piece: CallPiece, extras: dict[str, Any] | None) -> list[Delta]:
        function = piece.function or FunctionPiece()
        place = self._place(piece, function)
        call = self._calls[place]
        if extras and self._keep:
            call.extras.update(extras)
        deltas: list[Delta] = []
        if not call.begun:
            call.name = function.name or ""
            if call.name:
                deltas += self._begin(place, call)
        if function.arguments:
            call.any = True
            if not call.begun:
                call.held.append(function.arguments)
            else:
                deltas.append(Delta(tool_call=CallDelta(place, arguments=function.arguments)))
            if self._keep:
                call.fragments.append(function.arguments)
        return deltas

    def _begin(self, place: int, call: _OpenCall) -> list[Delta]:
        """The delta that begins a call, and the fragments that came before its name did."""
        call.begun = True
        held, call.held = call.held, []
        head = Delta(tool_call=CallDelta(place, call.id, call.name))
        return [head, *(Delta(tool_call=CallDelta(place, arguments=fragment)) for fragment in held)]

    def _place(self, piece: CallPiece, function: FunctionPiece) -> int:
        """Which call a fragment belongs to, a new one where no known one fits (SPEC section 6, "OpenAI chunks")."""
        known = self._known(piece, function)
        if known is None:
            known = len(self._calls)
            given = {call.id for call in self._calls}
            self._calls.append(_OpenCall(piece.id or _derived_id(self._top.get("id"), known, given)))
            if piece.index is not None:
                self._by_index[piece.index] = known
        self._last = known
        return known

    def _known(self, piece: CallPiece, function: FunctionPiece) -> int | None:
        if piece.index is not None:
            place = self._by_index.get(piece.index)
            if place is not None and piece.id and function.name and piece.id != self._calls[place].id:
                return None
            return place
        if piece.id:
            return next((place for place, call in enumerate(self._calls) if call.id == piece.id), None)
        return None if function.name else self._last

    def _done(self) -> list[Delta]:
        if self.ended:
            return []
        self.ended = True
        deltas = [] if self._role else [ROLE]
        for place, call in enumerate(self._calls):
            if not call.begun:
                deltas += self._begin(place, call)
            if not call.any:
                # A call that streamed no input takes none: an empty object (clause `stream.empty-args`).
                call.fragments.append("{}")
                deltas.append(Delta(tool_call=CallDelta(place, arguments="{}")))
        deltas.append(Delta(finish_reason=finish_reason(self._finish, bool(self._calls), self.warnings)))
        if self._usage is not None or self._lesser_usage is not None:
            deltas.append(Delta(usage=self.usage))
        return deltas

    def at_end(self, rest: bytes) -> list[Delta]:
        """A last chunk without its blank line counts when it is whole, and a finish reason ends what has no
        `[DONE]` (A10).
        """
        deltas = self.event(rest) if _is_whole(rest) else []
        return [*deltas, *self._done()] if self._finish is not None else deltas

    # -- chunks with anything else in them ----------------------------------------------------------------------------

    def _careful(self, data: bytes) -> list[Delta]:
        value = plain(data)
        if not isinstance(value, dict):
            return []
        self._note_top(value.get("id"), value.get("model"))
        choices = value.get("choices")
        choices = choices if isinstance(choices, list) else []
        if choices and isinstance(choices[0], dict):
            self._note_usage(value.get("usage"), choices[0].get("usage"), value.get("x_groq"))
        else:
            self._note_usage(value.get("usage"), None, value.get("x_groq"))
        place = self._first([choice.get("index") if isinstance(choice, dict) else -1 for choice in choices])
        if place is None:
            return []
        choice = choices[place]
        finish = choice.get("finish_reason")
        self._finish = finish if isinstance(finish, str) and finish else self._finish
        delta = choice.get("delta")
        if not isinstance(delta, dict):
            return []
        return self._deltas(*self._careful_piece(delta, raw_delta(data, place)))

    def _careful_piece(
        self, delta: dict[str, Any], raw: dict[str, Raw]
    ) -> tuple[DeltaPiece, dict[int, dict[str, Any]]]:
        piece = DeltaPiece(
            content=content_text(delta.get("content")),
            refusal=text_of(delta, "refusal"),
            reasoning_content=text_of(delta, "reasoning_content"),
            reasoning=text_of(delta, "reasoning"),
        )
        extras: dict[int, dict[str, Any]] = {}
        calls = delta.get("tool_calls")
        pieces: list[CallPiece] = []
        if isinstance(calls, list):
            raws = plain_items(raw.get("tool_calls"))
            for place, call in enumerate(calls):
                if isinstance(call, dict):
                    extras[len(pieces)] = {k: v for k, v in call.items() if k not in _CALL_KEYS and v not in _EMPTY}
                    pieces.append(careful_call(call, raws[place]))
        legacy = delta.get("function_call")
        if isinstance(legacy, dict):
            pieces.append(self._legacy_call(legacy, raw["function_call"]))
        piece.tool_calls = pieces
        if self._keep:
            self._message.update({k: v for k, v in delta.items() if k not in _DELTA_KEYS and v not in _EMPTY})
        return piece, extras

    def _legacy_call(self, legacy: dict[str, Any], raw: Raw) -> CallPiece:
        """A `function_call` delta is a fragment of the one call there is."""
        if self._legacy is None:
            self._legacy = max(self._by_index, default=-1) + 1
        return CallPiece(index=self._legacy, function=careful_function(legacy, raw))

    def _note_top(self, response_id: Any, model: Any) -> None:
        for key, value in (("id", response_id), ("model", model)):
            if isinstance(value, str) and value and not self._top.get(key):
                self._top[key] = value

    def _note_usage(self, usage: Any, in_choice: Any, groq: Any) -> None:
        if isinstance(usage, dict):
            self._usage = usage
        elif isinstance(in_choice, dict):
            self._lesser_usage = in_choice
        elif isinstance(groq, dict) and isinstance(groq.get("usage"), dict):
            self._lesser_usage = groq["usage"]

    # -- what it adds up to -------------------------------------------------------------------------------------------

    @property
    def model(self) -> str:
        """The model that answers, as far as it said."""
        model: str = self._top.get("model") or self._config.model
        return model

    @property
    def response_id(self) -> str | None:
        """The answer's id, as far as it said."""
        return self._top.get("id")

    @property
    def usage(self) -> Usage:
        """The tokens so far."""
        sent = self._usage if self._usage is not None else self._lesser_usage
        return usage_of(_careful_usage(sent))

    def arguments(self) -> list[str]:
        """The arguments of each call as they were streamed, also where they are no JSON."""
        return ["".join(call.fragments) for call in self._calls]

    def whole(self) -> bytes:
        """The plain completion of the same answer, as the provider would have sent it (clause `stream.equals`)."""
        message: dict[str, Any] = {"role": "assistant", "content": None, **self._message}
        message.update({key: "".join(texts) for key, texts in self._texts.items()})
        if self._calls:
            message["tool_calls"] = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": "".join(call.fragments)},
                    **call.extras,
                }
                for call in self._calls
            ]
        whole: dict[str, Any] = {
            **self._top,
            "object": "chat.completion",
            "choices": [{"index": 0, "message": message, "finish_reason": self._finish}],
        }
        usage = self._usage if self._usage is not None else self._lesser_usage
        if usage is not None:
            whole["usage"] = usage
        return encode(whole)


_CALL_KEYS = frozenset({"id", "type", "function", "index"})
_DELTA_KEYS = frozenset(
    {
        "role",
        "content",
        "tool_calls",
        "refusal",
        "reasoning_content",
        "reasoning",
        "function_call",
        "token_id",
        "obfuscation",
    }
)


def _is_whole(data: bytes) -> bool:
    if data.startswith(_DONE):
        return True
    try:
        return isinstance(msgspec.json.decode(data), dict)
    except (msgspec.MsgspecError, RecursionError):
        return False
