"""One step of a streamed answer, in OpenAI's shape (SPEC section 6, "Deltas")."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from toolnexus.result import FinishReason, ToolCall, Usage


class CallDelta(Struct, frozen=True, gc=False):
    """A piece of one call: `id` and `name` on its first, then `arguments` fragments; `index` counts calls without
    gaps.
    """

    index: int
    id: str | None = None
    name: str | None = None
    arguments: str = ""
    type: str = "function"

    def to_openai(self) -> dict[str, Any]:
        """An element of a delta's `tool_calls`."""
        if self.id is None:
            return {"index": self.index, "function": {"arguments": self.arguments}}
        function = {"name": self.name or "", "arguments": self.arguments}
        return {"index": self.index, "id": self.id, "type": "function", "function": function}


class Delta(Struct, frozen=True, gc=False):
    """One delta; exactly one field is set.

    `role` first, then `content`, `reasoning`, `refusal` and `tool_call` as they come, `finish_reason` once the end
    marker has come, `usage` last.
    """

    role: str | None = None
    content: str | None = None
    reasoning: str | None = None
    refusal: str | None = None
    tool_call: CallDelta | None = None
    finish_reason: FinishReason | None = None
    usage: Usage | None = None

    def to_openai(self) -> dict[str, Any]:
        """The `delta` object of a chunk; for `finish_reason` and `usage`, which stand beside it, an empty one."""
        if self.role is not None:
            return {"role": self.role, "content": ""}
        if self.content is not None:
            return {"content": self.content}
        if self.reasoning is not None:
            return {"reasoning_content": self.reasoning}
        if self.refusal is not None:
            return {"refusal": self.refusal}
        if self.tool_call is not None:
            return {"tool_calls": [self.tool_call.to_openai()]}
        return {}


class Partial(Struct, frozen=True):
    """What a broken stream had brought; it has no finish reason, because it did not finish (clause `stream.broken`)."""

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    reasoning: str | None = None
    usage: Usage = Usage()
    model: str = ""


ROLE = Delta(role="assistant")
