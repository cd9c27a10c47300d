"""The gateway driver, against gateways that are a function each."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest

from conformance.case import Case
from conformance.drivers import gateway, probe
from conformance.drivers.gateway import Gateway
from conformance.drivers.message import for_case
from conformance.faults import PortFault, UsageFault
from conformance.observation import Answer, NoAnswer, NotStarted
from conformance.options import Options
from conformance.stub import Script, Stub

Reply = tuple[int, dict[str, str], bytes]
Answering = Callable[[dict[str, Any], dict[str, str], str], Reply]

JSON = {"content-type": "application/json"}
EVENTS = {"content-type": "text/event-stream"}


def as_json(value: Any, status: int = 200, **headers: str) -> Reply:
    return status, {**JSON, **headers}, json.dumps(value).encode()


def completion(text: str) -> Reply:
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return as_json({"id": "c", "object": "chat.completion", "model": "claude-x", "choices": [choice]})


def upstream(stub: str, body: dict[str, Any], key: str, model: str | None = None, path: str = "/v1/messages") -> Any:
    sent = {"model": model or body["model"], "max_tokens": 64, "messages": body["messages"]}
    return httpx.post(f"{stub}{path}", json=sent, headers={"x-api-key": key}, trust_env=False)


def bearer(headers: dict[str, str]) -> str:
    return headers["authorization"].removeprefix("Bearer ")


def honest(body: dict[str, Any], headers: dict[str, str], stub: str) -> Reply:
    """Hands the key on."""
    answer = upstream(stub, body, bearer(headers))
    return (
        completion("hello") if answer.status_code == 200 else as_json({"error": {"message": "no"}}, answer.status_code)
    )


def secretive(body: dict[str, Any], headers: dict[str, str], stub: str) -> Reply:
    """Has a key of its own."""
    upstream(stub, body, "sk-own")
    return completion("hello")


@pytest.fixture
def stub() -> Iterator[Stub]:
    with Stub() as running:
        yield running


@pytest.fixture
def serve(stub: Stub) -> Iterator[Callable[..., str]]:
    servers: list[ThreadingHTTPServer] = []

    def start(answering: Answering) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._say(as_json({"data": []}))

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                headers = {name.lower(): value for name, value in self.headers.items()}
                self._say(answering(body, headers, stub.url))

            def _say(self, reply: Reply) -> None:
                status, headers, body = reply
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                if "content-length" not in headers:
                    self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        servers.append(server)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        return f"http://127.0.0.1:{server.server_port}/v1"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture
def start(serve: Callable[..., str], stub: Stub) -> Iterator[Callable[..., Gateway]]:
    drivers: list[Gateway] = []

    def begin(answering: Answering, **options: Any) -> Gateway:
        url = serve(answering)
        driver = Gateway(url, Options(port=url, stub_port=1, **options))
        drivers.append(driver)
        driver.hello = driver.start("1.0", stub)  # type: ignore[attr-defined]
        return driver

    yield begin
    for driver in drivers:
        driver.stop()


def ask(driver: Gateway, stub: Stub, case: Case, **changes: Any) -> tuple[Any, Script]:
    with stub.script(case) as script:
        message = for_case(case, "1", stub.url, script.key)
        for name, value in changes.items():
            object.__setattr__(message, name, value)
        return driver.run(message).outcome, script


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


# -- outcomes ---------------------------------------------------------------------------------------------------------


def outcome(
    start: Any, stub: Stub, make_case: Any, reply: Callable[..., Reply], *, touch: bool = True, **case: Any
) -> Any:
    """What comes of a case whose gateway, once probed, answers so."""
    probed = []

    def answering(body: dict[str, Any], headers: dict[str, str], stub: str) -> Reply:
        if len(probed) < 2:
            probed.append(body)
            return honest(body, headers, stub)
        if touch:
            upstream(stub, body, bearer(headers))
        return reply()

    return ask(start(answering), stub, make_case(**case))[0]


def test_an_answer(start: Any, stub: Stub, make_case: Any) -> None:
    found = outcome(start, stub, make_case, lambda: completion("hello"))
    assert isinstance(found, Answer)
    result: Any = found.value["result"]
    assert (result["text"], result["finish_reason"]) == ("hello", "stop")


@pytest.mark.parametrize(
    ("status", "touch", "kind"),
    [
        (400, False, "invalid-request"),
        (422, False, "invalid-request"),
        (400, True, "provider"),
        (502, False, "provider"),
    ],
)
def test_whose_fault_a_refusal_is(start: Any, stub: Stub, make_case: Any, status: int, touch: bool, kind: str) -> None:
    refusal = as_json({"error": {"message": "no", "type": "x"}}, status, **{"retry-after": "7"})
    found = outcome(start, stub, make_case, lambda: refusal, touch=touch)
    assert isinstance(found, Answer)
    assert found.openai
    error: Any = found.value["error"]
    assert error == {"kind": kind, "status": str(status), "retry_after": "7", "message": "no"}


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        ((200, JSON, b"<html>"), "the gateway's 200 is no JSON"),
        (as_json({"choices": []}), "the gateway's 200 is no chat.completion: it has no choices"),
        (as_json({"choices": [{"message": {"content": 7}}]}), "/result/text must be a text"),
    ],
)
def test_an_answer_that_is_none(start: Any, stub: Stub, make_case: Any, reply: Reply, says: str) -> None:
    found = outcome(start, stub, make_case, lambda: reply)
    assert isinstance(found, NoAnswer)
    assert says in found.message
    assert found.certain


def test_an_answer_that_breaks_off(start: Any, stub: Stub, make_case: Any) -> None:
    found = outcome(start, stub, make_case, lambda: (200, {**JSON, "content-length": "100"}, b"{"))
    assert isinstance(found, NoAnswer)
    assert "the gateway broke off its answer" in found.message


def test_a_gateway_that_takes_too_long(start: Any, stub: Stub, make_case: Any) -> None:
    released = threading.Event()
    probed: list[Any] = []

    def slow(body: dict[str, Any], headers: dict[str, str], stub: str) -> Reply:
        if len(probed) >= 2:
            released.wait(5)
        probed.append(body)
        return honest(body, headers, stub)

    found, _ = ask(start(slow), stub, make_case(), deadline_ms=200)
    released.set()
    assert found == NoAnswer("timeout", "no answer within 200 ms", True)


def test_a_gateway_that_goes_is_not_asked_again(stub: Stub, serve: Any, make_case: Any) -> None:
    url = serve(honest)
    driver = Gateway(url, Options(port=url, stub_port=1))
    driver.start("1.0", stub)
    driver._url = "http://127.0.0.1:9/v1"  # nobody listens there
    first, _ = ask(driver, stub, make_case())
    second, _ = ask(driver, stub, make_case())
    driver.stop()
    assert isinstance(first, NoAnswer)
    assert isinstance(second, NotStarted)
    assert "is gone" in second.message


STREAMED: dict[str, Any] = {
    "requires": ["anthropic", "stream"],
    "stream": True,
    "deltas": [{"role": "assistant"}, {"content": "hi"}, {"finish_reason": "stop"}],
}


def events(*rows: Any) -> bytes:
    texts = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    return "".join(f"data: {text}\n\n" for text in texts).encode()


def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {"id": "c", "model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def test_a_stream(start: Any, stub: Stub, make_case: Any) -> None:
    body = events(chunk({"role": "assistant", "content": ""}), chunk({"content": "hi"}), chunk({}, "stop"), "[DONE]")
    found = outcome(start, stub, make_case, lambda: (200, EVENTS, body), **STREAMED)
    assert isinstance(found, Answer)
    assert found.value["deltas"] == [{"role": "assistant", "content": ""}, {"content": "hi"}, {"finish_reason": "stop"}]
    result: Any = found.value["result"]
    assert (result["text"], result["finish_reason"]) == ("hi", "stop")


@pytest.mark.parametrize("length", [None, "1000"])
def test_a_stream_that_is_cut_is_an_error_with_its_deltas(
    start: Any, stub: Stub, make_case: Any, length: str | None
) -> None:
    headers = EVENTS if length is None else {**EVENTS, "content-length": length}
    found = outcome(start, stub, make_case, lambda: (200, headers, events(chunk({"content": "h"}))), **STREAMED)
    assert isinstance(found, Answer)
    assert found.value["deltas"] == [{"content": "h"}]
    assert found.value["error"] == {"kind": "provider", "message": "it ended without [DONE]"}


def test_a_refused_stream_has_no_deltas(start: Any, stub: Stub, make_case: Any) -> None:
    found = outcome(start, stub, make_case, lambda: as_json({"error": {}}, 429), **STREAMED)
    assert isinstance(found, Answer)
    assert found.value["deltas"] == []
    error: Any = found.value["error"]
    assert (error["kind"], error["status"]) == ("provider", "429")


def test_a_stream_that_is_none(start: Any, stub: Stub, make_case: Any) -> None:
    found = outcome(start, stub, make_case, lambda: completion("hi"), **STREAMED)
    assert isinstance(found, NoAnswer)
    assert "answered a stream with application/json" in found.message


def test_a_case_that_is_repeated_is_asked_again(start: Any, stub: Stub, make_case: Any) -> None:
    driver = start(honest)
    _, script = ask(driver, stub, make_case(repeat=2))
    assert len(script.calls) == 2


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
