"""Types with a fixed list of fields: dataclasses, TypedDicts and NamedTuples."""

from __future__ import annotations

import dataclasses
import inspect
import typing
from collections.abc import Iterator
from typing import Any, NamedTuple

from .docstring import Docstring, parse

MISSING = inspect.Parameter.empty


class Field(NamedTuple):
    """One field: its hint, its default (`MISSING` where there is none to show), whether it must be given, its text."""

    name: str
    hint: Any
    default: Any
    required: bool
    description: str


def is_typed_dict(kind: type) -> bool:
    """Whether `kind` is a TypedDict, of typing or of typing_extensions."""
    return issubclass(kind, dict) and hasattr(kind, "__total__") and hasattr(kind, "__required_keys__")


def is_named_tuple(kind: type) -> bool:
    """Whether `kind` is a NamedTuple (or a collections.namedtuple)."""
    return issubclass(kind, tuple) and hasattr(kind, "_fields") and hasattr(kind, "_field_defaults")


def documentation(kind: type, names: list[str]) -> Docstring:
    """The class's own docstring; the one dataclasses and NamedTuple write by themselves (`Point(x, y)`) is none."""
    text = kind.__dict__.get("__doc__") or ""
    generated = (dataclasses.is_dataclass(kind) or is_named_tuple(kind)) and text.startswith(f"{kind.__name__}(")
    return parse("" if generated else text, names)


def resolved(kind: type) -> dict[str, Any]:
    """The class's hints with names resolved, itself included; raises what resolving raises."""
    return typing.get_type_hints(kind, localns={kind.__name__: kind}, include_extras=True)


def dataclass_fields(kind: type, hints: dict[str, Any]) -> Iterator[Field]:
    """What the constructor takes, in its order: init-only fields count, `init=False` ones do not."""
    parameters = inspect.signature(kind).parameters
    texts = documentation(kind, list(parameters)).parameters
    notes = {field.name: field.metadata.get("description") for field in dataclasses.fields(kind)}
    factories = {f.name for f in dataclasses.fields(kind) if f.default_factory is not dataclasses.MISSING}
    for name, parameter in parameters.items():
        # A factory is the caller's code: it is not run to find out what it makes.
        default = MISSING if name in factories else parameter.default
        text = notes.get(name) or texts.get(name, "")
        yield Field(name, hints.get(name, MISSING), default, parameter.default is MISSING, str(text))


def typed_dict_fields(kind: type, hints: dict[str, Any]) -> Iterator[Field]:
    """The keys in the order written; Required and NotRequired win over the class's totality."""
    texts = documentation(kind, list(hints)).parameters
    required: frozenset[str] = getattr(kind, "__required_keys__")  # noqa: B009 - not in type's stub
    for name, hint in hints.items():
        word = qualifier(hint)
        while word == "ReadOnly":
            word = qualifier(typing.get_args(hint)[0])
        # Under `from __future__ import annotations` the class itself could not see the qualifier.
        must = name in required if word not in ("Required", "NotRequired") else word == "Required"
        yield Field(name, hint, MISSING, must, texts.get(name, ""))


def named_tuple_fields(kind: type, hints: dict[str, Any]) -> Iterator[Field]:
    """The fields in order."""
    names: tuple[str, ...] = getattr(kind, "_fields")  # noqa: B009 - not in type's stub
    defaults: dict[str, Any] = getattr(kind, "_field_defaults")  # noqa: B009
    texts = documentation(kind, list(names)).parameters
    for name in names:
        default = defaults.get(name, MISSING)
        yield Field(name, hints.get(name, MISSING), default, default is MISSING, texts.get(name, ""))


def qualifier(hint: object) -> str:
    """The bare name of what a hint is wrapped in (`Required`, `ClassVar`, …), "" where there is none.

    By name, since typing and typing_extensions have forms of their own for some of them.
    """
    origin = typing.get_origin(hint) or getattr(hint, "__origin__", None)
    return str(origin).rpartition(".")[2] if origin is not None else ""
