"""Toolkits: declare any tool source to any provider, run none of it.

`Tool` is one declaration, `Toolkit` an ordered set of them, `tool` makes one from a function, `compose` orders
sources, `create_toolkit` gathers MCP servers, skills, builtins, HTTP endpoints and agents (clauses adapters.shape,
toolkit.names, toolkit.order, call.nothing-executes).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .adapters import Fault, Style
from .declaration import Source, Tool
from .errors import ConfigError, ToolError
from .kit import Toolkit
from .names import qualified, sanitize
from .native import tool
from .order import compose
from .status import SourceStatus

if TYPE_CHECKING:
    from .agents import Agent as Agent
    from .create import create_toolkit as create_toolkit
    from .create import create_toolkit_async as create_toolkit_async
    from .http import HttpRequest as HttpRequest
    from .http import HttpTool as HttpTool
    from .http import http_tool as http_tool
    from .mcp import session_tools as session_tools
    from .openapi import from_openapi as from_openapi
    from .skills import discover as discover

# Sources are paid for by those who use them: name → module.
_LATER = {
    "Agent": "agents",
    "HttpRequest": "http",
    "HttpTool": "http",
    "create_toolkit": "create",
    "create_toolkit_async": "create",
    "discover": "skills",
    "from_openapi": "openapi",
    "http_tool": "http",
    "session_tools": "mcp",
}

__all__ = [
    "ConfigError",
    "Fault",
    "Source",
    "SourceStatus",
    "Style",
    "Tool",
    "ToolError",
    "Toolkit",
    "compose",
    "qualified",
    "sanitize",
    "tool",
    *_LATER,
]


def __getattr__(name: str) -> Any:
    module = _LATER.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{module}"), name)
