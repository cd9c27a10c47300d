"""One chat completion, OpenAI's own or a compatible server's, as a result (SPEC section 4; wire-facts A7, A10)."""

from __future__ import annotations

import re
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

_WORDS: dict[FinishReason, tuple[str, ...]] = {
    "stop": ("stop", "end_turn", "eos", "eos_token", "stop_sequence", "complete", "completed", "finished"),
    "length": (
        "length",
        "max_tokens",
        "model_length",
        "max_output_tokens",
        "max_completion_tokens",
        "model_context_window_exceeded",
    ),
    "content_filter": (
        "content_filter",
        "refusal",
        "safety",
        "recitation",
        "blocklist",
        "prohibited_content",
        "spii",
        "content_filtered",
        "sensitive",
    ),
}
FINISH: dict[str, FinishReason] = {word: reason for reason, words in _WORDS.items() for word in words}
"""Every vendor's word for why it stopped, lower-cased, where no tool is called (clause `openai.finish`)."""

_CALLED = frozenset({"tool_calls", "function_call", "tool_use"})
_AT_FINISH = "/choices/0/finish_reason"
_UNCLEAN = re.compile(r"[^a-zA-Z0-9_-]")


class _Function(Struct, gc=False):
    name: str
    arguments: str | None = None


class _Call(Struct, gc=False):
    function: _Function
    id: str | None = None
    type: str | None = None


class _Message(Struct, gc=False):
    content: str | None = None
    tool_calls: list[_Call] | None = None
    refusal: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    function_call: Raw | UnsetType = UNSET


class _Choice(Struct, gc=False):
    message: _Message
    finish_reason: str | None = None


class _Details(Struct, gc=False):
    cached_tokens: Count | None = None
    cache_write_tokens: Count | None = None
    reasoning_tokens: Count | None = None


class _Usage(Struct, gc=False):
    prompt_tokens: Count | None = None
    completion_tokens: Count | None = None
    total_tokens: Count | None = None
    prompt_tokens_details: _Details | None = None
    completion_tokens_details: _Details | None = None
    prompt_cache_hit_tokens: Count | None = None


class _Completion(Struct, gc=False):
    choices: list[_Choice]
    id: str | None = None
    model: str | None = None
    usage: _Usage | None = None


_decode = msgspec.json.Decoder(_Completion).decode
_NONE = _Usage()
_NO_DETAILS = _Details()
_NULL = Raw(b"null")


def decode(
    status: int, headers: HeadersIn, data: bytes, config: ClientConfig, sent: ProviderRequest | None
) -> TranslateResult:
    """The result of a 2xx reply. Raises `InvalidResponse`, or `ProviderError` where the body is an error."""
    body = Body(status, headers, data, config)
    completion = body.read(_decode)
    warnings = list(sent.warnings) if sent is not None else []
    warnings.extend(body.warnings)
    if completion is None or not completion.choices or completion.choices[0].message.function_call is not UNSET:
        completion = _careful(body)
    choice = completion.choices[0]
    message = choice.message
    if len(completion.choices) > 1:
        warnings.append(
            Warning("choices-ignored", "/choices", f"{len(completion.choices)} choices came; the first was read")
        )
    calls = _calls(message.tool_calls, completion.id) if message.tool_calls else []
    return TranslateResult(
        message.content or "",
        calls,
        finish_reason(choice.finish_reason, bool(calls), warnings),
        _usage(completion.usage or _NONE),
        completion.model or config.model,
        message.refusal or None,
        message.reasoning_content or message.reasoning or None,
        tuple(warnings),
        body.data,
        _echo,
    )


def finish_reason(reason: str | None, called: bool, warnings: list[Warning]) -> FinishReason:
    """The provider's word in OpenAI's; what has none, or contradicts the answer, is named (clause `openai.finish`)."""
    word = reason.lower() if reason else "stop"
    finish = FINISH.get(word)
    if called:
        if finish == "length":
            warnings.append(
                Warning("truncated-tool-call", _AT_FINISH, f"the provider said {reason!r} beside a tool call")
            )
        return "tool_calls"
    if finish is None:
        why = "and called nothing" if word in _CALLED else "which is no reason we know"
        warnings.append(Warning("finish-reason-unmapped", _AT_FINISH, f"the provider said {reason!r}, {why}"))
        return "stop"
    return finish


def _calls(calls: list[_Call], response_id: str | None) -> list[ToolCall]:
    given = {call.id for call in calls if call.id}
    made = []
    for place, call in enumerate(calls):
        call_id = call.id
        if not call_id:
            call_id = _derived_id(response_id, place, given)
            given.add(call_id)
        arguments = call.function.arguments
        kind = "custom" if call.type == "custom" else "function"
        made.append(ToolCall(call_id, call.function.name, "{}" if arguments is None else arguments, kind))
    return made


def _derived_id(response_id: str | None, place: int, given: set[str]) -> str:
    """An id for a call that came without one: the same each time, and no other call's (clause `openai.call-ids`)."""
    cleaned = _UNCLEAN.sub("_", response_id or "")
    call_id = f"call_{cleaned}_{place}" if cleaned else f"call_{place}"
    while call_id in given:
        call_id += "_"
    return call_id


def _usage(usage: _Usage) -> Usage:
    prompt, completion = usage.prompt_tokens or 0, usage.completion_tokens or 0
    total = usage.total_tokens
    ins, outs = usage.prompt_tokens_details or _NO_DETAILS, usage.completion_tokens_details or _NO_DETAILS
    return Usage(
        prompt,
        completion,
        prompt + completion if total is None else total,
        ins.cached_tokens or usage.prompt_cache_hit_tokens or 0,
        ins.cache_write_tokens or 0,
        outs.reasoning_tokens or 0,
    )


def _echo(result: TranslateResult) -> dict[str, Any]:
    """The provider's extra fields on message and calls, which some servers need back (clause `openai.echo`)."""
    message = result.raw["choices"][0]["message"]
    back = {key: value for key, value in message.items() if key not in _OWN_KEYS and _can_go_back(key, value)}
    given = message.get("tool_calls")
    calls = [call for call in given if isinstance(call, dict)] if isinstance(given, list) else []
    if any(call.keys() - _CALL_KEYS for call in calls):
        back["tool_calls"] = [
            {
                **made.to_openai(),
                **{key: value for key, value in call.items() if key not in _CALL_KEYS and _can_go_back(key, value)},
            }
            for made, call in zip(result.tool_calls, calls, strict=False)
        ] + [made.to_openai() for made in result.tool_calls[len(calls) :]]
    return back


def _can_go_back(key: str, value: Any) -> bool:
    """Whether a field says something that the next request can hold: no number beyond JSON, no block that is none."""
    if value in _EMPTY or not all_finite(value):
        return False
    return key != "thinking_blocks" or (isinstance(value, list) and all(isinstance(block, dict) for block in value))


_OWN_KEYS = frozenset({"role", "content", "tool_calls", "refusal", "function_call"})
_CALL_KEYS = frozenset({"id", "type", "function", "custom", "index"})
_EMPTY: tuple[Any, ...] = (None, "", [], {})


# -- compatible servers' habits (A10) ----------------------------------------------------------------------------------


def _careful(body: Body) -> _Completion:
    """A completion of another shape, read key by key; raises where no choice is usable (`openai.no-choices`)."""
    try:
        keys = decode_fields(body.data)
        choices = decode_items(keys["choices"])
        choice = decode_fields(choices[0])
        message = decode_fields(choice["message"])
    except (msgspec.MsgspecError, RecursionError, KeyError, IndexError):
        raise body.no_answer("the provider's answer holds no usable choice") from None
    value = {key: plain(raw) for key, raw in message.items() if key != "tool_calls"}
    content, refusal = _content(value, body)
    top = {key: plain(raw) for key, raw in keys.items() if key != "choices"}
    read = _Message(
        content,
        _careful_calls(message),
        _text(value, "refusal") or refusal,
        _text(value, "reasoning_content"),
        _text(value, "reasoning"),
    )
    finish = plain(choice["finish_reason"]) if "finish_reason" in choice else None
    first = _Choice(read, finish if isinstance(finish, str) else None)
    return _Completion([first] * len(choices), _text(top, "id"), _text(top, "model"), _careful_usage(top.get("usage")))


def _content(message: dict[str, Any], body: Body) -> tuple[str | None, str | None]:
    """Text and refusal of a content that may be parts."""
    content = message.get("content")
    if content is None or isinstance(content, str):
        return content, None
    if not isinstance(content, list):
        raise body.no_answer("the provider's answer holds no readable content")
    texts = [
        p if isinstance(p, str) else part(p, "text")
        for p in content
        if part(p, "type") in (None, "text", "output_text")
    ]
    refusals = [part(p, "refusal") for p in content if part(p, "type") == "refusal"]
    return (
        "".join(text for text in texts if isinstance(text, str)),
        "".join(text for text in refusals if isinstance(text, str)) or None,
    )


def _careful_calls(message: dict[str, Raw]) -> list[_Call] | None:
    calls = message.get("tool_calls", _NULL)
    made = [_careful_call(raw) for raw in decode_items(calls)] if bytes(calls)[:1] == b"[" else []
    legacy = message.get("function_call", _NULL)
    if not made and bytes(legacy)[:1] == b"{":
        made.append(_Call(_careful_function(legacy)))
    return [call for call in made if call is not None] or None


def _careful_call(raw: Raw) -> _Call | None:
    if bytes(raw)[:1] != b"{":
        return None
    keys = decode_fields(raw)
    call_id = plain(keys["id"]) if "id" in keys else None
    if bytes(keys.get("function", _NULL))[:1] == b"{":
        function, kind = _careful_function(keys["function"]), None
    elif bytes(keys.get("custom", _NULL))[:1] == b"{":
        custom = plain(keys["custom"])
        function, kind = _Function(_text(custom, "name") or "", _text(custom, "input") or ""), "custom"
    else:
        # Some servers leave the wrapper out.
        function, kind = _careful_function(raw), None
    return _Call(function, call_id if isinstance(call_id, str) else None, kind)


def _careful_function(raw: Raw) -> _Function:
    keys = decode_fields(raw)
    name = plain(keys["name"]) if "name" in keys else None
    arguments = keys.get("arguments", _NULL)
    if arguments == _NULL:
        text = None
    else:
        # A string is its own text; an object's text is its own bytes (clause `openai.calls-out`).
        text = plain(arguments) if bytes(arguments)[:1] == b'"' else bytes(arguments).decode()
    return _Function(name if isinstance(name, str) else "", text)


def _text(value: dict[str, Any], key: str) -> str | None:
    text = value.get(key)
    return text if isinstance(text, str) else None


def _careful_usage(value: Any) -> _Usage:
    if not isinstance(value, dict):
        return _NONE
    ins, outs = value.get("prompt_tokens_details"), value.get("completion_tokens_details")
    return _Usage(
        count(value.get("prompt_tokens")),
        count(value.get("completion_tokens")),
        count(value["total_tokens"]) if value.get("total_tokens") is not None else None,
        _Details(count(part(ins, "cached_tokens")), count(part(ins, "cache_write_tokens")), None),
        _Details(None, None, count(part(outs, "reasoning_tokens"))),
        count(value.get("prompt_cache_hit_tokens")),
    )
