"""The loopback provider: one server a run, many cases at once, told apart by their API key.

werkzeug's server closes every connection and costs about a millisecond a post, so it is started once. A call finds its
case by the key, sought in every header; it gets the next reply of the case's script whether it was what the case
expects or not (that is judged later), and 422 with a marker header once the script has none left: clients and routers
retry 408, 409, 429 and 5xx, but not 422.
"""

from __future__ import annotations

import itertools
import os
import re
import secrets
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any, Final, NoReturn

from pytest_httpserver.httpserver import HTTPServerBase
from werkzeug.serving import WSGIRequestHandler, make_server
from werkzeug.wrappers import Request, Response

from conformance.case import Case, Exchange, Reply
from conformance.faults import PortFault
from conformance.observation import ALARM, Call
from conformance.replies import Encoded, encode, from_provider

#: Marks a reply that no script gave: `unscripted`, or `fault` where the kit could not make the reply.
MARKER: Final = "x-toolnexus-stub"

#: The keys of cases.
KEY: Final = re.compile(r"case-[0-9a-f]{12}-\d{6}")
_UNSCRIPTED: Final = (
    b'{"type":"error","error":{"type":"invalid_request_error",'
    b'"message":"conformance stub: the case has no such call in its script"}}'
)


@dataclass(eq=False)
class Script:
    """One running case: the replies still to give, and the calls seen so far."""

    case: Case
    key: str
    calls: list[Call] = field(default_factory=list)
    strays: list[Call] = field(default_factory=list)
    #: What each call got, as they were answered; a call that got 422 for want of a script is not among them.
    answers: list[tuple[Call, Encoded, str | None]] = field(default_factory=list)
    fault: str | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _over: threading.Event = field(default_factory=threading.Event)

    def take(self, call: Call) -> Exchange | None:
        """Record a call; the exchange that answers it, or None when the script is used up."""
        with self._lock:
            turn = len(self.calls)
            self.calls.append(call)
        exchanges = self.case.exchanges
        return exchanges[turn % len(exchanges)] if turn < len(exchanges) * self.case.repeat else None

    def stray(self, call: Call) -> None:
        """Record a call that belongs to the case but not to its script."""
        with self._lock:
            self.strays.append(call)

    def end(self) -> None:
        """Let go of every call that is being stalled."""
        self._over.set()

    def wait(self, seconds: float) -> bool:
        """Wait for the case's end; True once it has come."""
        return self._over.wait(seconds)


class Stub:
    """The server. Use as a context manager; `url` is `http://127.0.0.1:PORT`, without a trailing slash."""

    def __init__(self, port: int = 0) -> None:
        self._server = _Server(self, port)
        self._run = secrets.token_hex(6)
        self._numbers = itertools.count(1)
        self._scripts: dict[str, Script] = {}
        self._lock = threading.Lock()
        self._ended: dict[str, str] = {}
        #: Calls that no running case could be found for.
        self.unclaimed: list[Call] = []
        #: Calls that came when their case had its outcome already, each with the case's id.
        self.late: list[tuple[str, Call]] = []
        #: Set where keys do not get this far: what is posted without one belongs to the case that runs alone.
        self.keyless = False

    def __enter__(self) -> Stub:
        self._server.start()
        return self

    def __exit__(self, *_: object) -> None:
        for script in list(self._scripts.values()):
            script.end()
        self._server.stop()

    @property
    def url(self) -> str:
        """The address cases write as `{stub}`."""
        return f"http://127.0.0.1:{self._server.port}"

    @contextmanager
    def script(self, case: Case) -> Iterator[Script]:
        """Run a case: calls with its key are answered by its exchanges until the block ends."""
        script = self.begin(case)
        try:
            yield script
        finally:
            self.finish(script, answered=True)

    def begin(self, case: Case) -> Script:
        """Answer calls with the case's key by its exchanges, until `finish`."""
        script = Script(case, f"case-{self._run}-{next(self._numbers):06d}")
        with self._lock:
            self._scripts[script.key] = script
        return script

    def finish(self, script: Script, *, answered: bool = False) -> None:
        """End the case; whoever still waits for a stalled reply is let go. An `answered` one should call no more."""
        script.end()
        with self._lock:
            self._scripts.pop(script.key, None)
            self._ended[script.key] = script.case.id if answered else ""

    def reached(self, key: str) -> int:
        """How many calls of the running case with this key have come."""
        script = self._scripts.get(key)
        return 0 if script is None else len(script.calls)

    def find(self, call: Call) -> Script | None:
        """The case whose key stands in one of the call's headers."""
        for _, value in call.headers:
            for key in KEY.findall(value):
                if (script := self._scripts.get(key)) is not None:
                    return script
        if self.keyless and call.method == "POST":
            with self._lock:
                running = list(self._scripts.values())
            return running[0] if len(running) == 1 else None
        return None

    def lose(self, call: Call) -> None:
        """Record a call without a key: the only case that runs is to blame, else nobody in particular.

        A call with the key of a case that has ended is that case's, and nobody's where it ended without an answer.
        """
        ended = [self._ended[key] for _, value in call.headers for key in KEY.findall(value) if key in self._ended]
        with self._lock:
            if ended:
                self.late.extend((case, call) for case in ended[:1] if case)
                return
            running = list(self._scripts.values())
            if len(running) == 1:
                running[0].stray(call)
            else:
                self.unclaimed.append(call)

    def answer(self, call: Call) -> tuple[Encoded, str | None, Script] | None:
        """The reply to a call, its fault, and its case; None for a call that is in no script."""
        script = self.find(call)
        if script is None:
            self.lose(call)
            return None
        if call.path == ALARM:
            script.stray(call)
            return None
        exchange = script.take(call)
        if exchange is None:
            return None
        reply = exchange.reply
        if reply.provider:
            reply = _as_provider(script.case.style, call) or reply
        encoded = encode(reply)
        script.answers.append((call, encoded, reply.fault))
        return encoded, reply.fault, script


def _as_provider(style: str, call: Call) -> Reply | None:
    """The provider's refusal of what was really sent, or None when it breaks no rule."""
    from conformance import providers  # only for cases that ask for it: the rules are many

    refusal = providers.answer(style, call.body, call.header)
    return None if refusal is None else from_provider(refusal)


# -- the server -------------------------------------------------------------------------------------------------------


class _Handler(WSGIRequestHandler):
    """Quiet, and without Nagle's delay between header and body."""

    disable_nagle_algorithm = True

    def make_environ(self) -> dict[str, Any]:
        return {**super().make_environ(), "conformance.handler": self}

    def log_request(self, *_: object) -> None:
        pass

    def log(self, *_: object) -> None:
        pass


class _Server(HTTPServerBase):
    """pytest-httpserver's server with one handler for all and no growing log."""

    def __init__(self, stub: Stub, port: int) -> None:
        super().__init__("127.0.0.1", port, threaded=True)
        self._stub = stub

    def start(self) -> None:
        # The socket is bound here because werkzeug ends the whole process when a port is taken.
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listening:
            if os.name == "posix":
                listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                listening.bind((self.host, self.port))
            except OSError as wrong:
                raise PortFault(f"the stub cannot listen on port {self.port}: {wrong.strerror}") from None
            listening.listen(128)
            self.server = make_server(
                self.host,
                self.port,
                Request.application(self.application),
                threaded=True,
                request_handler=_Handler,
                fd=listening.fileno(),
            )
        self.port = self.server.port
        self.server_thread = threading.Thread(target=self.thread_target, name="toolnexus-stub", daemon=True)
        self.server_thread.start()

    def thread_target(self) -> None:
        assert self.server is not None
        self.server.serve_forever(poll_interval=0.02)  # how long stopping takes

    def application(self, request: Request) -> Response:
        return self.dispatch(request)

    def dispatch(self, request: Request) -> Response:
        handler: BaseHTTPRequestHandler = request.environ["conformance.handler"]
        # The request line and not `handler.path`, which http.server has cleaned of a doubled slash.
        path = handler.requestline.split()[1]
        call = Call(request.method, path, tuple(handler.headers.items()), request.get_data())
        try:
            answer = self._stub.answer(call)
        except Exception as wrong:  # a reply that cannot be made is the corpus' or the kit's fault, never the port's
            if (script := self._stub.find(call)) is not None:
                script.fault = f"the stub could not answer: {type(wrong).__name__}: {wrong}"
            return _marked("fault")
        if answer is None:
            return _marked("unscripted")
        encoded, fault, script = answer
        if fault is not None:
            _break(handler, encoded, fault, script)
        if encoded.wire is not None:
            _write_raw(handler, encoded.wire)
        body = iter(encoded.pieces) if encoded.streamed else encoded.body
        return Response(body, encoded.status, list(encoded.headers), direct_passthrough=encoded.streamed)


def _marked(why: str) -> Response:
    return Response(_UNSCRIPTED, 422, {"Content-Type": "application/json", MARKER: why})


def _break(handler: BaseHTTPRequestHandler, encoded: Encoded, fault: str, script: Script) -> NoReturn:
    """Do to the connection what the case says."""
    if fault == "reset-before-reply":
        _reset(handler)
    head = b"" if fault == "stall" and not encoded.pieces else encoded.cut_short()
    if fault == "stall":
        with suppress(OSError):
            handler.connection.sendall(head)
        _hold(handler.connection, script)
        _write_raw(handler, b"")
    _write_raw(handler, head)


def _hold(connection: socket.socket, script: Script) -> None:
    """Keep the connection open until the client gives up or the case ends."""
    connection.settimeout(0)
    while not script.wait(0.02):
        try:
            if not connection.recv(1, socket.MSG_PEEK):
                return
        except BlockingIOError:
            continue
        except OSError:
            return


def _write_raw(handler: BaseHTTPRequestHandler, data: bytes) -> NoReturn:
    """Write to the socket past werkzeug, then close; raising is how werkzeug lets a handler do so."""
    handler.close_connection = True
    with suppress(OSError):  # the client may have gone first
        handler.connection.settimeout(5)
        handler.connection.sendall(data)
        handler.connection.shutdown(socket.SHUT_RDWR)
    raise ConnectionAbortedError


def _reset(handler: BaseHTTPRequestHandler) -> NoReturn:
    """Close with RST: the socket is detached first, since closing the object leaves werkzeug's file objects open."""
    linger = struct.pack("hh" if os.name == "nt" else "ii", 1, 0)
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    handle = handler.connection.detach()
    if os.name == "nt":
        socket.close(handle)
    else:
        os.close(handle)
    handler.close_connection = True
    raise ConnectionResetError
