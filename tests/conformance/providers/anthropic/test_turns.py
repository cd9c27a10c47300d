"""Each rule about the conversation fires on its bad body and stays silent on the good twin."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.providers import blocking, check, explain
from conformance.providers.anthropic.rules import GROUPS

THINKING = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
TOOLS = [{"name": "look", "input_schema": {"type": "object", "properties": {}}}]


def user(*content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content[0] if isinstance(content[0], str) else list(content)}


def assistant(*content: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content[0] if isinstance(content[0], str) else list(content)}


def system(text: str) -> dict[str, Any]:
    return {"role": "system", "content": text}


def call(name: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": name, "name": "look", "input": {}}


def result(name: str, content: Any = "ok", **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": name, "content": content, **more}


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": words, **more}


def talk(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"model": "claude-x", "max_tokens": 2048, "messages": list(messages), "tools": TOOLS, **more}


def server(*blocks: dict[str, Any]) -> dict[str, Any]:
    search = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}}
    return assistant(search, *blocks)


FOUND = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
MANUAL = {"thinking": {"type": "enabled", "budget_tokens": 1024}}

TWINS: dict[str, tuple[dict[str, Any], dict[str, Any], str, str]] = {
    "b3-system-first": (
        talk(system("be brief"), user("go")),
        talk(user("go"), system="be brief"),
        "/messages/0",
        "messages.0: use the top-level 'system' parameter for the initial system prompt",
    ),
    "b3-system-place": (
        talk(user("go"), assistant(call("a")), system("be brief"), user(result("a"))),
        talk(user("go"), assistant(call("a")), user(result("a")), system("be brief")),
        "/messages/2",
        "messages.2: role 'system' must",
    ),
    "b8-05-empty-text": (
        talk(user(text(""))),
        talk(user(text("go"))),
        "/messages/0/content/0",
        "messages: text content blocks must be non-empty",
    ),
    "b8-05-empty-system": (
        talk(user("go"), system=""),
        talk(user("go"), system="be brief"),
        "/system",
        "system: text content blocks must be non-empty",
    ),
    "b8-06-blank-text": (
        talk(user("go"), assistant(text("\n "), call("a")), user(result("a"))),
        talk(user("go"), assistant(text("hm"), call("a")), user(result("a"))),
        "/messages/1/content/0",
        "messages: text content blocks must contain non-whitespace text",
    ),
    "b8-07-empty-user": (
        talk(user("")),
        talk(user("go")),
        "/messages/0",
        "messages.0: user messages must have non-empty content",
    ),
    "b8-08-empty-message": (
        talk(user("go"), {"role": "assistant", "content": []}, user("on")),
        talk(user("go"), {"role": "assistant", "content": []}),
        "/messages/1",
        "messages.1: all messages must have non-empty content except for the optional final assistant message",
    ),
    "b8-09-unanswered-tool-use": (
        talk(user("go"), assistant(call("a"), call("b"), call("c")), user(result("b"))),
        talk(user("go"), assistant(call("a"), call("b")), user(result("b"), result("a"), text("on"))),
        "/messages/1",
        "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a, c. Each `tool_use` "
        "block must have a corresponding `tool_result` block in the next message.",
    ),
    "b8-10-unexpected-result": (
        talk(user("go"), assistant("hm"), user(result("a"))),
        talk(user("go"), assistant(call("a")), user(result("a"))),
        "/messages/2/content/0",
        "messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: a. Each `tool_result` block "
        "must have a corresponding `tool_use` block in the previous message.",
    ),
    "b8-11-tool-use-id-reused": (
        talk(user("go"), assistant(call("a")), user(result("a")), assistant(call("a")), user(result("a"))),
        talk(user("go"), assistant(call("a")), user(result("a")), assistant(call("b")), user(result("b"))),
        "/messages/3/content/0",
        "messages.3.content.0: `tool_use` ids must be unique",
    ),
    "b8-12-two-results": (
        talk(user("go"), assistant(call("a")), user(result("a"), result("a"))),
        talk(user("go"), assistant(call("a"), call("b")), user(result("a"), result("b"))),
        "/messages/2/content/1",
        "messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: a",
    ),
    "b8-13-empty-error": (
        talk(user("go"), assistant(call("a")), user(result("a", "", is_error=True))),
        talk(user("go"), assistant(call("a")), user(result("a", "", is_error=False))),
        "/messages/2/content/0",
        "messages.2.content.0.tool_result: content cannot be empty if `is_error` is true",
    ),
    "b8-14-block-in-wrong-role": (
        talk(user("go"), user(call("a"))),
        talk(user("go"), assistant(call("a")), user(result("a"))),
        "/messages/1",
        "messages.1: `tool_use` blocks can only be in `assistant` messages",
    ),
    "b8-24-history-without-tools": (
        {**talk(user("go"), assistant(call("a")), user(result("a"))), "tools": []},
        talk(user("go"), assistant(call("a")), user(result("a"))),
        "",
        "Requests which include `tool_use` or `tool_result` blocks must define tools.",
    ),
    "b8-26-trailing-whitespace": (
        talk(user("go"), assistant(text("It is "))),
        talk(user("go"), assistant(text("It is"))),
        "/messages/1/content/0",
        "messages: final assistant content cannot end with trailing whitespace",
    ),
    "b8-27-assistant-first": (
        talk(assistant("hi"), user("go")),
        talk(user("go"), assistant("hi"), user("on")),
        "/messages/0",
        'messages: first message must use the "user" role',
    ),
    "results-in-one-turn": (
        talk(user("go"), assistant(call("a"), call("b")), user(result("a")), user(result("b"))),
        talk(user("go"), assistant(call("a"), call("b")), user(result("a"), result("b")), user("on")),
        "/messages/3",
        "many servers answer 400",
    ),
    "b8-41-thinking-first": (
        talk(user("go"), assistant(text("hm"), call("a")), user(result("a")), **MANUAL),
        talk(user("go"), assistant(THINKING, call("a")), user(result("a")), **MANUAL),
        "/messages/1/content/0",
        "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `text`. When `thinking` is "
        "enabled, a final `assistant` message must start with a thinking block",
    ),
    "b8-54-unresolved-server-tool": (
        talk(user("go"), server(), user("on")),
        talk(user("go"), server(FOUND, text("here")), user("on")),
        "/messages/1/content/0",
        "`web_search` tool use with id `srvtoolu_1` was found without a corresponding `web_search_tool_result` block",
    ),
    "b8-57-thinking-and-prefill": (
        talk(user("go"), assistant("It is"), thinking={"type": "adaptive"}),
        talk(user("go"), assistant("It is"), user("on"), thinking={"type": "adaptive"}),
        "/messages/1",
        "messages: assistant prefill",
    ),
}


@pytest.mark.parametrize("rule", TWINS)
def test_rule_fires_on_the_bad_body_only(rule: str, fires: Any) -> None:
    bad, good, pointer, message = TWINS[rule]
    assert fires("anthropic", rule, bad, good, pointer).message.startswith(message)


def test_every_rule_about_turns_has_twins() -> None:
    assert set(TWINS) == {rule.name for rule in GROUPS["turns"]}


ACCEPTED: dict[str, dict[str, Any]] = {
    "neighbours of one role": talk(user("go"), user("on"), assistant("a"), assistant("b"), user("end")),
    "calls split over neighbours": talk(
        user("go"), assistant(call("a")), assistant(call("b")), user(result("a"), result("b"))
    ),
    "an empty result": talk(user("go"), assistant(call("a")), user(result("a", ""))),
    "a result without content": talk(
        user("go"), assistant(call("a")), user({"type": "tool_result", "tool_use_id": "a"})
    ),
    "a paused turn resumed": talk(user("go"), server(FOUND)),
    "a paused turn with an open search": talk(user("go"), server()),
    "a paused turn on a model without prefill": talk(user("go"), server(FOUND), model="claude-opus-5"),
    "an open search beside an answered call": talk(user("go"), server(call("a")), user(result("a"))),
    "blank text in a prefill before the last block": talk(user("go"), assistant(text("a "), text("b"))),
    "thinking of an earlier step of the running turn": talk(
        user("go"),
        assistant(THINKING, call("a")),
        user(result("a")),
        assistant(call("b")),
        user(result("b")),
        **MANUAL,
    ),
    "no thinking in a turn that is over": talk(
        user("go"), assistant(call("a")), user(result("a")), assistant("done"), user("next"), **MANUAL
    ),
    "a system turn after results": talk(
        user("go"), assistant(call("a")), user(result("a")), system("be brief"), assistant("x"), user("on")
    ),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_what_the_service_takes_is_not_refused(name: str) -> None:
    assert blocking(check("anthropic", ACCEPTED[name])) == []


REFUSED: dict[str, tuple[str, dict[str, Any]]] = {
    "text before the result": (
        "b8-09-unanswered-tool-use",
        talk(user("go"), assistant(call("a")), user(text("here"), result("a"))),
    ),
    "a result behind a text": (
        "b8-09-unanswered-tool-use",
        talk(user("go"), assistant(call("a"), call("b")), user(result("a"), text("and"), result("b"))),
    ),
    "a call at the very end": ("b8-09-unanswered-tool-use", talk(user("go"), assistant(call("a")))),
    "a result two turns later": (
        "b8-10-unexpected-result",
        talk(user("go"), assistant(call("a")), user(result("a")), assistant("hm"), user(result("a"))),
    ),
    "the second result in a message of its own": (
        "b8-12-two-results",
        talk(user("go"), assistant(call("a")), user(result("a")), user(result("a"))),
    ),
    "a result in the assistant's turn": (
        "b8-14-block-in-wrong-role",
        talk(user("go"), assistant(call("a"), result("a")), user("on")),
    ),
    "empty text inside a result": (
        "b8-05-empty-text",
        talk(user("go"), assistant(call("a")), user(result("a", [text("")]))),
    ),
    "empty system block": ("b8-05-empty-text", talk(user("go"), system=[text("")])),
    "blank system": ("b8-06-blank-text", talk(user("go"), system="  ")),
    "blank string": ("b8-06-blank-text", talk(user(" \n"))),
    "trailing whitespace of a string": ("b8-26-trailing-whitespace", talk(user("go"), assistant("It is\n"))),
    "system turn before a user turn": ("b3-system-place", talk(user("go"), system("be brief"), user("on"))),
}


@pytest.mark.parametrize("name", REFUSED)
def test_other_forms_of_the_same_breach_are_refused(name: str) -> None:
    rule, body = REFUSED[name]
    assert rule in [violation.rule for violation in blocking(check("anthropic", body))]


def test_split_results_break_the_house_rule_and_no_rule_of_the_provider() -> None:
    bad = TWINS["results-in-one-turn"][0]
    assert [violation.rule for violation in check("anthropic", bad)] == ["results-in-one-turn"]
    assert explain("anthropic", bad) == "house rule results-in-one-turn: many servers answer 400"


def test_history_without_tools_never_blocks() -> None:
    bad = TWINS["b8-24-history-without-tools"][0]
    assert blocking(check("anthropic", bad)) == []
    assert explain("anthropic", bad) is None
