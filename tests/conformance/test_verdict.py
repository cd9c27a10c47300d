"""The four checks and the verdict they make."""

from __future__ import annotations

import json
from typing import Any

import pytest

from conformance import corpus as corpora
from conformance import differences
from conformance.case import Case
from conformance.checks import Check
from conformance.drivers.message import Hello
from conformance.observation import ALARM, Answer, Call, NoAnswer, NotStarted, Observation, Outcome
from conformance.providers.equivalence import NormalForms
from conformance.tree import from_python
from conformance.verdict import (
    Equivalent,
    Failed,
    KitError,
    NotApplicable,
    NotRun,
    Passed,
    Skipped,
    Verdict,
    judge,
    not_applicable,
    state_of,
)

HELLO = Hello("p", "x", "1", ("anthropic", "pointers", "warnings"))
KEY = "case-0123456789ab-000001"
BODY = {"model": "claude-x", "max_tokens": 64, "messages": [{"role": "user", "content": "hi"}]}
RESULT = {"text": "hello", "tool_calls": [], "finish_reason": "stop", "usage": {"total_tokens": 11}}


def call(body: Any = BODY, path: str = "/v1/messages", method: str = "POST", **headers: str) -> Call:
    sent = body if isinstance(body, bytes) else json.dumps(body).encode()
    given = {"x-api-key": KEY, **{name.replace("_", "-"): value for name, value in headers.items()}}
    return Call(method, path, tuple(given.items()), sent)


def answer(**value: Any) -> Answer:
    tree = from_python(value or {"result": RESULT})
    assert isinstance(tree, dict)
    return Answer(tree)


def verdict_of(
    case: Case,
    *calls: Call,
    outcome: Outcome | None = None,
    hello: Hello = HELLO,
    strays: tuple[Call, ...] = (),
    stderr: tuple[str, ...] = (),
    stub_fault: str | None = None,
) -> Verdict:
    seen = Observation(outcome or answer(), KEY, calls, strays, stderr, stub_fault=stub_fault)
    forms = NormalForms(corpora.find() / "equivalences.json")
    return judge(case, seen, hello, "http://stub", lambda: forms)


def checks(verdict: Verdict) -> dict[str, str]:
    assert isinstance(verdict, (Passed, Equivalent, Failed))
    return {check.name: check.state for check in verdict.checks}


def rows(verdict: Verdict, name: str) -> list[tuple[str, str, str | None, str | None]]:
    assert isinstance(verdict, (Passed, Equivalent, Failed))
    (check,) = [check for check in verdict.checks if check.name == name]
    return [(row.where, row.kind, row.want, row.got) for row in check.differences]


def expecting(make_case: Any, *replies: dict[str, Any], **expect: Any) -> Case:
    exchanges = [{"expect": expect, "reply": reply} for reply in replies or ({},)]
    case: Case = make_case(exchanges=exchanges)
    return case


def test_all_as_it_should_be(make_case: Any) -> None:
    verdict = verdict_of(make_case(), call())
    assert isinstance(verdict, Passed)
    assert checks(verdict) == {"request": "pass", "calls": "pass", "result": "pass", "warnings": "pass"}


# -- request ----------------------------------------------------------------------------------------------------------


def test_a_body_that_differs(make_case: Any) -> None:
    verdict = verdict_of(make_case(), call({**BODY, "model": "other", "max_tokens": 64.0}))
    assert isinstance(verdict, Failed)
    assert rows(verdict, "request") == [
        ("/model", "value", '"claude-x"', '"other"'),
        ("/max_tokens", "type", "64", "64.0"),
    ]
    assert checks(verdict)["result"] == "pass"


def test_a_body_that_means_the_same(make_case: Any) -> None:
    body = {**BODY, "stream": False, "messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}]}
    verdict = verdict_of(make_case(), call(body))
    assert isinstance(verdict, Equivalent)
    assert checks(verdict)["request"] == "equivalent"
    assert [row[0] for row in rows(verdict, "request")] == ["/messages/0/content", "/stream"]


def test_what_differs_in_meaning_stands_without_what_differs_in_spelling(make_case: Any) -> None:
    body = {**BODY, "stream": False, "messages": [{"role": "user", "content": [{"type": "text", "text": "ho"}]}]}
    verdict = verdict_of(make_case(), call(body))
    assert isinstance(verdict, Failed)
    assert [row[0] for row in rows(verdict, "request")] == ["/messages/0/content", "/stream"]
    (meant,) = next(check.meant for check in verdict.checks if check.name == "request")
    assert (meant.where, meant.kind, meant.want, meant.got) == ("/messages/0/content/0/text", "value", '"hi"', '"ho"')


def test_what_means_the_same_leaves_nothing(make_case: Any) -> None:
    verdict = verdict_of(make_case(), call({**BODY, "stream": False}))
    assert isinstance(verdict, Equivalent)
    assert [check.meant for check in verdict.checks if check.name == "request"] == [()]


def test_an_equivalent_body_at_a_wrong_path_fails(make_case: Any) -> None:
    assert isinstance(verdict_of(make_case(), call({**BODY, "stream": False}, path="/messages")), Failed)


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b'{"a":1,"a":1}', b"NaN"])
def test_a_body_that_is_no_json(make_case: Any, body: bytes) -> None:
    verdict = verdict_of(make_case(), call(body))
    assert isinstance(verdict, Failed)
    assert [row[:2] for row in rows(verdict, "request")] == [("body", "not-json")]


def test_method_and_path(make_case: Any) -> None:
    case = expecting(make_case, method="POST", path="/v1/messages?beta=true")
    verdict = verdict_of(case, call(method="PUT"))
    assert rows(verdict, "request") == [
        ("method", "value", "POST", "PUT"),
        ("path", "value", "/v1/messages?beta=true", "/v1/messages"),
    ]


def test_headers_compare_without_case_and_never_show_the_key(make_case: Any) -> None:
    case = expecting(
        make_case,
        headers={"X-Api-Key": "{key}", "authorization": "Bearer {key}", "a": {"$regex": "^b"}},
        present_headers=["Anthropic-Version"],
        absent_headers=["X-Other"],
    )
    assert (
        checks(verdict_of(case, call(authorization=f"Bearer {KEY}", a="bc", anthropic_version="1")))["request"]
        == "pass"
    )
    verdict = verdict_of(case, call(authorization=KEY, a="c", x_other=KEY))
    assert rows(verdict, "request") == [
        ("header authorization", "value", "Bearer {key}", "{key}"),
        ("header a", "value", '{"$regex":"^b"}', "c"),
        ("header anthropic-version", "missing", "(present)", None),
        ("header x-other", "unexpected", None, "{key}"),
    ]


def test_a_bearer_key_is_equivalent(make_case: Any) -> None:
    case = expecting(make_case, headers={"x-api-key": "{key}"}, absent_headers=["authorization"])
    sent = Call("POST", "/v1/messages", (("Authorization", f"Bearer {KEY}"),), b"{}")
    assert checks(verdict_of(case, sent))["request"] == "equivalent"
    wrong = Call("POST", "/v1/messages", (("Authorization", "Bearer other"),), b"{}")
    assert checks(verdict_of(case, wrong))["request"] == "fail"


def test_each_of_several_calls_is_judged(make_case: Any) -> None:
    exchanges = [
        {"expect": {"body": {"n": 1}}, "reply": {"status": 500}},
        {"expect": {"body": {"n": 2}}, "reply": {}},
    ]
    verdict = verdict_of(make_case(exchanges=exchanges), call({"n": 1}), call({"n": 3}))
    assert rows(verdict, "request") == [("call 2 /n", "value", "2", "3")]


def test_a_repeated_case_is_judged_each_time(make_case: Any) -> None:
    verdict = verdict_of(make_case(repeat=2), call(), call({**BODY, "model": "leaked"}))
    assert [row[0] for row in rows(verdict, "request")] == ["call 2 /model"]
    assert checks(verdict)["calls"] == "pass"


# -- calls ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("count", "kind"), [(0, "missing"), (2, "unexpected")])
def test_the_number_of_calls(make_case: Any, count: int, kind: str) -> None:
    verdict = verdict_of(make_case(), *[call()] * count)
    assert rows(verdict, "calls") == [("calls", kind, "1", str(count))]
    assert ("request" in checks(verdict)) == bool(count)


def test_no_call_may_be_made_where_none_is_listed(make_case: Any) -> None:
    refusing = make_case(exchanges=[], result=None, error={"kind": "invalid-request"})
    outcome = answer(error={"kind": "invalid-request"})
    assert isinstance(verdict_of(refusing, outcome=outcome), Passed)
    assert checks(verdict_of(refusing, call(), outcome=outcome))["calls"] == "fail"


def test_a_tool_that_ran_and_a_lost_key_fail_the_calls(make_case: Any) -> None:
    verdict = verdict_of(make_case(), call(), strays=(call(path=ALARM), call(path="/v1/messages")))
    assert [row[3] for row in rows(verdict, "calls")] == [
        "a tool ran: POST /_alarm",
        "a call without the case's key: POST /v1/messages",
    ]


# -- result -----------------------------------------------------------------------------------------------------------


def test_a_result_that_differs(make_case: Any) -> None:
    verdict = verdict_of(make_case(), call(), outcome=answer(result={**RESULT, "text": "bye"}))
    assert rows(verdict, "result") == [("/text", "value", '"hello"', '"bye"')]


def test_an_error_where_a_result_was_expected(make_case: Any) -> None:
    verdict = verdict_of(make_case(), call(), outcome=answer(error={"kind": "provider", "status": 400}))
    ((where, kind, want, got),) = rows(verdict, "result")
    assert (where, kind) == ("outcome", "type")
    assert want is not None
    assert want.startswith("result {")
    assert got == 'error {"kind":"provider","status":400}'


def test_a_pointer_is_compared_with_the_capability_only(make_case: Any) -> None:
    case = make_case(exchanges=[], result=None, error={"kind": "invalid-request", "pointer": "/a"})
    outcome = answer(error={"kind": "invalid-request"})
    assert isinstance(verdict_of(case, outcome=outcome), Failed)
    without = Hello("p", "x", "1", ("anthropic", "warnings"))
    assert isinstance(verdict_of(case, outcome=outcome, hello=without), Passed)


def test_no_reply_fails_the_result_and_leaves_warnings_open(make_case: Any) -> None:
    verdict = verdict_of(make_case(), call(), outcome=NoAnswer("died", "exit code 3"))
    assert rows(verdict, "result") == [("outcome", "missing", "a reply", "exit code 3")]
    assert "warnings" not in checks(verdict)


def test_no_deltas_are_an_empty_list_of_them(make_case: Any) -> None:
    case = make_case(stream=True, deltas=[], result=None, error={"kind": "provider"})
    assert checks(verdict_of(case, call(), outcome=answer(error={"kind": "provider"})))["result"] == "pass"


def test_deltas_and_firings_belong_to_the_result(make_case: Any) -> None:
    case = make_case(stream=True, deltas=[{"content": "a"}], hooks={"on_error": ["retry"]}, fired={"on_error": 1})
    good = answer(result=RESULT, deltas=[{"content": "a"}], fired={"on_error": 1, "before_llm": 1})
    assert isinstance(verdict_of(case, call(), outcome=good), Passed)
    bad = answer(result=RESULT, deltas=[{"content": "b"}, {"finish_reason": "stop"}], fired={"on_error": 2})
    assert [row[0] for row in rows(verdict_of(case, call(), outcome=bad), "result")] == [
        "/deltas/0/content",
        "/deltas/1",
        "/fired/on_error",
    ]
    assert rows(verdict_of(case, call()), "result") == [
        ("/deltas/0", "missing", '{"content":"a"}', None),
        ("/fired", "type", '{"on_error":1}', "null"),
    ]


def test_declarations(make_case: Any) -> None:
    none = {"request": None, "exchanges": None, "result": None, "client": None}
    case = make_case(**none, toolkit=[], declare={"openai": [1]}, requires=["toolkit"])
    assert isinstance(verdict_of(case, outcome=answer(openai=[1], anthropic=[2], gemini=[])), Passed)
    verdict = verdict_of(case, outcome=answer(openai=[2], anthropic=[], gemini=[]))
    assert rows(verdict, "result") == [("/openai/0", "value", "1", "2")]


@pytest.mark.parametrize("place", ["result", "warnings", "fired", "stderr"])
def test_the_key_must_come_back_nowhere(make_case: Any, place: str) -> None:
    value: dict[str, Any] = {"result": {**RESULT}}
    leaks: dict[str, Any] = {
        "result": {"result": {**RESULT, "raw": {"x": [f"a{KEY}b"]}}},
        "warnings": {"warnings": [{"code": "a", "pointer": "", "message": KEY}]},
        "fired": {"fired": {KEY: 1}},
        "stderr": {},
    }
    stderr = (f"using {KEY}",) if place == "stderr" else ()
    case = make_case(warnings=[{"code": "a", "pointer": ""}]) if place == "warnings" else make_case()
    verdict = verdict_of(case, call(), outcome=answer(**{**value, **leaks[place]}), stderr=stderr)
    assert rows(verdict, "result") == [("secrets", "unexpected", None, f"the API key appears in {place}")]


# -- warnings ---------------------------------------------------------------------------------------------------------


def test_warnings_are_a_multiset(make_case: Any) -> None:
    two = [{"code": "a", "pointer": "/x"}, {"code": "a", "pointer": "/x"}, {"code": "b", "pointer": ""}]
    case = make_case(warnings=two)
    shuffled = [{**row, "message": "said"} for row in reversed(two)]
    assert isinstance(verdict_of(case, call(), outcome=answer(result=RESULT, warnings=shuffled)), Passed)
    verdict = verdict_of(case, call(), outcome=answer(result=RESULT, warnings=[two[0], {"code": "c", "pointer": "/y"}]))
    assert rows(verdict, "warnings") == [
        ("/x", "missing", "a", None),
        ("/", "missing", "b", None),
        ("/y", "unexpected", None, "c"),
    ]


def test_none_listed_means_none_expected(make_case: Any) -> None:
    verdict = verdict_of(make_case(), call(), outcome=answer(result=RESULT, warnings=[{"code": "a", "pointer": "/x"}]))
    assert isinstance(verdict, Failed)
    assert checks(verdict)["warnings"] == "fail"


def test_a_port_without_warnings_is_not_judged_by_them(make_case: Any) -> None:
    case = make_case(warnings=[{"code": "a", "pointer": "/x"}])
    verdict = verdict_of(case, call(), hello=Hello("p", "x", "1", ("anthropic",)))
    assert isinstance(verdict, Passed)
    assert checks(verdict)["warnings"] == "n/a"


# -- other verdicts ---------------------------------------------------------------------------------------------------


def test_a_skip_is_a_skip_whatever_was_sent(make_case: Any) -> None:
    verdict = verdict_of(make_case(), call(), outcome=answer(skip={"reason": "not yet", "issue": "o/r#1"}))
    assert verdict == Skipped("not yet", "o/r#1")


def test_a_message_that_was_not_sent_is_not_run(make_case: Any) -> None:
    assert verdict_of(make_case(), outcome=NotStarted("gone")) == NotRun("gone")


def test_a_stub_that_could_not_answer_is_a_kit_error(make_case: Any) -> None:
    assert verdict_of(make_case(), call(), stub_fault="no such reply") == KitError("no such reply")


def test_a_failure_without_a_difference_is_a_kit_error(make_case: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(differences, "_paths", lambda want, got: set())
    verdict = verdict_of(make_case(), call({"model": "other"}))
    assert isinstance(verdict, KitError)
    assert "shows no difference" in verdict.reason


def test_what_a_port_lacks(make_case: Any) -> None:
    case = make_case(toolkit=[], exchanges=[{"expect": {}, "reply": {"base64": "AA=="}}])
    assert not_applicable(case, HELLO) == NotApplicable(("toolkit",))
    able = Hello("p", "x", "1", ("anthropic", "toolkit"))
    assert not_applicable(case, able) is None
    assert not_applicable(case, Hello("p", "x", "1", able.capabilities, lacks=("bytes", "wire"))) == NotApplicable(
        ("bytes",)
    )


def test_every_verdict_has_its_word() -> None:
    done = (Check("calls", "pass"),)
    verdicts = [
        Passed(done),
        Equivalent(done),
        Failed(done),
        NotApplicable(()),
        Skipped("", ""),
        NotRun(""),
        KitError(""),
    ]
    assert [state_of(verdict) for verdict in verdicts] == [
        "pass",
        "equivalent",
        "fail",
        "n/a",
        "skip",
        "not-run",
        "kit-error",
    ]
