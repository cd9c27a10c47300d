"""The README's Python runs as it stands, against a loopback provider."""

from __future__ import annotations

import json
import re
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"
# Pieces of the programs in examples/, which tests/test_examples.py runs whole.
BLOCKS = [
    block
    for block in re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    if not block.startswith("# examples/")
]
CALL = {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {"city": "Paris"}}
PLAIN = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "stop_sequence": None}


def plain(content: list[object], reason: str) -> bytes:
    usage = {"input_tokens": 3, "output_tokens": 1}
    return json.dumps({**PLAIN, "content": content, "stop_reason": reason, "usage": usage}).encode()


def streamed() -> bytes:
    events = [
        {
            "type": "message_start",
            "message": {**PLAIN, "content": [], "stop_reason": None, "usage": {"input_tokens": 3}},
        },
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hello."}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}},
        {"type": "message_stop"},
    ]
    return b"".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events)


def answer(body: dict[str, object]) -> tuple[str, bytes]:
    if body.get("stream"):
        return "text/event-stream", streamed()
    messages = body["messages"]
    assert isinstance(messages, list)
    if len(messages) == 1:
        return "application/json", plain([CALL], "tool_use")
    return "application/json", plain([{"type": "text", "text": "Sunny."}], "end_turn")


def serve(listener: socket.socket) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        with connection, connection.makefile("rwb") as stream:
            length = 0
            while (line := stream.readline()) not in (b"\r\n", b""):
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            kind, data = answer(json.loads(stream.read(length)))
            head = (
                f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {len(data)}\r\nconnection: close\r\n\r\n"
            )
            stream.write(head.encode() + data)


@pytest.fixture
def provider() -> Iterator[str]:
    listener = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=serve, args=(listener,), daemon=True).start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    listener.close()


def test_the_readme_has_python_to_run() -> None:
    assert len(BLOCKS) >= 3


@pytest.mark.parametrize("block", BLOCKS)
def test_a_block_runs_and_says_something(
    block: str, provider: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key-for-tests")
    assert "https://api.anthropic.com" in block
    exec(compile(block.replace("https://api.anthropic.com", provider), str(README), "exec"), {})
    assert capsys.readouterr().out.strip()


def test_nothing_is_installed_from_where_it_is_not_published() -> None:
    for page in (README, README.parent / "examples" / "README.md"):
        lines = [line for line in page.read_text("utf-8").splitlines() if "pip install" in line]
        assert lines
        assert [line for line in lines if "'.[" not in line and "git+https://" not in line] == []
