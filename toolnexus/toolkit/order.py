"""Which tools a toolkit holds, and in which order (clause toolkit.order)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from .declaration import Tool


def compose(
    mcp: Iterable[Tool] = (),
    skills: Iterable[Tool] = (),
    builtins: Iterable[Tool] = (),
    extra: Iterable[Tool] = (),
) -> tuple[Tool, ...]:
    """The tools of all sources in the order MCP, skill, builtin, extra; the first of a name wins.

    An extra tool shadows a builtin of its name (clause toolkit.order).
    """
    return winners(chain(mcp, skills, builtins, extra))


def winners(tools: Iterable[Tool]) -> tuple[Tool, ...]:
    """`tools` without those whose name another has: the first stays, but a builtin yields to any other source."""
    listed = tuple(tools)
    first: dict[str, int] = {}
    for index, tool in enumerate(listed):
        holder = first.setdefault(tool.name, index)
        if listed[holder].source == "builtin" != tool.source:
            first[tool.name] = index
    return tuple(listed[index] for index in sorted(first.values()))
