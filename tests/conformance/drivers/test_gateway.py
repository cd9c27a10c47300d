"""The gateway driver: what a gateway is, and what it cannot be asked."""

from __future__ import annotations

import json
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest
from fakes import Answering, Reply, as_json, ask, bearer, completion, honest, secretive, upstream

from conformance.drivers import gateway, probe
from conformance.drivers.gateway import Gateway
from conformance.faults import PortFault, UsageFault
from conformance.observation import Answer
from conformance.options import Options
from conformance.stub import Stub

# -- finding out what it is -------------------------------------------------------------------------------------------


def test_where_it_calls_and_with_which_key(start: Any, stub: Stub) -> None:
    hello = start(honest).hello
    assert (hello.name, hello.language, hello.capabilities) == ("gateway", "http", ("anthropic", "stream"))
    assert hello.max_in_flight == gateway.IN_FLIGHT
    assert not stub.keyless


def test_one_that_hides_keys_runs_one_at_a_time(start: Any, stub: Stub) -> None:
    assert start(secretive).hello.max_in_flight == 1
    assert stub.keyless


def test_both_styles(start: Any) -> None:
    def both(body: dict[str, Any], headers: dict[str, str], stub: str) -> Reply:
        path = "/v1/chat/completions" if body["model"] == "gpt-x" else "/v1/messages"
        upstream(stub, body, bearer(headers), path=path)
        return completion("ok")

    assert start(both).hello.capabilities == ("anthropic", "openai", "stream")


def test_the_probes_answer_suits_both_kinds_of_client(start: Any) -> None:
    answers = []

    def keen(body: dict[str, Any], headers: dict[str, str], stub: str) -> Reply:
        answers.append(upstream(stub, body, bearer(headers)).json())
        return completion("ok")

    start(keen)
    assert answers[0]["content"][0]["text"] == answers[0]["choices"][0]["message"]["content"] == "ok"


def test_a_model_has_the_name_the_gateway_gives_it(start: Any, stub: Stub, make_case: Any) -> None:
    asked = []

    def renaming(body: dict[str, Any], headers: dict[str, str], stub: str) -> Reply:
        asked.append(body["model"])
        upstream(stub, body, bearer(headers), model="claude-x")
        return completion("hello")

    driver = start(renaming, models=("smart",))
    ask(driver, stub, make_case())
    assert set(asked) == {"smart"}
    other = make_case(client={"style": "anthropic", "base_url": "{stub}", "model": "claude-opus-5", "retries": 0})
    assert driver.cannot(other) == ("model claude-opus-5",)
    assert driver.cannot(make_case()) == ()


def test_each_style_may_have_a_name(start: Any) -> None:
    asked = []

    def noting(body: dict[str, Any], headers: dict[str, str], stub: str) -> Reply:
        asked.append(body["model"])
        upstream(stub, body, bearer(headers), model="claude-x")
        return completion("hello")

    start(noting, models=("anthropic=smart", "openai=a=b"))
    assert asked == ["smart", "a=b"]


def test_a_name_for_a_style_that_there_is_not(start: Any) -> None:
    with pytest.raises(UsageFault, match="'antropic=smart' is no model; write NAME, or anthropic=NAME or openai=NAME"):
        start(lambda body, headers, stub: completion("x"), models=("antropic=smart",))


def test_a_header_beyond_ascii_is_no_fault_of_the_kit(start: Any, stub: Stub, make_case: Any) -> None:
    def echoing(body: dict[str, Any], headers: dict[str, str], stub: str) -> Reply:
        upstream(stub, body, bearer(headers))
        status, given, answer = completion("hello")
        return status, {**given, "x-model": "mod\xe8le"}, answer

    outcome, _ = ask(start(echoing), stub, make_case())
    assert isinstance(outcome, Answer)


def test_headers_are_filled_in(start: Any, stub: Stub, make_case: Any) -> None:
    seen: list[dict[str, str]] = []

    def noting(body: dict[str, Any], headers: dict[str, str], stub: str) -> Reply:
        seen.append(headers)
        upstream(stub, body, headers["x-case"])
        return completion("hello")

    words = ("x-case: {key}", "x-upstream: {stub}/v1 {style}", "Authorization: Bearer sk-mine")
    driver = start(noting, headers=words)
    _, script = ask(driver, stub, make_case())
    assert seen[-1]["x-case"] == script.key
    assert seen[-1]["x-upstream"] == f"{stub.url}/v1 anthropic"
    assert seen[-1]["authorization"] == "Bearer sk-mine"
    assert not stub.keyless


@pytest.mark.parametrize(
    ("answering", "says"),
    [
        (lambda body, headers, stub: as_json({"error": {"message": "which key?"}}, 401), "answered 401 {.*which key"),
        (
            lambda body, headers, stub: (upstream(stub, body, "k", path="/v1/responses"), completion("x"))[1],
            "it calls /v1/responses, which belongs to neither anthropic nor openai",
        ),
        (
            lambda body, headers, stub: (upstream(stub, body, "k", model="claude-2"), completion("x"))[1],
            "sends its upstream the model 'claude-2'; the cases are about 'claude-x'",
        ),
    ],
)
def test_one_that_is_set_up_wrongly_is_told_how(start: Any, answering: Answering, says: str) -> None:
    with pytest.raises(PortFault, match=says) as caught:
        start(answering)
    assert "\n" not in str(caught.value)


def test_one_that_is_not_there(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "STARTUP_S", 0.2)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        with pytest.raises(
            PortFault, match=f"the gateway at {url} did not answer within 0 s .*its upstream at {stub.url}"
        ):
            Gateway(url, Options(port=url, stub_port=1)).start("1.0", stub)


def test_it_is_waited_for(stub: Stub, serve: Any) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        free = taken.getsockname()[1]
    url = f"http://127.0.0.1:{free}/v1"
    server: list[ThreadingHTTPServer] = []

    class Late(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(404)
            self.send_header("server", "late/1.0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    def open_late() -> None:
        server.append(ThreadingHTTPServer(("127.0.0.1", free), Late))
        server[0].serve_forever(0.01)

    timer = threading.Timer(0.3, open_late)
    timer.start()
    with httpx.Client(trust_env=False) as http:
        assert "late" in probe.wait_until_ready(url, http, stub.url)
    server[0].shutdown()
    server[0].server_close()
    timer.join()


def test_without_a_stub_port_it_cannot_be_pointed_anywhere() -> None:
    with pytest.raises(UsageFault, match="needs --toolnexus-stub-port N"):
        Gateway("http://127.0.0.1:1/v1", Options(port="http://127.0.0.1:1/v1"))


def test_a_header_needs_a_name() -> None:
    with pytest.raises(UsageFault, match="is no header"):
        Gateway("http://127.0.0.1:1/v1", Options(stub_port=1, headers=("nonsense",)))


STREAMED: dict[str, Any] = {
    "requires": ["anthropic", "stream"],
    "stream": True,
    "deltas": [{"role": "assistant"}, {"content": "hi"}, {"finish_reason": "stop"}],
}


# -- what it cannot be asked ------------------------------------------------------------------------------------------

CLIENT: dict[str, Any] = {"style": "anthropic", "base_url": "{stub}", "model": "claude-x", "retries": 0}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, ()),
        ({"client": {**CLIENT, "base_url": "{stub}/v1"}}, ()),
        ({"client": {**CLIENT, "api_key": "{key}"}}, ()),
        ({"client": {**CLIENT, "base_url": "{stub}/team/v1"}}, ("client.base_url",)),
        ({"client": {**CLIENT, "api_key": "k-{key}"}}, ("client.api_key",)),
        ({"client": {**CLIENT, "retries": 2, "retry_base_ms": 0}}, ("client.retries",)),
        ({"client": {key: value for key, value in CLIENT.items() if key != "retries"}}, ("client.retries",)),
        ({"client": {**CLIENT, "system_prompt": "x", "timeout_ms": 1}}, ("client.system_prompt", "client.timeout_ms")),
        ({"request": {"messages": [], "system": "x"}}, ("system (an override)",)),
        ({"result": {"raw": {}}}, ("raw (the provider's own reply)",)),
        ({**STREAMED, "result": {"message": {"role": "assistant", "content": "x", "refusal": "y"}}}, ()),
        (
            {**STREAMED, "result": {"message": {"role": "assistant", "thinking_blocks": []}}},
            ("message (its extras, in a stream)",),
        ),
        ({**STREAMED, "result": {"tool_calls": [{"type": "custom"}]}}, ("custom calls in a stream",)),
    ],
)
def test_what_a_caller_of_a_gateway_cannot_say_or_see(
    start: Any, make_case: Any, changes: dict[str, Any], words: tuple[str, ...]
) -> None:
    assert start(honest).cannot(make_case(**changes)) == words


def test_a_key_that_is_hidden_cannot_be_expected(start: Any, make_case: Any) -> None:
    case = make_case()
    exchange = {**case.tree["exchanges"][0], "expect": {"headers": {"x-api-key": "{key}"}}}
    keyed = make_case(exchanges=[json.loads(json.dumps(exchange, default=str))])
    assert start(secretive).cannot(keyed) == ("the key (the gateway hides it)",)


def test_messages_of_other_styles_are_not_its_affair(start: Any, make_case: Any) -> None:
    client = {**CLIENT, "style": "openai", "model": "gpt-x"}
    assert start(honest).cannot(make_case(client=client, requires=["openai"])) == ()
