"""serve: cases over HTTP, used by a test suite in another language, and described by its OpenAPI document."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from jsonschema import Draft202012Validator

from conformance.authoring.service import app
from conformance.report import results

CLIENT = Path(__file__).parent / "serve_client.mjs"


@pytest.fixture
def text(good: dict[str, Any]) -> dict[str, Any]:
    """A case that a small translator can do."""
    turns = [{"role": "user", "content": "hi"}]
    body = {"model": "claude-x", "max_tokens": 64, "messages": turns}
    answer = {"content": [{"type": "text", "text": "hello"}], "usage": {"input_tokens": 9, "output_tokens": 2}}
    exchange = {"expect": {"method": "POST", "path": "/v1/messages", "body": body}, "reply": {"json": answer}}
    del good["loose"]
    return good | {
        "id": "anthropic/text/hello",
        "request": {"messages": turns, "max_tokens": 64},
        "exchanges": [exchange],
        "result": {"text": "hello", "usage": {"total_tokens": 11}},
    }


class Service:
    """A `serve` that runs."""

    def __init__(self, fixtures: Path, *argv: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "conformance.cli", "serve", "--json", "--fixtures", str(fixtures), *argv],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.said = json.loads(self.process.stdout.readline())
        self.url = self.said["url"]

    def get(self, path: str, **query: Any) -> Any:
        return httpx.get(f"{self.url}{path}", params=query, timeout=30).json()

    def post(self, path: str, body: Any) -> Any:
        return httpx.post(f"{self.url}{path}", json=body, timeout=30).json()

    def end(self, how: int = signal.SIGTERM) -> tuple[int, str]:
        self.process.send_signal(how)
        _, err = self.process.communicate(timeout=30)
        return self.process.returncode, err


@pytest.fixture
def serve(bench: Any) -> Iterator[Callable[..., Service]]:
    """Starts the service on the bench's corpus."""
    started: list[Service] = []

    def start(*argv: str) -> Service:
        started.append(Service(bench.fixtures, *argv))
        return started[-1]

    yield start
    for service in started:
        if service.process.poll() is None:
            service.process.kill()
            service.process.communicate()


def test_a_node_test_suite_uses_it(bench: Any, serve: Any, text: Any) -> None:
    bench.write(
        text | {"variants": {"other": {"/client/model": "claude-y", "/exchanges/0/expect/body/model": "claude-y"}}}
    )
    bench.write(text | {"id": "anthropic/text/unjudged", "level": "should"})
    service = serve()
    ran = subprocess.run(
        ["node", "--test", str(CLIENT)],
        env={"SERVICE": service.url, "PATH": "/usr/local/bin:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout
    code, err = service.end()
    assert code == 0  # the last verdict on each case was a pass
    assert "2 pass" in err


def test_the_last_verdicts_are_a_report(bench: Any, serve: Any, text: Any, tmp_path: Path) -> None:
    bench.write(text)
    service = serve("--name", "mine", "--report", str(tmp_path / "report"))
    service.get("/cases/anthropic/text/hello")
    reply = {"result": {"text": "hello", "tool_calls": [], "finish_reason": "stop"}}
    assert service.post("/cases/anthropic/text/hello/result", reply)["state"] == "fail"  # no call was made
    assert service.get("/verdicts")["verdicts"] == [{"id": "anthropic/text/hello", "state": "fail", "red": True}]
    code, err = service.end(signal.SIGINT)
    assert code == 1
    assert "fail  anthropic/text/hello" in err
    found = results.read(tmp_path / "report")
    assert (found.started.port, [case.state for case in found.cases], found.finished.exit_code) == ("mine", ["fail"], 1)
    assert (tmp_path / "report" / "junit.xml").is_file()


def test_number_tokens_reach_the_suite_as_they_are_written(bench: Any, serve: Any, text: Any) -> None:
    path = bench.write(text)
    path.write_text(path.read_text("utf-8").replace('"max_tokens": 64\n  },', '"max_tokens": 64.10\n  },'), "utf-8")
    service = serve()
    assert '"max_tokens":64.10' in httpx.get(f"{service.url}/cases/anthropic/text/hello", timeout=30).text


def test_the_key_is_seen_nowhere_else(bench: Any, serve: Any, text: Any) -> None:
    bench.write(text)
    service = serve()
    key = service.get("/cases/anthropic/text/hello")["client"]["api_key"]
    leaks = {"result": {"text": f"my key is {key}", "tool_calls": [], "finish_reason": "stop"}}
    verdict = service.post("/cases/anthropic/text/hello/result", leaks)
    assert key not in json.dumps(verdict)
    assert "the API key appears in result" in json.dumps(verdict)


def test_warnings_are_judged_where_there_are_any(bench: Any, serve: Any, text: Any) -> None:
    bench.write(text)
    service = serve()

    def state(**more: Any) -> str:
        service.get("/cases/anthropic/text/hello")
        reply = {"result": {"text": "hello", "tool_calls": [], "finish_reason": "stop"}, **more}
        checks = service.post("/cases/anthropic/text/hello/result", reply)["checks"]
        return next(check["state"] for check in checks if check["name"] == "warnings")

    assert state() == "n/a"
    assert state(warnings=[]) == "pass"
    assert state(warnings=[{"code": "field-dropped", "pointer": "/x"}]) == "fail"


def test_every_answer_is_what_the_document_says(bench: Any, serve: Any, text: Any) -> None:
    bench.write(text)
    service = serve()
    document = service.get("/openapi.json")
    assert document["servers"] == [{"url": service.url}]

    def check(path: str, method: str, answer: Any) -> None:
        schema = document["paths"][path][method]["responses"]["200"]["content"]["application/json"]["schema"]
        Draft202012Validator({**schema, "components": document["components"]}).validate(answer)

    case = "/cases/{style}/{area}/{name}"
    reply = {"result": {"text": "hello", "tool_calls": [], "finish_reason": "stop"}, "warnings": []}
    check("/", "get", service.get("/"))
    check("/cases", "get", service.get("/cases"))
    check(case, "get", service.get("/cases/anthropic/text/hello"))
    check(f"{case}/result", "post", service.post("/cases/anthropic/text/hello/result", reply))
    check(f"{case}/verdict", "get", service.get("/cases/anthropic/text/hello/verdict"))
    check("/verdicts", "get", service.get("/verdicts"))
    schema = document["paths"][f"{case}/result"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    judge = Draft202012Validator({**schema, "components": document["components"]})
    assert judge.is_valid(reply)
    assert not judge.is_valid({"text": "hello"})


def test_the_document_names_every_route_and_every_query(bench: Any) -> None:
    document = app.document(bench.fixtures)
    routes = {rule.rule.replace("<", "{").replace(">", "}") for rule in app._ROUTES.iter_rules()}
    assert set(document["paths"]) == routes
    named = {row["name"] for row in document["paths"]["/cases"]["get"]["parameters"]}
    assert named == {*app._LISTS, *app._WORDS}


def test_a_port_that_is_taken_is_one_line(bench: Any, serve: Any, text: Any, verb: Any) -> None:
    bench.write(text)
    port = serve().url.rpartition(":")[2]
    ran = verb("serve", "--listen", port, "--fixtures", bench.fixtures)
    assert ran.exit_code == 4
    (line,) = ran.stderr.splitlines()
    assert f"port {port} of 127.0.0.1" in line
