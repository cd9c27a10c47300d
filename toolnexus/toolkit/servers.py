"""MCP servers as a configuration file lists them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import msgspec

from .environment import expand, expand_all, secrets_in
from .errors import ConfigError
from .switches import Switches

DEFAULT_TIMEOUT_MS = 30_000

_WRAPPERS = ("mcpServers", "servers", "mcp")
_RESERVED = frozenset(("builtins", "agents", "a2a", "mcpServer", "$schema"))
_LOCAL_WORDS = frozenset(("local", "stdio"))
_TRANSPORTS: Mapping[str, tuple[str, ...]] = {
    "remote": ("streamable-http", "sse"),
    "http": ("streamable-http",),
    "streamable-http": ("streamable-http",),
    "streamableHttp": ("streamable-http",),
    "streamable_http": ("streamable-http",),
    "sse": ("sse",),
}


@dataclass(frozen=True)
class Local:
    """A server to start and to talk to over its stdin and stdout; `timeout` is in seconds."""

    name: str
    command: tuple[str, ...] = field(repr=False)
    environment: Mapping[str, str] = field(repr=False)
    directory: str | None
    timeout: float
    tools: Switches

    def secrets(self) -> tuple[str, ...]:
        """Values that no message may show."""
        return tuple(self.environment.values())


@dataclass(frozen=True)
class Remote:
    """A server behind a URL; `transports` are tried in order, `timeout` is in seconds."""

    name: str
    url: str = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    transports: tuple[str, ...]
    timeout: float
    tools: Switches

    def secrets(self) -> tuple[str, ...]:
        """Values that no message may show: headers, and what stands in the URL besides host and path."""
        return (*self.headers.values(), *secrets_in(self.url))


Server = Local | Remote


def read_config(source: str | PathLike[str] | Mapping[str, Any]) -> Mapping[str, Any]:
    """A configuration given as an object or as the path of a JSON file. Raises `ConfigError`."""
    if isinstance(source, Mapping):
        return source
    try:
        config = msgspec.json.decode(Path(source).read_bytes())
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}") from None
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
        raise ConfigError(f"is no JSON: {error}") from None
    if not isinstance(config, dict):
        raise ConfigError("is no JSON object")
    return config


def entries(config: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """`(name, its configuration)` of every server: under `mcpServers`, `servers` or `mcp`, else at the top."""
    for key in _WRAPPERS:
        if isinstance(config.get(key), Mapping):
            yield from config[key].items()
            return
    yield from ((name, value) for name, value in config.items() if name not in _RESERVED)


def parse(name: str, config: object, environment: Mapping[str, str]) -> Server:
    """One server, `${VARIABLE}` expanded in URL, headers and environment. Raises `ConfigError`."""
    if not isinstance(config, Mapping):
        raise ConfigError("is no object")
    kind = config.get("type")
    if "url" in config and kind not in _LOCAL_WORDS:
        return _remote(name, config, environment)
    if "command" in config and kind not in _TRANSPORTS:
        return _local(name, config, environment)
    raise ConfigError("has neither a command nor a url of its type")


def _local(name: str, config: Mapping[str, Any], environment: Mapping[str, str]) -> Local:
    command = config["command"]
    words = [command] if isinstance(command, str) else _strings(command, "command")
    words = [*words, *_strings(config.get("args") or [], "args")]
    if not words or not words[0]:
        raise ConfigError("command is empty")
    own = config.get("environment", config.get("env"))
    directory = config.get("cwd")
    if not isinstance(directory, str | None):
        raise ConfigError("cwd is no string")
    expanded = expand_all(_string_map(own, "environment"), environment)
    return Local(name, tuple(words), expanded, directory, _timeout(config), _switches(config))


def _remote(name: str, config: Mapping[str, Any], environment: Mapping[str, str]) -> Remote:
    url = config["url"]
    if not isinstance(url, str) or not url.startswith(("http://", "https://", "${")):
        raise ConfigError("url is no http(s) URL")
    kind = config.get("type") or "remote"
    if not isinstance(kind, str) or kind not in _TRANSPORTS:
        raise ConfigError(f"type is one of local, stdio, {', '.join(_TRANSPORTS)}")
    headers = expand_all(_string_map(config.get("headers"), "headers"), environment)
    return Remote(name, expand(url, environment), headers, _TRANSPORTS[kind], _timeout(config), _switches(config))


def _timeout(config: Mapping[str, Any]) -> float:
    value = config.get("timeout")
    if value is None:
        value = DEFAULT_TIMEOUT_MS
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf"):
        raise ConfigError("timeout is a number of milliseconds above 0")
    return value / 1000


def _switches(config: Mapping[str, Any]) -> Switches:
    tools = config.get("tools")
    if tools is None or (isinstance(tools, list) and all(isinstance(name, str) for name in tools)):
        return tools
    if isinstance(tools, Mapping) and all(isinstance(on, bool) for on in tools.values()):
        return tools
    raise ConfigError("tools is a map of names to true or false, or a list of names")


def _strings(value: object, key: str) -> list[str]:
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        raise ConfigError(f"{key} is no list of strings")
    return list(value)


def _string_map(value: object, key: str) -> Mapping[str, str]:
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not all(isinstance(item, str) for pair in value.items() for item in pair):
        raise ConfigError(f"{key} is no map of strings")
    return value
