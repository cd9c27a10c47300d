"""A real MCP server's tools through a provider and back, for both styles.

Lists the tools over a session that stays open, sends them along, runs the call that comes back on the same session,
and sends the result.
"""

import json
import sys
from pathlib import Path
from typing import Any

import anyio
from mcp import Client as Session
from mcp import StdioServerParameters
from toolnexus import AsyncClient, Toolkit
from toolnexus.toolkit import session_tools

from stub_provider import Style, provider

SERVER = StdioServerParameters(command=sys.executable, args=[str(Path(__file__).with_name("mcp_server.py"))])


async def converse(session: Session, style: Style, url: str) -> str:
    """The answer to a question for which the model needs the server."""
    kit = Toolkit(await session_tools(session, "harbour"))
    messages: list[Any] = [{"role": "user", "content": "When is the next high tide in Brest?"}]
    async with AsyncClient(url, style=style, model="any-model", api_key="none") as client:
        result = await client.translate(messages, toolkit=kit, max_tokens=1024)
        messages.append(result.to_message())
        for call in result.tool_calls:
            _, tool = kit.get(call.name).origin
            outcome = await session.call_tool(tool, json.loads(call.arguments))
            print(f"{style}: {call.name}({call.arguments}) gave {outcome.content[0].text!r}")
            messages.append({"role": "tool", "tool_call_id": call.id, "content": outcome.content[0].text})
        return (await client.translate(messages, toolkit=kit, max_tokens=1024)).text


async def main() -> None:
    async with Session(SERVER) as session:
        for style in ("anthropic", "openai"):
            with provider(style, "harbour_next_high_tide", {"port": "Brest"}) as url:
                print(f"{style}: {await converse(session, style, url)}")


anyio.run(main)
