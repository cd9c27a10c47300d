"""A provider that answers at once, as a process of its own: it takes no time from what is measured."""

from __future__ import annotations

import asyncio
import sys

from tests.bench.cases import REPLIES


class _Connection(asyncio.Protocol):
    """Answers each request with the reply of its path; connections stay open."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._buffer = b""
        self._missing = 0

    def data_received(self, data: bytes) -> None:
        if self._missing:
            self._missing -= len(data)
        else:
            self._buffer += data
            head, end, rest = self._buffer.partition(b"\r\n\r\n")
            if not end:
                return
            length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r")[0])
            self._reply = REPLIES["openai" if b"/chat/completions" in head[:100] else "anthropic"]
            self._missing, self._buffer = length - len(rest), b""
        if self._missing <= 0:
            self._missing = 0
            self._transport.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%s" % (len(self._reply), self._reply))


async def main() -> None:
    """Serves until standard input ends; says the port first."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(_Connection, "127.0.0.1", 0)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await loop.run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main())
