"""--toolnexus-port http://…, --toolnexus-stub-port, --toolnexus-header and --toolnexus-model."""

from __future__ import annotations

import json
import random
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest

pytest_plugins = ["pytester"]


class Handler(BaseHTTPRequestHandler):
    """A gateway of a few lines: hands the key on if it is told to, and knows one model."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._say(200, {"data": []})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.headers["x-team"] != "blue":
            self._say(401, {"error": {"message": "which team?"}})
            return
        sent = {"model": "claude-x", "max_tokens": body["max_tokens"], "messages": body["messages"]}
        key = self.headers["authorization"].removeprefix("Bearer ")
        upstream = f"http://127.0.0.1:{self.server.stub}/v1/messages"  # type: ignore[attr-defined]
        answer = httpx.post(upstream, json=sent, headers={"x-api-key": key}, trust_env=False).json()
        message = {"role": "assistant", "content": answer["content"][0]["text"]}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        self._say(200, {"model": "claude-x", "choices": [choice], "usage": {"total_tokens": 11}})

    def _say(self, status: int, value: Any) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def gateway() -> Iterator[tuple[str, int]]:
    """The gateway's URL, and the port where it looks for its upstream."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.stub = random.randrange(15_000, 30_000)  # type: ignore[attr-defined]
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1", server.stub  # type: ignore[attr-defined]
    server.shutdown()
    server.server_close()


def asked(gateway: tuple[str, int], *more: str) -> dict[str, Any]:
    words = ["--toolnexus-stub-port", str(gateway[1]), "--toolnexus-header", "x-team: blue", *more]
    return {"port": gateway[0], "words": words}


def test_a_gateway_is_judged_like_any_port(run_kit: Any, folder: Any, gateway: Any) -> None:
    folder.add()
    folder.add("anthropic/text/wrong", result={"text": "bye"})
    folder.add("anthropic/text/unsayable", request={"messages": [{"role": "user", "content": "hi"}], "system": "x"})
    ask = asked(gateway, "--toolnexus-model", "smart")
    run = run_kit("-v", *ask["words"], port=ask["port"])
    assert run.ret == 1
    run.stdout.fnmatch_lines_random(
        [
            "anthropic/text/hello PASSED*",
            "anthropic/text/wrong FAIL*",
            "anthropic/text/unsayable N/A*",
            "port: http://127.0.0.1:*/v1 (gateway *, http)*",
            '  /text   - want "bye"',
            f"*again * --toolnexus-stub-port {gateway[1]} --toolnexus-model smart --toolnexus-header 'x-team: blue' *",
        ]
    )


def test_a_gateway_that_refuses_is_told_about(run_kit: Any, folder: Any, gateway: Any) -> None:
    folder.add()
    run = run_kit("--toolnexus-stub-port", str(gateway[1]), port=gateway[0])
    assert run.ret == 10
    (line,) = run.stderr.lines
    assert "no call of the gateway at" in line
    assert "which team?" in line


def test_settings_may_stand_in_the_ini_file(run_kit: Any, folder: Any, gateway: Any, pytester: Any) -> None:
    folder.add()
    lines = ["[pytest]", f"toolnexus_stub_port = {gateway[1]}", "toolnexus_header =", "    x-team: blue"]
    pytester.makeini("\n".join([*lines, "toolnexus_model =", "    anthropic=smart"]) + "\n")
    assert run_kit(port=gateway[0]).ret == 0


@pytest.mark.parametrize("more", [(), ("--toolnexus-stub-port", "x"), ("--toolnexus-stub-port", "70000")])
def test_a_gateway_needs_a_stub_port(run_kit: Any, folder: Any, more: tuple[str, ...]) -> None:
    folder.add()
    run = run_kit(*more, port="http://127.0.0.1:9/v1")
    assert run.ret == 4
    (line,) = run.stderr.lines
    assert "--toolnexus-stub-port" in line


def test_a_gateway_has_one_upstream(run_kit: Any, folder: Any, gateway: Any) -> None:
    folder.add()
    ask = asked(gateway)
    run = run_kit(*ask["words"], "-n", "2", port=ask["port"])
    assert run.ret == 4
    (line,) = run.stderr.lines
    assert "-n cannot share --toolnexus-stub-port" in line


def test_a_stub_port_in_use(run_kit: Any, folder: Any, gateway: Any) -> None:
    folder.add()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", gateway[1]))
        taken.listen()
        run = run_kit("--toolnexus-stub-port", str(gateway[1]), port=gateway[0])
    assert run.ret == 10
    (line,) = run.stderr.lines
    assert f"the stub cannot listen on port {gateway[1]}" in line
