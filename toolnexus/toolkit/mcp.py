"""Tools of MCP servers, by the official SDK: connect, list, disconnect. Nothing is called.

No connection outlives the listing, since nothing here could use one: a caller that wants to run calls opens its own
session and may declare from it with `session_tools`.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import IO, Any, Protocol

import anyio

from .asking import LONGEST_DETAIL, ask_all, leaf, reason
from .declaration import Tool
from .environment import scrub, secrets_of
from .errors import ConfigError, ToolError
from .names import qualified
from .servers import Local, Remote, Server
from .status import Loaded, SourceStatus, failed
from .switches import Switches, chosen, unknown


class Session(Protocol):
    """What is asked of a connected client of the SDK (`mcp.Client`)."""

    async def list_tools(self, *, cursor: str | None = None) -> Any:
        """One page of tools."""


async def load(servers: Sequence[Server]) -> list[Loaded]:
    """What each server gives, in the order of `servers`; they are asked at the same time.

    Connecting (with the handshake) and listing each have the server's `timeout`. A server that fails gives no tools
    and a status that says why (clause toolkit.isolated).
    """
    return await ask_all(servers, _load_one)


async def session_tools(session: Session, server: str, *, allow: Switches = None) -> tuple[Tool, ...]:
    """The declarations of a session the caller holds open, named `server_tool` (clause toolkit.names).

    Raises `ToolError` for a tool that cannot be declared.
    """
    listed = await _list(session)
    kept = set(chosen((tool.name for tool in listed), allow))
    return tuple(_declared(server, tool) for tool in listed if tool.name in kept)


async def _load_one(server: Server) -> Loaded:
    try:
        listed = await (_local_tools(server) if isinstance(server, Local) else _remote_tools(server))
    except Exception as error:  # whatever a server does is its own failure, never the toolkit's
        secrets = (*server.secrets(), *secrets_of(os.environ))
        return failed("mcp", server.name, scrub(reason(error, server.timeout, "mcp"), secrets))
    return _loaded(server, listed)


def _loaded(server: Server, listed: list[Any]) -> Loaded:
    names = [tool.name for tool in listed]
    kept = set(chosen(names, server.tools))
    tools, notes = [], []
    for tool in listed:
        if tool.name not in kept:
            continue
        try:
            tools.append(_declared(server.name, tool))
        except ToolError as error:
            notes.append(SourceStatus("mcp", f"{server.name}/{tool.name}", "skipped", detail=error.reason))
    for name in unknown(names, server.tools):
        notes.append(SourceStatus("mcp", f"{server.name}/{name}", "skipped", detail="the server has no such tool"))
    return Loaded(tuple(tools), (SourceStatus("mcp", server.name, "loaded", len(tools)), *notes))


def _declared(server: str, tool: Any) -> Tool:
    name = qualified(server, tool.name)
    return Tool(name, tool.description or "", tool.input_schema, "mcp", origin=(server, tool.name))


async def _local_tools(server: Local) -> list[Any]:
    from mcp import StdioServerParameters, stdio_client

    parameters = StdioServerParameters(
        command=server.command[0],
        args=list(server.command[1:]),
        env={**os.environ, **server.environment},
        cwd=server.directory,
    )
    # A server's stderr is kept off the caller's and read only for the reason of a failure.
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as errors:
        try:
            return await _ask(stdio_client(parameters, errors), server.timeout)
        except Exception as error:
            said = _last_line(errors)
            why = reason(error, server.timeout, "mcp")
            raise ConfigError(f"{why}; it said: {said}" if said else why) from None


async def _remote_tools(server: Remote) -> list[Any]:
    """Streamable HTTP, then SSE where that is refused; a server that does not answer is not asked twice."""
    first: Exception | None = None
    for transport in server.transports:
        try:
            return await _ask(_TRANSPORTS[transport](server), server.timeout)
        except Exception as error:
            first = first or error
            if isinstance(leaf(error), TimeoutError):
                break
    raise first or ConfigError("no transport")


@asynccontextmanager
async def _streamable(server: Remote) -> AsyncIterator[Any]:
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    timeout = httpx2.Timeout(server.timeout)
    async with (
        httpx2.AsyncClient(headers=dict(server.headers), timeout=timeout) as http,
        streamable_http_client(server.url, http_client=http) as streams,
    ):
        yield streams


@asynccontextmanager
async def _sse(server: Remote) -> AsyncIterator[Any]:
    from mcp.client.sse import sse_client

    async with sse_client(server.url, headers=dict(server.headers), timeout=server.timeout) as streams:
        yield streams


_TRANSPORTS: Mapping[str, Any] = {"streamable-http": _streamable, "sse": _sse}


async def _ask(transport: Any, timeout: float) -> list[Any]:
    from mcp import Client

    with anyio.fail_after(timeout) as scope:
        async with Client(transport, cache=None) as client:
            scope.deadline = anyio.current_time() + timeout  # listing has a budget of its own
            return await _list(client)


async def _list(session: Session) -> list[Any]:
    """Every page of the tool list. Raises `ConfigError` for a server that leads in a circle."""
    tools: list[Any] = []
    cursor: str | None = None
    seen: set[str] = set()
    while True:
        page = await session.list_tools(cursor=cursor)
        tools += page.tools
        cursor = page.next_cursor
        if not cursor:
            return tools
        if cursor in seen:
            raise ConfigError("the pages of its tool list lead in a circle")
        seen.add(cursor)


def _last_line(errors: IO[str]) -> str:
    errors.seek(0)
    lines = [line.strip() for line in errors.read().splitlines() if line.strip()]
    return lines[-1][:LONGEST_DETAIL] if lines else ""
