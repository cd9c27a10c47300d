"""Cases sent ahead of their turn, and who is to blame."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest

from conformance.case import Case
from conformance.drivers import Driver, Run
from conformance.drivers.message import Hello, Message
from conformance.flight import Flight
from conformance.observation import Answer, NoAnswer, NotStarted, Outcome
from conformance.stub import Stub

OK = Answer({"result": {}})
DIED = NoAnswer("died", "the port died")


@dataclass
class Fake(Driver):
    """A driver whose `answer` decides what comes of a case; keeps what was sent, and what was on its way then."""

    answer: Callable[[str, list[str]], Outcome]
    sent: list[str] = field(default_factory=list)
    flying: list[str] = field(default_factory=list)
    most: int = 0
    landed: Callable[[Message], None] = lambda message: None

    def start(self, corpus: str, stub: Stub | None = None) -> Hello:
        raise NotImplementedError

    def stop(self) -> None:
        raise NotImplementedError

    def send(self, message: Message) -> Any:
        self.sent.append(message.case)
        self.flying.append(message.case)
        self.most = max(self.most, len(self.flying))
        return Pending(self, message, list(self.flying))


@dataclass
class Pending:
    driver: Fake
    message: Message
    company: list[str]

    def wait(self) -> Run:
        beside = [case for case in {*self.company, *self.driver.flying} if case != self.message.case]
        self.driver.flying.remove(self.message.case)
        self.driver.landed(self.message)
        return Run(self.driver.answer(self.message.case, beside))


@pytest.fixture
def stub() -> Iterator[Stub]:
    with Stub() as running:
        yield running


@pytest.fixture
def cases(make_case: Any) -> list[Case]:
    return [make_case(id=f"anthropic/text/{letter}") for letter in "abcdef"]


def fly(
    stub: Stub, fake: Fake, cases: list[Case], width: int = 3, applies: Callable[[Case], bool] = lambda case: True
) -> dict[str, Outcome]:
    flight = Flight(fake, stub, Hello("p", "x", "1", ("anthropic",), max_in_flight=width), applies)
    flight.expect(cases)
    return {case.id[-1]: flight.observe(case).outcome for case in cases if applies(case)}


def names(*letters: str) -> list[str]:
    return [f"anthropic/text/{letter}" for letter in letters]


def test_as_many_are_on_their_way_as_the_port_takes(stub: Stub, cases: list[Case]) -> None:
    fake = Fake(lambda case, beside: OK)
    assert list(fly(stub, fake, cases).values()) == [OK] * 6
    assert fake.sent == names(*"abcdef")
    assert fake.most == 3


def test_one_at_a_time_is_never_ahead(stub: Stub, cases: list[Case]) -> None:
    fake = Fake(lambda case, beside: OK)
    fly(stub, fake, cases, width=1)
    assert fake.most == 1


def test_without_an_order_nothing_is_ahead(stub: Stub, cases: list[Case]) -> None:
    fake = Fake(lambda case, beside: OK)
    flight = Flight(fake, stub, Hello("p", "x", "1", (), max_in_flight=3), lambda case: True)
    for case in reversed(cases):
        assert flight.observe(case).outcome == OK
    assert fake.most == 1


def test_what_does_not_apply_is_not_sent(stub: Stub, cases: list[Case]) -> None:
    fake = Fake(lambda case, beside: OK)
    fly(stub, fake, cases, applies=lambda case: case.id[-1] not in "bd")
    assert fake.sent == names(*"acef")


def test_a_case_with_a_toolkit_runs_alone(stub: Stub, cases: list[Case], make_case: Any) -> None:
    tools = [{"name": "add", "description": "", "inputSchema": {}}]
    cases[2] = make_case(id="anthropic/text/c", toolkit=tools, requires=["anthropic", "toolkit"])
    company: dict[str, list[str]] = {}

    def answer(case: str, beside: list[str]) -> Outcome:
        company[case[-1]] = beside
        return OK

    fake = Fake(answer)
    fly(stub, fake, cases)
    assert company["c"] == []
    assert company["a"] == names("b")
    assert fake.sent == names(*"abcdef")


def test_a_case_that_must_run_alone_waits_for_what_is_ahead(stub: Stub, cases: list[Case], make_case: Any) -> None:
    fake = Fake(lambda case, beside: DIED if "anthropic/text/z" in beside else OK)
    flight = Flight(fake, stub, Hello("p", "x", "1", (), max_in_flight=3), lambda case: True)
    flight.expect(cases)
    flight.observe(cases[0])
    odd = make_case(id="anthropic/text/z", toolkit=[], requires=["anthropic", "toolkit"])
    assert flight.observe(odd).outcome == OK
    assert [flight.observe(case).outcome for case in cases[1:]] == [OK] * 5


@pytest.mark.parametrize("bad", "abcdef")
def test_the_culprit_is_named_and_nobody_else_pays(stub: Stub, cases: list[Case], bad: str) -> None:
    culprit = f"anthropic/text/{bad}"
    fake = Fake(lambda case, beside: DIED if culprit in (case, *beside) else OK)
    found = fly(stub, fake, cases)
    assert found[bad] == DIED
    assert [outcome for letter, outcome in found.items() if letter != bad] == [OK] * 5


def test_each_is_tried_again_once(stub: Stub, cases: list[Case]) -> None:
    fake = Fake(lambda case, beside: DIED if "anthropic/text/b" in (case, *beside) else OK)
    fly(stub, fake, cases)
    assert max(fake.sent.count(case.id) for case in cases) == 2


def test_after_that_there_is_one_at_a_time(stub: Stub, cases: list[Case]) -> None:
    fake = Fake(lambda case, beside: DIED if "anthropic/text/a" in (case, *beside) else OK)
    fly(stub, fake, cases)
    assert fake.sent[-2:] == names("e", "f")
    fake.most = 0
    assert fake.flying == []


def test_two_culprits_are_both_named(stub: Stub, cases: list[Case]) -> None:
    culprits = set(names("a", "b"))
    fake = Fake(lambda case, beside: DIED if culprits & {case, *beside} else OK)
    found = fly(stub, fake, cases)
    assert [letter for letter, outcome in found.items() if outcome == DIED] == ["a", "b"]


def test_where_nobody_does_it_alone_all_of_them_fail(stub: Stub, cases: list[Case]) -> None:
    fake = Fake(lambda case, beside: DIED if beside and case <= "anthropic/text/c" else OK)
    found = fly(stub, fake, cases)
    for letter in "abc":
        outcome = found[letter]
        assert isinstance(outcome, NoAnswer)
        assert outcome.message == (
            "the port died; on their way were anthropic/text/a, anthropic/text/b, anthropic/text/c, "
            "and alone none of them does this"
        )
    assert found["d"] == OK


def test_a_fault_that_is_certain_needs_no_second_try(stub: Stub, cases: list[Case]) -> None:
    odd = NoAnswer("protocol", "the reply /result must be an object", certain=True)
    fake = Fake(lambda case, beside: odd if case.endswith("b") else OK)
    assert fly(stub, fake, cases)["b"] == odd
    assert fake.sent == names(*"abcdef")


def test_alone_it_needs_no_second_try(stub: Stub, cases: list[Case]) -> None:
    fake = Fake(lambda case, beside: DIED)
    assert set(fly(stub, fake, cases, width=1).values()) == {DIED}
    assert fake.sent == names(*"abcdef")


def test_a_port_that_is_given_up_meanwhile_keeps_what_was_seen(stub: Stub, cases: list[Case]) -> None:
    fake = Fake(lambda case, beside: DIED if beside else NotStarted("the port ended 4 times"))
    found = fly(stub, fake, cases)
    assert all(isinstance(found[letter], NoAnswer) for letter in "abc")
    assert found["f"] == NotStarted("the port ended 4 times")


def test_a_call_that_lost_its_key_is_found(stub: Stub, cases: list[Case]) -> None:
    with httpx.Client(trust_env=False) as http:

        def call(message: Message) -> None:
            assert message.client is not None
            key = "lost" if message.case.endswith("b") else message.client["api_key"]
            http.post(f"{stub.url}/v1/messages", headers={"x-api-key": key}, content=b"{}")

        fake = Fake(lambda case, beside: OK, landed=call)
        flight = Flight(fake, stub, Hello("p", "x", "1", (), max_in_flight=3), lambda case: True)
        flight.expect(cases)
        seen = {case.id[-1]: flight.observe(case) for case in cases}
    assert [letter for letter, found in seen.items() if found.strays] == ["b"]
    assert all(len(found.calls) == 1 for letter, found in seen.items() if letter != "b")
    assert stub.unclaimed == []


def test_a_case_that_cannot_be_sent_says_so_in_its_turn(stub: Stub, cases: list[Case]) -> None:
    class Odd(Fake):
        def send(self, message: Message) -> Any:
            if message.case.endswith("b"):
                raise RuntimeError("no such message")
            return super().send(message)

    flight = Flight(Odd(lambda case, beside: OK), stub, Hello("p", "x", "1", (), max_in_flight=3), lambda case: True)
    flight.expect(cases)
    assert flight.observe(cases[0]).outcome == OK
    with pytest.raises(RuntimeError, match="no such message"):
        flight.observe(cases[1])
    assert flight.observe(cases[2]).outcome == OK


def test_a_call_after_the_reply_is_nobody_elses(stub: Stub, cases: list[Case]) -> None:
    keys: list[str] = []

    def call(message: Message) -> None:
        assert message.client is not None
        keys.append(message.client["api_key"])
        if message.case.endswith("b"):
            httpx.post(f"{stub.url}/v1/messages", headers={"x-api-key": keys[0]}, trust_env=False)

    flight = Flight(Fake(lambda case, beside: OK, landed=call), stub, Hello("p", "x", "1", ()), lambda case: True)
    seen = [flight.observe(case) for case in cases]
    assert not any(found.strays or found.calls for found in seen)
    assert [case for case, _ in stub.late] == names("a")


def test_a_call_after_a_case_that_had_no_answer_is_no_news(stub: Stub, cases: list[Case]) -> None:
    keys: list[str] = []

    def call(message: Message) -> None:
        assert message.client is not None
        keys.append(message.client["api_key"])
        if message.case.endswith("b"):
            httpx.post(f"{stub.url}/v1/messages", headers={"x-api-key": keys[0]}, trust_env=False)

    fake = Fake(lambda case, beside: NoAnswer("timeout", "late") if case.endswith("a") else OK, landed=call)
    flight = Flight(fake, stub, Hello("p", "x", "1", ()), lambda case: True)
    seen = [flight.observe(case) for case in cases]
    assert not any(found.strays for found in seen)
    assert (stub.late, stub.unclaimed) == ([], [])


# -- a gateway that hides keys ----------------------------------------------------------------------------------------


@pytest.fixture
def keyless(stub: Stub) -> Stub:
    stub.keyless = True
    return stub


class Caller:
    """Makes calls at the stub when a case's message lands: so many for each try of it."""

    def __init__(self, stub: Stub, *tries: list[str]) -> None:
        self._url = stub.url
        self._tries = iter(tries)

    def __call__(self, message: Message) -> None:
        for method in next(self._tries, ["POST"]):
            httpx.request(method, f"{self._url}/v1/messages", trust_env=False)


def observe(stub: Stub, cases: list[Case], *tries: list[str]) -> tuple[Fake, Any]:
    fake = Fake(lambda case, beside: OK, landed=Caller(stub, *tries))
    flight = Flight(fake, stub, Hello("g", "http", "1", ("anthropic",), max_in_flight=4), lambda case: True)
    flight.expect(cases)
    return fake, flight.observe(cases[0])


def test_without_keys_calls_belong_to_the_case_that_runs(keyless: Stub, cases: list[Case]) -> None:
    fake, seen = observe(keyless, cases)
    assert (len(seen.calls), seen.strays, fake.sent) == (1, (), names("a"))


def test_a_stray_call_runs_the_case_again(keyless: Stub, cases: list[Case]) -> None:
    fake, seen = observe(keyless, cases, ["POST", "GET"], ["POST"])
    assert (len(seen.calls), seen.strays, seen.stub_fault) == (1, (), None)
    assert fake.sent == names("a", "a")


def test_a_stray_call_twice_is_no_fault_of_the_gateway(keyless: Stub, cases: list[Case]) -> None:
    fake, seen = observe(keyless, cases, ["POST", "GET"], ["POST", "GET"])
    assert "calls that belong to no case came while it ran, twice (GET /v1/messages)" in seen.stub_fault
    assert fake.sent == names("a", "a")


def test_a_surplus_call_twice_is_the_gateways_own(keyless: Stub, cases: list[Case]) -> None:
    _, seen = observe(keyless, cases, ["POST", "POST"], ["POST", "POST"])
    assert (len(seen.calls), seen.stub_fault) == (2, None)


def test_a_call_between_two_cases_runs_the_next_again(keyless: Stub, cases: list[Case]) -> None:
    fake = Fake(lambda case, beside: OK, landed=Caller(keyless))
    flight = Flight(fake, keyless, Hello("g", "http", "1", ("anthropic",)), lambda case: True)
    flight.observe(cases[0])
    httpx.post(f"{keyless.url}/v1/messages", trust_env=False)
    assert len(flight.observe(cases[1]).calls) == 1
    assert fake.sent == names("a", "b", "b")
    assert keyless.unclaimed == []
