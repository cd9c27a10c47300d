"""Plain functions as tools: the signature becomes the schema, the docstring the descriptions."""

from __future__ import annotations

import functools
import inspect
import sys
import types
import typing
from collections.abc import Callable, Iterator
from typing import Any, overload

from .declaration import Tool
from .docstring import parse
from .errors import ToolError
from .fields import MISSING, Field

Function = Callable[..., Any]

_BY_KEYWORD = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
_REFUSED = {
    inspect.Parameter.VAR_POSITIONAL: "*{} takes any number of values; name them, or take a list",
    inspect.Parameter.VAR_KEYWORD: "**{} takes any names; name them, or take a dict",
    inspect.Parameter.POSITIONAL_ONLY: "{} is positional only, and a model's arguments come by name",
}
_CONTEXT_NAMES = frozenset(("ctx", "context"))


@overload
def tool(fn: Function, *, name: str | None = None, description: str | None = None) -> Tool: ...
@overload
def tool(fn: None = None, *, name: str | None = None, description: str | None = None) -> Callable[[Function], Tool]: ...
def tool(
    fn: Function | None = None, *, name: str | None = None, description: str | None = None
) -> Tool | Callable[[Function], Tool]:
    """The declaration of a function or method, sync or async; as a decorator with or without arguments.

    The schema comes from the hints (a parameter without one takes anything: `{}`), the description and those of the
    parameters from the docstring (Google, NumPy, Sphinx) and from `Annotated`. Left out: `self` and `cls`, what a
    `functools.partial` has bound, and the caller's context: a parameter whose type's name ends in `Context`, or an
    unannotated `ctx` or `context`. Raises `ToolError` for `*args`, `**kwargs`, positional-only parameters, a function
    without a name, and hints that have no JSON Schema. The function stays reachable as `tool(fn).__wrapped__`.
    """
    if fn is None:
        return functools.partial(from_function, name=name, description=description)
    return from_function(fn, name=name, description=description)


def from_function(fn: Function, *, name: str | None = None, description: str | None = None) -> Tool:
    """The declaration of `fn`; see `tool`."""
    if isinstance(fn, Tool):
        raise ToolError(fn.name, "is a tool already")
    function = fn.__func__ if isinstance(fn, staticmethod | classmethod) else fn
    label = name or _name(function)
    fields, text = _described(function, label)
    schema = _schema(label, fields)
    return Tool(label, text if description is None else description, schema, "native", fn)


def _name(function: Any) -> str:
    if isinstance(function, type) or not callable(function):
        raise ToolError(repr(function), "is no function")
    bare = function.func if isinstance(function, functools.partial) else function
    name = getattr(bare, "__name__", "")
    if not name or name == "<lambda>":
        raise ToolError(name or type(function).__name__, "has no name of its own; give it one: tool(fn, name=...)")
    return str(name)


def _described(function: Function, label: str) -> tuple[list[Field], str]:
    parameters = list(_parameters(function, label))
    bare = function.func if isinstance(function, functools.partial) else function
    documented = bare if isinstance(bare, _FUNCTIONS) else type(bare).__call__
    doc = parse(inspect.getdoc(documented), [parameter.name for parameter in parameters])
    namespace = _namespace(bare)
    fields = [
        _field(parameter, _resolved(parameter, namespace, label), doc.parameters.get(parameter.name, ""))
        for parameter in parameters
    ]
    return [field for field in fields if not _is_context(field)], doc.description


def _field(parameter: inspect.Parameter, hint: Any, text: str) -> Field:
    default = parameter.default
    if type(default).__name__ != "FieldInfo":
        return Field(parameter.name, hint, default, default is MISSING, text)
    # `x: int = Field(description=...)`: pydantic's way of saying both in the place of a default.
    required = bool(default.is_required())
    shown = MISSING if required or default.default_factory else default.default
    return Field(parameter.name, typing.Annotated[Any if hint is MISSING else hint, default], shown, required, text)


_FUNCTIONS = (types.FunctionType, types.MethodType, types.BuiltinFunctionType, types.BuiltinMethodType)


def _parameters(function: Function, label: str) -> Iterator[inspect.Parameter]:
    """What a caller gives by name, `self`, `cls` and bound arguments left out."""
    bound = function.keywords if isinstance(function, functools.partial) else {}
    for index, parameter in enumerate(_signature(function, label).parameters.values()):
        if index == 0 and parameter.name in ("self", "cls") and parameter.annotation is MISSING:
            continue
        if parameter.name in bound:
            continue
        if parameter.kind not in _BY_KEYWORD:
            raise ToolError(label, _REFUSED[parameter.kind].format(parameter.name))
        yield parameter


def _signature(function: Function, label: str) -> inspect.Signature:
    try:
        if sys.version_info >= (3, 14):
            # A hint that cannot be resolved yet must not hide the others; `_resolved` names the one at fault.
            import annotationlib

            return inspect.signature(function, annotation_format=annotationlib.Format.FORWARDREF)
        return inspect.signature(function)
    except (TypeError, ValueError):
        raise ToolError(label, "has no signature to read") from None


def _namespace(function: Any) -> dict[str, Any]:
    inner = inspect.unwrap(function)
    inner = getattr(inner, "__func__", inner)
    if not hasattr(inner, "__globals__"):
        inner = type(inner).__call__  # an object that can be called
    return getattr(inner, "__globals__", {})


def _resolved(parameter: inspect.Parameter, namespace: dict[str, Any], label: str) -> Any:
    """The parameter's hint with names resolved, one at a time so that an error names its parameter."""
    if parameter.annotation is MISSING:
        return MISSING

    def holder() -> None: ...

    holder.__annotations__ = {parameter.name: parameter.annotation}
    try:
        hints = typing.get_type_hints(holder, globalns=namespace, localns={}, include_extras=True)
    except (NameError, AttributeError, SyntaxError, TypeError) as error:
        raise ToolError(label, f"the hint of {parameter.name!r} cannot be resolved: {error}") from None
    return hints[parameter.name]


def _is_context(field: Field) -> bool:
    if field.hint is MISSING:
        return field.name in _CONTEXT_NAMES
    kind = typing.get_origin(field.hint) or field.hint
    return isinstance(kind, type) and kind.__name__.endswith("Context")


def _schema(label: str, fields: list[Field]) -> dict[str, Any]:
    from .hints import HintError, Hints  # only those who declare functions pay for it

    hints = Hints()
    properties = {}
    for field in fields:
        try:
            properties[field.name] = hints.property(field)
        except HintError as error:
            raise ToolError(
                label, f"parameter {field.name!r}: {error}", f"/inputSchema/properties/{field.name}"
            ) from None
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    required = [field.name for field in fields if field.required]
    if required:
        schema["required"] = required
    schema["additionalProperties"] = False
    if hints.definitions.schemas:
        schema["$defs"] = hints.definitions.schemas
    return schema
