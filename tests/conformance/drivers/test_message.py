"""The protocol's messages, both ways."""

from __future__ import annotations

import json
import re
from typing import Any

import jsonschema
import pytest
import referencing

from conformance import corpus as corpora
from conformance.case import Case
from conformance.drivers.message import CAPABILITIES, FEATURES, Message, for_case, hello, read_hello, reply_fault
from conformance.faults import PortFault
from conformance.tree import from_python, read

HELLO: dict[str, Any] = {
    "op": "hello",
    "protocol": 1,
    "port": {"name": "p", "language": "go", "version": "1"},
    "capabilities": ["anthropic", "warnings"],
}


@pytest.fixture(scope="module")
def schema() -> jsonschema.Draft202012Validator:
    read_schema = [json.loads((corpora.find() / f"{name}.schema.json").read_text()) for name in ("protocol", "case")]
    resources = [(each["$id"], referencing.Resource.from_contents(each)) for each in read_schema]
    registry: Any = referencing.Registry().with_resources(resources)
    return jsonschema.Draft202012Validator(read_schema[0], registry=registry)


def message(case: Case) -> Message:
    return for_case(case, "17", "http://127.0.0.1:9", "case-1")


def test_a_message_carries_what_the_port_needs_and_nothing_expected(make_case: Any) -> None:
    case = make_case(toolkit=[], hooks={"on_error": ["fail"]}, fired={"on_error": 1}, repeat=2)
    sent = json.loads(message(case).line())
    assert set(sent) == {"op", "id", "case", "client", "repeat", "deadline_ms", "toolkit", "hooks", "request"}
    assert sent["client"]["base_url"] == "http://127.0.0.1:9"
    assert sent["client"]["api_key"] == "case-1"


def test_number_tokens_reach_the_port_as_written(make_case: Any) -> None:
    case = make_case(request=None, request_text='{"messages":[],"seed":1.10}')
    spliced = Message("1", "translate", "c", client={}, request_text='{"seed":1.10,"é":1e400}').line()
    assert '"request":{"seed":1.10,"\\u00e9":1e400}' in spliced
    assert json.loads(message(case).line())["request_text"] == case.request_text
    assert "request" not in json.loads(message(case).line())


def test_a_line_is_one_line_of_ascii(make_case: Any) -> None:
    case = make_case(
        request={"messages": [{"role": "user", "content": "a\nb é \U0001f600 \u2028"}]}, toolkit=[{"x": "é"}]
    )
    line = message(case).line()
    assert line.isascii()
    assert "\n" not in line
    assert json.loads(line)["request"]["messages"][0]["content"] == "a\nb é \U0001f600 \u2028"


def test_a_python_port_gets_the_same_decoded_and_as_text(make_case: Any) -> None:
    case = make_case(request=None, request_text='{"messages":[],"seed":1.10}')
    value = message(case).value()
    assert value["request"] == {"messages": [], "seed": 1.1}
    assert value["request_text"] == case.request_text
    assert {**value, "request": None} == {**json.loads(message(case).line()), "request": None}


def test_a_request_python_cannot_decode_is_there_as_text(make_case: Any) -> None:
    deep = '{"messages":' + "[" * 100_000 + "]" * 100_000 + "}"
    value = message(make_case(request=None, request_text=deep)).value()
    assert "request" not in value
    assert value["request_text"] == deep


def test_two_messages_share_nothing(make_case: Any) -> None:
    case = make_case(toolkit=[{"name": "a"}])
    first = message(case).value()
    first["toolkit"][0]["name"] = "changed"
    first["request"]["messages"].clear()
    assert message(case).value()["toolkit"][0]["name"] == "a"
    assert message(case).value()["request"]["messages"]


def test_what_is_sent_is_what_the_schema_says(schema: jsonschema.Draft202012Validator, make_case: Any) -> None:
    schema.validate(hello("1.0"))
    wanted = corpora.read(corpora.find()).cases
    kinds = {(case.op, *sorted(key for key in case.tree if case.needs)): case for case in wanted}
    for case in kinds.values():
        schema.validate(json.loads(message(case).line()))


def test_a_hello_is_read() -> None:
    said = read_hello(from_python({**HELLO, "max_in_flight": 4, "lacks": ["wire"]}))
    assert (said.name, said.language, said.version) == ("p", "go", "1")
    assert (said.capabilities, said.lacks, said.max_in_flight) == (("anthropic", "warnings"), ("wire",), 4)


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"protocol": 2}, "/protocol"),
        ({"protocol": "1"}, "/protocol"),
        ({"port": {"name": "p", "version": "1"}}, "/port"),
        ({"port": {"name": "", "language": "x", "version": "1"}}, "/port/name"),
        ({"capabilities": ["anthropc"]}, "/capabilities/0"),
        ({"capabilities": "anthropic"}, "/capabilities"),
        ({"max_in_flight": 0}, "/max_in_flight"),
        ({"extra": 1}, "/extra"),
        ({"op": "hi"}, "/op"),
    ],
)
def test_a_wrong_hello_names_the_field_and_shows_a_right_one(change: dict[str, Any], where: str) -> None:
    with pytest.raises(PortFault, match=rf"the port's hello: {where} .*right is \{{\"op\":\"hello\"") as caught:
        read_hello(from_python({**HELLO, **change}))
    assert "\n" not in str(caught.value)
    example = re.search(r"right is (\{.*\})$", str(caught.value))
    assert example is not None
    read_hello(read(example[1]))


@pytest.mark.parametrize(
    "reply",
    [
        {"result": {}},
        {"error": {"kind": "provider"}, "deltas": [], "warnings": [], "fired": {"on_error": 1}},
        {"skip": {"reason": "x"}},
        {"openai": [], "anthropic": [], "gemini": []},
    ],
)
def test_a_reply_that_can_be_judged(reply: dict[str, Any]) -> None:
    assert reply_fault(from_python({"id": "1", **reply})) is None


@pytest.mark.parametrize(
    ("reply", "where"),
    [
        ({}, "has none of result"),
        ({"result": []}, "/result"),
        ({"result": {}, "error": {"kind": "provider"}}, "has result and error"),
        ({"result": {"text": 1}}, "/result/text must be a text"),
        ({"result": {"tool_calls": {}}}, "/result/tool_calls must be a list"),
        ({"result": {"tool_calls": [{"id": "a", "name": "f"}]}}, "/result/tool_calls/0 must have arguments"),
        ({"result": {"tool_calls": [{"id": "a", "name": "f", "arguments": {}}]}}, "/result/tool_calls/0/arguments"),
        ({"result": {"usage": []}}, "/result/usage must be an object"),
        ({"error": {}}, "/error must have kind"),
        ({"error": {"kind": "oops"}}, "/error/kind must be one of invalid-request"),
        ({"error": {"kind": "provider", "status": "429"}}, "/error/status must be an integer"),
        ({"error": {"kind": "provider", "code": True}}, "/error/code must be a text or a number"),
        ({"error": {"kind": "provider"}, "deltas": {}}, "/deltas must be a list"),
        ({"result": {}, "warnings": [{"code": "x"}]}, "/warnings/0 must have pointer"),
        ({"result": {}, "fired": {"on_fire": 1}}, "/fired/on_fire must be one of before_llm"),
        ({"skip": {"reason": ""}}, "/skip/reason must be a text"),
        ({"openai": [], "anthropic": []}, "/openai must have anthropic and gemini beside it"),
        ({"openai": {}, "anthropic": [], "gemini": []}, "/openai must be a list"),
        ({"result": {}, "warning": []}, "/warning unknown key"),
        ({"result": {}, "warnings": {}}, "/warnings"),
        ({"skip": {}}, "/skip must have reason"),
        ({"result": {}, "fired": {"on_error": -1}}, "/fired/on_error"),
    ],
)
def test_a_reply_that_cannot(reply: dict[str, Any], where: str, schema: jsonschema.Draft202012Validator) -> None:
    fault = reply_fault(from_python({"id": "1", **reply}))
    assert fault is not None
    assert where in fault
    assert not schema.is_valid({"id": "1", **reply})
    example = fault.partition("right is ")[2]
    assert reply_fault(read(example)) is None
    schema.validate(json.loads(example))


def test_what_is_absent_null_or_new_to_the_kit_is_no_fault(schema: jsonschema.Draft202012Validator) -> None:
    nulls = dict.fromkeys(("text", "tool_calls", "finish_reason", "usage", "model", "refusal", "reasoning", "message"))
    calls = [{"id": "", "name": "f", "arguments": "{}", "type": None, "extra": 1}]
    for reply in (
        {"result": {**nulls, "later": 1}},
        {"result": {"tool_calls": calls}},
        {"error": {"kind": "transport"}},
    ):
        assert reply_fault(from_python({"id": "1", **reply})) is None
        schema.validate({"id": "1", **reply})


def test_a_number_token_may_be_a_code() -> None:
    assert reply_fault(read('{"id":"1","error":{"kind":"provider","code":1302,"status":429}}')) is None


def test_capabilities_are_those_of_the_schema() -> None:
    schema = json.loads((corpora.find() / "protocol.schema.json").read_text())
    said = schema["$defs"]["hello-reply"]["properties"]["capabilities"]["items"]["enum"]
    assert set(said) == {*CAPABILITIES, *FEATURES}
