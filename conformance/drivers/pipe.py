"""A Python port served over the process protocol: `python -m conformance.drivers.pipe toolnexus`.

Takes what `python:…` takes: `toolnexus`, or `package.module:factory`. What the port prints goes to stderr.
"""

from __future__ import annotations

import asyncio
import inspect
import os
import sys
from typing import IO, Any, Final

from conformance.drivers.inprocess import make
from conformance.tree import Json, Number, ascii_only, compact, from_python, plain, read_bytes

#: What the kit may send before it has a reply; messages wait in the pipe, and are handled one after the other.
IN_FLIGHT: Final = 4

_EXACT: Final = "request"


def message_of(line: bytes) -> dict[str, Any]:
    """A line as the message for a Python port: the exact `request_text` beside the decoded `request`."""
    tree: Any = read_bytes(line)
    if _EXACT not in tree:
        return dict(plain(tree))
    text = compact(tree[_EXACT])
    return {**plain(tree), "request_text": text}


def line_of(reply: Any) -> bytes:
    """A Python port's reply as a line; a float that JSON cannot hold is null."""
    return ascii_only(compact(_finite(from_python(reply)))).encode("ascii") + b"\n"


def _finite(value: Json) -> Json:
    if isinstance(value, Number):
        return None if value.startswith("(") else value
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return value


def serve(port: Any, incoming: IO[bytes], outgoing: IO[bytes]) -> None:
    """Answer one line after the other until `bye` or the end of input."""
    loop = asyncio.new_event_loop()

    def settled(value: Any) -> Any:
        return loop.run_until_complete(value) if inspect.isawaitable(value) else value

    for line in incoming:
        message = message_of(line)
        if message["op"] == "bye":
            break
        if message["op"] == "hello":
            said = port.hello(message) if inspect.signature(port.hello).parameters else port.hello()
            reply = {"max_in_flight": IN_FLIGHT, **settled(said)}
        else:
            reply = settled(port.handle(message))
        outgoing.write(line_of(reply))
        outgoing.flush()
    loop.close()


def main() -> None:
    """Serve the port that the command line names."""
    outgoing = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    serve(make(sys.argv[1]), sys.stdin.buffer, outgoing)


if __name__ == "__main__":
    main()
