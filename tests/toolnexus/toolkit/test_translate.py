"""A toolkit in a translation: declared first and never run (clauses tools.compose, call.nothing-executes)."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any, Literal

import anyio
import pytest
from mcp import Client as McpClient
from mcp import StdioServerParameters
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from toolnexus import AsyncClient, ClientConfig, TranslateRequest, encode
from toolnexus.toolkit import Tool, Toolkit, http_tool, session_tools, tool

SERVER = str(Path(__file__).parent / "servers" / "mcp_server.py")
Style = Literal["anthropic", "openai"]
STYLES: tuple[Style, ...] = ("anthropic", "openai")
MESSAGES = [{"role": "user", "content": "hi"}]
OWN = {"type": "function", "function": {"name": "own", "parameters": {"type": "object", "properties": {}}}}


def body(style: Style, request: TranslateRequest) -> dict[str, Any]:
    config = ClientConfig("http://127.0.0.1:1", style, "some-model")
    encoded: dict[str, Any] = json.loads(encode(request, config).body)
    return encoded


def names(style: Style, sent: dict[str, Any]) -> list[str]:
    return [entry["name"] if style == "anthropic" else entry["function"]["name"] for entry in sent["tools"]]


@pytest.mark.parametrize("style", STYLES)
def test_toolkit_declarations_come_before_tools_and_nothing_runs(style: Style) -> None:
    rung: list[object] = []

    @tool
    def native(x: int) -> None:
        """Native."""
        rung.append(x)

    kit = Toolkit(
        [
            native,
            Tool("server_x", "From a server.", {"properties": {"q": {}}}, "mcp", lambda **given: rung.append(given)),
            http_tool("fetch", "https://h/{id}", description="Fetches.").declaration(),
        ]
    )
    sent = body(style, TranslateRequest(MESSAGES, toolkit=kit, tools=[OWN]))
    assert names(style, sent) == ["native", "server_x", "fetch", "own"]
    assert rung == []
    expected = kit.to_anthropic() if style == "anthropic" else kit.to_openai()
    if style == "anthropic":
        expected[1]["input_schema"] = {"type": "object", **expected[1]["input_schema"]}
    assert sent["tools"][:3] == expected


@pytest.mark.parametrize("style", STYLES)
def test_an_empty_toolkit_sends_no_tools(style: Style) -> None:
    assert "tools" not in body(style, TranslateRequest(MESSAGES, toolkit=Toolkit()))


@pytest.mark.parametrize("style", STYLES)
def test_five_hundred_tools_add_under_a_millisecond_to_an_encode(style: Style) -> None:
    schema = {"type": "object", "properties": {f"p{n}": {"type": "string", "description": "x" * 40} for n in range(8)}}
    kit = Toolkit(Tool(f"tool_{n}", "d" * 80, schema) for n in range(500))
    config = ClientConfig("http://127.0.0.1:1", style, "some-model")

    def best(request: TranslateRequest) -> float:
        encode(request, config)
        spent = []
        for _ in range(30):
            begin = time.perf_counter()
            encode(request, config)
            spent.append(time.perf_counter() - begin)
        return min(spent)

    added = best(TranslateRequest(MESSAGES, toolkit=kit)) - best(TranslateRequest(MESSAGES))
    assert added < 0.001


def _calls(style: Style, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    if style == "anthropic":
        block = {"type": "tool_use", "id": "call_1", "name": name, "input": arguments}
        return {"content": [block], "stop_reason": "tool_use", "usage": {"input_tokens": 1, "output_tokens": 1}}
    call = {"id": "call_1", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
    return {"choices": [{"message": {"content": None, "tool_calls": [call]}, "finish_reason": "tool_calls"}]}


def _says(style: Style, text: str) -> dict[str, Any]:
    if style == "anthropic":
        return {"content": [{"type": "text", "text": text}], "stop_reason": "end_turn"}
    return {"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}


@pytest.mark.parametrize("style", STYLES)
def test_a_real_servers_tools_go_out_and_its_call_is_run_by_the_caller(style: Style, httpserver: HTTPServer) -> None:
    asked: list[dict[str, Any]] = []

    def provider(request: Request) -> Response:
        asked.append(request.get_json())
        replies = [_calls(style, "s_get_weather", {"city": "Paris"}), _says(style, "It is sunny.")]
        return Response(json.dumps(replies[len(asked) - 1]), content_type="application/json")

    path = "/v1/messages" if style == "anthropic" else "/v1/chat/completions"
    httpserver.expect_request(path).respond_with_handler(provider)

    async def main() -> str:
        parameters = StdioServerParameters(command=sys.executable, args=[SERVER, "plain"])
        client = AsyncClient(httpserver.url_for("/"), style, "some-model")
        async with McpClient(parameters) as session, client:
            kit = Toolkit(await session_tools(session, "s"))
            messages: list[Any] = [{"role": "user", "content": "Weather in Paris?"}]
            first = await client.translate(messages, toolkit=kit)
            messages.append(first.to_message())
            for call in first.tool_calls:
                declared = kit.get(call.name)
                assert declared is not None
                outcome = await session.call_tool(declared.origin[1], json.loads(call.arguments))
                text = outcome.content[0].text  # type: ignore[union-attr]
                messages.append({"role": "tool", "tool_call_id": call.id, "content": text})
            return (await client.translate(messages, toolkit=kit)).text

    assert anyio.run(main) == "It is sunny."
    assert [names(style, request) for request in asked] == [["s_get_weather", "s_now"]] * 2
    last = asked[1]["messages"][-1]
    if style == "anthropic":
        assert last["content"] == [{"type": "tool_result", "tool_use_id": "call_1", "content": "Sunny in Paris."}]
    else:
        assert last == {"role": "tool", "tool_call_id": "call_1", "content": "Sunny in Paris."}
