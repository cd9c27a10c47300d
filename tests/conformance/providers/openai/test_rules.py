"""Each rule of Chat Completions fires on its bad body and stays silent on the good twin."""

# ruff: noqa: E501 - tables of one row a rule

from __future__ import annotations

import json
from typing import Any

import pytest

from conformance.providers import answer, blocking, check, explain
from conformance.providers.openai.rules import GROUPS

USER = {"role": "user", "content": "go"}
HEADERS = {"Authorization": "Bearer k", "Content-Type": "application/json"}
CLOSED = {
    "type": "object",
    "properties": {"key": {"type": "string"}},
    "required": ["key"],
    "additionalProperties": False,
}


def body(*messages: Any, **changes: Any) -> dict[str, Any]:
    return {"model": "gpt-4.1", "messages": list(messages) or [USER], **changes}


def call(name: str = "call_1", arguments: Any = "{}") -> dict[str, Any]:
    return {"id": name, "type": "function", "function": {"name": "look", "arguments": arguments}}


def calls(*made: Any, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "tool_calls": list(made), **more}


def result(name: str = "call_1", content: Any = "ok") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": name, "content": content}


def tool(**function: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": "look", **function}}


def chosen(name: str) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name}}


def json_mode(words: str) -> dict[str, Any]:
    return body({"role": "user", "content": words}, response_format={"type": "json_object"})


ROUND = body(USER, calls(call()), result())

FIELDS: dict[str, tuple[dict[str, Any], dict[str, Any], str, str]] = {
    "a2-missing": ({"messages": [USER]}, body(), "/model", "Missing required parameter: 'model'."),
    "a2-type": (body(USER, calls(call(arguments={})), result()), ROUND, "/messages/1/tool_calls/0/function/arguments", "Invalid type for 'messages[1].tool_calls[0].function.arguments': expected a string, but got an object instead."),
    "a2-choice": (body({"role": "bot", "content": "go"}), body(), "/messages/0/role", "Invalid value: 'bot'. Supported values are: 'developer', 'system', 'user', 'assistant', 'tool', and 'function'."),
    "a2-range": (body(temperature=2.5), body(temperature=2), "/temperature", "Invalid 'temperature': expected a value of at most 2, but got 2.5 instead."),
    "a2-length": (body({"role": "user", "content": []}), body(), "/messages/0/content", "Invalid 'messages[0].content': array too short"),
    "a2-unknown-key": (body(top_k=5), body(top_p=0.5), "/top_k", "Unknown parameter: 'top_k'."),
    "a2-tools-empty": (body(tools=[]), body(tools=[tool()]), "/tools", "Invalid 'tools': empty array. Expected an array with minimum length 1"),
    "a2-only-with-logprobs": (body(top_logprobs=2), body(top_logprobs=2, logprobs=True), "/top_logprobs", "Invalid value for 'top_logprobs'"),
    "a2-only-with-stream": (body(stream_options={"include_usage": True}), body(stream_options={"include_usage": True}, stream=True), "/stream_options", "The 'stream_options' option"),
    "a2-only-with-audio": (body(audio={"voice": "a", "format": "wav"}), body(audio={"voice": "a", "format": "wav"}, modalities=["text", "audio"]), "/audio", "Invalid value for 'audio'"),
    "a3-content-missing": (body(USER, {"role": "assistant"}, USER), ROUND, "/messages/1/content", "Invalid value for 'content'"),
    "a3-content-null": (body(USER, {"role": "assistant", "content": None}, USER), body(USER, {"role": "assistant", "content": None, "refusal": "no"}, USER), "/messages/1/content", "Invalid value for 'content'"),
    "a4-arguments-no-json": (body(USER, calls(call(arguments="{")), result()), ROUND, "/messages/1/tool_calls/0/function/arguments", "Invalid 'messages[1].tool_calls[0].function.arguments'"),
    "a4-too-many-calls": (
        body(USER, calls(*(call(f"c{n}") for n in range(129))), *(result(f"c{n}") for n in range(129))),
        body(USER, calls(*(call(f"c{n}") for n in range(128))), *(result(f"c{n}") for n in range(128))),
        "/messages/1/tool_calls",
        "Invalid 'messages[1].tool_calls': array too long. Expected an array with maximum length 128, but got an array with length 129 instead.",
    ),
    "a5-description-long": (body(tools=[tool(description="x" * 1025)]), body(tools=[tool(description="x" * 1024)]), "/tools/0/function/description", "Invalid 'tools[0].function.description': string too long. Expected a string with maximum length 1024, but got a string with length 1025 instead."),
    "a5-strict-schema": (
        body(tools=[tool(parameters={**CLOSED, "required": []}, strict=True)]),
        body(tools=[tool(parameters=CLOSED, strict=True)]),
        "/tools/0/function/parameters",
        "Invalid schema for function 'look': In context=(), 'required' is required to be supplied and to be an array including every key in properties. Missing 'key'.",
    ),
    "a6-choice-unknown-tool": (body(tools=[tool()], tool_choice=chosen("x")), body(tools=[tool()], tool_choice=chosen("look")), "/tool_choice", "Tool choice 'x' not found in 'tools' parameter."),
    "a9-stop-too-long": (body(stop=list("abcde")), body(stop=list("abcd")), "/stop", "Invalid 'stop': array too long. Expected an array with maximum length 4, but got an array with length 5 instead."),
    "a9-tool-name": (body(tools=[tool(name="look up")]), body(tools=[tool()]), "/tools/0/function/name", "Invalid 'tools[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."),
    "a9-tool-call-id-long": (body(USER, calls(call("x" * 41)), result("x" * 41)), ROUND, "/messages/1/tool_calls/0/id", "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 41 instead."),
    "a9-only-with-tools": (body(parallel_tool_calls=False), body(parallel_tool_calls=False, tools=[tool()]), "/parallel_tool_calls", "Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only allowed when 'tools' are specified."),
}  # fmt: skip

TALK: dict[str, tuple[dict[str, Any], dict[str, Any], str, str]] = {
    "a9-tool-call-unanswered": (
        body(USER, calls(call("a"), call("b")), result("a"), USER),
        body(USER, calls(call("a"), call("b")), result("b"), result("a"), USER),
        "/messages/3",
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: b",
    ),
    "a9-orphan-tool-message": (
        body(USER, {"role": "assistant", "content": "hm"}, result()),
        ROUND,
        "/messages/2",
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    ),
    "a9-tool-call-id-unknown": (body(USER, calls(call("a")), result("a"), result("b")), ROUND, "/messages/3/tool_call_id", "Invalid parameter: 'tool_call_id' of 'b' not found"),
    "a9-json-word": (json_mode("answer in yaml"), json_mode("answer in JSON"), "/messages", "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'."),
    "a9-max-tokens-on-reasoning": (
        body(model="gpt-5.4-mini", max_tokens=5),
        body(model="gpt-5.4-mini", max_completion_tokens=5),
        "/max_tokens",
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("rule", [*FIELDS, *TALK])
def test_rule_fires_on_the_bad_body_only(rule: str, fires: Any) -> None:
    bad, good, pointer, message = {**FIELDS, **TALK}[rule]
    assert fires("openai", rule, bad, good, pointer).message.startswith(message)


def test_every_rule_has_twins() -> None:
    assert set(FIELDS) == {rule.name for rule in GROUPS["fields"]}
    assert set(TALK) == {rule.name for rule in GROUPS["talk"]}


RAW = json.dumps(body()).encode()

REQUESTS: dict[str, tuple[bytes, dict[str, str]]] = {
    "a1-auth": (RAW, {"Content-Type": "application/json"}),
    "a1-content-type": (RAW, {"Authorization": "Bearer k"}),
    "a1-json": (b"{", HEADERS),
    "a1-lone-surrogate": (RAW.replace(b'"go"', b'"\\ud83d"'), HEADERS),
}


@pytest.mark.parametrize("rule", REQUESTS)
def test_what_is_checked_before_the_body(rule: str) -> None:
    raw, headers = REQUESTS[rule]
    assert [violation.rule for violation in check("openai", raw, headers=headers)] == [rule]
    assert check("openai", RAW, headers=HEADERS) == []


def test_every_rule_about_requests_is_seen() -> None:
    assert set(REQUESTS) == {rule.name for rule in GROUPS["request"]}


ACCEPTED: dict[str, dict[str, Any]] = {
    "nulls for every nullable field": body(
        temperature=None, top_p=None, stop=None, n=None, stream=None, max_tokens=None, response_format=None, seed=None
    ),
    "system turns anywhere": body(USER, {"role": "system", "content": ""}, {"role": "developer", "content": "x"}),
    "every kind of part": body(
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "a"},
                {"type": "image_url", "image_url": {"url": "https://example.com/a.png", "detail": "low"}},
                {"type": "input_audio", "input_audio": {"data": "AA==", "format": "wav"}},
                {"type": "file", "file": {"file_data": "data:application/pdf;base64,AA==", "filename": "a.pdf"}},
            ],
        }
    ),
    "a refusal part": body(USER, {"role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]}, USER),
    "a legacy function": body(
        USER,
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "function", "name": "f", "content": "ok"},
        functions=[{"name": "f"}],
        function_call={"name": "f"},
    ),
    "a custom tool and its call": body(
        USER,
        calls({"id": "a", "type": "custom", "custom": {"name": "sh", "input": "ls"}}),
        result("a"),
        tools=[{"type": "custom", "custom": {"name": "sh", "format": {"type": "text"}}}],
        tool_choice={"type": "custom", "custom": {"name": "sh"}},
    ),
    "allowed tools": body(
        tools=[tool()],
        tool_choice={"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": [chosen("look")]}},
    ),
    "fields of compatible servers": body(USER, {**calls(call()), "reasoning_content": "hm"}, result(), top_k=5),
    "strict output": body(response_format={"type": "json_schema", "json_schema": {"name": "a", "schema": CLOSED, "strict": True}}),
}  # fmt: skip


@pytest.mark.parametrize("name", ACCEPTED)
def test_what_the_service_takes_is_not_refused(name: str) -> None:
    assert blocking(check("openai", ACCEPTED[name])) == []


REFUSED: dict[str, tuple[str, dict[str, Any]]] = {
    "an image in a result": ("a2-choice", body(USER, calls(call()), result(content=[{"type": "image_url", "image_url": {"url": "u"}}]))),
    "a refusal part of the user": ("a2-choice", body({"role": "user", "content": [{"type": "refusal", "refusal": "no"}]})),
    "calls at the very end": ("a9-tool-call-unanswered", body(USER, calls(call()))),
    "a result after the next turn": ("a9-orphan-tool-message", body(USER, calls(call()), USER, result())),
    "a choice of any": ("a2-choice", body(tools=[tool()], tool_choice="any")),
    "a choice without tools": ("a9-only-with-tools", body(tool_choice="auto")),
    "a tool in Anthropic shape": ("a2-missing", body(tools=[{"name": "look", "input_schema": {"type": "object"}}])),
    "an open object deep in a strict schema": (
        "a5-strict-schema",
        body(tools=[tool(parameters={**CLOSED, "properties": {"key": {"type": "object"}}}, strict=True)]),
    ),
    "too much metadata": ("a2-length", body(metadata={str(number): "x" for number in range(17)})),
    "a bias of 101": ("a2-range", body(logit_bias={"50256": 101})),
    "eleven percent too warm": ("a2-range", body(temperature=2.22)),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_other_breaches_are_refused(name: str) -> None:
    rule, bad = REFUSED[name]
    assert rule in [violation.rule for violation in blocking(check("openai", bad))]


@pytest.mark.parametrize("name", ["o3-mini", "openai/gpt-5.6-sol", "GPT-5"])
def test_models_that_think_refuse_max_tokens(name: str) -> None:
    assert [violation.rule for violation in check("openai", body(model=name, max_tokens=5))] == [
        "a9-max-tokens-on-reasoning"
    ]


@pytest.mark.parametrize("name", ["gpt-4.1", "gpt-5-chat-latest", "llama-o3", "claude-x"])
def test_other_models_take_max_tokens(name: str) -> None:
    assert check("openai", body(model=name, max_tokens=5)) == []


def test_the_context_of_a_strict_schema_is_named() -> None:
    inner = {"type": "object", "properties": {"name": {"type": "string"}}, "additionalProperties": False}
    bad = body(tools=[tool(parameters={**CLOSED, "properties": {"key": inner}}, strict=True)])
    assert check("openai", bad)[0].message == (
        "Invalid schema for function 'look': In context=('properties', 'key'), 'required' is required to be supplied "
        "and to be an array including every key in properties. Missing 'name'."
    )


def test_the_answer_has_all_four_keys() -> None:
    reply = answer("openai", json.dumps(TALK["a9-tool-call-unanswered"][0]).encode(), HEADERS)
    assert reply is not None
    assert reply["status"] == 400
    assert reply["headers"]["content-type"] == "application/json"
    error = reply["json"]["error"]
    assert set(error) == {"message", "type", "param", "code"}
    assert (error["type"], error["param"], error["code"]) == ("invalid_request_error", "messages.[3].role", None)


def test_a_missing_key_is_401() -> None:
    assert explain("openai", body(), {"content-type": "application/json"}) == (
        "401 invalid_request_error: You didn't provide an API key."
    )


def test_the_code_of_a_rule_reaches_the_answer() -> None:
    reply = answer("openai", json.dumps(body(model="o3", max_tokens=5)).encode(), HEADERS)
    assert reply is not None
    assert reply["json"]["error"]["code"] == "unsupported_parameter"
    assert reply["json"]["error"]["param"] == "max_tokens"
