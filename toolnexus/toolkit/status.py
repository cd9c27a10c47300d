"""What became of each source of a toolkit (clause toolkit.isolated)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec

from .declaration import Tool

Kind = Literal["config", "mcp", "skill", "builtin", "http", "a2a", "tool"]
State = Literal["loaded", "disabled", "failed", "skipped"]


class SourceStatus(msgspec.Struct, frozen=True):
    """One source, or one thing in it that was left out: nothing is lost silently.

    `name` is the server, agent, folder, file or tool; `tools` how many tools it gave; `detail` why it failed or was
    skipped, without any secret.
    """

    kind: Kind
    name: str
    state: State
    tools: int = 0
    detail: str = ""


class Loaded(msgspec.Struct, frozen=True):
    """The tools of one source and what is to be said of it."""

    tools: tuple[Tool, ...] = ()
    statuses: tuple[SourceStatus, ...] = ()


def failed(kind: Kind, name: str, detail: str) -> Loaded:
    """A source that gave nothing."""
    return Loaded(statuses=(SourceStatus(kind, name, "failed", detail=detail),))


def disabled(kind: Kind, name: str) -> Loaded:
    """A source that is switched off."""
    return Loaded(statuses=(SourceStatus(kind, name, "disabled"),))


def shadowed(given: Iterable[Tool], kept: Iterable[Tool]) -> tuple[SourceStatus, ...]:
    """The tools that lost their name to another (clause toolkit.order)."""
    winners = {tool.name: tool for tool in kept}
    return tuple(
        SourceStatus("tool", tool.name, "skipped", detail=f"shadowed: {tool.source} by {winners[tool.name].source}")
        for tool in given
        if tool.name in winners and winners[tool.name] is not tool
    )
