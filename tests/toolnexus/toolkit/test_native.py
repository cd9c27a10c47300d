"""Functions become tools."""

from __future__ import annotations

import asyncio
import dataclasses
import datetime
import enum
import functools
import math
from typing import Annotated, Any

import pydantic
import pytest

from toolnexus.toolkit import Tool, ToolError, Toolkit, tool


class Unit(enum.Enum):
    C = "celsius"
    F = "fahrenheit"


@dataclasses.dataclass
class Place:
    city: str
    country: str = "FR"


class RunContext:
    """What a caller of its own keeps."""


def weather(
    place: Place,
    days: Annotated[int, "How many days."] = 3,
    *,
    unit: Unit = Unit.C,
    since: datetime.date | None = None,
) -> Undefined:  # type: ignore[name-defined]  # noqa: F821 - what a function returns is not looked at
    """Tells the weather.

    It is never wrong.

    Args:
        place: Where.
        days: Not this text.
        unit: The unit.
    """


WEATHER = {
    "type": "object",
    "properties": {
        "place": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "country": {"type": "string", "default": "FR"}},
            "required": ["city"],
            "additionalProperties": False,
            "description": "Where.",
        },
        "days": {"type": "integer", "description": "How many days.", "default": 3},
        "unit": {"type": "string", "enum": ["celsius", "fahrenheit"], "description": "The unit.", "default": "celsius"},
        "since": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}], "default": None},
    },
    "required": ["place"],
    "additionalProperties": False,
}


def test_a_function_is_a_native_tool() -> None:
    made = tool(weather)
    assert (made.name, made.description, made.source) == (
        "weather",
        "Tells the weather.\n\nIt is never wrong.",
        "native",
    )
    assert made.input_schema == WEATHER


def test_the_decorator_works_with_and_without_arguments() -> None:
    @tool
    def plain(x: int) -> None:
        """Plain."""

    @tool(name="other-name", description="Named.")
    async def named(x: int) -> None:
        """Not this."""

    assert (plain.name, plain.description) == ("plain", "Plain.")
    assert (named.name, named.description) == ("other-name", "Named.")
    assert plain.input_schema == named.input_schema


def test_the_function_stays_the_callers() -> None:
    @tool
    def double(x: int) -> int:
        return 2 * x

    @tool
    async def later(x: int) -> int:
        return x

    assert double.__wrapped__(4) == 8
    assert asyncio.run(later.__wrapped__(5)) == 5
    assert not callable(double)
    assert not hasattr(Tool("x"), "__wrapped__")


class Shop:
    def order(self, item: str) -> None:
        """Orders."""

    @classmethod
    def open(cls, hour: int) -> None:
        """Opens."""

    @staticmethod
    def close(hour: int) -> None:
        """Closes."""

    def __call__(self, item: str) -> None:
        """Shops."""


@pytest.mark.parametrize(
    ("function", "name", "parameters"),
    [
        (Shop().order, "order", ["item"]),
        (Shop.order, "order", ["item"]),
        (Shop.open, "open", ["hour"]),
        (Shop.__dict__["open"], "open", ["hour"]),
        (Shop.close, "close", ["hour"]),
        (Shop.__dict__["close"], "close", ["hour"]),
        (functools.partial(weather, days=1), "weather", ["place", "unit", "since"]),
    ],
)
def test_self_cls_and_bound_arguments_are_left_out(function: Any, name: str, parameters: list[str]) -> None:
    made = tool(function)
    assert made.name == name
    assert list(made.input_schema["properties"]) == parameters
    assert made.description


def test_an_object_that_can_be_called_needs_a_name() -> None:
    made = tool(Shop(), name="shop")
    assert (made.name, made.description, list(made.input_schema["properties"])) == ("shop", "Shops.", ["item"])
    with pytest.raises(ToolError, match=r"'Shop'.*name of its own"):
        tool(Shop())


def test_a_wrapped_function_is_read_through() -> None:
    def logged(function: Any) -> Any:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **kwargs)

        return call

    assert tool(logged(weather)).input_schema == WEATHER


def test_a_context_is_left_out() -> None:
    def typed(run: RunContext, context: str, x: int) -> None: ...
    def untyped(ctx, context, x) -> None: ...  # type: ignore[no-untyped-def]

    assert list(tool(typed).input_schema["properties"]) == ["context", "x"]
    assert list(tool(untyped).input_schema["properties"]) == ["x"]


def test_a_parameter_without_a_hint_takes_anything() -> None:
    def loose(a, b=2, c=None):  # type: ignore[no-untyped-def]
        """Loose.

        :param a: An a.
        """

    assert tool(loose).input_schema == {
        "type": "object",
        "properties": {"a": {"description": "An a."}, "b": {"default": 2}, "c": {"default": None}},
        "required": ["a"],
        "additionalProperties": False,
    }


def test_no_parameters_are_an_object_without_properties() -> None:
    def nothing() -> None: ...

    assert tool(nothing).input_schema == {"type": "object", "properties": {}, "additionalProperties": False}
    assert tool(nothing).description == ""


def test_defaults_are_shown_where_json_can_hold_them() -> None:
    def many(
        a: float = math.inf,
        b: Any = object(),  # noqa: B008
        c: Place = Place("Nice"),  # noqa: B008
        d: frozenset[str] = frozenset("zxy"),
        e: datetime.date = datetime.date(2026, 1, 2),
        f: tuple[int, ...] = (1, 2),
        g: Any = {"half": "\ud800"},  # noqa: B006
    ) -> None: ...

    schema = tool(many).input_schema
    assert {name: entry.get("default", "absent") for name, entry in schema["properties"].items()} == {
        "a": "absent",
        "b": "absent",
        "c": {"city": "Nice", "country": "FR"},
        "d": ["x", "y", "z"],
        "e": "2026-01-02",
        "f": [1, 2],
        "g": {"half": "\ufffd"},
    }
    assert "required" not in schema


def test_pydantic_fields_in_the_place_of_defaults_are_read() -> None:
    def priced(
        a: int = pydantic.Field(description="An a.", ge=1),
        b: int = pydantic.Field(default=5),
        c: list[int] = pydantic.Field(default_factory=list),  # noqa: B008
    ) -> None: ...

    assert tool(priced).input_schema == {
        "type": "object",
        "properties": {
            "a": {"type": "integer", "description": "An a.", "minimum": 1},
            "b": {"type": "integer", "default": 5},
            "c": {"type": "array", "items": {"type": "integer"}},
        },
        "required": ["a"],
        "additionalProperties": False,
    }


def test_definitions_stand_at_the_root() -> None:
    class Node(pydantic.BaseModel):
        next: Node | None = None

    Node.model_rebuild()

    def walk(start: Any, end: Any) -> None: ...

    walk.__annotations__ = {"start": Node, "end": Node}
    schema = tool(walk).input_schema
    assert schema["properties"] == {"start": {"$ref": "#/$defs/Node"}, "end": {"$ref": "#/$defs/Node"}}
    assert list(schema["$defs"]) == ["Node"]


def star(*items: int) -> None: ...
def stars(**items: int) -> None: ...
def positional(x: int, /) -> None: ...
def hinted(x: complex) -> None: ...
def lost(y: int, x: Undefined) -> None: ...  # type: ignore[name-defined]  # noqa: F821


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (star, r"tool 'star': \*items takes any number"),
        (stars, r"tool 'stars': \*\*items takes any names"),
        (positional, "tool 'positional': x is positional only"),
        (math.sqrt, "tool 'sqrt': x is positional only"),
        (hinted, "tool 'hinted': parameter 'x': complex has no JSON Schema"),
        (lost, "tool 'lost': the hint of 'x' cannot be resolved"),
        (lambda x: x, "tool '<lambda>': has no name of its own"),
        (Place, "is no function"),
        ("weather", "is no function"),
        (dict.fromkeys, "tool 'fromkeys'"),
        (tool(weather), "tool 'weather': is a tool already"),
    ],
)
def test_what_cannot_be_declared_is_refused_by_name(function: Any, words: str) -> None:
    with pytest.raises(ToolError, match=words):
        tool(function)


def test_a_lambda_with_a_name_is_a_tool() -> None:
    assert tool(lambda x: x, name="same").input_schema["properties"] == {"x": {}}


def test_functions_declare_the_same_bytes_every_time() -> None:
    assert Toolkit([weather]).declarations("anthropic") == Toolkit([weather]).declarations("anthropic")
    assert tool(weather) == tool(weather)
