"""A provider on 127.0.0.1 that answers with exact bytes, and the shortest valid answers."""

from __future__ import annotations

import contextlib
import json
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

KEY = "sk-very-secret-0123456789"

ANTHROPIC = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-x",
    "content": [{"type": "text", "text": "hello"}],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 9, "output_tokens": 2},
}
OPENAI = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "model": "gpt-x",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "hello"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11},
}


@dataclass
class Seen:
    """One request as it came over the wire."""

    method: str
    target: str
    headers: list[tuple[str, str]]
    body: bytes

    def header(self, name: str) -> str | None:
        """All values of one header, joined as on the wire."""
        return ", ".join(value for key, value in self.headers if key.lower() == name) or None

    def json(self) -> Any:
        """The body as plain values."""
        return json.loads(self.body)


class Wire:
    """The provider's end of one connection."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self.open = True
        self.gone = threading.Event()

    def send(self, data: bytes) -> bool:
        """Writes; False once the client has gone."""
        try:
            self._socket.sendall(data)
        except OSError:
            self.gone.set()
            self.open = False
        return self.open

    def drip(self, data: bytes, every: float) -> None:
        """Writes one byte at a time until done or the client has gone."""
        for byte in data:
            if self.gone.wait(every) or not self.send(bytes([byte])):
                return

    def stall(self, seconds: float = 5.0) -> bool:
        """Says nothing until the client has gone (True) or the time is over."""
        self._socket.settimeout(seconds)
        try:
            return self._socket.recv(1) == b""
        except TimeoutError:
            return False
        except OSError:
            return True
        finally:
            self.open = False

    def reset(self) -> None:
        """Breaks the connection with a RST."""
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()

    def close(self) -> None:
        """Ends the connection."""
        self.open = False
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


Script = Callable[[Seen, Wire], Any]


def http(status: int = 200, body: Any = b"", **headers: str) -> bytes:
    """One HTTP answer: `body` as bytes, or a value to be JSON; `content_type="…"` sets a header, None omits one."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    given = {"content-type": "application/json", "content-length": str(len(data))}
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"{name}: {value}\r\n" for name, value in given.items() if value is not None]
    return f"HTTP/1.1 {status} Status\r\n{''.join(lines)}\r\n".encode("latin-1") + data


@dataclass
class Provider:
    """A threaded HTTP/1.1 server with keep-alive; `script` answers each request."""

    script: Script = field(default=lambda seen, wire: wire.send(Provider.good(seen)))
    seen: list[Seen] = field(default_factory=list)
    connections: int = 0

    # For tests, which cannot import this module.
    http = staticmethod(http)
    key = KEY
    anthropic = ANTHROPIC
    openai = OPENAI

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._wires: list[Wire] = []
        self._context: ssl.SSLContext | None = None
        self.threads: list[threading.Thread] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def secure(self, context: ssl.SSLContext) -> None:
        """From now on every connection begins with a TLS handshake."""
        self._context = context

    @staticmethod
    def good(seen: Seen) -> bytes:
        """The shortest valid answer in the style of the path."""
        return http(200, OPENAI if seen.target.endswith("/chat/completions") else ANTHROPIC)

    def replies(self, *answers: bytes | Script) -> None:
        """Answers each request with the next of these, the last one again and again."""
        queue = list(answers)

        def script(seen: Seen, wire: Wire) -> None:
            with self._lock:
                answer = queue.pop(0) if len(queue) > 1 else queue[0]
            if callable(answer):
                answer(seen, wire)
            else:
                wire.send(answer)

        self.script = script

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            thread = threading.Thread(target=self._serve, args=(connection,), daemon=True)
            thread.start()
            self.threads.append(thread)

    def _serve(self, connection: socket.socket) -> None:
        if self._context is not None:
            try:
                connection = self._context.wrap_socket(connection, server_side=True)
            except OSError:
                return
        wire = Wire(connection)
        with self._lock:
            self.connections += 1
            self._wires.append(wire)
        # What is no HTTP (a TLS handshake, say) ends the connection.
        with contextlib.suppress(OSError, ValueError), connection.makefile("rb") as stream:
            while wire.open and (line := stream.readline()):
                method, target, _ = line.decode("latin-1").split(" ", 2)
                headers = []
                while (line := stream.readline().strip(b"\r\n")) != b"":
                    name, _, value = line.decode("latin-1").partition(":")
                    headers.append((name.lower(), value.strip()))
                length = int(next((value for name, value in headers if name == "content-length"), "0"))
                seen = Seen(method, target, headers, stream.read(length))
                with self._lock:
                    self.seen.append(seen)
                self.script(seen, wire)
        wire.close()

    def stop(self) -> None:
        """Closes the listener and every connection."""
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for wire in self._wires:
            wire.gone.set()
            wire.close()
        for thread in list(self.threads):
            thread.join(5)


@pytest.fixture
def provider() -> Iterator[Provider]:
    """A provider of the test's own."""
    running = Provider()
    yield running
    running.stop()


@pytest.fixture(autouse=True)
def _no_keys_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment of whoever runs the tests decides nothing: neither keys nor proxies."""
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
