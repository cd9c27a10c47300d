"""What comes back from one translation: OpenAI shapes, plain values (SPEC section 1)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from msgspec import Struct

from toolnexus.wire.exact import plain

FinishReason = Literal["stop", "length", "tool_calls", "content_filter"]


class Warning(Struct, frozen=True):
    """Something of the request or reply that did not arrive as it was written.

    `code` is one of the closed list of SPEC section 7, `pointer` a JSON pointer, `message` a sentence for people.
    """

    code: str
    pointer: str
    message: str


class Usage(Struct, frozen=True):
    """Tokens of one call, OpenAI's way of counting: cached tokens are prompt tokens (`anthropic.usage-cache`)."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    total_tokens: int = 0
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0


class ToolCall(Struct, frozen=True):
    """One call the model asks for.

    `arguments` is a JSON string with the provider's own bytes (clause `anthropic.args-string`).
    `type` is `function`, or `custom` for a call to an OpenAI custom tool, whose `arguments` is its plain input string.
    """

    id: str
    name: str
    arguments: str
    type: str = "function"

    def to_openai(self) -> dict[str, Any]:
        """The call as an element of an assistant message's `tool_calls`."""
        if self.type == "custom":
            return {"id": self.id, "type": "custom", "custom": {"name": self.name, "input": self.arguments}}
        return {"id": self.id, "type": "function", "function": {"name": self.name, "arguments": self.arguments}}


class TranslateResult:
    """One provider answer in OpenAI shape (SPEC sections 1, 3 and 4).

    `text` is the content only, `""` when there is none; `tool_calls` keeps provider order; `finish_reason` is always
    one of OpenAI's four; `raw` is the provider's decoded response, decoded on first use; `warnings` names what did not
    arrive as written.
    """

    __slots__ = (
        "_body",
        "_message",
        "_raw",
        "finish_reason",
        "model",
        "reasoning",
        "refusal",
        "text",
        "tool_calls",
        "usage",
        "warnings",
    )

    def __init__(
        self,
        text: str,
        tool_calls: list[ToolCall],
        finish_reason: FinishReason,
        usage: Usage,
        model: str,
        refusal: str | None = None,
        reasoning: str | None = None,
        warnings: tuple[Warning, ...] = (),
        body: bytes = b"null",
        message: Callable[[TranslateResult], dict[str, Any]] | None = None,
    ) -> None:
        self.text = text
        self.tool_calls = tool_calls
        self.finish_reason = finish_reason
        self.usage = usage
        self.model = model
        self.refusal = refusal
        self.reasoning = reasoning
        self.warnings = warnings
        self._body = body
        self._message = message
        self._raw: tuple[Any] | None = None

    @property
    def raw(self) -> Any:
        """The provider's decoded response (clause `result.raw`)."""
        if self._raw is None:
            self._raw = (plain(self._body),)
        return self._raw[0]

    def tool_calls_json(self) -> list[dict[str, Any]]:
        """The calls as OpenAI's `tool_calls` array."""
        return [call.to_openai() for call in self.tool_calls]

    def to_message(self) -> dict[str, Any]:
        """The assistant message to append to the history, with what the provider needs back.

        Clauses `openai.echo`, `anthropic.thinking-roundtrip`.
        """
        message: dict[str, Any] = {"role": "assistant", "content": self.text or None}
        if self.refusal is not None:
            message["refusal"] = self.refusal
        if self.tool_calls:
            message["tool_calls"] = self.tool_calls_json()
        if self._message is not None:
            message.update(self._message(self))
        return message

    def __repr__(self) -> str:
        calls = ", ".join(call.name for call in self.tool_calls)
        return (
            f"TranslateResult(finish_reason={self.finish_reason!r}, text={len(self.text)} characters, "
            f"tool_calls=[{calls}], model={self.model!r}, warnings={[w.code for w in self.warnings]})"
        )
