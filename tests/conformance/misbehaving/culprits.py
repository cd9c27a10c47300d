"""Ports that go wrong, each in one way: `python culprits.py NAME`. All but the one fault, they answer as `sample` does.

A fault shows in the case whose id ends in `/b`, unless it is one of starting or ending.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "ports"))

from sample import Port, post, say

PORT = Port()
HELLO = PORT.hello()

Message = dict[str, Any]

#: Said once more before the next answer.
AGAIN: list[str] = []

#: Messages that are called for once more when the next one comes.
LATER: list[Message] = []


def answer(message: Message) -> None:
    """What a port should do, once what was left over is done."""
    while LATER:
        post(LATER.pop()["client"], {"messages": []})
    raw("".join(f"{line}\n" for line in (*AGAIN, right(message))).encode())
    AGAIN.clear()


def right(message: Message) -> str:
    """The right line."""
    return json.dumps(PORT.handle(message))


def raw(data: bytes) -> None:
    """Bytes on stdout, as they are."""
    os.write(1, data)


def child_that_stays() -> None:
    """A child that keeps every pipe open."""
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    if len(sys.argv) > 2:
        Path(sys.argv[2]).write_text(str(child.pid))


# -- in one case ------------------------------------------------------------------------------------------------------


def exits(message: Message) -> None:
    sys.stderr.write("assertion failed\n")
    sys.stderr.flush()
    os._exit(7)


def exits_137(message: Message) -> None:
    os._exit(137)


def crashes(message: Message) -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def leaves(message: Message) -> None:
    os._exit(0)


def hangs(message: Message) -> None:
    time.sleep(60)


def answers_late(message: Message) -> None:
    time.sleep(1.2)
    answer(message)


def answers_twice(message: Message) -> None:
    line = right(message)
    say(line)
    AGAIN.append(line)


def answers_twice_at_once(message: Message) -> None:
    line = right(message)
    raw(f"{line}\n{line}\n".encode())


def floods_stderr(message: Message) -> None:
    for number in range(200):
        sys.stderr.write(f"{number} {'x' * 50_000}\n")
    sys.stderr.flush()
    answer(message)


def floods_stderr_without_an_end(message: Message) -> None:
    os.write(2, b"x" * 8_000_000)
    answer(message)


def floods_stdout(message: Message) -> None:
    raw(b"debug: still here\n" * 200_000)
    answer(message)


def prints(message: Message) -> None:
    say("translating now")
    answer(message)


def blank_lines(message: Message) -> None:
    raw(b"\n\r\n  \n" + right(message).encode() + b"\r\n\n")


def wrong_id(message: Message) -> None:
    say(json.dumps({**PORT.handle(message), "id": "nobody"}))


def number_for_id(message: Message) -> None:
    say(json.dumps({**PORT.handle(message), "id": int(message["id"])}))


def half_a_line(message: Message) -> None:
    raw(right(message)[:30].encode())
    os._exit(0)


def half_a_line_and_silence(message: Message) -> None:
    raw(right(message)[:30].encode())
    time.sleep(60)


def twenty_megabytes(message: Message) -> None:
    raw(b"x" * 20_000_000 + b"\n")
    answer(message)


def sixteen_megabytes(message: Message) -> None:
    line = right(message)
    raw(line.encode() + b" " * (16 * 2**20 - len(line) - 1) + b"\n")


def closes_stdin(message: Message) -> None:
    answer(message)
    os.close(0)
    time.sleep(60)


def closes_stdout(message: Message) -> None:
    os.close(1)
    time.sleep(60)


def dies_leaving_a_child(message: Message) -> None:
    child_that_stays()
    os._exit(3)


def no_utf8(message: Message) -> None:
    raw(right(message).replace("hello", "h\xe9llo").encode("latin-1") + b"\n")


def a_list(message: Message) -> None:
    say(f"[{right(message)}]")


def a_key_twice(message: Message) -> None:
    say(right(message)[:-1] + ', "warnings": []}')


def nested(message: Message) -> None:
    say(f'{{"id": "{message["id"]}", "result": {{"text": "hello", "raw": {"[" * 200_000}{"]" * 200_000}}}}}')


def result_and_error(message: Message) -> None:
    say(json.dumps({**PORT.handle(message), "error": {"kind": "provider"}}))


def nothing(message: Message) -> None:
    say(json.dumps({"id": message["id"]}))


def object_for_arguments(message: Message) -> None:
    reply = PORT.handle(message)
    reply["result"]["tool_calls"] = [{"id": "c", "name": "f", "arguments": {"a": 1}}]
    say(json.dumps(reply))


def a_second_hello(message: Message) -> None:
    raw(f"{json.dumps(HELLO)}\n{right(message)}\n".encode())


def leaks_and_talks(message: Message) -> None:
    sys.stderr.write(f"using {message['client']['api_key']}\n" + "fine\n" * 200)
    sys.stderr.flush()
    answer(message)


def calls_afterwards(message: Message) -> None:
    answer(message)
    LATER.append(message)


def dies_afterwards(message: Message) -> None:
    answer(message)
    os._exit(9)


def reads_no_more(message: Message) -> None:
    time.sleep(60)


# -- starting and ending ----------------------------------------------------------------------------------------------


def dies_at_start() -> None:
    sys.exit("cannot find my runtime")


def says_nothing() -> None:
    time.sleep(60)


def shows_a_banner() -> None:
    say("Port 1.0, (c) somebody")


def speaks_version_two() -> None:
    HELLO["protocol"] = 2


def declares_nothing() -> None:
    del HELLO["capabilities"]


def declares_nonsense() -> None:
    HELLO["capabilities"] = ["anthropic", "telepathy"]


def takes_its_time() -> None:
    time.sleep(1)


def several_at_once() -> None:
    HELLO["max_in_flight"] = 4


AT_START: dict[str, Callable[[], None]] = {
    function.__name__.replace("_", "-"): function
    for function in (
        dies_at_start,
        says_nothing,
        shows_a_banner,
        speaks_version_two,
        declares_nothing,
        declares_nonsense,
        takes_its_time,
    )
}

IN_A_CASE: dict[str, Callable[[Message], None]] = {
    function.__name__.replace("_", "-"): function
    for function in (
        exits,
        exits_137,
        crashes,
        leaves,
        hangs,
        answers_late,
        answers_twice,
        answers_twice_at_once,
        floods_stderr,
        floods_stderr_without_an_end,
        floods_stdout,
        prints,
        blank_lines,
        wrong_id,
        number_for_id,
        half_a_line,
        half_a_line_and_silence,
        twenty_megabytes,
        sixteen_megabytes,
        closes_stdin,
        closes_stdout,
        dies_leaving_a_child,
        no_utf8,
        a_list,
        a_key_twice,
        nested,
        result_and_error,
        nothing,
        object_for_arguments,
        a_second_hello,
        leaks_and_talks,
        calls_afterwards,
        dies_afterwards,
        reads_no_more,
    )
}

#: Run with several messages at once: the same faults, and one of their own.
PREFIX = "several-"


def backwards(messages: list[Message]) -> None:
    """Answer in the order that nobody expects."""
    for message in reversed(messages):
        answer(message)
    messages.clear()


def main() -> None:
    """Speak the protocol, with one fault."""
    name = sys.argv[1]
    several = name.startswith(PREFIX)
    name = name.removeprefix(PREFIX)
    if several:
        several_at_once()
    AT_START.get(name, lambda: None)()
    kept: list[Message] = []
    for line in sys.stdin:
        message = json.loads(line)
        if message["op"] == "bye":
            break
        if message["op"] == "hello":
            say(json.dumps(HELLO))
        elif name == "answers-backwards":
            kept.append(message)
            if len(kept) == 3:
                backwards(kept)
        elif name == "dies-always" or (name in IN_A_CASE and message["case"].endswith("/b")):
            IN_A_CASE.get(name, exits)(message)
        else:
            answer(message)
    if name == "ignores-bye":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        child_that_stays()
        time.sleep(60)


if __name__ == "__main__":
    main()
