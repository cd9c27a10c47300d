"""MCP servers as configuration files list them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from toolnexus.toolkit.environment import expand, scrub, secrets_of
from toolnexus.toolkit.errors import ConfigError
from toolnexus.toolkit.servers import Local, Remote, entries, parse, read_config
from toolnexus.toolkit.switches import chosen, is_on, unknown

ENVIRONMENT = {"TOKEN": "abc123", "EMPTY": ""}


@pytest.mark.parametrize("key", ["mcpServers", "servers", "mcp"])
def test_servers_may_stand_under_three_keys(key: str) -> None:
    assert dict(entries({key: {"a": {"command": "x"}}, "other": {}})) == {"a": {"command": "x"}}


def test_servers_may_stand_at_the_top_beside_other_sections() -> None:
    config = {"a": {"command": "x"}, "builtins": {}, "agents": {}, "a2a": {}, "mcpServer": {}, "$schema": "s"}
    assert dict(entries(config)) == {"a": {"command": "x"}}


def test_a_local_server_is_command_and_arguments() -> None:
    given = {"command": "npx", "args": ["-y", "pkg"], "env": {"A": "${TOKEN}!"}, "cwd": "/tmp", "timeout": 1500}
    assert parse("s", given, ENVIRONMENT) == Local("s", ("npx", "-y", "pkg"), {"A": "abc123!"}, "/tmp", 1.5, None)
    listed = {"type": "local", "command": ["npx", "pkg"], "environment": {}}
    assert parse("s", listed, ENVIRONMENT) == Local("s", ("npx", "pkg"), {}, None, 30.0, None)


def test_a_remote_server_is_url_and_headers() -> None:
    given = {"url": "https://h/mcp?key=${TOKEN}", "headers": {"Authorization": "Bearer ${TOKEN}"}, "tools": ["a"]}
    assert parse("s", given, ENVIRONMENT) == Remote(
        "s", "https://h/mcp?key=abc123", {"Authorization": "Bearer abc123"}, ("streamable-http", "sse"), 30.0, ["a"]
    )


@pytest.mark.parametrize(
    ("kind", "transports"),
    [
        ("remote", ("streamable-http", "sse")),
        ("http", ("streamable-http",)),
        ("streamable-http", ("streamable-http",)),
        ("sse", ("sse",)),
    ],
)
def test_the_type_names_the_transports(kind: str, transports: tuple[str, ...]) -> None:
    server = parse("s", {"type": kind, "url": "http://h"}, {})
    assert isinstance(server, Remote)
    assert server.transports == transports


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ("x", "is no object"),
        ({}, "neither a command nor a url"),
        ({"type": "local", "url": "http://h"}, "neither a command nor a url"),
        ({"type": "remote", "command": "x"}, "neither a command nor a url"),
        ({"type": "carrier-pigeon", "url": "http://h"}, "type is one of local"),
        ({"url": "ftp://h"}, "url is no http"),
        ({"url": 5}, "url is no http"),
        ({"command": []}, "command is empty"),
        ({"command": [5]}, "command is no list of strings"),
        ({"command": "x", "args": "y"}, "args is no list of strings"),
        ({"command": "x", "env": {"A": 1}}, "environment is no map of strings"),
        ({"command": "x", "cwd": 5}, "cwd is no string"),
        ({"command": "x", "timeout": 0}, "timeout is a number"),
        ({"command": "x", "timeout": True}, "timeout is a number"),
        ({"command": "x", "timeout": "30"}, "timeout is a number"),
        ({"command": "x", "timeout": float("inf")}, "timeout is a number"),
        ({"command": "x", "tools": {"a": "yes"}}, "tools is a map"),
        ({"url": "http://h", "headers": ["x"]}, "headers is no map of strings"),
        ({"url": "http://h", "headers": {"A": "${NOPE}"}}, "environment variable NOPE is not set"),
    ],
)
def test_a_configuration_that_cannot_be_used_says_why(config: Any, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        parse("s", config, ENVIRONMENT)


def test_no_repr_shows_a_secret() -> None:
    remote = parse("s", {"url": "http://u:pw1234@h/?key=${TOKEN}", "headers": {"A": "${TOKEN}"}}, ENVIRONMENT)
    local = parse("s", {"command": ["x", "--key", "abc123"], "env": {"A": "${TOKEN}"}}, ENVIRONMENT)
    assert "abc123" not in repr((remote, local))
    assert "pw1234" not in repr(remote)


def test_configuration_may_be_an_object_or_a_file(tmp_path: Path) -> None:
    config = {"mcpServers": {}}
    assert read_config(config) is config
    path = tmp_path / "mcp.json"
    path.write_text(json.dumps(config))
    assert read_config(path) == read_config(str(path)) == config


@pytest.mark.parametrize(
    ("text", "words"),
    [(None, "cannot be read"), (b"{", "is no JSON"), (b"\xff", "is no JSON"), (b"[]", "is no JSON object")],
)
def test_a_file_that_cannot_be_used_says_why(tmp_path: Path, text: bytes | None, words: str) -> None:
    path = tmp_path / "mcp.json"
    if text is not None:
        path.write_bytes(text)
    with pytest.raises(ConfigError, match=words):
        read_config(path)


@pytest.mark.parametrize(
    ("text", "expanded"),
    [
        ("${TOKEN}", "abc123"),
        ("a ${TOKEN} b ${TOKEN}", "a abc123 b abc123"),
        ("${EMPTY}x", "x"),
        ("${NOPE:-other}", "other"),
        ("${NOPE:-}", ""),
        ("${TOKEN:-other}", "abc123"),
        ("$TOKEN {TOKEN} ${}", "$TOKEN {TOKEN} ${}"),
    ],
)
def test_variables_are_expanded(text: str, expanded: str) -> None:
    assert expand(text, ENVIRONMENT) == expanded


def test_an_expanded_value_is_not_expanded_again() -> None:
    assert expand("${A}", {"A": "${B}", "B": "no"}) == "${B}"


def test_scrubbing_cuts_secrets_and_their_words() -> None:
    assert scrub("Bearer tok-1234 was refused: tok-1234", ["Bearer tok-1234"]) == "*** was refused: ***"
    assert scrub("GET /x?key=tok-1234", ["key=tok-1234"]) == "GET /x?***"
    assert scrub("a b c", ["b", ""]) == "a b c"


def test_secrets_are_known_by_their_names() -> None:
    assert secrets_of({"OPENAI_API_KEY": "1", "MY_TOKEN": "2", "HOME": "3", "DB_PASSWORD": "4"}) == ["1", "2", "4"]


@pytest.mark.parametrize(
    ("switches", "left"),
    [
        (None, ["a", "b", "c"]),
        ({}, ["a", "b", "c"]),
        ([], ["a", "b", "c"]),
        ({"c": True, "a": True}, ["a", "c"]),
        ({"a": True, "b": False}, ["a"]),
        ({"b": False}, ["a", "c"]),
        ({"z": False}, ["a", "b", "c"]),
        (["c", "z"], ["c"]),
    ],
)
def test_switches_are_allow_lists_or_drop_lists(switches: Any, left: list[str]) -> None:
    assert chosen("abc", switches) == left


def test_switches_that_name_nothing_are_known() -> None:
    assert unknown("abc", {"a": True, "z": False}) == ["z"]
    assert unknown("abc", ["y", "a"]) == ["y"]
    assert unknown("abc", None) == []


@pytest.mark.parametrize(
    ("config", "on"),
    [
        ({}, True),
        ({"disabled": True}, False),
        ({"disabled": False}, True),
        ({"enabled": False}, False),
        ({"enabled": True, "disabled": True}, False),
        ({"enabled": False, "disabled": False}, False),
    ],
)
def test_disabled_wins_over_enabled(config: dict[str, bool], on: bool) -> None:
    assert is_on(config) is on
