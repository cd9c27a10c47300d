"""What a provider reads alike is equivalent, and nothing else is."""

from __future__ import annotations

import json
from typing import Any

import pytest

from conformance import corpus as corpora
from conformance.compare import match
from conformance.providers.equivalence import BODY, HEADERS, NormalForms
from conformance.tree import compact, read


@pytest.fixture(scope="module")
def forms() -> NormalForms:
    return NormalForms(corpora.find() / "equivalences.json")


def body(*messages: Any, **more: Any) -> dict[str, Any]:
    return {"model": "m", "messages": list(messages), **more}


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def text(content: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": content, **more}


RESULT = {"type": "tool_result", "tool_use_id": "a", "content": "x"}
TOOL = {"name": "f", "input_schema": {"type": "object"}}

ALIKE: dict[str, list[tuple[Any, Any]]] = {
    "string-is-one-text-block": [
        (body(user("hi")), body(user([text("hi")]))),
        (body(user("hi"), system="be"), body(user("hi"), system=[text("be")])),
        (body(user([RESULT])), body(user([{**RESULT, "content": [text("x")]}]))),
    ],
    "same-role-turns-merge": [
        (body(user("a"), user("b")), body(user([text("a"), text("b")]))),
        (body(user("a"), user("b"), user([RESULT])), body(user([text("a"), text("b")]), user([RESULT]))),
    ],
    "tool-choice-auto-absent": [(body(tools=[TOOL], tool_choice={"type": "auto"}), body(tools=[TOOL]))],
    "is-error-false-absent": [(body(user([{**RESULT, "is_error": False}])), body(user([RESULT])))],
    "stream-false-absent": [(body(stream=False), body())],
    "tool-type-custom-absent": [(body(tools=[{**TOOL, "type": "custom"}]), body(tools=[TOOL]))],
    "strict-false-absent": [(body(tools=[{**TOOL, "strict": False}]), body(tools=[TOOL]))],
    "system-blocks-join": [(body(system=[text("a"), text("b")]), body(system="a\n\nb"))],
}

NOT_ALIKE: list[tuple[Any, Any]] = [
    (body(user("a")), body(user("b"))),
    (body(user("ab")), body(user([text("a"), text("b")]))),
    (body(user("hi")), body(user([text("hi", cache_control={"type": "ephemeral"})]))),
    (body(system="ab"), body(system=[text("a"), text("b")])),
    (body(system="a\n\nb"), body(system=[text("a", cache_control={}), text("b")])),
    (body(user([RESULT]), user([RESULT])), body(user([RESULT, RESULT]))),
    (body(user([RESULT]), user("a")), body(user([RESULT, text("a")]))),
    (body(user("a"), {"role": "assistant", "content": "b"}), body(user([text("a"), text("b")]))),
    (body(tool_choice={"type": "auto"}), body()),
    (body(tools=[TOOL], tool_choice={"type": "any"}), body(tools=[TOOL])),
    (body(tools=[TOOL], tool_choice={"type": "auto", "disable_parallel_tool_use": True}), body(tools=[TOOL])),
    (body(user([{**RESULT, "is_error": True}])), body(user([RESULT]))),
    (body(user([{**RESULT, "is_error": 0}])), body(user([RESULT]))),
    (body(stream=True), body()),
    (body(tools=[{**TOOL, "type": "bash_20250124"}]), body(tools=[TOOL])),
    (body(tools=[{**TOOL, "strict": True}]), body(tools=[TOOL])),
]


def tree(value: Any) -> Any:
    return read(json.dumps(value))


def alike(forms: NormalForms, one: Any, other: Any, style: str = "anthropic") -> bool:
    return match(forms.body(tree(one), style), forms.body(tree(other), style)) is None


def test_each_row_has_a_normaliser_and_each_normaliser_a_row(forms: NormalForms) -> None:
    assert set(forms.rows) == {*BODY, *HEADERS}
    assert not set(BODY) & set(HEADERS)


def test_each_row_is_tried_here() -> None:
    assert set(ALIKE) == set(BODY)


@pytest.mark.parametrize(("row", "pair"), [(row, pair) for row, pairs in ALIKE.items() for pair in pairs])
def test_alike(forms: NormalForms, row: str, pair: tuple[Any, Any]) -> None:
    assert alike(forms, *pair)
    assert alike(forms, *reversed(pair))
    # The row itself does it: without it the two differ.
    without = NormalForms(corpora.find() / "equivalences.json")
    del without.rows[row]
    assert not alike(without, *pair)


@pytest.mark.parametrize("pair", NOT_ALIKE)
def test_not_alike(forms: NormalForms, pair: tuple[Any, Any]) -> None:
    assert not alike(forms, *pair)


def test_a_row_is_for_its_styles_only(forms: NormalForms) -> None:
    assert not alike(forms, body(user("hi")), body(user([text("hi")])), "openai")
    function = {"type": "function", "function": {"name": "f"}}
    strict = {"type": "function", "function": {"name": "f", "strict": False}}
    assert alike(forms, body(tools=[function], stream=False), body(tools=[strict]), "openai")
    assert alike(forms, body(tools=[function], tool_choice="auto"), body(tools=[function]), "openai")


def test_the_argument_is_not_changed(forms: NormalForms) -> None:
    for pairs in ALIKE.values():
        for pair in pairs:
            given = tree(pair[0])
            before = compact(given)
            forms.body(given, "anthropic")
            assert compact(given) == before


def test_a_body_that_is_no_object_or_malformed_is_left_alone(forms: NormalForms) -> None:
    for odd in ("[]", "1", '{"messages":1,"tools":{},"system":[1]}', '{"messages":[1,{"content":[1]}],"tools":[1]}'):
        assert compact(forms.body(read(odd), "anthropic")) == odd


def test_looseners_stay(forms: NormalForms) -> None:
    want = body(user({"$any": True}), system={"$regex": "x"})
    assert compact(forms.body(tree(want), "anthropic")) == compact(tree(want))


@pytest.mark.parametrize(
    ("sent", "normal"),
    [
        ({"authorization": "Bearer k"}, {"x-api-key": "k"}),
        ({"authorization": "bearer k"}, {"x-api-key": "k"}),
        ({"x-api-key": "k"}, {"x-api-key": "k"}),
        ({"authorization": "Basic k"}, {"authorization": "Basic k"}),
        ({"authorization": "Bearer k", "x-api-key": "j"}, {"authorization": "Bearer k", "x-api-key": "j"}),
    ],
)
def test_bearer_is_x_api_key(forms: NormalForms, sent: dict[str, str], normal: dict[str, str]) -> None:
    assert forms.headers(sent, "anthropic") == normal
    assert forms.headers(sent, "openai") == sent
