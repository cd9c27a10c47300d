"""record: a real client and a provider with the proxy between them, and the case that is left."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

#: In pieces, so that nobody's scanner takes this file for a leak.
KEY = "sk-ant-" + "api03-Zm9vYmFyYmF6cXV4MTIz"
TOKEN = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"

ASKED = {
    "model": "claude-sonnet-4-5",
    "max_tokens": 64,
    "tools": [{"name": "add", "input_schema": {"type": "object"}}],
    "messages": [{"role": "user", "content": "I am ann@corp.test2.io"}],
}
ANSWERED = {
    "id": "msg_01SJbioLEggiTorfw9JRPvgh",
    "type": "message",
    "role": "assistant",
    "model": "claude-sonnet-4-5",
    "content": [
        {"type": "text", "text": "Hello ann@corp.test2.io"},
        {"type": "tool_use", "id": "toolu_01243A2FLMhWAVGBdHaz8JcH", "name": "add", "input": {"n": 1}},
    ],
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": {"input_tokens": 5, "output_tokens": 7},
}


class Recording:
    """A `record` that runs: `url` is the proxy's, `ended` its exit code and what it said."""

    def __init__(self, argv: list[str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "conformance.cli", "record", *argv],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().strip()

    def ended(self) -> tuple[int, str, str]:
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err


@pytest.fixture(scope="session")
def httpserver_listen_address() -> tuple[str, int]:
    """The test's provider is on the loopback by number, as the proxy is."""
    return ("127.0.0.1", 0)


@pytest.fixture
def record(bench: Any, httpserver: HTTPServer) -> Iterator[Callable[..., Recording]]:
    """Starts `record` before the test's own provider."""
    started: list[Recording] = []

    def start(*argv: str, name: str = "anthropic/finish/seen") -> Recording:
        upstream = ["--upstream", httpserver.url_for(""), "--fixtures", str(bench.fixtures)]
        started.append(Recording([name, *upstream, *argv]))
        return started[-1]

    yield start
    for recording in started:
        if recording.process.poll() is None:
            recording.process.kill()
            recording.process.communicate()


def read(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def ask(recording: Recording, body: Any = ASKED, **more: Any) -> httpx.Response:
    headers = {"x-api-key": KEY, "anthropic-version": "2023-06-01"}
    return httpx.post(f"{recording.url}/v1/messages", json=body, headers=headers, timeout=30, **more)


def test_a_call_becomes_a_case_without_its_secrets(bench: Any, record: Any, httpserver: HTTPServer, verb: Any) -> None:
    httpserver.expect_request("/v1/messages", headers={"x-api-key": KEY}).respond_with_json(ANSWERED)
    recording = record("--clause", "anthropic.finish")
    assert ask(recording).json() == ANSWERED
    code, out, err = recording.ended()
    path = bench.path("anthropic/finish/seen")
    assert (code, out.splitlines()) == (0, [str(path)])
    assert "1  POST /v1/messages → 200" in err
    assert "replaced: 1 e-mail, 2 id" in err
    text = path.read_text("utf-8")
    for secret in (KEY, "corp.test2", "01SJbio", "01243A2F", "127.0.0.1"):
        assert secret not in text
    case = read(path)
    assert case["client"] == {"style": "anthropic", "base_url": "{stub}", "model": "claude-sonnet-4-5", "retries": 0}
    assert case["request"]["tools"][0]["function"]["name"] == "add"
    assert case["exchanges"][0]["reply"]["json"]["content"][0]["text"] == "Hello user1@example.com"
    assert case["result"] == {}
    assert {line.split(": ")[1] for line in bench.lint().lines} == {"/title", "/why", "/source/ref", "/result"}
    blessed = verb("bless", "--fixtures", bench.fixtures, case["id"], "--reason", "as recorded", stdin="y\n")
    assert blessed.exit_code == 0
    assert verb("run", "--fixtures", bench.fixtures, case["id"]).exit_code == 0
    assert read(path)["result"]["finish_reason"] == "tool_calls"
    assert {line.split(": ")[1] for line in bench.lint().lines} == {"/title", "/why", "/source/ref"}


def test_a_secret_that_is_left_keeps_the_case_from_being_written(
    bench: Any, record: Any, httpserver: HTTPServer
) -> None:
    said = {**ANSWERED, "content": [{"type": "text", "text": f"your token is {TOKEN}"}]}
    httpserver.expect_request("/v1/messages").respond_with_json(said)
    recording = record()
    ask(recording)
    code, out, err = recording.ended()
    assert (code, out) == (1, "")
    assert "nothing written: /exchanges/0/reply/json/content/0/text holds a GitHub token" in err
    assert TOKEN not in err
    assert not bench.path("anthropic/finish/seen").exists()
    allowed = record("--allow", TOKEN)
    ask(allowed)
    assert allowed.ended()[0] == 0


def test_a_stream_is_passed_on_as_it_comes_and_kept_as_events(
    bench: Any, record: Any, httpserver: HTTPServer, verb: Any
) -> None:
    go_on = threading.Event()
    events = [
        {"type": "message_start", "message": {**ANSWERED, "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "hello"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": {}},
        {"type": "message_stop"},
    ]

    def stream(request: Request) -> Response:
        def pieces() -> Iterator[bytes]:
            for number, event in enumerate(events):
                if number == 1:
                    go_on.wait(20)
                yield f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()

        return Response(pieces(), content_type="text/event-stream")

    httpserver.expect_request("/v1/messages").respond_with_handler(stream)
    recording = record()
    with httpx.stream(
        "POST", f"{recording.url}/v1/messages", json={**ASKED, "stream": True}, headers={"x-api-key": KEY}, timeout=30
    ) as reply:
        pieces = reply.iter_text()
        assert "message_start" in next(pieces)  # before the provider has said the rest
        go_on.set()
        assert "message_stop" in "".join(pieces)
    assert recording.ended()[0] == 0
    case = read(bench.path("anthropic/finish/seen"))
    assert case["requires"] == ["anthropic", "stream"]
    assert [event["event"] for event in case["exchanges"][0]["reply"]["sse"]] == [event["type"] for event in events]
    ran = verb("bless", "--fixtures", bench.fixtures, case["id"], "--reason", "as recorded", stdin="y\n")
    assert ran.exit_code == 0, ran.output
    blessed = read(bench.path("anthropic/finish/seen"))
    assert blessed["deltas"][:2] == [{"role": "assistant"}, {"content": "hello"}]
    assert blessed["result"]["text"] == "hello"


def test_a_refusal_and_its_retry_are_one_case(bench: Any, record: Any, httpserver: HTTPServer) -> None:
    error = {"type": "error", "error": {"type": "rate_limit_error", "message": "slow down"}}
    httpserver.expect_ordered_request("/v1/messages").respond_with_json(
        error, 429, {"retry-after": "0", "request-id": "req_011Cftey8XciYFATsJufnMw5", "x-ratelimit": "no"}
    )
    httpserver.expect_ordered_request("/v1/messages").respond_with_json(ANSWERED)
    recording = record("--calls", "2")
    assert [ask(recording).status_code, ask(recording).status_code] == [429, 200]
    assert recording.ended()[0] == 0
    case = read(bench.path("anthropic/finish/seen"))
    assert (case["client"]["retries"], case["client"]["retry_base_ms"], len(case["exchanges"])) == (1, 0, 2)
    assert case["exchanges"][0]["reply"]["headers"] == {"retry-after": "0", "request-id": "req_1"}


def test_other_calls_are_cases_of_their_own(bench: Any, record: Any, httpserver: HTTPServer) -> None:
    httpserver.expect_request("/v1/messages").respond_with_json(ANSWERED)
    recording = record("--calls", "2")
    ask(recording)
    ask(recording, {**ASKED, "max_tokens": 65})
    code, out, _ = recording.ended()
    assert code == 0
    assert out.splitlines() == [str(bench.path("anthropic/finish/seen")), str(bench.path("anthropic/finish/seen-2"))]


def test_what_the_vendor_does_not_document_is_marked(bench: Any, record: Any, httpserver: HTTPServer) -> None:
    httpserver.expect_request("/v1/messages").respond_with_json({**ANSWERED, "stop_reason": "bored"})
    recording = record()
    ask(recording)
    assert recording.ended()[0] == 0
    case = read(bench.path("anthropic/finish/seen"))
    assert "stop_reason: Input should be" in case["deviates"]["/exchanges/0/reply/json"]


def test_the_callers_own_request(bench: Any, record: Any, httpserver: HTTPServer, tmp_path: Path) -> None:
    body = {"model": "gpt", "messages": [{"role": "user", "content": "ann@corp.test2.io"}], "temperature": 0.5}
    (tmp_path / "asked.json").write_text(json.dumps(body), "utf-8")
    httpserver.expect_request("/v1/messages").respond_with_json(ANSWERED)
    recording = record("--request", str(tmp_path / "asked.json"))
    ask(recording)
    assert recording.ended()[0] == 0
    request = read(bench.path("anthropic/finish/seen"))["request"]
    assert request == {
        "messages": [{"role": "user", "content": "user1@example.com"}],
        "params": {"temperature": 0.5},
    }


def test_openai_calls_with_a_path_of_their_own(bench: Any, record: Any, httpserver: HTTPServer) -> None:
    message = {"role": "assistant", "content": "hi", "refusal": None}
    answer = {
        "id": "chatcmpl-9xYzAbCdEf12",
        "object": "chat.completion",
        "created": 1,
        "model": "gpt-x",
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}],
    }
    httpserver.expect_request("/api/v1/chat/completions").respond_with_json(answer)
    recording = record(name="openai/drift/seen")
    body = {"model": "gpt-x", "messages": [{"role": "user", "content": "hi"}], "seed": 7}
    url = f"{recording.url}/api/v1/chat/completions?api-key={KEY}&v=2"
    httpx.post(url, json=body, headers={"authorization": f"Bearer {KEY}"}, timeout=30)
    assert recording.ended()[0] == 0
    case = read(bench.path("openai/drift/seen"))
    assert case["client"]["base_url"] == "{stub}/api/v1?api-key=redacted&v=2"
    assert case["exchanges"][0]["expect"]["path"] == "/api/v1/chat/completions?api-key=redacted&v=2"
    assert case["request"] == {"messages": body["messages"], "params": {"seed": 7}}


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_keeps_what_there_is(bench: Any, record: Any, httpserver: HTTPServer, how: int) -> None:
    httpserver.expect_request("/v1/messages").respond_with_json(ANSWERED)
    recording = record("--calls", "5")
    ask(recording)
    assert recording.process.stderr is not None
    lines = [recording.process.stderr.readline(), recording.process.stderr.readline()]
    assert lines[1].startswith("1  POST")
    recording.process.send_signal(how)
    assert recording.ended()[0] == 0
    assert bench.path("anthropic/finish/seen").exists()


def test_a_provider_that_is_not_there_is_told_and_not_kept(bench: Any) -> None:
    argv = ["anthropic/finish/seen", "--upstream", "http://127.0.0.1:9", "--fixtures", str(bench.fixtures)]
    recording = Recording(argv)
    assert ask(recording).status_code == 502
    recording.process.send_signal(signal.SIGINT)
    code, _, err = recording.ended()
    assert code == 4
    assert "not recorded: POST /v1/messages: http://127.0.0.1:9 cannot be reached" in err
    assert "nothing was recorded" in err


def test_other_traffic_is_no_call(bench: Any, record: Any, httpserver: HTTPServer) -> None:
    httpserver.expect_request("/v1/models").respond_with_json({"data": []})
    recording = record()
    assert httpx.get(f"{recording.url}/v1/models", timeout=30).json() == {"data": []}
    code, _, err = recording.ended()
    assert code == 4
    assert "no call of style anthropic was made" in err


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (["anthropic/a/b"], "Missing option '--upstream'"),
        (["anthropic/a/b", "--upstream", "api.example.com"], "is no provider's address"),
        (["a b", "--upstream", "http://127.0.0.1:9"], "must be style/area/name"),
        (["anthropic/a/b", "--upstream", "http://127.0.0.1:9", "--clause", "no.pe"], "no clause no.pe"),
    ],
)
def test_wrong_usage_is_found_before_anything_starts(bench: Any, verb: Any, argv: list[str], says: str) -> None:
    ran = verb("record", *argv, "--fixtures", bench.fixtures)
    assert ran.exit_code == 4
    assert says in ran.stderr
