"""A small HTTP server on 127.0.0.1, threaded and quiet: what the recording proxy and the case service listen with."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from typing import Any

from werkzeug.serving import WSGIRequestHandler, make_server
from werkzeug.wrappers import Request, Response

from conformance.faults import UsageFault

Application = Callable[[Request], Response]


class Loopback:
    """Use as a context manager; `port` 0 is any free one. Raises `UsageFault` where a port is taken."""

    def __init__(self, application: Application, port: int = 0) -> None:
        # The socket is bound here because werkzeug ends the whole process when a port is taken.
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self._socket.bind(("127.0.0.1", port))
            self._socket.listen(128)
        except OSError as wrong:
            self._socket.close()
            raise UsageFault(f"port {port} of 127.0.0.1: {wrong.strerror}") from None
        self.port: int = self._socket.getsockname()[1]
        self._server = make_server(
            "127.0.0.1",
            self.port,
            Request.application(application),
            threaded=True,
            request_handler=_Handler,
            fd=self._socket.fileno(),
        )
        self._thread = threading.Thread(target=self._serve, name="toolnexus-loopback", daemon=True)

    @property
    def url(self) -> str:
        """The server's address, without a trailing slash."""
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Loopback:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join(timeout=5)
        self._server.server_close()
        self._socket.close()

    def _serve(self) -> None:
        self._server.serve_forever(poll_interval=0.02)  # how long stopping takes


class _Handler(WSGIRequestHandler):
    """Says nothing, and waits for no more data before it sends (Nagle)."""

    disable_nagle_algorithm = True

    def log(self, *_: Any) -> None:
        """Nothing: what is worth telling, the application tells."""
