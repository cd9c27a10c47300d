"""Tool declarations in Anthropic's shape (SPEC section 2, "Tools and choice"; wire-facts B5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from toolnexus.errors import InvalidRequest
from toolnexus.wire.anthropic import schema
from toolnexus.wire.anthropic.calls import is_name
from toolnexus.wire.anthropic.marks import Mark, put_mark, read_mark
from toolnexus.wire.exact import decode_fields, decode_items, plain, too_deep
from toolnexus.wire.log import Log
from toolnexus.wire.shapes import FunctionSpec, ToolSpec, decode_tool, decode_tools

if TYPE_CHECKING:
    from toolnexus.toolkit import Toolkit


class Declaration(Struct, gc=False, omit_defaults=True):
    """One tool as sent."""

    name: str
    description: str | UnsetType
    input_schema: Raw
    strict: bool | None = None
    cache_control: Raw | None = None


Declared = Declaration | Raw | dict[str, Raw]

_TOOL_KEYS = frozenset({"type", "function", "cache_control"})
_FUNCTION_KEYS = frozenset({"name", "description", "parameters", "strict", "cache_control"})
_CUSTOM_KEYS = frozenset({"name", "description", "format"})
_CUSTOM_SCHEMA = Raw(b'{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}')


class Tools:
    """The declarations of one request, by name, in order: toolkit, tools, legacy functions (clause `tools.compose`)."""

    __slots__ = ("_log", "by_name", "custom", "marks")

    def __init__(self, log: Log) -> None:
        self._log = log
        self.by_name: dict[str, Declared] = {}
        self.custom: set[str] = set()
        self.marks: list[Mark] = []

    def add_toolkit(self, toolkit: Toolkit) -> None:
        """Declares a toolkit; its declarations are cached by it, already encoded. Raises at the first that is
        refused.
        """
        for fault in toolkit.faults("anthropic"):
            raise InvalidRequest(fault.message, fault.pointer)
        self._log.warnings.extend(toolkit.warnings())
        for index, (name, raw) in enumerate(zip(toolkit.names(), toolkit.declarations("anthropic"), strict=True)):
            self._add(name, raw, f"/toolkit/{index}")

    def add_tools(self, raw: Raw) -> None:
        """Declares the request's own tools. Raises `InvalidRequest` naming the tool that the provider would refuse."""
        try:
            specs = decode_tools(raw)
        except (msgspec.MsgspecError, RecursionError):
            specs = None
        if specs is None or too_deep(bytes(raw)):
            self._add_each(raw, "/tools")
        else:
            self.add_specs(specs)

    def add_specs(self, specs: list[ToolSpec]) -> None:
        """Declares tools of the plain shape."""
        for index, spec in enumerate(specs):
            self._add_function(spec.function, f"/tools/{index}/function")

    def add_functions(self, raw: Raw, place: str) -> None:
        """Declares legacy `functions` (clause `anthropic.legacy-functions`)."""
        for index, item in enumerate(_items(raw, place)):
            self._careful_function(item, f"{place}/{index}", f"{place}/{index}", {})

    def only(self, names: list[str]) -> None:
        """Keeps the named declarations, in declared order (OpenAI's `allowed_tools`)."""
        kept = set(names)
        self.by_name = {name: tool for name, tool in self.by_name.items() if name in kept}
        carriers = [id(tool) for tool in self.by_name.values()]
        self.marks = [mark for mark in self.marks if id(mark.carrier) in carriers]

    def _add_each(self, raw: Raw, place: str) -> None:
        for index, item in enumerate(_items(raw, place)):
            at = f"{place}/{index}"
            schema.refuse_deep(item, at)
            try:
                self._add_function(decode_tool(item).function, f"{at}/function")
            except (msgspec.MsgspecError, RecursionError):
                self._careful(item, at)

    def _add(self, name: str, declared: Declared, at: str) -> None:
        if not is_name(name):
            raise InvalidRequest(f"tool name {name!r} is not of 1 to 128 letters, digits, _ and -", f"{at}/name")
        if name in self.by_name:
            raise InvalidRequest(f"tool name {name!r} is declared twice", f"{at}/name")
        self.by_name[name] = declared

    def _add_function(self, spec: FunctionSpec, at: str) -> Declaration:
        parameters = schema.input_schema(spec.parameters, spec.name, at)
        declared = Declaration(spec.name, spec.description or UNSET, parameters)
        if spec.strict:
            reason = schema.unfit(plain(parameters))
            if reason is None:
                declared.strict = True
            else:
                self._log.dropped(f"{at}/strict", f"the schema is outside the provider's strict subset: {reason}")
        self._add(spec.name, declared, at)
        return declared

    def _careful(self, raw: Raw, at: str) -> None:
        """A tool read key by key: with extras, custom, in Anthropic's own shape, or wrong."""
        try:
            keys = decode_fields(raw)
        except (msgspec.MsgspecError, RecursionError):
            raise InvalidRequest("a tool is no object", at) from None
        kind = plain(keys["type"]) if "type" in keys else None
        if "function" in keys and kind in (None, "function"):
            self._log.unknown(_values(keys), _TOOL_KEYS, at)
            self._careful_function(keys["function"], f"{at}/function", at, keys)
        elif kind == "custom" and "custom" in keys:
            self._custom(keys, at)
        elif "name" in keys and (
            "input_schema" in keys or (isinstance(kind, str) and kind not in ("function", "custom"))
        ):
            self._native(raw, keys, at)
        else:
            raise InvalidRequest("a tool is neither OpenAI's shape nor Anthropic's", at)

    def _careful_function(self, raw: Raw, at: str, tool_at: str, outer: dict[str, Raw]) -> None:
        try:
            keys = decode_fields(raw)
        except (msgspec.MsgspecError, RecursionError):
            raise InvalidRequest("function is no object", at) from None
        schema.refuse_deep(raw, tool_at)
        value = _values({key: item for key, item in keys.items() if key != "parameters"})
        self._log.unknown(value, _FUNCTION_KEYS, at)
        name, description = _text(value, "name", at), _text(value, "description", at)
        if name is None:
            raise InvalidRequest("a tool needs a name", f"{at}/name")
        if not isinstance(value.get("strict"), bool | None):
            raise InvalidRequest(f"strict of tool {name!r} is no boolean", f"{at}/strict")
        spec = FunctionSpec(name, description, keys.get("parameters", UNSET), value.get("strict"))
        declared = self._add_function(spec, at)
        for mark, place in ((keys.get("cache_control"), at), (outer.get("cache_control"), tool_at)):
            self._mark(declared, mark, f"{place}/cache_control")

    def _custom(self, keys: dict[str, Raw], at: str) -> None:
        self._log.unknown(_values(keys), frozenset({"type", "custom", "cache_control"}), at)
        custom = plain(keys["custom"])
        if not isinstance(custom, dict):
            raise InvalidRequest("custom is no object", f"{at}/custom")
        self._log.unknown(custom, _CUSTOM_KEYS, f"{at}/custom")
        name = _text(custom, "name", f"{at}/custom")
        if name is None:
            raise InvalidRequest("a tool needs a name", f"{at}/custom/name")
        form = custom.get("format")
        if form is not None and form != {"type": "text"}:
            self._log.dropped(f"{at}/custom/format", "the provider knows no grammar for a tool's input")
        description = _text(custom, "description", f"{at}/custom") or UNSET
        declared = Declaration(name, description, _CUSTOM_SCHEMA)
        self._add(name, declared, f"{at}/custom")
        self.custom.add(name)
        self._mark(declared, keys.get("cache_control"), f"{at}/cache_control")

    def _native(self, raw: Raw, keys: dict[str, Raw], at: str) -> None:
        name = plain(keys["name"])
        if not isinstance(name, str):
            raise InvalidRequest("a tool's name is no string", f"{at}/name")
        mark = read_mark(keys.get("cache_control"), f"{at}/cache_control")
        self._add(name, raw if mark is None else keys, at)
        if mark is not None:
            self.marks.append(Mark(keys, f"{at}/cache_control"))

    def _mark(self, declared: Declaration, raw: Raw | None, pointer: str) -> None:
        mark = read_mark(raw, pointer)
        if mark is not None:
            put_mark(declared, mark, pointer, self.marks, self._log)


def _items(raw: Raw, place: str) -> list[Raw]:
    try:
        return decode_items(raw)
    except (msgspec.MsgspecError, RecursionError):
        raise InvalidRequest("expected a list of tools", place) from None


def _values(keys: dict[str, Raw]) -> dict[str, Any]:
    return {key: plain(raw) for key, raw in keys.items()}


def _text(value: dict[str, Any], key: str, at: str) -> str | None:
    text = value.get(key)
    if text is not None and not isinstance(text, str):
        raise InvalidRequest(f"{key} of a tool is no string", f"{at}/{key}")
    return text
