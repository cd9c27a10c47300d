"""`Tool`: what a model is told of a tool, and nothing that could run it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, get_args

import msgspec

from toolnexus.errors import InvalidRequest
from toolnexus.wire.clean import Cleaner

from .errors import ToolError

if TYPE_CHECKING:
    from toolnexus.result import Warning

Source = Literal["native", "mcp", "skill", "http", "builtin", "a2a", "custom"]
SOURCES: frozenset[str] = frozenset(get_args(Source))

NO_ARGUMENTS: Mapping[str, object] = {"type": "object", "properties": {}}


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Tool:
    """One tool as it is declared: name, description, input schema and where it comes from.

    `input_schema` is a JSON Schema object (copied, so later changes of the caller's do not show; None means no
    arguments). `origin` says what the caller needs to find the thing itself: `(server, tool)` for MCP,
    `(agent, skill)` for A2A, `(method, url)` for HTTP. `schema_json` is the schema's encoded form, `warnings` the
    repairs it took (request.unicode), pointers relative to the tool. The handler is kept for the caller's own
    bookkeeping and is never called here: there is no execution path (clause call.nothing-executes). Raises
    `ToolError` for a wrong type and for a schema that is no JSON (request.json-clean).
    """

    name: str
    description: str
    source: Source
    origin: tuple[str, ...]
    schema_json: bytes
    warnings: tuple[Warning, ...] = field(compare=False)
    _handler: Callable[..., Any] | None = field(compare=False)

    def __init__(
        self,
        name: str,
        description: str = "",
        input_schema: Mapping[str, object] | None = None,
        source: Source = "custom",
        handler: Callable[..., Any] | None = None,
        *,
        origin: tuple[str, ...] = (),
    ) -> None:
        label = name if isinstance(name, str) else repr(name)
        cleaner = Cleaner()
        values: dict[str, object] = {
            "name": _text(label, name, "/name", cleaner),
            "description": _text(label, description, "/description", cleaner),
            "source": _source(label, source),
            "origin": tuple(origin),
            "schema_json": _schema(label, NO_ARGUMENTS if input_schema is None else input_schema, cleaner),
            "warnings": tuple(cleaner.warnings),
            "_handler": handler,
        }
        if not name:
            raise ToolError(label, "a tool needs a name", "/name")
        for key, value in values.items():
            object.__setattr__(self, key, value)

    @classmethod
    def from_dict(cls, tool: Mapping[str, Any], handler: Callable[..., Any] | None = None) -> Tool:
        """A tool from `{name, description?, inputSchema?, source?}`, the form of the published contract.

        `input_schema` is read as well, null counts as absent, unknown keys are left alone.
        """
        if not isinstance(tool, Mapping):
            raise ToolError(repr(tool), "a tool is an object")
        schema = tool.get("inputSchema")
        return cls(
            tool.get("name", ""),
            "" if tool.get("description") is None else tool["description"],
            tool.get("input_schema") if schema is None else schema,
            "custom" if tool.get("source") is None else tool["source"],
            handler,
        )

    @property
    def input_schema(self) -> dict[str, Any]:
        """The input schema as declared: a fresh dict each time."""
        schema: dict[str, Any] = msgspec.json.decode(self.schema_json)
        return schema

    @property
    def __wrapped__(self) -> Callable[..., Any]:
        """The caller's own function behind a decorated tool, untouched (the convention of functools.wraps)."""
        if self._handler is None:
            raise AttributeError("__wrapped__")
        return self._handler

    def __repr__(self) -> str:
        return f"Tool({self.name!r}, source={self.source!r})"


def _text(label: str, value: object, pointer: str, cleaner: Cleaner) -> str:
    if not isinstance(value, str):
        raise ToolError(label, f"{pointer[1:]} is a string, not {type(value).__name__}", pointer)
    return str(cleaner.value(value, pointer, 0))


def _source(label: str, source: object) -> str:
    if not isinstance(source, str) or source not in SOURCES:
        raise ToolError(label, f"source is one of {', '.join(sorted(SOURCES))}, not {source!r}", "/source")
    return source


def _schema(label: str, schema: object, cleaner: Cleaner) -> bytes:
    if not isinstance(schema, Mapping):
        raise ToolError(label, f"the input schema is an object, not {type(schema).__name__}", "/inputSchema")
    try:
        return bytes(cleaner.raw(schema, "/inputSchema"))
    except InvalidRequest as fault:
        raise ToolError(label, f"the input schema is no JSON: {fault}", fault.pointer) from None
    except RecursionError:  # the caller stands so deep in its own stack that even 512 levels do not fit
        raise ToolError(label, "the input schema is nested too deep, or in a cycle", "/inputSchema") from None
