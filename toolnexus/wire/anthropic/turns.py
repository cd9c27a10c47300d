"""The conversation as Anthropic turns (SPEC section 2, "Assistant turns" and "Tool results").

One pass over the messages. System text is hoisted, results gather in one user turn until a message that is no result
comes, every other message is a turn of its own (clause `anthropic.turns`).
"""

from __future__ import annotations

from typing import Any

from msgspec import Raw

from toolnexus.errors import InvalidRequest
from toolnexus.wire.anthropic import content, marks
from toolnexus.wire.anthropic.blocks import Block, Text, ToolResult, ToolUse, Turn, is_kind, kind_of
from toolnexus.wire.anthropic.calls import Calls, is_name, sent_name
from toolnexus.wire.anthropic.content import Piece
from toolnexus.wire.anthropic.marks import Mark
from toolnexus.wire.anthropic.messages import Careful, Extras, arguments_of, read_messages
from toolnexus.wire.clean import surrogate_warning
from toolnexus.wire.exact import EMPTY_OBJECT, NotExact, all_object_bytes, decode_fields, encode, object_bytes, plain
from toolnexus.wire.fields import Fields
from toolnexus.wire.log import Log
from toolnexus.wire.shapes import Call, Message

_NO_EXTRAS = Extras()


class History:
    """The messages of one request, translated: `turns`, the message the last came from, and the hoisted system text."""

    def __init__(self, fields: Fields, log: Log) -> None:
        self._log = log
        self._calls = Calls(self._ids)
        self._legacy = 0
        self._names: dict[str, str] = {}
        self._results: list[Block | ToolResult] | None = None
        self.turns: list[Turn] = []
        self.last_origin = 0
        self.system: list[tuple[int, list[Piece], Raw | None]] = []
        self.marks: list[Mark] = []
        self._messages = read_messages(fields, log)
        texts = arguments_of(fields.plain.messages) if fields.plain is not None else []
        # A few calls are looked at one by one; many, together.
        self._all_objects = len(texts) > 4 and all_object_bytes(texts)
        self._read()

    def _read(self) -> None:
        """One pass: almost every message of a long conversation is read in place, the rest by its role's reader."""
        calls, turns = self._calls, self.turns
        waiting = calls.waiting
        for index, message in enumerate(self._messages):
            if isinstance(message, Careful):
                self._by_role(index, message.message, message.extras)
                continue
            role, text = message.role, message.content
            asked, answers = message.tool_calls, message.tool_call_id
            if text.__class__ is list or (answers is None) == (role == "tool") or (asked and role != "assistant"):
                self._by_role(index, message, _NO_EXTRAS)
                continue
            blank = not text or text.isspace()  # type: ignore[union-attr]  # a str or None, by its class
            if role == "tool":
                if answers not in waiting or calls.again:
                    self._by_role(index, message, _NO_EXTRAS)
                    continue
                result = ToolResult(waiting.pop(answers), "" if blank else text)  # type: ignore[arg-type]
                if self._results is None:
                    self._results = [result]
                    turns.append(Turn("user", self._results))
                    self.last_origin = index
                else:
                    self._results.append(result)
                continue
            if role != "user" and role != "assistant":
                self._by_role(index, message, _NO_EXTRAS)
                continue
            if waiting:
                raise calls.unanswered()
            if self._results is not None:
                self._results = None
                calls.forget()
            if role == "user":
                sent: str | list[Block | ToolResult] | None = None if blank else text  # type: ignore[assignment]
            else:
                sent = [] if blank else [Text(text)]  # type: ignore[arg-type]
                if asked:
                    calls.open(index)
                    for place, call in enumerate(asked):
                        sent.append(self._call(index, place, call, _NO_EXTRAS))
            if sent:
                turns.append(Turn(role, sent))
                self.last_origin = index
            else:
                self._drop(index)
        self._end_results()

    def _by_role(self, index: int, message: Message, extras: Extras) -> None:
        reader = _READERS.get(message.role)
        if reader is None:
            known = ", ".join(_READERS)
            raise InvalidRequest(f"role {message.role!r} is none of {known}", f"/messages/{index}/role")
        reader(self, index, message, extras)

    # -- what the rest of the encoding asks ----------------------------------------------------------------------------

    @property
    def has_calls(self) -> bool:
        """Whether any call stands in the history (results stand only beside calls)."""
        return self._calls.any

    @property
    def ends_with_assistant(self) -> bool:
        """Whether the last turn is the assistant's: a prefill."""
        return bool(self.turns) and self.turns[-1].role == "assistant"

    def running_turn_is_signed(self) -> bool:
        """Whether the last assistant turn, if it calls tools, begins with a thinking block (B8 41)."""
        for turn in reversed(self.turns):
            if turn.role == "assistant":
                blocks = turn.content if isinstance(turn.content, list) else []
                return not any(is_kind(block, "tool_use") for block in blocks) or is_kind(blocks[0], "thinking")
        return True

    def trim_prefill(self) -> None:
        """Trims the white space that ends a final assistant text (clause `anthropic.prefill`, B8 26)."""
        if not self.ends_with_assistant:
            return
        blocks = self.turns[-1].content
        last = blocks[-1] if isinstance(blocks, list) else None
        if isinstance(last, Text) and last.text != last.text.rstrip():
            last.text = last.text.rstrip()
            at = f"/messages/{self.last_origin}/content"
            self._log.warn("prefill-trimmed", at, "a final assistant text may not end in white space")

    # -- one reader a role ---------------------------------------------------------------------------------------------

    def _system(self, index: int, message: Message, extras: Extras) -> None:
        at = f"/messages/{index}"
        text = message.content
        if isinstance(text, list):
            pieces = content.read_parts(text, f"{at}/content", "system", self._log)
        else:
            pieces = [Piece(text, at=at)] if text else []
        self._stray(message, at)
        self.system.append((index, pieces, extras.mark))

    def _user(self, index: int, message: Message, extras: Extras) -> None:
        at = f"/messages/{index}"
        self._stray(message, at)
        parts = message.content
        native = isinstance(parts, list) and any(kind_of(part) == "tool_result" for part in parts)
        if not native:
            self._end_results()
        pieces = [Piece(parts, at=at)] if isinstance(parts, str) else []
        if isinstance(parts, list):
            pieces = content.read_parts(parts, f"{at}/content", "user", self._log, self._native_result)
        if native:
            self._native_results(index, pieces, extras)
        elif content.is_text(pieces) and extras.mark is None:
            text = content.joined(pieces)
            if text.strip():
                self._turn(index, "user", text)
            else:
                self._drop(index)
        else:
            self._turn_of_blocks(index, "user", pieces, extras)

    def _native_results(self, index: int, pieces: list[Piece], extras: Extras) -> None:
        """A user message of Anthropic's own results: they come first in it, and join the results before them (B8 9)."""
        results = self._results_turn(index)
        blocks = content.to_blocks(pieces, self._log, self.marks)
        leading = True
        for place, block in enumerate(blocks):
            is_result = is_kind(block, "tool_result")
            if is_result and not leading:
                raise InvalidRequest(
                    "results come first in their message; something stands before this one",
                    f"/messages/{index}/content/{place}",
                )
            leading = is_result
        results.extend(blocks)
        self._mark_last(results, extras, index)
        if not leading:
            self._end_results()

    def _assistant(self, index: int, message: Message, extras: Extras) -> None:
        self._end_results()
        self._calls.open(index)
        blocks, calls = self._assistant_blocks(index, message, extras)
        if message.tool_call_id is not None:
            self._log.dropped(f"/messages/{index}/tool_call_id")
        for place, call in calls or ():
            blocks.append(self._call(index, place, call, extras))
        if not blocks:
            self._drop(index)
            return
        if extras.mark is not None:
            self._mark_last(blocks, extras, index)
        self._turn(index, "assistant", blocks)

    def _assistant_blocks(
        self, index: int, message: Message, extras: Extras
    ) -> tuple[list[Block | ToolResult], list[tuple[int, Call]]]:
        """The blocks before the calls, and the calls, with their places, that no native block already makes."""
        at = f"/messages/{index}"
        text = message.content
        made: set[str] = set()
        blocks: list[Block | ToolResult] = []
        if isinstance(text, list):

            def native_call(keys: dict[str, Raw], value: dict[str, Any], place: str) -> Block | None:
                made.add(_text(value, "id", place))
                return self._native_call(keys, value, place)

            pieces = content.read_parts(text, f"{at}/content", "assistant", self._log, native_call)
            blocks.extend(content.to_blocks(pieces, self._log, self.marks))
        elif text and not text.isspace():
            blocks.append(Text(text))
        if extras.refusal and not extras.refusal.isspace():
            blocks.append(Text(extras.refusal))
        if extras.thinking and not any(is_kind(block, "thinking") for block in blocks):
            blocks[:0] = content.signed_thinking(extras.thinking, f"{at}/thinking_blocks", self._log)
        calls = [(place, call) for place, call in enumerate(message.tool_calls or ()) if (call.id or "") not in made]
        return blocks, calls

    def _tool(self, index: int, message: Message, extras: Extras) -> None:
        at = f"/messages/{index}"
        if extras.function is not None:
            sent = self._calls.answer_function(extras.function, at)
        else:
            sent = self._calls.answer(message.tool_call_id or "", at)
        if message.tool_calls is not None:
            self._log.dropped(f"{at}/tool_calls")
        text = message.content
        answer: str | list[Block] = ""
        if isinstance(text, str):
            answer = "" if text.isspace() else text
        elif text is not None:
            answer = self._answer(text, at)
        result = ToolResult(sent, answer)
        if extras.mark is not None:
            marks.put_mark(result, extras.mark, f"{at}/cache_control", self.marks, self._log)
        self._results_turn(index).append(result)

    def _answer(self, parts: list[Raw], at: str) -> str | list[Block]:
        pieces = content.read_parts(parts, f"{at}/content", "tool", self._log)
        if content.is_text(pieces):
            text = content.joined(pieces)
            return text if text.strip() else ""
        return content.to_blocks(pieces, self._log, self.marks) or ""

    # -- calls ---------------------------------------------------------------------------------------------------------

    def _call(self, index: int, place: int, call: Call, extras: Extras) -> ToolUse:
        name = call.function.name
        call_id = call.id or ""
        function = None
        if call.type == "legacy":
            self._legacy += 1
            call_id, function = f"call_fn_{self._legacy}", name
        sent = self._calls.call(call_id, function)
        if sent != call_id:
            at = f"/messages/{index}/tool_calls/{place}/id"
            self._log.warn("tool-id-mapped", at, f"the provider takes no id {call_id!r} here; {sent} was sent")
        if name not in self._names:
            # A conversation calls the same few tools again and again.
            self._names[name] = sent_name(name)
        called = self._names[name]
        if called != name:
            at = f"{extras.function_at(index, place)}/name"
            self._log.warn("tool-name-mapped", at, f"the provider takes no tool name {name!r}; {called} was sent")
        return ToolUse(sent, called, self._arguments(call.function.arguments, index, place, extras))

    def _arguments(self, text: str | None, index: int, place: int, extras: Extras) -> Raw:
        """The call's input: the caller's own bytes, or its text if that is no object (`anthropic.args-malformed`)."""
        if not text:
            return EMPTY_OBJECT
        if self._all_objects:
            return Raw(text.encode())
        try:
            data, repaired = object_bytes(text)
        except NotExact as reason:
            if text.strip() in ("", "null"):
                return EMPTY_OBJECT
            at = f"{extras.function_at(index, place)}/arguments"
            self._log.warn("malformed-arguments", at, f"{reason}; the text was kept under _raw")
            return Raw(encode({"_raw": text}))
        if repaired:
            self._log.warnings.append(surrogate_warning(f"{extras.function_at(index, place)}/arguments"))
        return data

    def _native_call(self, keys: dict[str, Raw], value: dict[str, Any], at: str) -> Block:
        call_id = _text(value, "id", at)
        sent = self._calls.call(call_id)
        if sent != call_id:
            keys["id"] = Raw(encode(sent))
            self._log.warn("tool-id-mapped", f"{at}/id", f"the provider takes no id {call_id!r} here; {sent} was sent")
        name = _text(value, "name", at)
        if not is_name(name):
            keys["name"] = Raw(encode(sent_name(name)))
            self._log.warn("tool-name-mapped", f"{at}/name", f"the provider takes no tool name {name!r}")
        return keys

    def _native_result(self, keys: dict[str, Raw], value: dict[str, Any], at: str) -> Block:
        call_id = _text(value, "tool_use_id", at)
        sent = self._calls.answer(call_id, "/".join(at.split("/")[:3]))
        if sent != call_id:
            keys["tool_use_id"] = Raw(encode(sent))
        return keys

    def _ids(self) -> set[str]:
        """Every id that stands in the history, so that no rewritten one collides with it."""
        ids: set[str] = set()
        for entry in self._messages:
            message = entry.message if isinstance(entry, Careful) else entry
            ids.update(call.id for call in message.tool_calls or () if call.id)
            if isinstance(message.content, list):
                for raw in message.content:
                    if kind_of(raw) == "tool_use":
                        value = plain(raw)
                        ids.add(value["id"] if isinstance(value.get("id"), str) else "")
        return ids

    # -- turns ---------------------------------------------------------------------------------------------------------

    def _results_turn(self, index: int) -> list[Block | ToolResult]:
        if self._results is None:
            self._results = []
            self._turn(index, "user", self._results)
        return self._results

    def _end_results(self) -> None:
        """A message that is no result: the results before it are a turn, and every call has had its own."""
        if self._calls.waiting:
            raise self._calls.unanswered()
        if self._results is not None:
            self._results = None
            self._calls.forget()

    def _turn(self, index: int, role: str, turn: str | list[Block | ToolResult]) -> None:
        self.turns.append(Turn(role, turn))
        self.last_origin = index

    def _turn_of_blocks(self, index: int, role: str, pieces: list[Piece], extras: Extras) -> None:
        blocks: list[Block | ToolResult] = list(content.to_blocks(pieces, self._log, self.marks))
        if not blocks:
            if extras.mark is not None:
                marks.lost(self._log, f"/messages/{index}/cache_control", "an empty turn takes no cache mark")
            self._drop(index)
            return
        self._mark_last(blocks, extras, index)
        self._turn(index, role, blocks)

    def _mark_last(self, blocks: list[Block | ToolResult], extras: Extras, index: int) -> None:
        """A message's mark rides on its last block, unless that is thinking (clause `anthropic.cache-control`)."""
        if extras.mark is None or not blocks:
            return
        at = f"/messages/{index}/cache_control"
        last = blocks[-1]
        if is_kind(last, "thinking"):
            marks.lost(self._log, at, "a thinking block takes no cache mark")
            return
        if isinstance(last, Raw):
            last = blocks[-1] = decode_fields(last)
        marks.put_mark(last, extras.mark, at, self.marks, self._log)

    def _drop(self, index: int) -> None:
        self._log.warn("empty-turn-dropped", f"/messages/{index}", "a message without content was not sent")

    def _stray(self, message: Message, at: str) -> None:
        for key in ("tool_calls", "tool_call_id"):
            if getattr(message, key):
                self._log.dropped(f"{at}/{key}")


def _text(value: dict[str, Any], key: str, at: str) -> str:
    text = value.get(key)
    if not isinstance(text, str):
        raise InvalidRequest(f"the block needs a string {key}", f"{at}/{key}" if key in value else at)
    return text


_READERS = {
    "system": History._system,
    "developer": History._system,
    "user": History._user,
    "assistant": History._assistant,
    "tool": History._tool,
    "function": History._tool,
}
