"""The tools of an MCP server: listed from a configuration, called over a session of your own."""

import sys
from pathlib import Path
from typing import Any

import anyio
from mcp import Client as Session
from mcp import StdioServerParameters
from toolnexus import Client
from toolnexus.toolkit import create_toolkit

from loop import ask
from stub_provider import provider

COMMAND, ARGUMENTS = sys.executable, [str(Path(__file__).with_name("mcp_server.py"))]

kit = create_toolkit(
    mcp_config={"mcpServers": {"harbour": {"command": COMMAND, "args": ARGUMENTS, "timeout": 20_000}}},
    builtins=False,
)
for source in kit.status():
    print(source.kind, source.name, source.state, source.tools, source.detail)


def run(name: str, arguments: Any) -> str:
    """The call made on the server that declared the tool."""
    _, tool = kit.get(name).origin  # ("harbour", "next_high_tide")

    async def call() -> str:
        async with Session(StdioServerParameters(command=COMMAND, args=ARGUMENTS)) as session:
            return (await session.call_tool(tool, arguments)).content[0].text

    return anyio.run(call)


with (
    provider("openai", "harbour_next_high_tide", {"port": "Brest"}) as url,
    Client(url, style="openai", model="gpt-5", api_key="none") as client,
):
    print(ask(client, kit, "When is the next high tide in Brest?", run))
