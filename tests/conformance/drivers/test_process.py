"""Ports as processes."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.drivers import process
from conformance.drivers.message import Message
from conformance.drivers.process import Process
from conformance.faults import PortFault
from conformance.observation import Answer, NoAnswer, NotStarted

SCRIPT = """
import json, os, signal, subprocess, sys, time
HELLO = {"op": "hello", "protocol": 1, "port": {"name": "p", "language": "python", "version": "1"},
         "capabilities": ["anthropic"]}
def say(value):
    print(json.dumps(value), flush=True)
def answer(case, number):
    if case == "ok": say({"id": number, "result": {"text": "x"}})
    elif case == "slow": time.sleep(30)
    elif case == "exit": os._exit(7)
    elif case == "signal": os.kill(os.getpid(), signal.SIGKILL)
    elif case == "garbage": print("debug output", flush=True); say({"id": number, "result": {}})
    elif case == "list": print("[1]", flush=True)
    elif case == "no-id": say({"result": {}})
    elif case == "wrong-id": say({"id": "99", "result": {}})
    elif case == "twice": say({"id": number, "result": {}}); say({"id": number, "result": {}})
    elif case == "odd": say({"id": number, "reslt": {}})
    elif case == "long": print("x" * 3000, flush=True); say({"id": number, "result": {}})
    elif case == "stderr": print("one\\ntwo", file=sys.stderr, flush=True); say({"id": number, "result": {}})
    elif case == "flood":
        print("\\n".join(str(n) for n in range(500)), file=sys.stderr, flush=True)
        say({"id": number, "result": {}})
    elif case == "env": say({"id": number, "result": {"text": os.environ.get("OPENAI_API_KEY", "none")}})
    elif case == "child":
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        say({"id": number, "result": {"text": str(child.pid)}})
    elif case == "pid": say({"id": number, "result": {"text": str(os.getpid())}})
for line in sys.stdin:
    message = json.loads(line)
    if message["op"] == "hello": say(HELLO)
    elif message["op"] == "bye": break
    else: answer(message["case"], message["id"])
"""


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[Process]:
    (tmp_path / "a port.py").write_text(SCRIPT)
    made = Process(f"{sys.executable} '{tmp_path / 'a port.py'}'")
    assert made.start("1.0").name == "p"
    yield made
    made.stop()


NUMBERS = iter(range(1_000_000))


def ask(driver: Process, case: str, deadline_ms: int = 5000) -> Any:
    return driver.run(Message(str(next(NUMBERS)), "translate", case, client={}, deadline_ms=deadline_ms))


def text(driver: Process, case: str) -> str:
    outcome = ask(driver, case).outcome
    assert isinstance(outcome, Answer)
    result = outcome.value["result"]
    assert isinstance(result, dict)
    return str(result["text"])


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # A zombie still has its id; it is dead all the same.
    return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z" if Path("/proc").is_dir() else True


def gone(pid: int) -> bool:
    until = time.monotonic() + 5
    while alive(pid) and time.monotonic() < until:
        time.sleep(0.01)
    return not alive(pid)


def test_one_process_answers_all_messages(driver: Process) -> None:
    assert {text(driver, "pid") for _ in range(3)} == {text(driver, "pid")}
    assert text(driver, "ok") == "x"


@pytest.mark.parametrize(
    ("case", "says"),
    [
        ("garbage", "a line on stdout that is no JSON (Expecting value): debug output"),
        ("list", "a line on stdout that is no message: [1]"),
        ("no-id", 'a reply without an id: {"result": {}}'),
        ("wrong-id", "a reply with id '99', unasked"),
        ("odd", "/reslt unknown key"),
    ],
)
def test_a_broken_protocol_is_named_with_the_line(driver: Process, case: str, says: str) -> None:
    outcome = ask(driver, case).outcome
    assert isinstance(outcome, NoAnswer)
    assert outcome.kind == "protocol"
    assert says in outcome.message
    assert "\n" not in outcome.message
    assert text(driver, "ok") == "x"


def test_a_second_reply_is_never_passed_over(driver: Process) -> None:
    outcome = ask(driver, "twice").outcome
    assert text(driver, "ok") == "x"
    driver.stop()
    told = [*driver.faults, outcome.message if isinstance(outcome, NoAnswer) else ""]
    assert any("a second reply with id" in fault and "(twice)" in fault for fault in told)


def test_an_oversized_line_is_named_and_passed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conformance.drivers.child.LONGEST", 1000)
    (tmp_path / "port.py").write_text(SCRIPT)
    driver = Process(f"{sys.executable} {tmp_path / 'port.py'}")
    driver.start("1.0")
    outcome = ask(driver, "long").outcome
    assert isinstance(outcome, NoAnswer)
    assert "a line of more than 1000 bytes, which begins xxx" in outcome.message
    assert text(driver, "ok") == "x"
    driver.stop()


def test_stderr_is_kept_for_each_case_the_last_64_lines(driver: Process) -> None:
    assert ask(driver, "stderr").stderr == ("one", "two")
    assert ask(driver, "ok").stderr == ()
    assert ask(driver, "flood").stderr == tuple(str(n) for n in range(436, 500))


def test_a_case_that_takes_too_long_is_ended_and_the_port_started_again(driver: Process) -> None:
    before = int(text(driver, "pid"))
    assert ask(driver, "slow", 100).outcome == NoAnswer("timeout", "no reply within 100 ms")
    assert int(text(driver, "pid")) != before
    assert gone(before)


@pytest.mark.parametrize(("case", "how"), [("exit", "exit code 7"), ("signal", "killed by SIGKILL")])
def test_a_death_is_told_truthfully_and_costs_its_case_only(driver: Process, case: str, how: str) -> None:
    assert ask(driver, case).outcome == NoAnswer("died", f"the port died while at work: {how}")
    assert text(driver, "ok") == "x"


def test_a_port_that_dies_again_and_again_is_given_up(driver: Process) -> None:
    for _ in range(1 + process.MOST_RESTARTS):
        outcome = ask(driver, "exit").outcome
        assert isinstance(outcome, NoAnswer)
    outcome = ask(driver, "ok").outcome
    assert outcome == NotStarted("the port ended 4 times, last with exit code 7")


def test_the_whole_group_ends_with_the_port(driver: Process) -> None:
    port, child = int(text(driver, "pid")), int(text(driver, "child"))
    assert alive(child)
    driver.stop()
    assert gone(port)
    assert gone(child)


def test_keys_of_the_environment_are_hidden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "real")
    (tmp_path / "port.py").write_text(SCRIPT)
    driver = Process(f"{sys.executable} {tmp_path / 'port.py'}")
    driver.start("1.0")
    assert text(driver, "env") == "none"
    driver.stop()


@pytest.mark.parametrize(
    ("program", "says"),
    [
        ("import sys; sys.exit('no licence')", "exit code 1; its last words: no licence"),
        ("print('starting', flush=True); input(); input()", "a line on stdout that is no JSON"),
        ("import time; time.sleep(60)", "no reply within 300 ms"),
        ('print(\'{"op":"hello","protocol":2}\'); input(); input()', "/protocol must be an integer from 1 to 1"),
    ],
)
def test_a_port_that_cannot_start_is_said_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, says: str
) -> None:
    if "sleep" in program:
        monkeypatch.setattr(process, "STARTUP_S", 0.3)
    (tmp_path / "port.py").write_text(program)
    driver = Process(f"{sys.executable} {tmp_path / 'port.py'}")
    with pytest.raises(PortFault) as caught:
        driver.start("1.0")
    driver.stop()
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_command_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(PortFault, match="the port cannot be started: no-such-command: No such file"):
        Process("no-such-command --flag").start("1.0")


def test_no_shell_runs_the_command(tmp_path: Path) -> None:
    with pytest.raises(PortFault):
        Process(f"no-such-command; touch {tmp_path / 'made'}").start("1.0")
    assert not (tmp_path / "made").exists()


def test_a_big_message_to_a_port_that_does_not_read_ends_at_its_deadline(tmp_path: Path) -> None:
    hello = SCRIPT.split("def answer")[0]
    (tmp_path / "port.py").write_text(hello + "sys.stdin.readline(); say(HELLO); time.sleep(60)")
    driver = Process(f"{sys.executable} {tmp_path / 'port.py'}")
    driver.start("1.0")
    big = Message("1", "translate", "x", client={}, request_text='"' + "x" * 4_000_000 + '"', deadline_ms=200)
    assert driver.run(big).outcome == NoAnswer("timeout", "no reply within 200 ms")
    driver.stop()


def test_a_signal_to_the_group_does_not_reach_this_process(driver: Process) -> None:
    assert os.getpgid(int(text(driver, "pid"))) != os.getpgid(0)
    port = int(text(driver, "pid"))
    os.kill(port, signal.SIGTERM)
    assert gone(port)
    assert int(text(driver, "pid")) != port
    driver.stop()
    assert driver.faults == ("the port ended by itself (killed by SIGTERM), after pid",)


@pytest.mark.parametrize(
    ("said", "telling"),
    [
        ("Error: Cannot find module 'x'\n    at Module.load\n\nNode.js v22.1.0\n", "Error: Cannot find module 'x'"),
        ("panic: no licence\n\ngoroutine 1 [running]:\nmain.main()\n", "panic: no licence"),
        (
            "thread 'main' panicked at src/main.rs:1:1: oh\nnote: run with it\n",
            "thread 'main' panicked at src/main.rs:1:1: oh",
        ),
        ("Exception in thread main: oh\n\tat Main.main(ErrorPage.java:3)\n", "Exception in thread main: oh"),
        ("warming up\nno licence\nNode.js v22.1.0\n", "no licence"),
    ],
)
def test_the_last_words_are_the_telling_ones(tmp_path: Path, said: str, telling: str) -> None:
    (tmp_path / "port.py").write_text(f"import sys; sys.stderr.write({said!r}); sys.exit(1)")
    command = f"{sys.executable} {tmp_path / 'port.py'}"
    with pytest.raises(PortFault) as caught:
        Process(command).start("1.0")
    expected = f"the port 'cmd:{command}' died before it said hello: exit code 1; its last words: {telling}"
    assert str(caught.value) == expected
