"""A stub, and gateways before it that are a function each."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from fakes import Answering, Reply, as_json

from conformance.drivers.gateway import Gateway
from conformance.options import Options
from conformance.stub import Stub


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
