"""Calls and their results: which id is sent, and which result answers which call.

Anthropic wants ids of `[a-zA-Z0-9_-]+`, each used once in a conversation (B8 11, 15), and each call answered once in
the very next message (B8 9, 10, 12). Clauses `anthropic.tool-ids`, `anthropic.pairing`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from hashlib import sha256

from toolnexus.errors import InvalidRequest

_VALID_ID = re.compile(r"[a-zA-Z0-9_-]+").fullmatch
_VALID_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}").fullmatch
_INVALID = re.compile(r"[^a-zA-Z0-9_-]")


is_name = _VALID_NAME
"""Whether the provider accepts a tool of this name: true or false as a condition (B8 17)."""


def mapped(text: str, use: int, taken: Callable[[str], bool]) -> str:
    """An id or name the provider accepts, always the same for the same input (SPEC section 2; wire-facts D12)."""
    cleaned = _INVALID.sub("_", text[:40]) or "call"
    attempt = str(use)
    for retry in range(1, 1_000):
        digest = sha256(f"{text}\0{attempt}".encode()).hexdigest()[:8]
        if not taken(candidate := f"{cleaned}_{digest}"):
            return candidate
        attempt = f"{use}.{retry}"
    raise AssertionError("a thousand hashes were taken")  # pragma: no cover


def sent_name(name: str) -> str:
    """A call's name in the history as the provider accepts it."""
    return name if is_name(name) else mapped(name, 1, lambda _: False)


class Calls:
    """The calls of one conversation: ids given out, and the calls of the last assistant turn.

    `waiting` maps the id of each call without a result to the id it is sent under; `again` holds further calls of the
    same id.
    """

    __slots__ = ("_asked", "_at", "_functions", "_history", "_ids", "_mapped", "_uses", "again", "waiting")

    def __init__(self, history: Callable[[], set[str]]) -> None:
        self._history = history
        self._ids: set[str] | None = None
        self._uses: dict[str, int] = {}
        self._mapped: set[str] = set()
        self._asked: list[str] = []
        self.again: list[tuple[str, str]] = []
        self._functions: list[tuple[str, str]] = []
        self._at = 0
        self.waiting: dict[str, str] = {}

    @property
    def any(self) -> bool:
        """Whether the history holds a call."""
        return bool(self._uses)

    def open(self, message: int) -> None:
        """The assistant message `message` begins; the calls before it are settled."""
        self._at = message
        if self._asked:
            self.forget()

    def call(self, call_id: str, function: str | None = None) -> str:
        """A call that now waits for its result; returns the id under which it is sent."""
        self._asked.append(call_id)
        if call_id not in self._uses and _VALID_ID(call_id):
            self._uses[call_id] = 1
            sent = self.waiting[call_id] = call_id
        else:
            sent = self._mapped_id(call_id)
            if call_id in self.waiting:
                self.again.append((call_id, sent))
            else:
                self.waiting[call_id] = sent
        if function is not None:
            self._functions.append((function, call_id))
        return sent

    def _mapped_id(self, call_id: str) -> str:
        use = self._uses[call_id] = self._uses.get(call_id, 0) + 1
        if self._ids is None:
            self._ids = self._history()
        history = self._ids
        sent = mapped(call_id, use, lambda c: c in self._mapped or c in history or c in self._uses)
        self._mapped.add(sent)
        return sent

    def answer(self, call_id: str, pointer: str) -> str:
        """The sent id of the call that a result answers. Raises `InvalidRequest` where none waits for it."""
        sent = self.waiting.pop(call_id, None)
        if sent is None:
            if call_id in self._asked:
                raise InvalidRequest(f"a second result for call {call_id!r}", pointer)
            raise InvalidRequest(f"a result for {call_id!r}, which is no call of the turn before it", pointer)
        for place, (again, sent_again) in enumerate(self.again):
            if again == call_id:
                self.waiting[call_id] = sent_again
                del self.again[place]
                break
        return sent

    def answer_function(self, name: str, pointer: str) -> str:
        """The sent id of the earliest unanswered `function_call` of that name (clause `anthropic.legacy-functions`)."""
        for place, (function, call_id) in enumerate(self._functions):
            if function == name:
                del self._functions[place]
                return self.answer(call_id, pointer)
        raise InvalidRequest(f"a result for function {name!r}, which the turn before it does not call", pointer)

    def unanswered(self) -> InvalidRequest:
        """The error for calls that no result answered, at their assistant message."""
        ids = ", ".join(repr(call_id) for call_id in self.waiting)
        return InvalidRequest(f"no result follows for call {ids}", f"/messages/{self._at}")

    def forget(self) -> None:
        """A message that is no result came: what was asked before it can no longer be answered."""
        self._asked = []
        self._functions.clear()
