"""Type hints to JSON Schema (2020-12)."""

from __future__ import annotations

import collections
import collections.abc as abc
import datetime
import decimal
import enum
import ipaddress
import pathlib
import re
import sys
import types
import typing
import uuid
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from . import annotated
from .defaults import with_default
from .definitions import Definitions
from .fields import (
    MISSING,
    Field,
    dataclass_fields,
    documentation,
    is_named_tuple,
    is_typed_dict,
    named_tuple_fields,
    qualifier,
    resolved,
    typed_dict_fields,
)

Schema = dict[str, Any]


class HintError(TypeError):
    """A type hint that has no JSON Schema; `str()` says which and why."""


_ANYTHING = (Any, object, MISSING)

_SCALARS: Mapping[object, Schema] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    decimal.Decimal: {"type": "number"},
    type(None): {"type": "null"},
    datetime.datetime: {"type": "string", "format": "date-time"},
    datetime.date: {"type": "string", "format": "date"},
    datetime.time: {"type": "string", "format": "time"},
    datetime.timedelta: {"type": "string", "format": "duration"},
    uuid.UUID: {"type": "string", "format": "uuid"},
    ipaddress.IPv4Address: {"type": "string", "format": "ipv4"},
    ipaddress.IPv6Address: {"type": "string", "format": "ipv6"},
    bytes: {"type": "string", "contentEncoding": "base64"},
    bytearray: {"type": "string", "contentEncoding": "base64"},
    pathlib.PurePath: {"type": "string"},
    re.Pattern: {"type": "string", "format": "regex"},
}
_LISTS = (list, collections.deque, abc.Sequence, abc.MutableSequence, abc.Collection, abc.Iterable)
_SETS = (set, frozenset, abc.Set, abc.MutableSet)
_MAPPINGS = (dict, collections.defaultdict, collections.OrderedDict, abc.Mapping, abc.MutableMapping)
_WRAPPERS = frozenset(("Required", "NotRequired", "ReadOnly", "Final", "ClassVar"))
_JSON_TYPES: Mapping[type, str] = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}


class Hints:
    """Writes the schemas of one tool; `definitions` gathers what they refer to.

    A type with fields is written where it is used; only a recursive one becomes an entry of `$defs`, since not every
    provider follows references (wire-facts C6).
    """

    def __init__(self) -> None:
        self.definitions = Definitions()
        self._variables: dict[object, Any] = {}

    def schema(self, hint: Any) -> Schema:
        """The schema of one hint, a fresh dict. Raises `HintError`."""
        if any(hint is anything for anything in _ANYTHING):
            return {}
        if hint is None:
            hint = type(None)
        for fits, write in _WRITERS:
            if fits(hint):
                return write(self, hint)
        return self._foreign(hint)

    def object(self, fields: typing.Iterable[Field]) -> Schema:
        """The schema of an object with these properties and no others."""
        properties: Schema = {}
        required = []
        for field in fields:
            properties[field.name] = self.property(field)
            if field.required:
                required.append(field.name)
        schema: Schema = {"type": "object", "properties": properties}
        if required:
            schema["required"] = required
        schema["additionalProperties"] = False
        return schema

    def property(self, field: Field) -> Schema:
        """The schema of one property: a description beside the hint wins over the one of the docstring."""
        schema = self.schema(field.hint)
        if field.description and not _describes_itself(field.hint):
            schema["description"] = field.description
        return schema if field.default is MISSING else with_default(schema, field.default)

    def _union(self, hint: Any) -> Schema:
        arms: list[Schema] = []
        for argument in typing.get_args(hint):
            arm = self.schema(argument)
            if arm not in arms:
                arms.append(arm)
        if {} in arms:
            return {}
        return arms[0] if len(arms) == 1 else {"anyOf": arms}

    def _annotated(self, hint: Any) -> Schema:
        return annotated.apply(self.schema(hint.__origin__), hint.__metadata__)

    def _wrapped(self, hint: Any) -> Schema:
        return self.schema(typing.get_args(hint)[0])

    def _new_type(self, hint: Any) -> Schema:
        return self.schema(hint.__supertype__)

    def _init_only(self, hint: Any) -> Schema:
        return self.schema(hint.type)

    def _variable(self, hint: Any) -> Schema:
        if hint in self._variables:
            return self.schema(self._variables[hint])
        if hint.__constraints__:
            return self.schema(typing.Union[hint.__constraints__])  # noqa: UP007 - a tuple made at run time
        return {} if hint.__bound__ is None else self.schema(hint.__bound__)

    def _alias(self, hint: Any) -> Schema:
        return self.definitions.once(hint, hint.__name__, lambda: self.schema(hint.__value__))

    def _literal(self, hint: Any) -> Schema:
        return _choices([item.value if isinstance(item, enum.Enum) else item for item in typing.get_args(hint)], hint)

    def _enum(self, hint: Any) -> Schema:
        if issubclass(hint, enum.Flag):
            return {"type": "integer"}
        schema = _choices([member.value for member in hint], hint)
        text = documentation(hint, []).description
        # Python 3.11 gives an enum without a docstring one of its own.
        return {"description": text, **schema} if text and text != enum.Enum.__doc__ else schema

    def _list(self, hint: Any) -> Schema:
        # `items` is always there: OpenAI refuses an array schema without it.
        return {"type": "array", "items": self.schema(_arguments(hint, 1)[0])}

    def _set(self, hint: Any) -> Schema:
        return {**self._list(hint), "uniqueItems": True}

    def _tuple(self, hint: Any) -> Schema:
        arguments = typing.get_args(hint)
        if not arguments:
            return {"type": "array", "items": {}} if hint is tuple else _exactly([], 0)
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            return {"type": "array", "items": self.schema(arguments[0])}
        return _exactly([self.schema(argument) for argument in arguments], len(arguments))

    def _mapping(self, hint: Any) -> Schema:
        key, value = _arguments(hint, 2)
        keys, values = self.schema(key), self.schema(value)
        if keys.get("type", "string") != "string" or "anyOf" in keys:
            raise HintError(f"{_shown(hint)} has keys that are no JSON strings")
        schema: Schema = {"type": "object"}
        if set(keys) - {"type", "description"}:
            schema["propertyNames"] = keys
        schema["additionalProperties"] = values or True
        return schema

    def _fields(self, hint: Any) -> Schema:
        kind = typing.get_origin(hint) or hint
        return self.definitions.once(hint, kind.__name__, lambda: self._write_fields(kind, typing.get_args(hint)))

    def _write_fields(self, kind: type, arguments: tuple[Any, ...]) -> Schema:
        try:
            hints = resolved(kind)
        except NameError as error:
            raise HintError(f"{kind.__name__} has a hint that cannot be resolved: {error}") from None
        outer = self._variables
        self._variables = {**outer, **dict(zip(getattr(kind, "__parameters__", ()), arguments, strict=False))}
        try:
            schema = self._named(kind, hints)
        finally:
            self._variables = outer
        text = documentation(kind, []).description
        return {"description": text, **schema} if text else schema

    def _named(self, kind: type, hints: dict[str, Any]) -> Schema:
        if is_typed_dict(kind):
            return self.object(typed_dict_fields(kind, hints))
        if not is_named_tuple(kind):
            return self.object(dataclass_fields(kind, hints))
        fields = list(named_tuple_fields(kind, hints))
        items = [{"title": field.name, **self.property(field)} for field in fields]
        return _exactly(items, sum(field.required for field in fields))

    def _scalar(self, hint: Any) -> Schema:
        return dict(_SCALARS[_scalar_base(typing.get_origin(hint) or hint)])

    def _pydantic(self, hint: Any) -> Schema:
        # Whoever wrote such a hint has imported pydantic; it is not imported for them.
        adapter = sys.modules["pydantic"].TypeAdapter(hint)
        return self.definitions.hoist(adapter.json_schema(ref_template="#/$defs/{model}"))

    def _foreign(self, hint: Any) -> Schema:
        """What msgspec knows and the table does not: Structs, attrs classes."""
        try:
            (schema,), definitions = msgspec.json.schema_components((hint,), ref_template="#/$defs/{name}")
        except (TypeError, NameError):
            raise HintError(f"{_shown(hint)} has no JSON Schema") from None
        return self.definitions.hoist({**schema, "$defs": definitions} if definitions else schema)


def _origin_in(*origins: object) -> Callable[[Any], bool]:
    return lambda hint: any((typing.get_origin(hint) or hint) is origin for origin in origins)


def _class_where(test: Callable[[type], bool]) -> Callable[[Any], bool]:
    def fits(hint: Any) -> bool:
        kind = typing.get_origin(hint) or hint
        return isinstance(kind, type) and test(kind)

    return fits


def _is_dataclass(kind: type) -> bool:
    return hasattr(kind, "__dataclass_fields__")


def _scalar_base(hint: Any) -> object:
    return next((base for base in getattr(hint, "__mro__", ()) if base in _SCALARS), None)


def _arguments(hint: Any, count: int) -> tuple[Any, ...]:
    return typing.get_args(hint) or (Any,) * count


def _exactly(items: list[Schema], required: int) -> Schema:
    """An array of these items in order; `items` repeats them for readers that do not know `prefixItems`."""
    distinct: list[Schema] = []
    for item in items:
        bare = {key: value for key, value in item.items() if key not in ("title", "description", "default")}
        if bare not in distinct:
            distinct.append(bare)
    schema: Schema = {"type": "array"}
    if items:
        schema["prefixItems"] = items
    schema["items"] = distinct[0] if len(distinct) == 1 else {"anyOf": distinct} if distinct else {}
    return {**schema, "minItems": required, "maxItems": len(items)}


def _choices(values: list[Any], hint: Any) -> Schema:
    """An `enum` in the order written, with its `type` where all the values have one."""
    types_ = {_JSON_TYPES.get(next((base for base in type(v).__mro__ if base in _JSON_TYPES), object)) for v in values}
    if None in types_ or not values:
        raise HintError(f"{_shown(hint)} needs values that are JSON scalars")
    schema: Schema = {"type": next(iter(types_))} if len(types_) == 1 else {}
    return {**schema, "enum": values}


def _describes_itself(hint: Any) -> bool:
    return hasattr(hint, "__metadata__") and "description" in annotated.apply({}, hint.__metadata__)


def _shown(hint: Any) -> str:
    return hint.__qualname__ if isinstance(hint, type) and not typing.get_args(hint) else str(hint)


# The first that fits writes the schema.
_WRITERS: tuple[tuple[Callable[[Any], bool], Callable[[Hints, Any], Schema]], ...] = (
    (lambda hint: hasattr(hint, "__metadata__"), Hints._annotated),
    (_origin_in(typing.Union, types.UnionType), Hints._union),
    (_origin_in(typing.Literal), Hints._literal),
    (lambda hint: qualifier(hint) in _WRAPPERS, Hints._wrapped),
    (lambda hint: hasattr(hint, "__supertype__"), Hints._new_type),
    (lambda hint: hasattr(hint, "__constraints__"), Hints._variable),
    (lambda hint: hasattr(hint, "__value__") and not isinstance(hint, type), Hints._alias),
    (lambda hint: type(hint).__name__ == "InitVar", Hints._init_only),
    (_class_where(lambda kind: issubclass(kind, enum.Enum)), Hints._enum),
    (_class_where(lambda kind: hasattr(kind, "__get_pydantic_core_schema__")), Hints._pydantic),
    (_class_where(lambda kind: hasattr(kind, "__pydantic_core_schema__")), Hints._pydantic),
    (_class_where(lambda kind: is_typed_dict(kind) or is_named_tuple(kind) or _is_dataclass(kind)), Hints._fields),
    (_origin_in(*_LISTS), Hints._list),
    (_origin_in(*_SETS), Hints._set),
    (_origin_in(*_MAPPINGS), Hints._mapping),
    (_origin_in(tuple), Hints._tuple),
    (lambda hint: _scalar_base(typing.get_origin(hint) or hint) is not None, Hints._scalar),
)
