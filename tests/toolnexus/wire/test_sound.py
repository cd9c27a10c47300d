"""What the quick reading of a body skips is looked at all the same: Unicode, depth, and what providers refuse."""

from __future__ import annotations

import json
from typing import Any

import pytest

from toolnexus import ClientConfig, InvalidRequest, Tool, Toolkit, TranslateRequest, encode

ANTHROPIC = ClientConfig("http://127.0.0.1", "anthropic", "claude-x")
OPENAI = ClientConfig("http://127.0.0.1", "openai", "gpt-x")
BOTH = pytest.mark.parametrize("config", [ANTHROPIC, OPENAI], ids=["anthropic", "openai"])
HI = '{"role":"user","content":"hi"}'


def body(part: str = "", schema: str = "{}", choice: str = '"auto"') -> bytes:
    """A body of the plain shape with something in a place that is not decoded."""
    message = f'{{"role":"user","content":[{{"type":"text","text":"a"}},{part}]}}' if part else HI
    tool = f'{{"type":"function","function":{{"name":"f","parameters":{schema}}}}}'
    return f'{{"messages":[{message}],"tools":[{tool}],"tool_choice":{choice}}}'.encode("utf-8", "surrogateescape")


def nested(levels: int) -> str:
    return "[" * levels + "]" * levels


PLACES: dict[str, tuple[str, str]] = {
    "part": ('{"type":"text","text":"b","x":@}', "/messages/0/content/1/x"),
    "schema": ('{"type":"object","x":@}', "/tools/0/function/parameters/x"),
}


def at(place: str, value: str) -> bytes:
    return body(**{place: PLACES[place][0].replace("@", value)})


@BOTH
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("half", ["\\ud800", "\\uDBFF x", "\\udc00"])
def test_half_a_surrogate_pair_in_what_is_skipped_is_replaced_with_a_warning(
    place: str, half: str, config: ClientConfig
) -> None:
    sent = encode(TranslateRequest.from_json(at(place, f'"{half}"')), config)
    assert [(w.code, w.pointer) for w in sent.warnings if w.code == "lone-surrogate"] == [
        ("lone-surrogate", PLACES[place][1])
    ]
    assert b"\\ud800" not in sent.body.lower()
    json.dumps(json.loads(sent.body), ensure_ascii=False).encode()


@BOTH
@pytest.mark.parametrize("place", PLACES)
def test_a_pair_and_other_escapes_in_what_is_skipped_stay(place: str, config: ClientConfig) -> None:
    sent = encode(TranslateRequest.from_json(at(place, '"\\ud83d\\ude00\\u0041\\n\\\\ud800"')), config)
    assert not [w for w in sent.warnings if w.code == "lone-surrogate"]
    if place == "schema":
        assert b'"\\ud83d\\ude00\\u0041\\n\\\\ud800"' in sent.body


@BOTH
@pytest.mark.parametrize("place", PLACES)
def test_what_is_skipped_must_be_utf_8(place: str, config: ClientConfig) -> None:
    with pytest.raises(InvalidRequest, match="UTF-8"):
        encode(TranslateRequest.from_json(at(place, '"\udcff"')), config)


@BOTH
@pytest.mark.parametrize(("place", "pointer", "most"), [("part", "/messages/0", 509), ("schema", "/tools/0", 509)])
def test_depth_in_what_is_skipped_is_carried_to_512_and_refused_beyond(
    place: str, pointer: str, most: int, config: ClientConfig
) -> None:
    encode(TranslateRequest.from_json(at(place, nested(most))), config)
    for levels in (most + 1, 600):
        with pytest.raises(InvalidRequest) as error:
            encode(TranslateRequest.from_json(at(place, nested(levels))), config)
        assert error.value.pointer == pointer
    # Where no parser goes, nobody knows whose depth it was.
    with pytest.raises(InvalidRequest, match="nested too deep"):
        TranslateRequest.from_json(at(place, nested(100_000)))


@BOTH
def test_a_deep_tool_choice_is_refused(config: ClientConfig) -> None:
    with pytest.raises(InvalidRequest) as error:
        encode(TranslateRequest.from_json(body(choice='{"type":"auto","x":' + nested(600) + "}")), config)
    assert error.value.pointer == "/tool_choice"


@BOTH
def test_a_long_flat_schema_is_not_deep(config: ClientConfig) -> None:
    lists = ",".join(["[1]"] * 2000)
    encode(TranslateRequest.from_json(at("schema", f"[{lists}]")), config)
    objects = ",".join(['{"a":{}}'] * 2000)
    encode(TranslateRequest.from_json(at("schema", f"[{objects}]")), config)


@pytest.mark.parametrize("word", ["oneOf", "anyOf", "allOf"])
@pytest.mark.parametrize("typed", ['"type":"object",', '"type": "object",', ""])
def test_a_combinator_at_the_top_is_refused_and_one_below_is_not(word: str, typed: str) -> None:
    with pytest.raises(InvalidRequest) as error:
        encode(TranslateRequest.from_json(body(schema=f'{{{typed}"{word}":[]}}')), ANTHROPIC)
    assert error.value.pointer == f"/tools/0/function/parameters/{word}"
    below = f'{{{typed}"properties":{{"{word}":{{"{word}":[{{"type":"string"}}]}}}}}}'
    encode(TranslateRequest.from_json(body(schema=below)), ANTHROPIC)


@pytest.mark.parametrize(
    "schema", ['{"type":"string"}', '{"type":["object"]}', '{"x":1,"type":"array"}', "[]", '"x"', "5"]
)
def test_a_schema_that_is_no_objects_is_refused(schema: str) -> None:
    with pytest.raises(InvalidRequest) as error:
        encode(TranslateRequest.from_json(body(schema=schema)), ANTHROPIC)
    assert error.value.pointer.startswith("/tools/0/function/parameters")


def test_neutral_parts_of_a_plain_body_are_translated() -> None:
    part = '{"type":"image","mimeType":"image/png","data":"iVBORw0KGgo="}'
    sent = json.loads(encode(TranslateRequest.from_json(body(part)), OPENAI).body)
    assert sent["messages"][0]["content"][1] == {
        "type": "image_url",
        "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="},
    }


def test_half_a_pair_inside_the_arguments_of_a_plain_body_is_replaced() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"a":"\\ud800"}'}}
    messages = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "x"},
    ]
    for config in (OPENAI, ANTHROPIC):
        sent = encode(TranslateRequest.from_json(json.dumps({"messages": messages})), config)
        assert next((w.code, w.pointer) for w in sent.warnings) == (
            "lone-surrogate",
            "/messages/0/tool_calls/0/function/arguments",
        )
        assert b"ud800" not in sent.body


# -- toolkits ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tool", "pointer"),
    [
        (Tool("no name", "d", {}), "/toolkit/1/name"),
        (Tool("x" * 129, "d", {}), "/toolkit/1/name"),
        (Tool("f", "d", {"anyOf": []}), "/toolkit/1/inputSchema/anyOf"),
        (Tool("f", "d", {"type": "string"}), "/toolkit/1/inputSchema/type"),
    ],
)
def test_a_toolkits_tool_that_anthropic_refuses_is_an_invalid_request_and_openai_gets_it(
    tool: Tool, pointer: str
) -> None:
    kit = Toolkit([Tool("good", "d", {}), tool])
    request = TranslateRequest([{"role": "user", "content": "hi"}], toolkit=kit)
    with pytest.raises(InvalidRequest) as error:
        encode(request, ANTHROPIC)
    assert error.value.pointer == pointer
    assert len(json.loads(encode(request, OPENAI).body)["tools"]) == 2


@BOTH
def test_what_was_repaired_in_a_toolkit_is_in_the_warnings_of_each_call(config: ClientConfig) -> None:
    kit = Toolkit([Tool("good", "d", {}), Tool("f", "half \ud800", {})])
    request = TranslateRequest([{"role": "user", "content": "hi"}], toolkit=kit)
    for _ in range(2):
        warnings = encode(request, config).warnings
        assert [(w.code, w.pointer) for w in warnings] == [("lone-surrogate", "/toolkit/1/description")]


@BOTH
def test_a_toolkit_comes_first_and_its_declarations_are_sent_byte_for_byte(config: ClientConfig) -> None:
    kit = Toolkit([Tool("a", "d", {"type": "object", "properties": {"n": {"maximum": 1.5}}})])
    tool: dict[str, Any] = {"type": "function", "function": {"name": "b"}}
    sent = encode(TranslateRequest([{"role": "user", "content": "hi"}], tools=[tool], toolkit=kit), config).body
    (declared,) = kit.declarations(config.style)
    assert b'"tools":[' + bytes(declared) + b"," in sent
