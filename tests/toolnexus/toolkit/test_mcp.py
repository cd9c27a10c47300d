"""Tools of real MCP servers, local and remote (clauses toolkit.names, toolkit.isolated)."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from jsonschema import Draft202012Validator
from mcp import Client, StdioServerParameters

from toolnexus.toolkit import SourceStatus, Toolkit, create_toolkit, create_toolkit_async, session_tools

SERVER = str(Path(__file__).parent / "servers" / "mcp_server.py")
Start = Callable[..., str]


def local(mode: str, **more: Any) -> dict[str, Any]:
    return {"command": [sys.executable, SERVER, mode], **more}


def made(servers: dict[str, Any], **more: Any) -> Toolkit:
    return create_toolkit(mcp_config={"mcpServers": servers}, builtins=False, **more)


def statuses(kit: Toolkit) -> dict[str, SourceStatus]:
    return {entry.name: entry for entry in kit.status() if entry.kind != "builtin"}


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts a server on a port of its own: `start(mode, transport, **environment)` gives its origin."""
    running: list[subprocess.Popen[str]] = []

    def begin(mode: str, transport: str, **environment: str) -> str:
        process = subprocess.Popen(
            [sys.executable, SERVER, mode, transport],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **environment},
        )
        running.append(process)
        assert process.stdout is not None
        return f"http://127.0.0.1:{int(process.stdout.readline())}"

    yield begin
    for process in running:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def test_local_servers_give_their_tools_in_order() -> None:
    kit = made({"my server": local("plain"), "pager": local("paged"), "big": local("many")})
    names = kit.names()
    assert names[:3] == ("my_server_get_weather", "my_server_now", "pager_tool_0")
    assert len(names) == 2 + 130 + 500
    assert names[131:133] == ("pager_tool_129", "big_tool_0")
    weather = kit.get("my_server_get_weather")
    assert weather is not None
    assert (weather.description, weather.source, weather.origin) == (
        "Tells the weather.",
        "mcp",
        ("my server", "get.weather"),
    )
    assert weather.input_schema["properties"]["days"] == {"type": "integer", "minimum": 1}
    assert list(weather.input_schema) == ["type", "properties", "required", "additionalProperties"]
    assert [(entry.name, entry.state, entry.tools) for entry in kit.status()[:3]] == [
        ("my server", "loaded", 2),
        ("pager", "loaded", 130),
        ("big", "loaded", 500),
    ]
    for declaration in kit.to_anthropic():
        Draft202012Validator.check_schema(declaration["input_schema"])
    assert kit.faults("anthropic") == ()


def test_a_server_that_fails_is_reported_and_the_others_stay() -> None:
    begin = time.monotonic()
    kit = made(
        {
            "slow": local("slow", timeout=4000),
            "silent": local("silent", timeout=1000),
            "crash": local("crash", env={"KEY": "s3cr3t-value"}),
            "absent": {"command": "/no/such/program"},
            "circle": local("circle"),
            "off": local("plain", disabled=True),
            "broken": {"args": ["x"]},
            "good": local("plain"),
        }
    )
    assert time.monotonic() - begin < 30
    assert kit.names() == ("good_get_weather", "good_now")
    found = statuses(kit)
    assert {name: entry.state for name, entry in found.items()} == {
        "slow": "failed",
        "silent": "failed",
        "crash": "failed",
        "absent": "failed",
        "circle": "failed",
        "off": "disabled",
        "broken": "failed",
        "good": "loaded",
    }
    assert "no answer within 4 s" in found["slow"].detail
    assert "no answer within 1 s" in found["silent"].detail
    assert "it said: bad key *** in my settings" in found["crash"].detail
    assert "No such file" in found["absent"].detail
    assert "lead in a circle" in found["circle"].detail
    assert "neither a command nor a url" in found["broken"].detail
    assert "s3cr3t-value" not in repr(kit.status())


def test_a_server_gets_its_environment_and_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INHERITED", "from above")
    monkeypatch.setenv("SECRET", "expanded")
    kit = made({"s": local("surroundings", env={"GIVEN": "${SECRET}!"}, cwd=str(tmp_path))})
    assert kit.tools()[0].description == f"expanded! from above {tmp_path.name}"


@pytest.mark.parametrize(
    ("switches", "names"),
    [
        ({"get.weather": True}, ["s_get_weather"]),
        ({"get.weather": False}, ["s_now"]),
        (["now"], ["s_now"]),
        ({}, ["s_get_weather", "s_now"]),
    ],
)
def test_allow_lists_name_the_servers_own_tools(switches: Any, names: list[str]) -> None:
    async def main() -> list[str]:
        async with Client(runpy.run_path(SERVER)["build"]("plain")) as client:
            return [tool.name for tool in await session_tools(client, "s", allow=switches)]

    assert anyio.run(main) == names


def test_an_allow_list_that_names_no_tool_says_so() -> None:
    kit = made({"s": local("plain", tools={"now": True, "nowhere": True})})
    assert kit.names() == ("s_now",)
    assert statuses(kit)["s/nowhere"] == SourceStatus("mcp", "s/nowhere", "skipped", 0, "the server has no such tool")


def test_remote_servers_are_asked_over_streamable_http_with_headers(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    origin = start("paged", "http", TOKEN="t0ken-value")
    monkeypatch.setenv("ACCESS", "t0ken-value")
    kit = made(
        {
            "far": {"url": f"{origin}/mcp", "headers": {"Authorization": "Bearer ${ACCESS}"}},
            "wrong": {"url": f"{origin}/mcp", "headers": {"Authorization": "Bearer wr0ng-value"}},
            "unset": {"url": f"{origin}/mcp", "headers": {"Authorization": "Bearer ${NOT_SET_ANYWHERE}"}},
            "closed": {"url": "http://127.0.0.1:1/mcp"},
        }
    )
    assert len(kit) == 130
    found = statuses(kit)
    assert [found[name].state for name in ("far", "wrong", "unset", "closed")] == [
        "loaded",
        "failed",
        "failed",
        "failed",
    ]
    assert found["unset"].detail == "environment variable NOT_SET_ANYWHERE is not set"
    shown = repr(kit.status())
    assert "t0ken-value" not in shown
    assert "wr0ng-value" not in shown


def test_a_server_that_only_speaks_sse_is_asked_again_that_way(start: Start) -> None:
    origin = start("plain", "sse")
    kit = made(
        {
            "any": {"url": f"{origin}/sse"},
            "sse": {"type": "sse", "url": f"{origin}/sse"},
            "strict": {"type": "http", "url": f"{origin}/sse", "timeout": 5000},
        }
    )
    assert kit.names() == ("any_get_weather", "any_now", "sse_get_weather", "sse_now")
    assert statuses(kit)["strict"].state == "failed"


def test_a_remote_server_that_does_not_answer_is_given_up_in_time(start: Start) -> None:
    origin = start("slow", "http")
    begin = time.monotonic()
    kit = made({"slow": {"url": f"{origin}/mcp", "timeout": 1500}})
    assert time.monotonic() - begin < 12
    assert statuses(kit)["slow"].detail == "no answer within 1.5 s"


def test_an_open_session_can_be_declared_and_the_caller_runs_its_calls(tmp_path: Path) -> None:
    alarm = tmp_path / "alarm"
    parameters = StdioServerParameters(
        command=sys.executable, args=[SERVER, "plain"], env={**os.environ, "ALARM": str(alarm)}
    )

    async def main() -> None:
        async with Client(parameters) as client:
            tools = await session_tools(client, "s")
            kit = Toolkit(tools)
            assert kit.names() == ("s_get_weather", "s_now")
            assert [t.name for t in await session_tools(client, "s", allow=["now"])] == ["s_now"]
            kit.declarations("anthropic")
            assert not alarm.exists(), "nothing was called"
            result = await client.call_tool(tools[0].origin[1], {"city": "Paris"})
            assert result.content[0].text == "Sunny in Paris."  # type: ignore[union-attr]
            assert alarm.read_text() == "get.weather", "the alarm works"

    anyio.run(main)


def test_the_async_form_gives_the_same_and_the_sync_form_refuses_to_block() -> None:
    config = {"mcpServers": {"s": local("plain")}}

    async def main() -> Toolkit:
        with pytest.raises(RuntimeError, match="await create_toolkit_async"):
            create_toolkit(mcp_config=config)
        async with await create_toolkit_async(mcp_config=config, builtins=False) as kit:
            return kit

    assert anyio.run(main).tools() == create_toolkit(mcp_config=config, builtins=False).tools()


def test_cancelling_ends_the_servers(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    server = local("slow", env={"PID_FILE": str(pid_file)})

    async def main() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(create)
            while not pid_file.exists() or not pid_file.read_text():
                await anyio.sleep(0.02)
            os.kill(int(pid_file.read_text()), 0)  # it runs
            group.cancel_scope.cancel()

    async def create() -> None:
        await create_toolkit_async(mcp_config={"s": server})

    anyio.run(main)
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid_file.read_text()), 0)
