"""`Toolkit` and its adapters (clauses adapters.shape, toolkit.order)."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import msgspec
import pytest

from toolnexus.toolkit import Tool, ToolError, Toolkit, tool

SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
ONE = Tool("one", "First.", SCHEMA)
TWO = Tool("two", "", {})


def wire(kit: Toolkit, style: str) -> list[str]:
    return [bytes(raw).decode() for raw in kit.declarations(style)]  # type: ignore[arg-type]


def test_to_openai_has_the_shape_of_the_contract() -> None:
    assert Toolkit([ONE, TWO]).to_openai() == [
        {"type": "function", "function": {"name": "one", "description": "First.", "parameters": SCHEMA}},
        {"type": "function", "function": {"name": "two", "description": "", "parameters": {}}},
    ]


def test_to_anthropic_has_the_shape_of_the_contract() -> None:
    assert Toolkit([ONE, TWO]).to_anthropic() == [
        {"name": "one", "description": "First.", "input_schema": SCHEMA},
        {"name": "two", "description": "", "input_schema": {}},
    ]


def test_to_gemini_has_the_shape_of_the_contract() -> None:
    assert Toolkit([ONE, TWO]).to_gemini() == [
        {
            "functionDeclarations": [
                {"name": "one", "description": "First.", "parameters": SCHEMA},
                {"name": "two", "description": "", "parameters": {}},
            ]
        }
    ]


@pytest.mark.parametrize("adapter", ["to_openai", "to_anthropic", "to_gemini"])
def test_adapters_give_fresh_values(adapter: str) -> None:
    kit = Toolkit([ONE])
    first = getattr(kit, adapter)()
    untouched = json.dumps(first)
    first[0].clear()
    first.append("more")
    assert json.dumps(getattr(kit, adapter)()) == untouched


def test_an_empty_toolkit_declares_nothing() -> None:
    kit = Toolkit()
    assert (kit.to_openai(), kit.to_anthropic(), kit.tools(), kit.names(), len(kit)) == ([], [], (), (), 0)
    assert kit.to_gemini() == [{"functionDeclarations": []}]
    assert kit.declarations("anthropic") == ()


def test_declarations_for_openai_are_the_adapters_bytes() -> None:
    assert wire(Toolkit([ONE, TWO]), "openai") == [
        '{"type":"function","function":{"name":"one","description":"First.","parameters":'
        '{"type":"object","properties":{"q":{"type":"string"}},"required":["q"]}}}',
        '{"type":"function","function":{"name":"two","description":"","parameters":{}}}',
    ]


def test_declarations_for_gemini_are_function_declarations() -> None:
    assert [json.loads(raw) for raw in wire(Toolkit([ONE]), "gemini")] == Toolkit([ONE]).to_gemini()[0][
        "functionDeclarations"
    ]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            Tool("n", "d", SCHEMA),
            '{"name":"n","description":"d","input_schema":' + json.dumps(SCHEMA, separators=(",", ":")) + "}",
        ),
        (Tool("n", "d"), '{"name":"n","description":"d","input_schema":{"type":"object","properties":{}}}'),
        (Tool("n", "d", {}), '{"name":"n","description":"d","input_schema":{"type":"object","properties":{}}}'),
        (Tool("n", "", SCHEMA), '{"name":"n","input_schema":' + json.dumps(SCHEMA, separators=(",", ":")) + "}"),
        (
            Tool("n", "d", {"properties": {"é": {"minimum": 1.0}}}),
            '{"name":"n","description":"d","input_schema":{"type":"object","properties":{"é":{"minimum":1.0}}}}',
        ),
        (
            Tool("n", "d", {"properties": {}, "$defs": {"A": {"anyOf": [{}]}}, "type": "object"}),
            '{"name":"n","description":"d","input_schema":{"properties":{},"$defs":{"A":{"anyOf":[{}]}},"type":"object"}}',
        ),
    ],
    ids=["as-declared", "no-schema", "empty-schema", "no-description", "type-in-front", "order-kept"],
)
def test_declarations_for_anthropic_follow_the_rules_for_tools(given: Tool, expected: str) -> None:
    assert wire(Toolkit([given]), "anthropic") == [expected]


@pytest.mark.parametrize("style", ["openai", "anthropic", "gemini"])
def test_declarations_are_encoded_once(style: str) -> None:
    kit = Toolkit([ONE, TWO])
    assert kit.declarations(style) is kit.declarations(style)  # type: ignore[arg-type]
    assert all(type(raw) is msgspec.Raw for raw in kit.declarations(style))  # type: ignore[arg-type]


def test_an_unknown_style_is_an_error() -> None:
    with pytest.raises(ValueError, match="unknown style 'cohere': one of openai, anthropic, gemini"):
        Toolkit([ONE]).declarations("cohere")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="unknown style"):
        Toolkit([ONE]).faults("cohere")  # type: ignore[arg-type]


def test_five_hundred_declared_tools_cost_an_encode_under_a_millisecond() -> None:
    schema = {"type": "object", "properties": {f"p{n}": {"type": "string", "description": "x" * 40} for n in range(8)}}
    kit = Toolkit(Tool(f"tool_{n}", "d" * 80, schema) for n in range(500))
    kit.declarations("anthropic")
    spent = []
    for _ in range(20):
        begin = time.perf_counter()
        body = msgspec.json.encode({"tools": kit.declarations("anthropic")})
        spent.append(time.perf_counter() - begin)
    assert len(json.loads(body)["tools"]) == 500
    assert min(spent) < 0.001


def test_order_is_kept_and_tools_are_found_by_name() -> None:
    kit = Toolkit(iter([TWO, ONE]))
    assert kit.names() == ("two", "one")
    assert list(kit) == [TWO, ONE] == list(kit.tools())
    assert (kit.get("one"), kit.get("three")) == (ONE, None)
    assert "one" in kit
    assert ONE in kit
    assert "three" not in kit
    assert Tool("one") not in kit


def test_the_first_of_a_name_wins() -> None:
    later = Tool("one", "Second.")
    kit = Toolkit([ONE, TWO, later])
    assert kit.tools() == (ONE, TWO)
    assert kit.get("one") == ONE


def test_functions_and_methods_are_taken_as_they_are() -> None:
    def search(q: str) -> str:
        """Searches."""
        return q

    class Shop:
        async def order(self, item: str) -> None:
            """Orders."""

    kit = Toolkit([search, Shop().order, ONE])
    assert kit.names() == ("search", "order", "one")
    assert [t.source for t in kit] == ["native", "native", "custom"]
    assert kit.get("search") == tool(search)


@pytest.mark.parametrize("item", ["search", 5, {"name": "a"}, None])
def test_anything_else_is_refused(item: object) -> None:
    with pytest.raises(ToolError, match="is no function"):
        Toolkit([item])  # type: ignore[list-item]


@pytest.mark.parametrize("name", ["_tools", "status", "more"])
def test_a_toolkit_is_immutable(name: str) -> None:
    kit = Toolkit([ONE])
    with pytest.raises(AttributeError, match="immutable"):
        setattr(kit, name, ())
    with pytest.raises(AttributeError, match="immutable"):
        delattr(kit, name)
    assert kit.tools() == (ONE,)


def test_the_repr_counts() -> None:
    assert repr(Toolkit([ONE, TWO])) == "Toolkit(2 tools)"


def _faulty() -> Iterator[Tool]:
    yield ONE
    yield Tool("bad name")
    yield Tool("n" * 129)
    yield Tool("typed", "", {"type": "array"})
    yield Tool("null_type", "", {"type": None})
    yield Tool("union", "", {"anyOf": [], "type": "object", "oneOf": []})
    yield Tool("nested", "", {"type": "object", "properties": {"x": {"anyOf": [{}]}}})
    yield Tool("n" * 128)


def test_what_anthropic_refuses_is_named_with_its_place() -> None:
    kit = Toolkit(_faulty())
    assert [fault.pointer for fault in kit.faults("anthropic")] == [
        "/toolkit/1/name",
        "/toolkit/2/name",
        "/toolkit/3/inputSchema/type",
        "/toolkit/4/inputSchema/type",
        "/toolkit/5/inputSchema/oneOf",
        "/toolkit/5/inputSchema/anyOf",
    ]
    assert "'bad name'" in kit.faults("anthropic")[0].message
    assert kit.faults("anthropic") is kit.faults("anthropic")


def test_the_other_styles_pass_declarations_through() -> None:
    assert Toolkit(_faulty()).faults("openai") == ()


def test_repairs_are_reported_with_the_place_in_the_toolkit() -> None:
    kit = Toolkit([ONE, Tool("two", "\ud800")])
    assert [(w.code, w.pointer) for w in kit.warnings()] == [("lone-surrogate", "/toolkit/1/description")]
