"""`create_toolkit`: every source gathered into one toolkit."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

from . import agents as a2a
from . import builtins, http, skills
from .declaration import Tool
from .errors import ConfigError, ToolError
from .kit import Toolkit, as_tool
from .order import compose
from .servers import Server, entries, parse, read_config
from .status import Loaded, SourceStatus, disabled, failed, shadowed
from .switches import Switches, is_on

Paths = str | PathLike[str] | Iterable[str | PathLike[str]]
AnyTool = Tool | Callable[..., Any]
AnyHttpTool = http.HttpTool | Mapping[str, Any]
AnyAgent = a2a.Agent | str | Mapping[str, Any]
Config = str | PathLike[str] | Mapping[str, Any]


def create_toolkit(
    *,
    mcp_config: Config | None = None,
    skills_dir: Paths | None = None,
    tools: Iterable[AnyTool] = (),
    http_tools: Iterable[AnyHttpTool] = (),
    agents: Iterable[AnyAgent] = (),
    builtins: bool | Mapping[str, Any] | None = None,
    skills: Switches = None,
    disable_tools: Iterable[str] = (),
) -> Toolkit:
    """One toolkit from any sources, in the order MCP, skills, builtins, tools, HTTP tools, agents.

    `mcp_config` is a configuration object or file (its `builtins` and `agents` blocks are read too), `skills_dir` one
    folder or several, `tools` functions or `Tool`s, `http_tools` what `http_tool` and `from_openapi` make or objects,
    `agents` cards or their URLs, `builtins` a switch (on by default). A source that fails is named in `status()` and
    left out (clause toolkit.isolated); a wrong argument is a `ToolError` or `ConfigError`. Servers and agents are only
    asked what they have, and nothing stays open. Raises `RuntimeError` inside a running event loop where servers or
    agents must be asked: use `create_toolkit_async` there.
    """
    plan = _plan(mcp_config, skills_dir, tools, http_tools, agents, builtins, skills, disable_tools)
    if not plan.servers and not plan.remote_agents:
        return plan.assemble([], [])
    import asyncio

    import anyio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return anyio.run(_ask, plan)
    raise RuntimeError("create_toolkit would block the running event loop; await create_toolkit_async instead")


async def create_toolkit_async(
    *,
    mcp_config: Config | None = None,
    skills_dir: Paths | None = None,
    tools: Iterable[AnyTool] = (),
    http_tools: Iterable[AnyHttpTool] = (),
    agents: Iterable[AnyAgent] = (),
    builtins: bool | Mapping[str, Any] | None = None,
    skills: Switches = None,
    disable_tools: Iterable[str] = (),
) -> Toolkit:
    """`create_toolkit` inside an event loop; cancelling it ends every connection and server it began."""
    return await _ask(_plan(mcp_config, skills_dir, tools, http_tools, agents, builtins, skills, disable_tools))


@dataclass
class _Plan:
    """What is known before anyone is asked; `mcp` and `agents` keep the places of what is asked."""

    servers: list[Server] = field(default_factory=list)
    remote_agents: list[a2a.Agent] = field(default_factory=list)
    mcp: list[Loaded | Server] = field(default_factory=list)
    agents: list[Loaded | a2a.Agent] = field(default_factory=list)
    skills: Loaded = field(default_factory=Loaded)
    builtins: Loaded = field(default_factory=Loaded)
    extra: list[Loaded] = field(default_factory=list)
    prompt: str = ""
    disabled: frozenset[str] = frozenset()

    def assemble(self, from_servers: list[Loaded], from_agents: list[Loaded]) -> Toolkit:
        """The toolkit, every place filled."""
        mcp = _filled(self.mcp, from_servers)
        agents = _filled(self.agents, from_agents)
        groups = [_tools(mcp), self.skills.tools, self.builtins.tools, _tools([*self.extra, *agents])]
        left = [[tool for tool in group if tool.name not in self.disabled] for group in groups]
        kept = compose(*left)
        given = [tool for group in left for tool in group]
        status = [
            entry for loaded in (*mcp, self.skills, self.builtins, *self.extra, *agents) for entry in loaded.statuses
        ]
        status += [
            SourceStatus("tool", tool.name, "disabled")
            for group in groups
            for tool in group
            if tool.name in self.disabled
        ]
        return Toolkit(kept, status=(*status, *shadowed(given, kept)), skills_prompt=self.prompt)


async def _ask(plan: _Plan) -> Toolkit:
    from_servers: list[Loaded] = []
    if plan.servers:
        from . import mcp

        from_servers = await mcp.load(plan.servers)
    return plan.assemble(from_servers, await a2a.load(plan.remote_agents))


def _plan(
    mcp_config: Config | None,
    skills_dir: Paths | None,
    tools: Iterable[AnyTool],
    http_tools: Iterable[AnyHttpTool],
    agents: Iterable[AnyAgent],
    builtin_setting: bool | Mapping[str, Any] | None,
    switches: Switches,
    disable_tools: Iterable[str],
) -> _Plan:
    plan = _Plan(disabled=frozenset(disable_tools))
    config = _config(plan, mcp_config)
    _plan_servers(plan, config)
    if skills_dir is not None:
        roots = [skills_dir] if isinstance(skills_dir, str | PathLike) else list(skills_dir)
        plan.skills, found = skills.load(roots, switches)
        plan.prompt = skills.prompt(found)
    plan.builtins = builtins.load(config.get("builtins") if builtin_setting is None else builtin_setting)
    own = tuple(as_tool(item) for item in tools)
    endpoints = tuple(_endpoint(item) for item in http_tools)
    plan.extra = [Loaded(own), Loaded(endpoints)]
    named = [("", _agent(item)) for item in agents]
    block = a2a.configured(config["agents"]) if "agents" in config else ()
    for _, agent in (*named, *block):
        plan.agents.append(agent)
        if isinstance(agent, a2a.Agent):
            plan.remote_agents.append(agent)
    return plan


def _config(plan: _Plan, source: Config | None) -> Mapping[str, Any]:
    if source is None:
        return {}
    try:
        return read_config(source)
    except ConfigError as error:
        plan.mcp.append(failed("config", str(source), str(error)))
        return {}


def _plan_servers(plan: _Plan, config: Mapping[str, Any]) -> None:
    for name, entry in entries(config):
        if isinstance(entry, Mapping) and not is_on(entry):
            plan.mcp.append(disabled("mcp", name))
            continue
        try:
            server = parse(name, entry, os.environ)
        except ConfigError as error:
            plan.mcp.append(failed("mcp", name, str(error)))
            continue
        plan.mcp.append(server)
        plan.servers.append(server)


def _agent(item: AnyAgent) -> a2a.Agent:
    if isinstance(item, a2a.Agent):
        return item
    if not isinstance(item, str | Mapping):
        raise ConfigError(f"an agent is a card, its URL or an Agent, not {type(item).__name__}")
    return a2a.Agent(item)


def _endpoint(item: AnyHttpTool) -> Tool:
    if isinstance(item, http.HttpTool):
        return item.declaration()
    if not isinstance(item, Mapping):
        raise ToolError(repr(item), "an HTTP tool is made by http_tool or from_openapi, or is an object")
    return http.from_dict(item).declaration()


def _filled(places: list[Any], asked: list[Loaded]) -> list[Loaded]:
    answers = iter(asked)
    return [place if isinstance(place, Loaded) else next(answers) for place in places]


def _tools(loaded: Iterable[Loaded]) -> list[Tool]:
    return [tool for item in loaded for tool in item.tools]
