"""A case file becomes a case, or one line that says what is wrong with it and where."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from conformance import corpus as corpora
from conformance.case import Case, client_for, load, parse
from conformance.faults import CorpusFault
from conformance.tree import ABSENT, compact

NAME = "anthropic/text/hello"


def cases_of(tree: dict[str, Any]) -> tuple[Case, ...]:
    return parse(json.dumps(tree).encode(), NAME, Path("cases/x.json"))


def fault_of(text: str) -> CorpusFault:
    with pytest.raises(CorpusFault) as caught:
        parse(text.encode(), NAME, Path("cases/x.json"))
    assert "\n" not in str(caught.value)
    return caught.value


def test_what_a_case_says(make_case: Any) -> None:
    case = make_case(warnings=[{"code": "field-dropped", "pointer": "/x"}], toolkit=[])
    assert (case.id, case.name, case.variant, case.op, case.style) == (NAME, NAME, None, "translate", "anthropic")
    assert case.exchanges[0].expect.path == "/v1/messages"
    assert case.exchanges[0].reply.kind == "json"
    assert case.warnings == (("field-dropped", "/x"),)
    assert case.needs == ("anthropic", "toolkit")
    assert case.part("hooks") is ABSENT


def test_the_request_keeps_its_number_tokens(make_case: Any) -> None:
    text = json.dumps(dict(make_case().tree), default=str)
    tree = json.loads(text)
    raw = json.dumps(tree).replace('"max_tokens": "64"', '"max_tokens": 64, "params": {"seed": 1.10, "top_p": 1e0}')
    raw = raw.replace('"9"', "9").replace('"2"', "2").replace('"11"', "11").replace('"0"', "0")
    (case,) = parse(raw.encode(), NAME, Path("x.json"))
    assert case.request_text is not None
    assert '"params":{"seed":1.10,"top_p":1e0}' in case.request_text


def test_a_request_given_as_text_is_handed_on_as_it_is(make_case: Any) -> None:
    text = '{"messages": [{"role":"user","content":"\\ud800"}], "a":1, "a":2}'
    case = make_case(request=None, request_text=text)
    assert case.request_text == text


def test_repeats_are_written_out(make_case: Any) -> None:
    case = make_case(request={"messages": [{"role": "user", "content": {"$repeat": ["ab", 3]}}]})
    assert '"content":"ababab"' in case.request_text


def test_stub_and_key_expand_in_the_client_only(make_case: Any) -> None:
    client = {"style": "anthropic", "base_url": "{stub}/x", "model": "m", "headers": {"a": "Bearer {key}"}}
    case = make_case(client=client, request={"messages": [{"role": "user", "content": "{stub} {key}"}]})
    assert client_for(case, "http://s", "k1") == {
        "api_key": "k1",
        "style": "anthropic",
        "base_url": "http://s/x",
        "model": "m",
        "headers": {"a": "Bearer k1"},
    }
    assert "{stub} {key}" in case.request_text


def test_a_client_may_have_another_key(make_case: Any) -> None:
    client = {"style": "anthropic", "base_url": "{stub}", "model": "m", "api_key": ""}
    assert client_for(make_case(client=client), "http://s", "k1")["api_key"] == ""


def test_variants_follow_the_case_and_change_any_part(make_case: Any) -> None:
    tree = json.loads(compact(dict(make_case().tree)))
    tree["variants"] = {
        "longer": {"/request/messages/0/content": "hello there", "/level": "may"},
        "warns": {"/warnings": [{"code": "a", "pointer": ""}]},
    }
    base, longer, warns = cases_of(tree)
    assert [case.id for case in (base, longer, warns)] == [NAME, f"{NAME}[longer]", f"{NAME}[warns]"]
    assert {case.name for case in (base, longer, warns)} == {NAME}
    assert "hello there" in str(longer.request_text)
    assert "hello there" not in str(base.request_text)
    assert longer.level == "may"
    assert warns.warnings == (("a", ""),)


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"nonsense": 1}, "/nonsense"),
        ({"id": "anthropic/text/other"}, "/id"),
        ({"id": "Not An Id"}, "/id"),
        ({"level": "maybe"}, "/level"),
        ({"clauses": []}, "/clauses"),
        ({"title": ""}, "/title"),
        ({"since": "1"}, "/since"),
        ({"repeat": 1}, "/repeat"),
        ({"repeat": 1.5}, "/repeat"),
        ({"client": {"style": "gemini", "base_url": "x", "model": "m"}}, "/client/style"),
        ({"client": {"style": "openai", "model": "m"}}, "/client"),
        ({"client": None}, "/"),
        ({"request_text": "{}"}, "/"),
        ({"request": None}, "/"),
        ({"exchanges": None}, "/"),
        ({"error": {"kind": "provider"}}, "/"),
        ({"result": None}, "/"),
        ({"result": {"txt": "x"}}, "/result/txt"),
        ({"result": {"usage": {"tokens": 1}}}, "/result/usage/tokens"),
        ({"result": None, "error": {"kind": "odd"}}, "/error/kind"),
        ({"result": None, "error": {"kind": "provider", "text": "x"}}, "/error/text"),
        ({"deltas": []}, "/"),
        ({"stream": False, "deltas": []}, "/stream"),
        ({"warnings": [{"code": "x"}]}, "/warnings/0"),
        ({"warnings": [{"code": "x", "pointer": "a"}]}, "/warnings/0/pointer"),
        ({"exchanges": [{"expect": {}}]}, "/exchanges/0"),
        ({"exchanges": [{"expect": {"path": "v1"}, "reply": {}}]}, "/exchanges/0/expect/path"),
        ({"exchanges": [{"expect": {}, "reply": {"json": 1, "text": "x"}}]}, "/exchanges/0/reply"),
        ({"exchanges": [{"expect": {}, "reply": {"base64": "%"}}]}, "/exchanges/0/reply/base64"),
        ({"exchanges": [{"expect": {}, "reply": {"chunks": ["a", {"hex": "00"}]}}]}, "/exchanges/0/reply/chunks/1/hex"),
        ({"exchanges": [{"expect": {}, "reply": {"sse": [{"event": "x"}]}}]}, "/exchanges/0/reply/sse/0"),
        ({"exchanges": [{"expect": {}, "reply": {"fault": "odd"}}]}, "/exchanges/0/reply/fault"),
        ({"exchanges": [{"expect": {}, "reply": {"status": 99}}]}, "/exchanges/0/reply/status"),
        ({"request": {"messages": {"$repeat": ["x"]}}}, "/"),
        ({"variants": {"x": {"/request/nowhere/0": 1}}}, "/variants/x"),
        ({"variants": {"x": {"/level": "maybe"}}}, "/variants/x"),
        ({"variants": {"Not a name": {}}}, "/variants/Not a name"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(make_case: Any, change: dict[str, Any], where: str) -> None:
    tree = json.loads(compact(dict(make_case().tree))) | change
    fault = fault_of(json.dumps({key: value for key, value in tree.items() if value is not None}))
    assert fault.where == where
    assert fault.exit_code == 11
    assert str(fault).startswith(f"cases/x.json: {where}: ")


def test_text_that_is_no_json_is_named_with_its_line() -> None:
    assert fault_of('{\n"id": 1,\n}').where == "line 3"
    assert fault_of('{"id": 1,\n "id": 2}').where == "line 2"


def test_a_file_that_cannot_be_read_is_a_fault(tmp_path: Path) -> None:
    with pytest.raises(CorpusFault, match="No such file"):
        load(tmp_path / "nowhere.json", NAME)


@pytest.mark.parametrize(("client", "needed"), [({"retries": 0}, False), ({"retries": 1}, True), ({}, True)])
def test_retries_are_needed_unless_there_are_none(make_case: Any, client: dict[str, Any], needed: bool) -> None:
    settings = {"style": "anthropic", "base_url": "{stub}", "model": "claude-x", **client}
    assert ("retries" in make_case(client=settings).needs) is needed


def test_a_declaration_needs_a_toolkit_and_no_request(make_case: Any) -> None:
    none = {"request": None, "exchanges": None, "result": None, "client": None}
    case = make_case(**none, toolkit=[], declare={"openai": []}, requires=["toolkit"])
    assert (case.op, case.style, case.needs) == ("declare", "", ("toolkit", "declare"))
    with pytest.raises(CorpusFault):
        make_case(**none, declare={"openai": []})


@pytest.mark.parametrize(
    ("change", "features"),
    [
        ({}, set()),
        ({"request": {"messages": [], "params": {"x": 0.5}}}, set()),
        ({"request": {"messages": [], "params": {"x": 1.0}}}, {"number-tokens"}),
        ({"request": {"messages": [], "params": {"x": 9007199254740993}}}, {"number-tokens"}),
        ({"request": None, "request_text": '{"a": 1.10}'}, {"number-tokens"}),
        ({"request": None, "request_text": '{"a": "1.10"}'}, set()),
        ({"result": {"raw": {"x": {"$raw": "1"}}}}, {"number-tokens"}),
        ({"exchanges": [{"expect": {}, "reply": {"base64": "AA=="}}]}, {"bytes"}),
        ({"exchanges": [{"expect": {}, "reply": {"chunks": ["a", {"base64": "AA=="}]}}]}, {"bytes"}),
        ({"exchanges": [{"expect": {}, "reply": {"wire": "HTTP/1.1 200 OK\r\n\r\n"}}]}, {"wire"}),
    ],
)
def test_features_are_what_a_runner_must_not_lose(make_case: Any, change: dict[str, Any], features: set[str]) -> None:
    assert make_case(**change).features == features


def test_the_whole_corpus_is_well_formed() -> None:
    cases = corpora.read(corpora.find()).cases
    assert cases
    assert all(case.request_text is not None for case in cases if case.op != "declare")
