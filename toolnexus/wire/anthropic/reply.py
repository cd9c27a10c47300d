"""One reply of `POST /v1/messages` in OpenAI shape (SPEC section 3; wire-facts B10, D8, D9)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from toolnexus.result import FinishReason, ToolCall, TranslateResult, Usage, Warning
from toolnexus.wire.answer import Body, Count, count, part
from toolnexus.wire.exact import all_finite, decode_fields, decode_items, plain
from toolnexus.wire.exchange import ProviderRequest
from toolnexus.wire.failure import HeadersIn

if TYPE_CHECKING:
    from toolnexus.config import ClientConfig

FINISH: dict[str | None, FinishReason] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "stop": "stop",
    "tool_use": "stop",
    None: "stop",
    "max_tokens": "length",
    "length": "length",
    "model_context_window_exceeded": "length",
    "refusal": "content_filter",
    "content_filter": "content_filter",
}
"""Anthropic's stop reasons where no tool is called; a call makes it `tool_calls` (clause `anthropic.finish`)."""

_THINKING = ("thinking", "redacted_thinking")


class _Block(Struct, gc=False):
    """What is read of a block; of the kinds nobody reads, nothing is."""

    type: str
    text: str | None = None
    id: str | None = None
    name: str | None = None
    input: Raw | UnsetType = UNSET
    thinking: str | None = None


class _Usage(Struct, gc=False):
    input_tokens: Count | None = None
    output_tokens: Count | None = None
    cache_creation_input_tokens: Count | None = None
    cache_read_input_tokens: Count | None = None
    output_tokens_details: dict[str, Any] | None = None


class _Reply(Struct, gc=False):
    content: list[_Block]
    stop_reason: str | None = None
    usage: _Usage | None = None
    model: str | None = None
    stop_details: dict[str, Any] | None = None
    type: str | None = None
    error: Raw | UnsetType = UNSET


_decode_reply = msgspec.json.Decoder(_Reply).decode
_NONE = _Usage()
_NULL = Raw(b"null")


def decode(
    status: int, headers: HeadersIn, data: bytes, config: ClientConfig, sent: ProviderRequest | None
) -> TranslateResult:
    """The result of a 2xx reply. Raises `InvalidResponse`, or `ProviderError` where the body is an error."""
    body = Body(status, headers, data, config)
    reply = body.read(_decode_reply)
    if reply is None or reply.error is not UNSET or reply.type == "error":
        reply = _careful(body)
    custom = sent.custom_tools if sent is not None and sent.custom_tools else None
    texts: list[str] = []
    calls: list[ToolCall] = []
    thoughts: list[str] | None = None
    for block in reply.content:
        kind = block.type
        if kind == "text":
            texts.append(block.text or "")
        elif kind == "tool_use":
            calls.append(_call(block, custom))
        elif kind in _THINKING:
            thoughts = thoughts or []
            thoughts.append(block.thinking or "")
    warnings = list(sent.warnings) if sent is not None else []
    warnings.extend(body.warnings)
    finish = finish_reason(reply.stop_reason, bool(calls), warnings)
    return TranslateResult(
        texts[0] if len(texts) == 1 else "".join(texts),
        calls,
        finish,
        _usage(reply.usage or _NONE),
        reply.model or config.model,
        _explanation(reply.stop_details),
        ("".join(thoughts) or None) if thoughts else None,
        tuple(warnings),
        body.data,
        _thinking_back if thoughts is not None else None,
    )


def finish_reason(reason: str | None, called: bool, warnings: list[Warning]) -> FinishReason:
    """The provider's stop reason in OpenAI's words; what has none is named.

    Clauses `anthropic.finish`, `anthropic.finish-more`.
    """
    finish = FINISH.get(reason)
    if called:
        if finish == "length":
            warnings.append(
                Warning(
                    "truncated-tool-call", "/stop_reason", f"the provider stopped with {reason!r} beside a tool call"
                )
            )
        return "tool_calls"
    if finish is None:
        warnings.append(Warning("finish-reason-unmapped", "/stop_reason", f"the provider stopped with {reason!r}"))
        return "stop"
    return finish


def _call(block: _Block, custom: frozenset[str] | None) -> ToolCall:
    name = block.name or ""
    arguments = "{}"
    if block.input is not UNSET and block.input != _NULL:
        arguments = bytes(block.input).decode()
    if custom is not None and name in custom:
        value = part(plain(arguments.encode()), "input")
        return ToolCall(block.id or "", name, value if isinstance(value, str) else arguments, "custom")
    return ToolCall(block.id or "", name, arguments)


def _usage(usage: _Usage) -> Usage:
    written, read = usage.cache_creation_input_tokens or 0, usage.cache_read_input_tokens or 0
    prompt = (usage.input_tokens or 0) + written + read
    completion = usage.output_tokens or 0
    details = usage.output_tokens_details
    reasoning = count(details.get("thinking_tokens")) if details else 0
    return Usage(prompt, completion, prompt + completion, read, written, reasoning)


def _explanation(details: dict[str, Any] | None) -> str | None:
    text = details.get("explanation") if details else None
    return text if isinstance(text, str) and text else None


def _thinking_back(result: TranslateResult) -> dict[str, Any]:
    """What a later call must send back: the signed blocks as they came (clause `anthropic.thinking-roundtrip`)."""
    blocks = [block for block in result.raw["content"] if isinstance(block, dict) and _can_go_back(block)]
    back: dict[str, Any] = {"reasoning_content": result.reasoning} if result.reasoning else {}
    if blocks:
        back["thinking_blocks"] = blocks
    return back


def _can_go_back(block: dict[str, Any]) -> bool:
    """Whether a block is signed thinking that the provider can be given back (B4); what else it holds goes with it."""
    texts = [block.get(key) for key in _BACK.get(_text(block, "type") or "", ())]
    # The signature stands last: the thinking itself may be empty (its display omitted), the signature may not.
    return bool(texts) and all(isinstance(text, str) for text in texts) and bool(texts[-1]) and all_finite(block)


_BACK: dict[str, tuple[str, ...]] = {"thinking": ("thinking", "signature"), "redacted_thinking": ("data",)}


# -- a reply that is not quite Anthropic's -----------------------------------------------------------------------------


def _careful(body: Body) -> _Reply:
    """A reply of another shape, read key by key; raises where it holds no content (clause `error.in-200`)."""
    try:
        keys = decode_fields(body.data)
    except (msgspec.MsgspecError, RecursionError):
        raise body.no_answer("the provider's answer is no message") from None
    value = {key: plain(raw) for key, raw in keys.items() if key != "content"}
    content = keys.get("content", _NULL)
    if content == _NULL or value.get("type") == "error" or (value.get("error") and bytes(content) in (b"[]", b'""')):
        raise body.no_answer("the provider's answer holds no content")
    first = bytes(content)[:1]
    if first == b'"':
        blocks = [_Block("text", plain(content))]
    elif first == b"[":
        blocks = [_careful_block(raw) for raw in decode_items(content)]
    else:
        raise body.no_answer("the provider's answer holds no content")
    return _Reply(
        blocks,
        _text(value, "stop_reason"),
        _careful_usage(value.get("usage")),
        _text(value, "model"),
        _dict(value, "stop_details"),
    )


def _careful_block(raw: Raw) -> _Block:
    if bytes(raw)[:1] != b"{":
        return _Block("unknown")
    keys = decode_fields(raw)
    value = {key: plain(item) for key, item in keys.items() if key != "input"}
    kind = _text(value, "type") or "unknown"
    return _Block(
        kind,
        _text(value, "text"),
        _text(value, "id"),
        _text(value, "name"),
        keys.get("input", UNSET),
        _text(value, "thinking"),
    )


def _text(value: dict[str, Any], key: str) -> str | None:
    text = value.get(key)
    return text if isinstance(text, str) else None


def _dict(value: dict[str, Any], key: str) -> dict[str, Any] | None:
    inner = value.get(key)
    return inner if isinstance(inner, dict) else None


def _careful_usage(value: Any) -> _Usage:
    if not isinstance(value, dict):
        return _NONE
    return _Usage(
        count(value.get("input_tokens")),
        count(value.get("output_tokens")),
        count(value.get("cache_creation_input_tokens")),
        count(value.get("cache_read_input_tokens")),
        _dict(value, "output_tokens_details"),
    )
