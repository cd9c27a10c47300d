"""A Python port over the pipe: the same messages, the same verdicts, and little more time."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from conformance.drivers.pipe import IN_FLIGHT, line_of, message_of, serve

HELLO = {"op": "hello", "protocol": 1, "port": {"name": "p", "language": "python", "version": "1"}, "capabilities": []}


class Port:
    def __init__(self) -> None:
        self.seen: list[Any] = []

    def hello(self) -> dict[str, Any]:
        return HELLO

    def handle(self, message: dict[str, Any]) -> dict[str, Any]:
        self.seen.append(message)
        return {"id": message["id"], "result": {"text": "é\u2028"}}


class AsyncPort(Port):
    async def hello(self, message: Any) -> dict[str, Any]:  # type: ignore[override]
        return {**HELLO, "max_in_flight": 2, "corpus": message["corpus"]}

    async def handle(self, message: dict[str, Any]) -> dict[str, Any]:  # type: ignore[override]
        return super().handle(message)


def talk(port: Any, *messages: dict[str, Any]) -> list[Any]:
    out = io.BytesIO()
    serve(port, io.BytesIO(b"".join(json.dumps(message).encode() + b"\n" for message in messages)), out)
    assert out.getvalue().isascii()
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_one_line_a_message() -> None:
    port = Port()
    said = talk(port, {"op": "hello", "protocol": 1, "corpus": "1.0"}, {"op": "translate", "id": "1"}, {"op": "bye"})
    assert said == [{"max_in_flight": IN_FLIGHT, **HELLO}, {"id": "1", "result": {"text": "é\u2028"}}]


def test_a_port_may_be_async_and_say_its_own_limit() -> None:
    said = talk(AsyncPort(), {"op": "hello", "corpus": "1.0"}, {"op": "translate", "id": "1"})
    assert (said[0]["max_in_flight"], said[0]["corpus"], said[1]["id"]) == (2, "1.0", "1")


def test_nothing_after_bye_is_read() -> None:
    port = Port()
    talk(port, {"op": "bye"}, {"op": "translate", "id": "1"})
    assert port.seen == []


def test_the_request_is_there_as_exact_text_too() -> None:
    message = message_of(
        b'{"op":"translate","id":"1","request":{"seed":1.10,"big":12345678901234567890,"s":"\\ud83d"}}'
    )
    assert message["request_text"] == '{"seed":1.10,"big":12345678901234567890,"s":"\\ud83d"}'
    assert message["request"]["seed"] == 1.1
    assert message["id"] == "1"


def test_a_text_that_is_sent_as_text_stays_one() -> None:
    message = message_of(b'{"op":"translate","id":"1","request_text":"{\\"a\\":1,\\"a\\":2}"}')
    assert message["request_text"] == '{"a":1,"a":2}'
    assert "request" not in message


@pytest.mark.parametrize("value", [float("inf"), float("nan"), -float("inf")])
def test_a_number_that_json_cannot_hold_is_null(value: float) -> None:
    assert line_of({"raw": [value, 1.5]}) == b'{"raw":[null,1.5]}\n'


TALKER = """
import os
class Port:
    def hello(self):
        print("here I am", flush=True)
        os.write(1, b"truly\\n")
        return {"op": "hello"}
"""


def test_what_the_port_prints_is_no_protocol(tmp_path: Path) -> None:
    (tmp_path / "talker.py").write_text(TALKER)
    command = [sys.executable, "-m", "conformance.drivers.pipe", "talker:Port"]
    text = json.dumps({"op": "hello", "protocol": 1, "corpus": "1.0"}) + "\n"
    done = subprocess.run(command, input=text.encode(), capture_output=True, check=True, cwd=tmp_path)
    assert json.loads(done.stdout)["op"] == "hello"
    assert done.stderr == b"here I am\ntruly\n"


#: Runs so many must cases against a port, and prints the processor time of this process and of the port.
TIMED = """
import os, sys
from conformance.options import Options
from conformance.session import Session
session = Session(Options(port=sys.argv[1], level="must"))
cases = session.cases[:300]
session.open()
session.expect(cases)
states = {session.run(case).state for case in cases}
session.close()
assert states <= {"pass", "n/a"}, states
print(sum(os.times()[:4]))
"""


def test_three_hundred_cases_cost_little_more_than_in_process() -> None:
    def spent(port: str) -> float:
        done = subprocess.run([sys.executable, "-c", TIMED, port], capture_output=True, text=True, check=True)
        return float(done.stdout)

    pipe = f"cmd:{sys.executable} -m conformance.drivers.pipe toolnexus"
    ratios = [spent(pipe) / spent("python:toolnexus") for _ in range(2)]
    assert min(ratios) < 1.5, ratios
