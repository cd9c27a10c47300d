"""A real MCP server for the tests: `mcp_server.py MODE` over stdio, `mcp_server.py MODE http|sse` on a free port.

Over HTTP the port is the first line on stdout; with TOKEN in the environment a request without it is refused.
"""

from __future__ import annotations

import os
import socket
import sys
import time
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer", "minimum": 1}},
    "required": ["city"],
    "additionalProperties": False,
}
PLAIN = [
    types.Tool(name="get.weather", description="Tells the weather.", input_schema=SCHEMA),
    types.Tool(name="now", input_schema={"type": "object"}),
]
PAGE = 40


def listed(mode: str, cursor: str | None) -> types.ListToolsResult:
    """One page of the tools of a mode."""
    if mode == "many":
        return types.ListToolsResult(tools=[_numbered(number) for number in range(500)])
    if mode == "paged":
        begin = int(cursor or 0)
        end = min(begin + PAGE, 130)
        more = str(end) if end < 130 else None
        return types.ListToolsResult(tools=[_numbered(number) for number in range(begin, end)], next_cursor=more)
    if mode == "circle":
        return types.ListToolsResult(tools=PLAIN, next_cursor="again")
    if mode == "surroundings":
        text = f"{os.environ.get('GIVEN')} {os.environ.get('INHERITED')} {Path.cwd().name}"
        return types.ListToolsResult(tools=[types.Tool(name="look", description=text, input_schema={"type": "object"})])
    return types.ListToolsResult(tools=PLAIN)


def _numbered(number: int) -> types.Tool:
    return types.Tool(name=f"tool {number}", description=f"Number {number}.", input_schema=SCHEMA)


def build(mode: str) -> Server[Any]:
    async def list_tools(_: Any, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        if mode == "slow":
            await anyio.sleep(60)
        return listed(mode, params.cursor if params else None)

    async def call_tool(_: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        if alarm := os.environ.get("ALARM"):
            Path(alarm).write_text(params.name)
        text = f"Sunny in {(params.arguments or {}).get('city')}."
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)])

    return Server("tests", on_list_tools=list_tools, on_call_tool=call_tool)


async def over_stdio(mode: str) -> None:
    server = build(mode)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def over_http(mode: str, transport: str) -> None:
    import uvicorn
    from mcp.server.mcpserver import MCPServer

    server = MCPServer("tests")
    server._lowlevel_server = build(mode)
    app = server.sse_app() if transport == "sse" else server.streamable_http_app()

    async def guarded(scope: Any, receive: Any, send: Any) -> None:
        token = os.environ.get("TOKEN")
        given = dict(scope.get("headers") or ()).get(b"authorization", b"").decode()
        if scope["type"] == "http" and token and given != f"Bearer {token}":
            await send({"type": "http.response.start", "status": 401, "headers": []})
            await send({"type": "http.response.body", "body": f"not {given}".encode()})
            return
        await app(scope, receive, send)

    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()  # before the test learns the port, so that no connection is refused
    print(listener.getsockname()[1], flush=True)  # noqa: T201 - read by the test
    uvicorn.Server(uvicorn.Config(guarded, log_level="warning")).run(sockets=[listener])


def main(mode: str, transport: str = "stdio") -> None:
    if pid_file := os.environ.get("PID_FILE"):
        Path(pid_file).write_text(str(os.getpid()))
    if mode == "crash":
        sys.stderr.write("first line\nbad key s3cr3t-value in my settings\n")
        sys.exit(3)
    if mode == "silent":
        time.sleep(60)
    if transport == "stdio":
        anyio.run(over_stdio, mode)
    else:
        over_http(mode, transport)


if __name__ == "__main__":
    main(*sys.argv[1:])
