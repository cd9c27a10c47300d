"""`Toolkit`: an ordered, immutable set of declared tools."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn, Self

import msgspec

from .adapters import SHAPES, Fault, Style, declare, encode, faults
from .declaration import Tool
from .order import winners
from .status import SourceStatus

if TYPE_CHECKING:
    from toolnexus.result import Warning


class Toolkit:
    """Tools that can be declared to any provider; nothing in here runs one (clause call.nothing-executes).

    Takes `Tool`s and plain functions or methods (see `tool`), keeps their order; of one name the first wins, though
    a builtin yields (clause toolkit.order). Immutable: declarations are encoded once for each style. `status` and
    `skills_prompt` are what `create_toolkit` found.
    """

    __slots__ = ("_by_name", "_encoded", "_faults", "_prompt", "_status", "_tools")

    def __init__(
        self,
        tools: Iterable[Tool | Callable[..., Any]] = (),
        *,
        status: Iterable[SourceStatus] = (),
        skills_prompt: str = "",
    ) -> None:
        kept = winners(as_tool(item) for item in tools)
        set_once = object.__setattr__
        set_once(self, "_tools", kept)
        set_once(self, "_by_name", {tool.name: tool for tool in kept})
        set_once(self, "_encoded", {})
        set_once(self, "_faults", {})
        set_once(self, "_status", tuple(status))
        set_once(self, "_prompt", skills_prompt)

    _tools: tuple[Tool, ...]
    _by_name: dict[str, Tool]
    _encoded: dict[Style, tuple[msgspec.Raw, ...]]
    _faults: dict[Style, tuple[Fault, ...]]
    _status: tuple[SourceStatus, ...]
    _prompt: str

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a Toolkit is immutable: {name!r} cannot be set")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a Toolkit is immutable: {name!r} cannot be deleted")

    def tools(self) -> tuple[Tool, ...]:
        """The tools in declared order."""
        return self._tools

    def names(self) -> tuple[str, ...]:
        """The tools' names in declared order, each once."""
        return tuple(self._by_name)

    def get(self, name: str) -> Tool | None:
        """The tool of that name, None where there is none."""
        return self._by_name.get(name)

    def to_openai(self) -> list[dict[str, Any]]:
        """`[{type: "function", function: {name, description, parameters}}]`, fresh (clause adapters.shape)."""
        return [declare(tool, "openai") for tool in self._tools]

    def to_anthropic(self) -> list[dict[str, Any]]:
        """`[{name, description, input_schema}]`, fresh (clause adapters.shape)."""
        return [declare(tool, "anthropic") for tool in self._tools]

    def to_gemini(self) -> list[dict[str, Any]]:
        """`[{functionDeclarations: [{name, description, parameters}]}]`, fresh (clause adapters.shape)."""
        return [{"functionDeclarations": [declare(tool, "gemini") for tool in self._tools]}]

    def declarations(self, style: Style) -> tuple[msgspec.Raw, ...]:
        """Each declaration as the JSON bytes `style` sends; encoded once, then the same tuple again.

        For "gemini" these are the entries of `functionDeclarations`. Raises `ValueError` for an unknown style.
        """
        known = self._encoded.get(style)
        if known is None:
            _check(style)
            known = self._encoded[style] = tuple(encode(tool, style) for tool in self._tools)
        return known

    def faults(self, style: Style) -> tuple[Fault, ...]:
        """What `style`'s provider would refuse in these declarations; looked for once (anthropic.tool-schema)."""
        known = self._faults.get(style)
        if known is None:
            _check(style)
            found = (fault for index, tool in enumerate(self._tools) for fault in faults(tool, style, index))
            known = self._faults[style] = tuple(found)
        return known

    def warnings(self) -> tuple[Warning, ...]:
        """What was repaired in the tools' texts, at `/toolkit/i/…` (clause request.unicode)."""
        return tuple(
            msgspec.structs.replace(warning, pointer=f"/toolkit/{index}{warning.pointer}")
            for index, tool in enumerate(self._tools)
            for warning in tool.warnings
        )

    def status(self) -> tuple[SourceStatus, ...]:
        """What became of each source, in the order asked; empty for a toolkit made by hand (toolkit.isolated)."""
        return self._status

    def skills_prompt(self) -> str:
        """The catalogue of skills for the system prompt, "" where there are none (clause toolkit.skill)."""
        return self._prompt

    def close(self) -> None:
        """Nothing is open, since sources are asked once, when the toolkit is made; closing twice is fine."""

    async def aclose(self) -> None:
        """As `close`."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools)

    def __len__(self) -> int:
        return len(self._tools)

    def __contains__(self, item: object) -> bool:
        return item in self._by_name if isinstance(item, str) else item in self._tools

    def __repr__(self) -> str:
        return f"Toolkit({len(self._tools)} tools)"


def as_tool(item: Tool | Callable[..., Any]) -> Tool:
    """A tool itself, or the declaration of a function; raises `ToolError` for anything else."""
    if isinstance(item, Tool):
        return item
    from .native import from_function  # reading signatures is only paid for by those who pass functions

    return from_function(item)


def _check(style: str) -> None:
    if style not in SHAPES:
        raise ValueError(f"unknown style {style!r}: one of {', '.join(SHAPES)}")
