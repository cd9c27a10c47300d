"""Type hints become JSON Schema."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import decimal
import enum
import ipaddress
import pathlib
import re
import typing
import uuid
from collections import abc
from typing import (
    Annotated,
    Any,
    Generic,
    Literal,
    NamedTuple,
    NewType,
    NotRequired,
    Optional,
    Required,
    TypedDict,
    TypeVar,
    Union,
)

import msgspec
import pydantic
import pytest
import typing_extensions
from jsonschema import Draft202012Validator

from toolnexus.toolkit.hints import HintError, Hints


class Color(enum.Enum):
    """A color."""

    RED = "red"
    BLUE = "blue"
    CRIMSON = "red"  # noqa: PIE796 - an alias is listed once


class Size(enum.IntEnum):
    L = 3
    S = 1


class Mixed(enum.Enum):
    A = "a"
    B = 2


class Bits(enum.Flag):
    A = 1
    B = 2


class Pairs(enum.Enum):
    A = (1, 2)


class Nothing(enum.Enum):
    pass


class UserId(str):
    pass


Count = NewType("Count", int)
T = TypeVar("T")
Bound = TypeVar("Bound", bound=int)
Either = TypeVar("Either", int, str)


@dataclasses.dataclass
class Point:
    x: float
    y: float = 0.5


@dataclasses.dataclass
class Order:
    """An order.

    Attributes:
        item: What is bought.
        tags: Not this text.
    """

    item: str
    where: Point
    tags: list[str] = dataclasses.field(default_factory=list, metadata={"description": "Its tags."})
    secret: int = dataclasses.field(default=1, init=False)
    extra: dataclasses.InitVar[int] = 3
    note: Annotated[str, "A note."] = ""


@dataclasses.dataclass
class Page(Generic[T]):
    items: list[T]


class Movie(TypedDict, total=False):
    """A movie."""

    title: Required[str]
    year: int
    rating: NotRequired[Annotated[float, "Stars."]]


class Sequel(Movie):
    number: int


class ReadOnlyKeys(typing_extensions.TypedDict):
    a: typing_extensions.ReadOnly[typing_extensions.NotRequired[int]]
    b: typing_extensions.ReadOnly[str]


class Span(NamedTuple):
    start: int
    stop: int = 9


class Address(pydantic.BaseModel):
    """An address."""

    street: str = pydantic.Field(description="With the number.", min_length=1)
    zip: str | None = None


OBJECT = {"type": "object", "additionalProperties": False}
POINT = {
    "type": "object",
    "properties": {"x": {"type": "number"}, "y": {"type": "number", "default": 0.5}},
    "required": ["x"],
    "additionalProperties": False,
}
COLOR = {"description": "A color.", "type": "string", "enum": ["red", "blue"]}

CASES: list[tuple[Any, dict[str, Any]]] = [
    (str, {"type": "string"}),
    (int, {"type": "integer"}),
    (float, {"type": "number"}),
    (bool, {"type": "boolean"}),
    (None, {"type": "null"}),
    (type(None), {"type": "null"}),
    (Any, {}),
    (object, {}),
    (decimal.Decimal, {"type": "number"}),
    (datetime.datetime, {"type": "string", "format": "date-time"}),
    (datetime.date, {"type": "string", "format": "date"}),
    (datetime.time, {"type": "string", "format": "time"}),
    (datetime.timedelta, {"type": "string", "format": "duration"}),
    (uuid.UUID, {"type": "string", "format": "uuid"}),
    (ipaddress.IPv4Address, {"type": "string", "format": "ipv4"}),
    (ipaddress.IPv6Address, {"type": "string", "format": "ipv6"}),
    (bytes, {"type": "string", "contentEncoding": "base64"}),
    (pathlib.Path, {"type": "string"}),
    (re.Pattern[str], {"type": "string", "format": "regex"}),
    (UserId, {"type": "string"}),
    (Count, {"type": "integer"}),
    (T, {}),
    (Bound, {"type": "integer"}),
    (Either, {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
    (Optional[int], {"anyOf": [{"type": "integer"}, {"type": "null"}]}),  # noqa: UP045
    (Union[int, str, None], {"anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "null"}]}),  # noqa: UP007
    (int | str, {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
    (UserId | str, {"type": "string"}),
    (int | Any, {}),
    (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
    (Literal[3, 1], {"type": "integer", "enum": [3, 1]}),
    (Literal[True], {"type": "boolean", "enum": [True]}),
    (Literal["a", 1, None], {"enum": ["a", 1, None]}),
    (Literal[Color.BLUE], {"type": "string", "enum": ["blue"]}),
    (Literal["a"] | None, {"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "null"}]}),
    (Color, COLOR),
    (Size, {"type": "integer", "enum": [3, 1]}),
    (Mixed, {"enum": ["a", 2]}),
    (Bits, {"type": "integer"}),
    (list, {"type": "array", "items": {}}),
    (list[int], {"type": "array", "items": {"type": "integer"}}),
    (typing.List[int], {"type": "array", "items": {"type": "integer"}}),  # noqa: UP006
    (abc.Sequence[int], {"type": "array", "items": {"type": "integer"}}),
    (abc.Iterable[int], {"type": "array", "items": {"type": "integer"}}),
    (collections.deque[int], {"type": "array", "items": {"type": "integer"}}),
    (set[int], {"type": "array", "items": {"type": "integer"}, "uniqueItems": True}),
    (frozenset, {"type": "array", "items": {}, "uniqueItems": True}),
    (tuple, {"type": "array", "items": {}}),
    (tuple[int, ...], {"type": "array", "items": {"type": "integer"}}),
    (tuple[()], {"type": "array", "items": {}, "minItems": 0, "maxItems": 0}),
    (
        tuple[int, str],
        {
            "type": "array",
            "prefixItems": [{"type": "integer"}, {"type": "string"}],
            "items": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
            "minItems": 2,
            "maxItems": 2,
        },
    ),
    (
        Span,
        {
            "type": "array",
            "prefixItems": [{"title": "start", "type": "integer"}, {"title": "stop", "type": "integer", "default": 9}],
            "items": {"type": "integer"},
            "minItems": 1,
            "maxItems": 2,
        },
    ),
    (dict, {"type": "object", "additionalProperties": True}),
    (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
    (
        abc.Mapping[str, list[int]],
        {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "integer"}}},
    ),
    (dict[Any, Any], {"type": "object", "additionalProperties": True}),
    (
        dict[Literal["a"], int],
        {
            "type": "object",
            "propertyNames": {"type": "string", "enum": ["a"]},
            "additionalProperties": {"type": "integer"},
        },
    ),
    (Annotated[int, "How many."], {"type": "integer", "description": "How many."}),
    (Annotated[Annotated[int, "Inner."], "Outer."], {"type": "integer", "description": "Outer."}),
    (Annotated[int, typing_extensions.Doc("How many.")], {"type": "integer", "description": "How many."}),
    (
        Annotated[int, msgspec.Meta(ge=1, lt=9, multiple_of=2, title="N", description="d", examples=[2])],
        {
            "type": "integer",
            "minimum": 1,
            "exclusiveMaximum": 9,
            "multipleOf": 2,
            "title": "N",
            "description": "d",
            "examples": [2],
        },
    ),
    (Annotated[str, msgspec.Meta(pattern="^a", max_length=3)], {"type": "string", "pattern": "^a", "maxLength": 3}),
    (Annotated[list[int], msgspec.Meta(min_length=1)], {"type": "array", "items": {"type": "integer"}, "minItems": 1}),
    (Annotated[dict, msgspec.Meta(max_length=2)], {"type": "object", "additionalProperties": True, "maxProperties": 2}),
    (Annotated[str, msgspec.Meta(extra_json_schema={"format": "email"})], {"type": "string", "format": "email"}),
    (
        Annotated[str, pydantic.Field(description="d", min_length=2, pattern="^b", json_schema_extra={"x-y": 1})],
        {"type": "string", "description": "d", "minLength": 2, "pattern": "^b", "x-y": 1},
    ),
    (
        Annotated[int | str | None, msgspec.Meta(ge=1)],
        {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "string"}, {"type": "null"}]},
    ),
    (Annotated[int, object()], {"type": "integer"}),
    (Point, POINT),
    (
        Order,
        {
            "description": "An order.",
            "type": "object",
            "properties": {
                "item": {"type": "string", "description": "What is bought."},
                "where": POINT,
                "tags": {"type": "array", "items": {"type": "string"}, "description": "Its tags."},
                "extra": {"type": "integer", "default": 3},
                "note": {"type": "string", "description": "A note.", "default": ""},
            },
            "required": ["item", "where"],
            "additionalProperties": False,
        },
    ),
    (Point | Order | None, {"anyOf": [POINT, {"$ref": "ORDER"}, {"type": "null"}]}),
    (
        Page[int],
        {**OBJECT, "properties": {"items": {"type": "array", "items": {"type": "integer"}}}, "required": ["items"]},
    ),
    (Page, {**OBJECT, "properties": {"items": {"type": "array", "items": {}}}, "required": ["items"]}),
    (
        Movie,
        {
            **OBJECT,
            "description": "A movie.",
            "properties": {
                "title": {"type": "string"},
                "year": {"type": "integer"},
                "rating": {"type": "number", "description": "Stars."},
            },
            "required": ["title"],
        },
    ),
    (
        Sequel,
        {
            **OBJECT,
            "properties": {
                "title": {"type": "string"},
                "year": {"type": "integer"},
                "rating": {"type": "number", "description": "Stars."},
                "number": {"type": "integer"},
            },
            "required": ["title", "number"],
        },
    ),
    (ReadOnlyKeys, {**OBJECT, "properties": {"a": {"type": "integer"}, "b": {"type": "string"}}, "required": ["b"]}),
    (
        Address,
        {
            "description": "An address.",
            "properties": {
                "street": {"description": "With the number.", "minLength": 1, "title": "Street", "type": "string"},
                "zip": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None, "title": "Zip"},
            },
            "required": ["street"],
            "title": "Address",
            "type": "object",
        },
    ),
]
ORDER = next(schema for hint, schema in CASES if hint is Order)


@pytest.mark.parametrize(("hint", "schema"), CASES, ids=[str(place) for place in range(len(CASES))])
def test_each_hint_has_its_schema(hint: Any, schema: dict[str, Any]) -> None:
    if {"$ref": "ORDER"} in schema.get("anyOf", ()):
        schema = {"anyOf": [ORDER if arm == {"$ref": "ORDER"} else arm for arm in schema["anyOf"]]}
    hints = Hints()
    assert hints.schema(hint) == schema
    assert hints.definitions.schemas == {}
    Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize(
    ("hint", "words"),
    [
        (complex, "complex has no JSON Schema"),
        (abc.Callable[[int], str], "has no JSON Schema"),
        (type, "type has no JSON Schema"),
        (dict[int, str], "keys that are no JSON strings"),
        (dict[str | int, str], "keys that are no JSON strings"),
        (Pairs, "JSON scalars"),
        (Nothing, "JSON scalars"),
        (Literal[b"a"], "JSON scalars"),
        ([int], "has no JSON Schema"),
        (5, "has no JSON Schema"),
        (list[complex], "complex has no JSON Schema"),
        (dataclasses.make_dataclass("Lost", [("x", "Undefined")]), "Lost has a hint that cannot be resolved"),
    ],
    ids=str,
)
def test_a_hint_without_a_schema_is_an_error(hint: Any, words: str) -> None:
    with pytest.raises(HintError, match=re.escape(words)):
        Hints().schema(hint)


def test_every_schema_is_fresh() -> None:
    hints = Hints()
    hints.schema(str)["type"] = "changed"
    assert hints.schema(str) == {"type": "string"}
