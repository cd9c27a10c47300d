"""Templates of a new case: each runs and passes as it stands, so that the one thing it is to be about can be put in.

Rules of a good case: max_tokens 64 unless the default is the subject, no more turns and tools than it needs.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any, Final

from conformance.authoring.naming import Naming
from conformance.cli.checks.form import TODO
from conformance.cli.checks.meaning import needed
from conformance.faults import UsageFault
from conformance.tree import Json, from_python

Case = dict[str, Any]

_TOOL: Final = {"name": "get_weather", "description": "Weather of a city"}
_SCHEMA: Final = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
_OPENAI_TOOL: Final = {"type": "function", "function": {**_TOOL, "parameters": _SCHEMA}}
_USAGE: Final = {
    "anthropic": {"input_tokens": 3, "output_tokens": 1},
    "openai": {"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4},
}
_PATHS: Final = {"anthropic": "/v1/messages", "openai": "/v1/chat/completions"}
_CLIENTS: Final = {
    "anthropic": {"style": "anthropic", "base_url": "{stub}", "model": "claude-x", "retries": 0},
    "openai": {"style": "openai", "base_url": "{stub}/v1", "model": "gpt-x", "retries": 0},
}


def case(named: Naming, template: str, source: str, ref: str | None, title: str | None, why: str | None) -> Json:
    """A case of the template for the id's style; raises `UsageFault` where the style has no such template."""
    if (template == "declare") != (named.style == "declare"):
        raise UsageFault(f"template {template} does not go with the id {named.name}")
    body = TEMPLATES[template](named.style)
    head: Case = {
        "id": named.name,
        "title": title or f"{TODO}: the expectation in one line",
        "level": named.level,
        "clauses": list(named.clauses),
        "requires": needed(body),
        "why": why or f"{TODO}: what goes wrong in practice where this is broken",
        "source": {"kind": source, "ref": ref or f"{TODO}: the section, or the public thread"},
        "since": named.since,
    }
    return from_python({**head, **body})


# -- templates --------------------------------------------------------------------------------------------------------


def _text(style: str) -> Case:
    """A text goes there, a text comes back."""
    return _one_call(style, {"messages": [_user()], "max_tokens": 64}, _said(style), {"text": "ok"})


def _tools(style: str) -> Case:
    """A tool is declared, and the answer calls it."""
    request = {"messages": [_user()], "tools": [_OPENAI_TOOL], "max_tokens": 64}
    calls = [{"id": "call_1", "name": "get_weather", "arguments": {"$json": {"city": "Paris"}}}]
    result = {"text": "", "tool_calls": calls, "finish_reason": "tool_calls"}
    loose = {"/result/tool_calls/0/arguments": "Serialisers space JSON differently; the value counts."}
    return {"loose": loose, **_one_call(style, request, _called(style), result)}


def _results(style: str) -> Case:
    """A conversation in which a tool has answered."""
    call = {"id": "a1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city":"Paris"}'}}
    turns = [_user(), {"role": "assistant", "content": None, "tool_calls": [call]}]
    turns.append({"role": "tool", "tool_call_id": "a1", "content": "sunny"})
    request = {"messages": turns, "tools": [_OPENAI_TOOL], "max_tokens": 64}
    return _one_call(style, request, _said(style), {"text": "ok"})


def _error(style: str) -> Case:
    """The provider refuses."""
    found = _text(style)
    error = {"type": "rate_limit_error", "message": "slow down"}
    envelope = (
        {"type": "error", "error": error} if style == "anthropic" else {"error": {**error, "param": None, "code": None}}
    )
    found["exchanges"][0]["reply"] = {"status": 429, "json": envelope}
    del found["result"]
    return {**found, "error": {"kind": "provider", "status": 429, "type": "rate_limit_error"}}


def _invalid(style: str) -> Case:
    """The caller's fault, found before any call."""
    error = {"kind": "invalid-request", "pointer": "/messages"}
    return {"client": _CLIENTS[style], "request": {"messages": [], "max_tokens": 64}, "exchanges": [], "error": error}


def _stream(style: str) -> Case:
    """The answer streams."""
    found = _text(style)
    (exchange,) = found["exchanges"]
    more = {"stream": True} if style == "anthropic" else {"stream": True, "stream_options": {"include_usage": True}}
    exchange["expect"]["body"] = {**exchange["expect"]["body"], **more}
    exchange["reply"] = {"status": 200, "sse": _EVENTS[style]}
    counts = {"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4}
    empty = dict.fromkeys(("cached_tokens", "cache_write_tokens", "reasoning_tokens"), 0)
    deltas = [{"role": "assistant"}, {"content": "ok"}, {"finish_reason": "stop"}, {"usage": counts | empty}]
    result = found.pop("result")
    return {**found, "stream": True, "deltas": deltas, "result": result}


def _declare(style: str) -> Case:
    """A toolkit, and what each adapter declares of it; no call."""
    tool = {**_TOOL, "inputSchema": _SCHEMA, "source": "native"}
    function = {**_TOOL, "parameters": _SCHEMA}
    declared = {
        "openai": [{"type": "function", "function": function}],
        "anthropic": [{**_TOOL, "input_schema": _SCHEMA}],
        "gemini": [{"functionDeclarations": [function]}],
    }
    return {"toolkit": [tool], "declare": declared}


TEMPLATES: Final[dict[str, Callable[[str], Case]]] = {
    "text": _text,
    "tools": _tools,
    "results": _results,
    "error": _error,
    "invalid": _invalid,
    "stream": _stream,
    "declare": _declare,
}


# -- the two sides ----------------------------------------------------------------------------------------------------


def _user() -> Case:
    return {"role": "user", "content": "hi"}


def _one_call(style: str, request: Case, reply: Case, result: Case) -> Case:
    """A request, the body it becomes, an answer and its result."""
    client = _CLIENTS[style]
    body = {"model": client["model"], **_SENT[style](deepcopy(request))}
    expect = {"method": "POST", "path": _PATHS[style], "body": body}
    return {
        "client": client,
        "request": request,
        "exchanges": [{"expect": expect, "reply": {"status": 200, "json": reply}}],
        "result": {"text": "", "tool_calls": [], "finish_reason": "stop", **result},
    }


def _anthropic_body(request: Case) -> Case:
    body = {"max_tokens": request["max_tokens"], "messages": [_turn(message) for message in request["messages"]]}
    tools = {"tools": [{**_TOOL, "input_schema": _SCHEMA}]} if "tools" in request else {}
    return {**body, **tools}


def _turn(message: Case) -> Case:
    match message:
        case {"role": "tool", "tool_call_id": name, "content": content}:
            return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": name, "content": content}]}
        case {"tool_calls": [{"id": name, "function": {"name": tool}}]}:
            use = {"type": "tool_use", "id": name, "name": tool, "input": {"city": "Paris"}}
            return {"role": "assistant", "content": [use]}
        case _:
            return message


_SENT: Final[dict[str, Callable[[Case], Case]]] = {"anthropic": _anthropic_body, "openai": lambda request: request}


def _said(style: str) -> Case:
    return _answer(style, [{"type": "text", "text": "ok"}], {"content": "ok"}, "end_turn", "stop")


def _called(style: str) -> Case:
    use: Case = {"type": "tool_use", "id": "call_1", "name": "get_weather", "input": {"city": "Paris"}}
    call = {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Paris"}'}}
    return _answer(style, [use], {"content": None, "tool_calls": [call]}, "tool_use", "tool_calls")


def _answer(style: str, blocks: list[Case], message: Case, stop: str, finish: str) -> Case:
    head: Case
    if style == "anthropic":
        head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-x"}
        return {**head, "content": blocks, "stop_reason": stop, "stop_sequence": None, "usage": _USAGE[style]}
    said = {"role": "assistant", "refusal": None, **message}
    choice = {"index": 0, "message": said, "logprobs": None, "finish_reason": finish}
    head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "gpt-x"}
    return {**head, "choices": [choice], "usage": _USAGE[style]}


def _chunk(delta: Case, finish: str | None = None) -> Case:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
    return {"data": {**_CHUNK, "choices": [choice], "usage": None}}


def _event(data: Case) -> Case:
    return {"event": data["type"], "data": data}


_CHUNK: Final = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-x"}
_BEGUN: Final = {
    **_answer("anthropic", [], {}, "", ""),
    "stop_reason": None,
    "usage": {"input_tokens": 3, "output_tokens": 0},
}
_EVENTS: Final[dict[str, list[Case]]] = {
    "anthropic": [
        _event({"type": "message_start", "message": _BEGUN}),
        _event({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        _event({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "ok"}}),
        _event({"type": "content_block_stop", "index": 0}),
        _event(
            {
                "type": "message_delta",
                "delta": {"stop_reason": "end_turn", "stop_sequence": None},
                "usage": {"output_tokens": 1},
            }
        ),
        _event({"type": "message_stop"}),
    ],
    "openai": [
        _chunk({"role": "assistant", "content": ""}),
        _chunk({"content": "ok"}),
        _chunk({}, "stop"),
        {"data": {**_CHUNK, "choices": [], "usage": _USAGE["openai"]}},
        {"data": "[DONE]"},
    ],
}
