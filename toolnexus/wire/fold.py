"""Gathering deltas: what a stream has brought so far, for `result()` and for `partial` (clauses `stream.equals`,
`stream.broken`).
"""

from __future__ import annotations

from toolnexus.result import ToolCall, Usage
from toolnexus.wire.delta import Delta, Partial


class Gathered:
    """Text, reasoning, refusal and calls of the deltas given to `add`; empty and free of charge when `keep` is
    false.
    """

    __slots__ = ("_arguments", "_heads", "content", "keep", "reasoning", "refusal")

    def __init__(self, keep: bool) -> None:
        self.keep = keep
        self.content: list[str] = []
        self.reasoning: list[str] = []
        self.refusal: list[str] = []
        self._heads: dict[int, tuple[str, str, str]] = {}
        self._arguments: dict[int, list[str]] = {}

    def add(self, deltas: list[Delta]) -> None:
        """Takes up more deltas."""
        if not self.keep:
            return
        for delta in deltas:
            call = delta.tool_call
            if call is not None:
                if call.id is not None:
                    self._heads[call.index] = (call.id, call.name or "", call.type)
                    self._arguments[call.index] = []
                if call.arguments:
                    self._arguments[call.index].append(call.arguments)
            elif delta.content is not None:
                self.content.append(delta.content)
            elif delta.reasoning is not None:
                self.reasoning.append(delta.reasoning)
            elif delta.refusal is not None:
                self.refusal.append(delta.refusal)

    def calls(self) -> list[ToolCall]:
        """The calls so far, each with the fragments it has."""
        return [ToolCall(*self._call(index)) for index in sorted(self._heads)]

    def _call(self, index: int) -> tuple[str, str, str, str]:
        call_id, name, kind = self._heads[index]
        return call_id, name, "".join(self._arguments[index]), kind

    def partial(self, usage: Usage, model: str) -> Partial:
        """What there is, for an error to carry."""
        reasoning = "".join(self.reasoning) or None
        return Partial("".join(self.content), tuple(self.calls()), reasoning, usage, model)
