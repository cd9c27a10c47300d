"""The official SDKs' types as strict validators, beside our own tables."""

from __future__ import annotations

import copy
import sys
import typing
from typing import Any

import pytest
from anthropic.types.content_block_param import ContentBlockParam
from anthropic.types.message_create_params import MessageCreateParamsNonStreaming
from anthropic.types.tool_union_param import ToolUnionParam

from conformance.providers import sdk_types
from conformance.providers.anthropic.blocks import BLOCKS
from conformance.providers.anthropic.schema import BODY_KEYS
from conformance.providers.anthropic.tools import TOOLS
from conformance.providers.at import BODY
from conformance.providers.sdk_types import SdkMissingError, check_reply, check_request
from conformance.providers.shape import Kind

USER: dict[str, Any] = {"role": "user", "content": "go"}
EXAMPLE: dict[str, Any] = {
    "model": "claude-x",
    "max_tokens": 64,
    "messages": [
        USER,
        {"role": "assistant", "content": [{"type": "tool_use", "id": "a1", "name": "alpha", "input": {"x": 1}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a1", "content": "a ok"}]},
    ],
}
COMPLETION: dict[str, Any] = {
    "model": "gpt-4.1",
    "messages": [
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}]},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "a1", "type": "function", "function": {"name": "alpha", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "a1", "content": "a ok"},
    ],
    "tools": [{"type": "function", "function": {"name": "alpha", "parameters": {"type": "object"}}}],
    "temperature": 1,
    "stop": ["END"],
    "stream": False,
}


def said(*blocks: Any, role: str = "user") -> dict[str, Any]:
    return {"model": "claude-x", "max_tokens": 64, "messages": [{"role": role, "content": list(blocks)}]}


@pytest.mark.parametrize(("style", "body"), [("anthropic", EXAMPLE), ("openai", COMPLETION)])
def test_the_example_passes(style: str, body: dict[str, Any]) -> None:
    assert check_request(style, body) == []
    assert check_request(style, {**body, "stream": True}) == []


BLOCK = "messages.0.content.0"
DATA = {"type": "base64", "media_type": "image/png", "data": "AA=="}

# One bad body per block type: (block, place of the complaint).
BAD_BLOCKS: dict[str, tuple[dict[str, Any], str]] = {
    "text": ({"type": "text", "text": 1}, f"{BLOCK}.text: Input should be a valid string"),
    "text extra": ({"type": "text", "text": "a", "name": "b"}, f"{BLOCK}.name: Extra inputs are not permitted"),
    "image": ({"type": "image", "source": {**DATA, "media_type": "image/jpg"}}, f"{BLOCK}.source.media_type: Input"),
    "image source": ({"type": "image", "source": {**DATA, "url": "u"}}, f"{BLOCK}.source.url: Extra inputs"),
    "image number": ({"type": "image", "source": {**DATA, "data": 1}}, f"{BLOCK}.source.data: "),
    "document": ({"type": "document", "source": {"type": "text", "data": "a"}}, f"{BLOCK}.source.media_type: Field"),
    "search_result": (
        {"type": "search_result", "source": "s", "title": "t", "content": "a"},
        f"{BLOCK}.content: Input",
    ),
    "tool_use": (
        {"type": "tool_use", "id": "a", "name": "b", "input": "{}"},
        f"{BLOCK}.input: Input should be a valid",
    ),
    "tool_use without input": ({"type": "tool_use", "id": "a", "name": "b"}, f"{BLOCK}.input: Field required"),
    "tool_result": ({"type": "tool_result", "content": "a"}, f"{BLOCK}.tool_use_id: Field required"),
    "tool_result coerced": ({"type": "tool_result", "tool_use_id": "a", "is_error": "no"}, f"{BLOCK}.is_error: Input"),
    "tool_result inside": (
        {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text"}]},
        f"{BLOCK}.content.0.text: Field required",
    ),
    "thinking": ({"type": "thinking", "thinking": "a"}, f"{BLOCK}.signature: Field required"),
    "redacted_thinking": ({"type": "redacted_thinking"}, f"{BLOCK}.data: Field required"),
    "server_tool_use": ({"type": "server_tool_use", "id": "a", "name": "b", "input": {}}, f"{BLOCK}.name: Input"),
    "web_search_tool_result": ({"type": "web_search_tool_result", "tool_use_id": "a"}, f"{BLOCK}.content: Field"),
    "web_fetch_tool_result": ({"type": "web_fetch_tool_result", "tool_use_id": "a"}, f"{BLOCK}.content: Field"),
    "code_execution_tool_result": ({"type": "code_execution_tool_result"}, f"{BLOCK}.content: Field required"),
    "bash_code_execution_tool_result": ({"type": "bash_code_execution_tool_result"}, f"{BLOCK}.content: Field"),
    "text_editor_code_execution_tool_result": (
        {"type": "text_editor_code_execution_tool_result"},
        f"{BLOCK}.content: Field required",
    ),
    "tool_search_tool_result": ({"type": "tool_search_tool_result"}, f"{BLOCK}.content: Field required"),
    "container_upload": ({"type": "container_upload"}, f"{BLOCK}.file_id: Field required"),
    "of another vendor": ({"type": "image_url", "image_url": {"url": "u"}}, f"{BLOCK}: Input tag 'type=image_url'"),
}


@pytest.mark.parametrize("name", BAD_BLOCKS)
def test_a_bad_block_is_refused(name: str) -> None:
    block, complaint = BAD_BLOCKS[name]
    assert any(line.startswith(complaint) for line in check_request("anthropic", said(block)))


def test_every_block_type_of_the_sdk_is_shown_refused() -> None:
    types = {typing.get_args(typing.get_type_hints(block)["type"])[0] for block in typing.get_args(ContentBlockParam)}
    assert types <= {block["type"] for block, _ in BAD_BLOCKS.values()}


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"reasoning_effort": "low"}, "reasoning_effort: Extra inputs are not permitted"),
        ({"max_tokens": "64"}, "max_tokens: Input should be a valid integer"),
        ({"stop_sequences": "a"}, "stop_sequences: Input should be a valid list"),
        ({"system": [{"type": "text"}]}, "system.0.text: Field required"),
        ({"system": None}, "system: "),
        ({"tool_choice": {"type": "none", "name": "a"}}, "tool_choice.name: Extra inputs are not permitted"),
        ({"tools": [{"name": "a", "input_schema": {"type": "array"}}]}, "tools.0.input_schema"),
        ({"tools": [{"type": "function", "function": {}}]}, "tools.0: Input tag 'type=function'"),
        ({"messages": [{"role": "tool", "content": "a"}]}, "messages.0.role: Input should be 'user', 'assistant'"),
        ({"messages": [{"content": "a"}]}, "messages.0.role: Field required"),
    ],
)
def test_a_bad_field_is_refused(change: dict[str, Any], complaint: str) -> None:
    lines = check_request("anthropic", {**EXAMPLE, **change})
    assert any(line.startswith(complaint) for line in lines), lines


@pytest.mark.parametrize(
    ("path", "value", "complaint"),
    [
        (("messages", 2, "tool_calls", 0, "function", "arguments"), {}, "messages.2.tool_calls.0.function.arguments: "),
        (("messages", 1, "content", 0, "image_url", "mime"), "a", "messages.1.content.0.image_url.mime: Extra inputs"),
        (("messages", 3, "tool_call_id"), 1, "messages.3.tool_call_id: Input should be a valid string"),
        (("messages", 0, "role"), "bot", "messages.0: Input tag 'role=bot'"),
        (("tools", 0, "function", "input_schema"), {}, "tools.0.function.input_schema: Extra inputs"),
        (("temperature",), "warm", "temperature: Input should be a valid number"),
        (("stop",), 5, "stop: "),
    ],
)
def test_a_bad_completion_is_refused(path: tuple[Any, ...], value: Any, complaint: str) -> None:
    body = copy.deepcopy(COMPLETION)
    *way, last = path
    place: Any = body
    for step in way:
        place = place[step]
    place[last] = value
    lines = check_request("openai", body)
    assert any(line.startswith(complaint) for line in lines), lines


def test_schemas_keep_their_own_keys() -> None:
    schema = {"type": "object", "$defs": {}, "additionalProperties": False, "x-note": 1}
    assert check_request("anthropic", {**EXAMPLE, "tools": [{"name": "a", "input_schema": schema}]}) == []


@pytest.mark.parametrize(
    ("style", "change"),
    [
        ("anthropic", {"speed": "fast"}),
        ("anthropic", {"diagnostics": {"previous_message_id": None}}),
        ("anthropic", {"thinking": {"type": "between_tools"}}),
        ("openai", {"messages": [{"role": "assistant", "content": "a", "reasoning_content": "hm"}]}),
    ],
)
def test_what_is_newer_than_the_sdk_or_a_server_s_own_is_allowed(style: str, change: dict[str, Any]) -> None:
    body = EXAMPLE if style == "anthropic" else COMPLETION
    assert check_request(style, {**body, **change}) == []


def test_allowances_are_no_wider_than_they_say() -> None:
    assert check_request("anthropic", {**EXAMPLE, "thinking": {"type": "sometimes"}})
    for kind, allowed in (("request_too_large", True), ("conflict_error", True), ("server_error", False)):
        error = {"type": "error", "error": {"type": kind, "message": "m"}}
        assert (check_reply("anthropic", error) == []) is allowed


def test_every_allowance_says_why() -> None:
    tables = (*sdk_types.REQUESTS_ALLOWED.values(), *sdk_types.REPLIES_ALLOWED.values())
    rows = [row for listed in tables for row in listed]
    assert rows
    assert all(row.because for row in rows)


MESSAGE: dict[str, Any] = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-x",
    "content": [{"type": "text", "text": "hi"}, {"type": "tool_use", "id": "a", "name": "b", "input": {}}],
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": {"input_tokens": 9, "output_tokens": 2},
}
ANSWER: dict[str, Any] = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 0,
    "model": "gpt-4.1",
    "choices": [
        {
            "index": 0,
            "finish_reason": "stop",
            "logprobs": None,
            "message": {"role": "assistant", "content": "hi", "refusal": None},
        }
    ],
    "usage": {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11},
}


@pytest.mark.parametrize(("style", "reply"), [("anthropic", MESSAGE), ("openai", ANSWER)])
def test_a_plain_reply_passes(style: str, reply: dict[str, Any]) -> None:
    assert check_reply(style, reply) == []


@pytest.mark.parametrize(
    ("style", "reply", "complaint"),
    [
        ("anthropic", {**MESSAGE, "stop_reasn": "end_turn"}, "stop_reasn: Extra inputs are not permitted"),
        ("anthropic", {**MESSAGE, "stop_reason": "stop"}, "stop_reason: Input should be 'end_turn'"),
        ("anthropic", {**MESSAGE, "usage": {"input_tokens": "9", "output_tokens": 2}}, "usage.input_tokens: Input"),
        ("anthropic", {**MESSAGE, "content": [{"type": "tool_use", "id": "a", "name": "b"}]}, "content.0.input: Field"),
        ("anthropic", {**MESSAGE, "content": [{"type": "hologram"}]}, "content.0: Input tag 'type=hologram'"),
        ("openai", {**ANSWER, "choices": [{"index": 0}]}, "choices.0.finish_reason: Field required"),
        ("openai", {**ANSWER, "created": "now"}, "created: Input should be a valid integer"),
    ],
)
def test_a_bad_reply_is_refused(style: str, reply: dict[str, Any], complaint: str) -> None:
    lines = check_reply(style, reply)
    assert any(line.startswith(complaint) for line in lines), lines


ANTHROPIC_ERROR = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}, "request_id": "r"}
OPENAI_ERROR = {"error": {"message": "m", "type": "invalid_request_error", "param": None, "code": None}}


@pytest.mark.parametrize(("style", "error"), [("anthropic", ANTHROPIC_ERROR), ("openai", OPENAI_ERROR)])
def test_an_error_has_its_shape(style: str, error: dict[str, Any]) -> None:
    assert check_reply(style, error) == []
    assert check_reply(style, {**error, "error": {"type": "invalid_request_error"}}) == [
        "error.message: Field required"
    ]


@pytest.mark.parametrize(
    ("style", "error"),
    [
        ("anthropic", {**ANTHROPIC_ERROR, "error": {"type": "server_error", "message": "m"}}),
        ("anthropic", {"error": ANTHROPIC_ERROR["error"]}),
        ("openai", {**OPENAI_ERROR, "type": "error"}),
        ("openai", {"error": "m"}),
    ],
)
def test_an_error_of_another_shape_is_refused(style: str, error: dict[str, Any]) -> None:
    assert check_reply(style, error)


def test_an_unknown_style_is_named() -> None:
    with pytest.raises(ValueError, match="no SDK types for style 'gemini'"):
        check_request("gemini", {})
    with pytest.raises(ValueError, match="no SDK types for style 'gemini'"):
        check_reply("gemini", {})


def test_a_missing_sdk_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    sdk_types._request.cache_clear()
    monkeypatch.setitem(sys.modules, "anthropic.types", None)
    with pytest.raises(SdkMissingError, match=r"install toolnexus-conformance\[dev\]"):
        check_request("anthropic", EXAMPLE)


def keys_taken(kind: Kind, tag: str | None, names: set[str]) -> set[str]:
    """The names a shape knows, found by offering it each of them."""
    offered = {**dict.fromkeys(names, object()), **({"type": tag} if tag else {})}
    return names - {str(fault.at.step) for fault in kind(offered, BODY) if fault.code == "extra"}


def fields(typed: Any) -> tuple[str, set[str]]:
    hints = typing.get_type_hints(typed)
    # `Optional[Literal["custom"]]` is a union of two; a plain literal holds its word.
    word = typing.get_args(hints["type"])[0]
    return (word if isinstance(word, str) else typing.get_args(word)[0]), set(hints)


SDK_BLOCKS = dict(fields(block) for block in typing.get_args(ContentBlockParam))
SDK_TOOLS = dict(fields(tool) for tool in typing.get_args(ToolUnionParam))
EVERY_KEY = set().union(*SDK_BLOCKS.values(), *SDK_TOOLS.values())


@pytest.mark.parametrize("tag", SDK_BLOCKS)
def test_our_blocks_have_the_sdk_s_keys(tag: str) -> None:
    assert keys_taken(BLOCKS[tag], tag, EVERY_KEY) == SDK_BLOCKS[tag]


@pytest.mark.parametrize("tag", SDK_TOOLS)
def test_our_tools_have_the_sdk_s_keys(tag: str) -> None:
    assert keys_taken(TOOLS[tag], tag, EVERY_KEY) == SDK_TOOLS[tag]


def test_our_body_has_the_sdk_s_keys_and_the_two_newer_ones() -> None:
    sdk = set(typing.get_type_hints(MessageCreateParamsNonStreaming))
    # The profile id is a header in spite of its place among the parameters (B1).
    assert set(BODY_KEYS) == sdk - {"user_profile_id"} | {"speed", "diagnostics"}
