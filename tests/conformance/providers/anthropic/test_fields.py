"""Each rule about single fields and blocks fires on its bad body and stays silent on the good twin."""

# ruff: noqa: E501 - tables of one row a rule

from __future__ import annotations

from typing import Any

import pytest

from conformance.providers import blocking, check
from conformance.providers.anthropic.rules import GROUPS

BASE: dict[str, Any] = {"model": "claude-x", "max_tokens": 64, "messages": [{"role": "user", "content": "go"}]}
MARK = {"cache_control": {"type": "ephemeral"}}
LONG_MARK = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
URL_IMAGE = {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}}
THINKING = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}


def body(**changes: Any) -> dict[str, Any]:
    return {**BASE, **changes}


def said(*blocks: Any, **changes: Any) -> dict[str, Any]:
    return body(messages=[{"role": "user", "content": list(blocks)}], **changes)


def answered(*blocks: Any) -> dict[str, Any]:
    talk = [{"role": "user", "content": "go"}, {"role": "assistant", "content": list(blocks)}]
    return body(messages=[*talk, {"role": "user", "content": "on"}])


def called(**changes: Any) -> dict[str, Any]:
    call = {"type": "tool_use", "id": "a", "name": "look", "input": {}, **changes}
    return body(
        messages=[
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call["id"], "content": "ok"}]},
        ]
    )


def text(words: Any = "hm", **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": words, **more}


TWINS: dict[str, tuple[dict[str, Any], dict[str, Any], str, str]] = {
    "b2-missing": (said({"type": "text"}), said(text()), "/messages/0/content/0/text", "messages.0.content.0.text.text: Field required"),
    "b2-type": (body(system=None), BASE, "/system", "system: Input should be a valid string or list"),
    "b2-choice": (body(service_tier="flex"), body(service_tier="auto"), "/service_tier", "service_tier: Input should be 'auto' or 'standard_only'"),
    "b2-range": (body(top_p=1.5), body(top_p=0.5), "/top_p", "top_p: Input should be less than or equal to 1"),
    "b2-length": (
        body(messages=BASE["messages"] * 100_001),
        body(messages=BASE["messages"] * 3),
        "/messages",
        "messages: List should have at most 100000 items after validation, not 100001",
    ),
    "b2-tag": (
        body(thinking={"type": "on"}),
        body(thinking={"type": "adaptive"}),
        "/thinking",
        "thinking: Input tag 'on' found using 'type' does not match any of the expected tags: 'enabled', 'disabled'",
    ),
    "b2-max-tokens-zero": (body(max_tokens=0, stream=True), body(max_tokens=0), "/max_tokens", "max_tokens: 0 is not supported together with stream"),
    "b4-block-type": (
        said({"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}),
        said(URL_IMAGE),
        "/messages/0/content/0",
        "messages.0.content.0: Input tag 'image_url' found using 'type' does not match any of the expected tags: 'text', 'image'",
    ),
    "b4-block-place": (said(THINKING), answered(THINKING, text()), "/messages/0/content/0", "messages.0.content.0: `thinking` blocks can only be in `assistant` messages"),
    "b4-media-in-assistant": (answered(URL_IMAGE), said(URL_IMAGE), "/messages/1/content/0", "messages.1.content.0: `image` blocks"),
    "b4-cache-ttl-order": (
        said(text(**MARK), text(**LONG_MARK)),
        said(text(**LONG_MARK), text(**MARK)),
        "/messages/0/content/1",
        "messages.0.content.1.cache_control.ttl: a ttl='1h'",
    ),
    "b8-01-max-tokens-missing": ({key: BASE[key] for key in ("model", "messages")}, BASE, "/max_tokens", "max_tokens: Field required"),
    "b8-02-no-messages": (body(messages=[]), BASE, "/messages", "messages: at least one message is required"),
    "b8-03-unknown-key": (body(reasoning_effort="low"), BASE, "/reasoning_effort", "reasoning_effort: Extra inputs are not permitted"),
    "b8-04-role": (
        body(messages=[{"role": "tool", "content": "ok"}]),
        BASE,
        "/messages/0/role",
        'messages: Unexpected role "tool". Allowed roles are "user" or "assistant".',
    ),
    "b8-15-id-characters": (called(id="call:1"), called(id="call_1"), "/messages/1/content/0/id", "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"),
    "b8-16-input-object": (called(input="{}"), called(input={"a": 1}), "/messages/1/content/0/input", "messages.1.content.0.tool_use.input: Input should be a valid dictionary"),
    "b8-30-temperature": (body(temperature=1.5), body(temperature=1), "/temperature", "temperature: range: 0..1"),
    "b8-44-cache-marks": (
        said(*[text(**MARK)] * 5),
        said(*[text(**MARK)] * 4),
        "",
        "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    ),
    "b8-45-cache-on-empty-text": (said(text("", **MARK)), said(text("a", **MARK)), "/messages/0/content/0", "messages.0.content.0.text: cache_control cannot be set for empty text blocks"),
    "b8-46-blank-stop": (body(stop_sequences=["a", "\n"]), body(stop_sequences=["a"]), "/stop_sequences/1", "stop_sequences: each stop sequence must contain non-whitespace"),
    "b8-56-user-id": (body(metadata={"user_id": "ann@example.com"}), body(metadata={"user_id": "9f2c-11"}), "/metadata/user_id", "metadata.user_id: must not hold personal data"),
}  # fmt: skip


@pytest.mark.parametrize("rule", TWINS)
def test_rule_fires_on_the_bad_body_only(rule: str, fires: Any) -> None:
    bad, good, pointer, message = TWINS[rule]
    assert fires("anthropic", rule, bad, good, pointer).message.startswith(message)


def test_every_rule_about_fields_has_twins() -> None:
    assert set(TWINS) == {rule.name for rule in GROUPS["fields"]}


THINKING_TWINS: dict[str, tuple[dict[str, Any], str]] = {
    "b8-38-budget-minimum": (
        body(thinking={"type": "enabled", "budget_tokens": 1000}, max_tokens=4096),
        "/thinking/budget_tokens",
    ),
    "b8-38-budget-above-max-tokens": (
        body(thinking={"type": "enabled", "budget_tokens": 4096}, max_tokens=4096),
        "/max_tokens",
    ),
}


@pytest.mark.parametrize("rule", THINKING_TWINS)
def test_thinking_budget(rule: str, fires: Any) -> None:
    bad, pointer = THINKING_TWINS[rule]
    good = body(thinking={"type": "enabled", "budget_tokens": 1024}, max_tokens=4096)
    fires("anthropic", rule, bad, good, pointer)


def test_every_rule_about_thinking_has_twins() -> None:
    assert set(THINKING_TWINS) == {rule.name for rule in GROUPS["thinking"]}


# One bad body per block type and per field of the body: (pointer of the fault, body).
MISSHAPEN: dict[str, tuple[str, dict[str, Any]]] = {
    "text": ("/messages/0/content/0/text", said(text(1))),
    "text with a name": ("/messages/0/content/0/name", said(text(name="ann"))),
    "text with a bad mark": ("/messages/0/content/0/cache_control/type", said(text(cache_control={"type": "persistent"}))),
    "image": ("/messages/0/content/0/source", said({"type": "image"})),
    "image with an unknown source": ("/messages/0/content/0/source", said({"type": "image", "source": {"type": "path"}})),
    "document": ("/messages/0/content/0/source/media_type", said({"type": "document", "source": {"type": "text", "media_type": "text/html", "data": "a"}})),
    "search_result": ("/messages/0/content/0/title", said({"type": "search_result", "source": "s", "content": []})),
    "tool_use": ("/messages/1/content/0/name", called(name=1)),
    "tool_use with arguments": ("/messages/1/content/0/arguments", called(arguments="{}")),
    "tool_result with a role": ("/messages/0/content/0/role", said({"type": "tool_result", "tool_use_id": "a", "role": "tool"})),
    "tool_result holding thinking": ("/messages/0/content/0/content/0", said({"type": "tool_result", "tool_use_id": "a", "content": [THINKING]})),
    "thinking without its signature": ("/messages/1/content/0/signature", answered({"type": "thinking", "thinking": "hm"})),
    "thinking with a mark": ("/messages/1/content/0/cache_control", answered({**THINKING, **MARK})),
    "redacted_thinking": ("/messages/1/content/0/data", answered({"type": "redacted_thinking"})),
    "server_tool_use": ("/messages/1/content/0/name", answered({"type": "server_tool_use", "id": "s", "name": "look", "input": {}})),
    "web_search_tool_result": ("/messages/1/content/0/content", answered({"type": "web_search_tool_result", "tool_use_id": "s"})),
    "container_upload": ("/messages/0/content/0/file_id", said({"type": "container_upload"})),
    "message with a name": ("/messages/0/name", body(messages=[{"role": "user", "content": "go", "name": "ann"}])),
    "message with a number": ("/messages/0/content", body(messages=[{"role": "user", "content": 1}])),
    "system block of another type": ("/system/0/type", body(system=[{"type": "image", "text": "a"}])),
    "max_tokens": ("/max_tokens", body(max_tokens="64")),
    "max_tokens as a boolean": ("/max_tokens", body(max_tokens=True)),
    "null tools": ("/tools", body(tools=None)),
    "stop as a string": ("/stop_sequences", body(stop_sequences="a")),
    "effort": ("/output_config/effort", body(output_config={"effort": "minimal"})),
    "display of disabled thinking": ("/thinking/display", body(thinking={"type": "disabled", "display": "omitted"})),
    "metadata": ("/metadata/tier", body(metadata={"tier": "gold"})),
    "a choice of none with more": ("/tool_choice/disable_parallel_tool_use", body(tool_choice={"type": "none", "disable_parallel_tool_use": True})),
}  # fmt: skip


@pytest.mark.parametrize("name", MISSHAPEN)
def test_what_does_not_fit_the_schema_is_refused_where_it_stands(name: str) -> None:
    pointer, bad = MISSHAPEN[name]
    assert pointer in [violation.pointer for violation in blocking(check("anthropic", bad))]


FITTING: dict[str, dict[str, Any]] = {
    "every field of the body": body(
        system=[text(**MARK)],
        stop_sequences=["END"],
        stream=False,
        temperature=0,
        top_k=5,
        metadata={"user_id": None},
        service_tier="standard_only",
        output_config={"effort": "low", "format": None},
        cache_control={"type": "ephemeral"},
        container=None,
    ),
    "a document of each source": said(
        {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "a"}, "title": "t"},
        {"type": "document", "source": {"type": "url", "url": "https://example.com/a.pdf"}, "context": None},
        {"type": "document", "source": {"type": "file", "file_id": "file_1"}, "citations": {"enabled": True}},
        {"type": "document", "source": {"type": "content", "content": [text(), URL_IMAGE]}},
    ),
    "redacted thinking and server results": answered(
        {"type": "redacted_thinking", "data": "AA=="},
        {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}, "caller": {"type": "direct"}},
        {"type": "web_search_tool_result", "tool_use_id": "s", "content": []},
        text(citations=[{"type": "web_search_result_location"}]),
    ),
}


@pytest.mark.parametrize("name", FITTING)
def test_what_fits_the_schema_is_taken(name: str) -> None:
    assert blocking(check("anthropic", FITTING[name])) == []


def test_beta_keys_need_the_beta_header() -> None:
    bad = body(mcp_servers=[])
    headers = {"x-api-key": "k", "anthropic-version": "2023-06-01", "content-type": "application/json"}
    assert [violation.rule for violation in check("anthropic", bad, headers=headers)] == ["b8-03-unknown-key"]
    assert check("anthropic", bad, headers={**headers, "anthropic-beta": "mcp-client-2025-11-20"}) == []


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("warm", "temperature: Input should be a valid number"),
        (-1, "`temperature` cannot be set to -1 for this model"),
        (-0.5, "temperature: range: 0..1"),
    ],
)
def test_the_temperature_has_words_of_its_own(value: Any, message: str) -> None:
    assert [violation.message for violation in check("anthropic", body(temperature=value))] == [message]


def test_marks_are_counted_everywhere() -> None:
    tools = [{"name": "look", "input_schema": {"type": "object"}, **MARK}]
    result = {"type": "tool_result", "tool_use_id": "a", "content": [text(**MARK)], **MARK}
    talk = called()["messages"]
    full = body(tools=tools, system=[text(**MARK)], messages=[*talk[:2], {"role": "user", "content": [result]}])
    assert blocking(check("anthropic", full)) == []
    over = {**full, "cache_control": {"type": "ephemeral"}}
    assert [violation.rule for violation in blocking(check("anthropic", over))] == ["b8-44-cache-marks"]


@pytest.mark.parametrize("user", ["+49 170 1234567", "x" * 257])
def test_user_ids_that_look_wrong_are_noted_and_not_refused(user: str) -> None:
    found = check("anthropic", body(metadata={"user_id": user}))
    assert [(violation.rule, violation.stub) for violation in found] == [("b8-56-user-id", "W")]
    assert blocking(found) == []
