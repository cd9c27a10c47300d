"""Python ports."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.drivers import driver_for
from conformance.drivers.inprocess import InProcess
from conformance.drivers.message import Message
from conformance.faults import PortFault, UsageFault
from conformance.observation import Answer, NoAnswer, NotStarted
from conformance.options import Options

PORTS = Path(__file__).parents[1] / "ports"

MODULE = """
import os, sys, time
class Port:
    def hello(self, *message):
        return {"op": "hello", "protocol": 1, "port": {"name": "p", "language": "python", "version": "1"},
                "capabilities": ["anthropic"]}
    def handle(self, message):
        return {"id": message["id"], **DO[message["case"]](message)}
def spoil(message):
    message["client"]["x"] = 1
    return {"result": message["client"]}
DO = {
    "ok": lambda m: {"result": {"text": "x"}},
    "slow": lambda m: time.sleep(0.4) or {"result": {}},
    "exit": lambda m: sys.exit(3),
    "raise": lambda m: 1 / 0,
    "print": lambda m: print("out") or print("err", file=sys.stderr) or {"result": {}},
    "bad": lambda m: {"result": {"raw": {1, 2}}},
    "odd": lambda m: {"reslt": {}},
    "env": lambda m: {"result": {"text": os.environ.get("OPENAI_API_KEY", "none")}},
    "spoil": spoil,
}
class Coroutines(Port):
    async def hello(self):
        return super().hello()
    async def handle(self, message):
        return super().handle(message)
def broken():
    raise RuntimeError("no licence")
class Silent(Port):
    def hello(self):
        return {"op": "hello"}
not_callable = 1
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    name = f"port_{tmp_path.name}".replace("-", "_")
    (tmp_path / f"{name}.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    yield name
    sys.modules.pop(name, None)


@pytest.fixture(params=["Port", "Coroutines"])
def driver(module: str, request: pytest.FixtureRequest) -> Iterator[InProcess]:
    made = InProcess(f"{module}:{request.param}")
    assert made.start("1.0").name == "p"
    yield made
    made.stop()


def ask(driver: InProcess, case: str, deadline_ms: int = 5000) -> Any:
    return driver.run(Message("1", "translate", case, client={}, deadline_ms=deadline_ms))


def test_a_reply_is_an_answer(driver: InProcess) -> None:
    run = ask(driver, "ok")
    assert run.outcome == Answer({"id": "1", "result": {"text": "x"}})
    assert run.stderr == ()


def test_what_it_prints_is_kept_and_not_shown(driver: InProcess, capfd: pytest.CaptureFixture[str]) -> None:
    assert ask(driver, "print").stderr == ("out", "err")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("case", "kind", "says"),
    [
        ("raise", "raised", "ZeroDivisionError: division by zero"),
        ("exit", "raised", "SystemExit(3)"),
        ("bad", "protocol", "/result/raw: JSON cannot hold set"),
        ("odd", "protocol", "/reslt unknown key"),
    ],
)
def test_what_goes_wrong_is_the_cases_outcome(driver: InProcess, case: str, kind: str, says: str) -> None:
    outcome = ask(driver, case).outcome
    assert isinstance(outcome, NoAnswer)
    assert outcome.kind == kind
    assert says in outcome.message
    assert isinstance(ask(driver, "ok").outcome, Answer)


def test_a_port_that_hangs_costs_its_case_only(driver: InProcess) -> None:
    began = time.monotonic()
    assert ask(driver, "slow", 50).outcome == NoAnswer("timeout", "no reply within 50 ms")
    assert time.monotonic() - began < 0.35
    assert isinstance(ask(driver, "ok").outcome, Answer)


def test_a_port_that_hangs_again_and_again_is_given_up(driver: InProcess) -> None:
    for _ in range(4):
        assert isinstance(ask(driver, "slow", 20).outcome, NoAnswer)
    assert ask(driver, "ok").outcome == NotStarted("the port hung in 4 cases and was given up")


def test_keys_of_the_environment_are_hidden_and_come_back(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "real")
    driver = InProcess(f"{module}:Port")
    driver.start("1.0")
    outcome = ask(driver, "env").outcome
    driver.stop()
    assert isinstance(outcome, Answer)
    assert outcome.value["result"] == {"text": "none"}
    assert os.environ["OPENAI_API_KEY"] == "real"


@pytest.mark.parametrize("spec", ["", "module", ":factory", "module:"])
def test_a_spec_without_a_factory_is_wrong_usage(spec: str) -> None:
    with pytest.raises(UsageFault, match="unknown port"):
        InProcess(spec)


@pytest.mark.parametrize("name", ["nothing", "not_callable"])
def test_a_factory_that_is_none_is_wrong_usage(module: str, name: str) -> None:
    with pytest.raises(UsageFault, match="unknown port"):
        InProcess(f"{module}:{name}").start("1.0")


def test_a_module_that_is_not_there_is_wrong_usage() -> None:
    with pytest.raises(UsageFault, match="No module named 'no_such_port'"):
        InProcess("no_such_port:factory").start("1.0")


@pytest.mark.parametrize(
    ("name", "says"), [("broken", "failed to start: RuntimeError: no licence"), ("Silent", "/ must have protocol")]
)
def test_a_port_that_cannot_start_is_the_ports_fault(module: str, name: str, says: str) -> None:
    driver = InProcess(f"{module}:{name}")
    with pytest.raises(PortFault) as caught:
        driver.start("1.0")
    driver.stop()
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_module_of_the_folder_one_stands_in_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry != str(tmp_path)])
    monkeypatch.chdir(tmp_path)
    driver = InProcess(f"{module}:Port")
    assert driver.start("1.0").name == "p"
    driver.stop()


@pytest.mark.parametrize("spec", ["", "python", "python:", "cmd:", "cmd: ", "ruby:x", "http:", "cmd:'unbalanced"])
def test_an_unknown_port_is_wrong_usage(spec: str) -> None:
    with pytest.raises(UsageFault, match="unknown port"):
        driver_for(Options(port=spec))
