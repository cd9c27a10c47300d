"""Recursive types and other people's models: what ends in `$defs`."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any, Generic, TypeVar

import msgspec
import pydantic
import typing_extensions
from jsonschema import Draft202012Validator

from toolnexus.toolkit.hints import Hints

T = TypeVar("T")


@dataclasses.dataclass
class Page(Generic[T]):
    items: list[T]


@dataclasses.dataclass
class Tree:
    value: int
    children: list[Tree] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Left:
    right: Right | None


@dataclasses.dataclass
class Right:
    left: Left | None


class Stock(msgspec.Struct):
    name: str
    parts: list[Stock] = []


class Address(pydantic.BaseModel):
    """An address."""

    street: str = pydantic.Field(description="With the number.", min_length=1)
    zip: str | None = None


class Person(pydantic.BaseModel):
    home: Address
    friends: list[Person] = []


def other_address() -> type:
    class Address(pydantic.BaseModel):
        email: str

    class Letter(pydantic.BaseModel):
        to: Address

    return Letter


def rooted(hint: Any) -> dict[str, Any]:
    hints = Hints()
    schema = {**hints.schema(hint), "$defs": hints.definitions.schemas}
    Draft202012Validator.check_schema(schema)
    return schema


def test_a_recursive_type_is_a_definition() -> None:
    schema = rooted(Tree)
    assert schema["$ref"] == "#/$defs/Tree"
    assert schema["$defs"]["Tree"]["properties"]["children"] == {"type": "array", "items": {"$ref": "#/$defs/Tree"}}
    validator = Draft202012Validator(schema)
    assert validator.is_valid({"value": 1, "children": [{"value": 2, "children": []}]})
    assert not validator.is_valid({"value": 1, "children": [{"value": "2"}]})


def test_types_that_refer_to_each_other_end() -> None:
    schema = rooted(list[Left] | Right)
    validator = Draft202012Validator(schema)
    assert validator.is_valid([{"right": {"left": {"right": None}}}])
    assert validator.is_valid({"left": {"right": None}})
    assert not validator.is_valid({"left": {"right": {"left": 5}}})


def test_a_recursive_type_is_defined_once() -> None:
    hints = Hints()
    assert hints.schema(Tree) == hints.schema(Tree) == {"$ref": "#/$defs/Tree"}
    assert list(hints.definitions.schemas) == ["Tree"]


def test_pydantic_definitions_move_to_the_root() -> None:
    schema = rooted(list[Person])
    assert schema["items"] == {"$ref": "#/$defs/Person"}
    assert sorted(schema["$defs"]) == ["Address", "Person"]
    validator = Draft202012Validator(schema)
    person = {"home": {"street": "Elm 1"}, "friends": []}
    assert validator.is_valid([{**person, "friends": [person]}])
    assert not validator.is_valid([{**person, "friends": [{"home": {}}]}])


def test_two_definitions_of_one_name_stay_apart() -> None:
    schema = rooted(tuple[Person, other_address()])
    assert sorted(schema["$defs"]) == ["Address", "Address2", "Person"]
    validator = Draft202012Validator(schema)
    assert validator.is_valid([{"home": {"street": "x"}}, {"to": {"email": "x"}}])
    assert not validator.is_valid([{"home": {"street": "x"}}, {"to": {"street": "x"}}])


def test_structs_are_read_by_msgspec() -> None:
    schema = rooted(Stock)
    assert schema["$ref"] == "#/$defs/Stock"
    assert Draft202012Validator(schema).is_valid({"name": "a", "parts": [{"name": "b"}]})
    assert not Draft202012Validator(schema).is_valid({"name": "a", "parts": [{"name": 1}]})


def test_pydantic_dataclasses_are_read_by_pydantic() -> None:
    @pydantic.dataclasses.dataclass
    class Box:
        width: int = pydantic.Field(gt=0)

    assert Hints().schema(Box)["properties"]["width"]["exclusiveMinimum"] == 0


def test_aliases_are_looked_through() -> None:
    alias = typing_extensions.TypeAliasType("Numbers", list[int])
    assert Hints().schema(alias) == {"type": "array", "items": {"type": "integer"}}


def test_unhashable_metadata_is_no_obstacle() -> None:
    class Tag:
        __hash__ = None  # type: ignore[assignment]

    assert Hints().schema(Page[Annotated[int, Tag()]])["properties"]["items"]["items"] == {"type": "integer"}
