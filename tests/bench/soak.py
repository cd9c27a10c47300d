"""Thousands of calls through a provider that fails one time in five, in every way: `python -m tests.bench.soak`.

Each call's fate is decided by its number, so what must come of it is known: the answer or the error, and how many
attempts reach the provider. Nothing may be lost, doubled or mixed up; memory stays flat, no thread or socket is left.
"""

# ruff: noqa: T201

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import gzip
import json
import os
import random
import socket
import struct
import sys
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from toolnexus import AsyncClient, Client, ProviderError, TranslateError, TransportError

RETRIES = 2
THREADS = 16
TASKS = 50
READ_TIMEOUT_MS = 400
SHARE_OF_FAILURES = 0.2

Fault = Callable[["Exchange"], Awaitable[None]]


@dataclass
class Exchange:
    """One request at the provider, and the means to answer it."""

    number: int
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    open: bool = True

    def body(self) -> bytes:
        """The right answer to this call."""
        block = {"type": "text", "text": f"answer {self.number}"}
        usage = {"input_tokens": 1, "output_tokens": 1}
        return json.dumps({"model": "m", "content": [block], "stop_reason": "end_turn", "usage": usage}).encode()

    def close(self) -> None:
        """Ends the connection."""
        self.open = False
        self.writer.close()


def head(status: int, length: int | None, *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status} Status", *headers]
    if length is not None:
        lines.append(f"content-length: {length}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


async def good(exchange: Exchange) -> None:
    exchange.writer.write(head(200, len(exchange.body()), "content-type: application/json") + exchange.body())


async def compressed(exchange: Exchange) -> None:
    data = gzip.compress(exchange.body())
    exchange.writer.write(head(200, len(data), "content-encoding: gzip") + data)


async def informed(exchange: Exchange) -> None:
    exchange.writer.write(b"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n")
    await good(exchange)


async def mistyped(exchange: Exchange) -> None:
    exchange.writer.write(head(200, len(exchange.body()), "content-type: text/html") + exchange.body())


async def in_chunks(exchange: Exchange) -> None:
    data = exchange.body()
    exchange.writer.write(head(200, None, "transfer-encoding: chunked"))
    for start in range(0, len(data), 40):
        piece = data[start : start + 40]
        exchange.writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        await exchange.writer.drain()
    exchange.writer.write(b"0\r\n\r\n")


def status(code: int, *headers: str) -> Fault:
    async def answer(exchange: Exchange) -> None:
        data = json.dumps(
            {"type": "error", "error": {"type": "api_error", "message": f"no {exchange.number}"}}
        ).encode()
        exchange.writer.write(head(code, len(data), *headers) + data)

    return answer


async def reset(exchange: Exchange) -> None:
    connection = exchange.writer.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    exchange.open = False
    exchange.writer.transport.abort()


async def closed(exchange: Exchange) -> None:
    exchange.close()


async def cut(exchange: Exchange) -> None:
    exchange.writer.write(head(200, len(exchange.body())) + exchange.body()[:20])
    await exchange.writer.drain()
    exchange.close()


async def too_short(exchange: Exchange) -> None:
    exchange.writer.write(head(200, len(exchange.body()) + 10) + exchange.body())
    await exchange.writer.drain()
    exchange.close()


async def stalled(exchange: Exchange) -> None:
    exchange.writer.write(head(200, 5000) + b"{")
    with contextlib.suppress(OSError):
        await exchange.reader.read(1)
    exchange.close()


async def badly_chunked(exchange: Exchange) -> None:
    exchange.writer.write(head(200, None, "transfer-encoding: chunked") + b"zz\r\n{}\r\n")
    await exchange.writer.drain()
    exchange.close()


async def badly_compressed(exchange: Exchange) -> None:
    exchange.writer.write(head(200, 4, "content-encoding: gzip") + b"abcd")


GOOD: tuple[Fault, ...] = (good, good, good, good, compressed, informed, mistyped, in_chunks)
# What is worth another attempt, and what it is raised as when attempts run out.
PASSING: dict[Fault, str] = {
    status(429): "429",
    status(429, "retry-after: 0"): "429",
    status(500): "500",
    status(503): "503",
    status(529): "529",
    reset: "reset",
    closed: "reset",
    cut: "reset",
    too_short: "reset",
    badly_chunked: "reset",
    badly_compressed: "reset",
    stalled: "timeout",
}
FINAL: dict[Fault, str] = {status(400): "400", status(401): "401", status(404): "404"}
NAMES = {**PASSING, **FINAL}


def fate(number: int, attempt: int) -> Fault:
    """What happens to an attempt: always the same for the same call."""
    chance = random.Random(number * 31 + attempt)
    if chance.random() >= SHARE_OF_FAILURES:
        return chance.choice(GOOD)
    return chance.choice([*PASSING, *FINAL])


def expected(number: int) -> tuple[str, int]:
    """What must come of a call, and how many attempts reach the provider."""
    for attempt in range(RETRIES + 1):
        fault = fate(number, attempt)
        if fault in GOOD:
            return "ok", attempt + 1
        if fault in FINAL or attempt == RETRIES:
            return NAMES[fault], attempt + 1
    raise AssertionError("unreachable")  # pragma: no cover


class Stub:
    """The provider, in a thread of its own."""

    def __init__(self) -> None:
        self.attempts: Counter[int] = Counter()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()))
        self._thread.start()
        self._ready.wait()

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        self._open: set[asyncio.Task[None]] = set()
        server = await asyncio.start_server(self._connection, "127.0.0.1", 0, backlog=1024)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        self._ready.set()
        await self._stop.wait()
        server.close()
        for task in list(self._open):
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        task.add_done_callback(self._open.discard)
        try:
            while await self._exchange(reader, writer):
                await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        top = (await reader.readuntil(b"\r\n\r\n")).lower()
        length = int(top.partition(b"content-length: ")[2].partition(b"\r")[0])
        sent = json.loads(await reader.readexactly(length))
        number = int(sent["messages"][0]["content"].rpartition(" ")[2])
        attempt = self.attempts[number]
        self.attempts[number] += 1
        exchange = Exchange(number, reader, writer)
        await fate(number, attempt)(exchange)
        return exchange.open

    def stop(self) -> None:
        """Closes everything."""
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()


@dataclass
class Report:
    """What was found: faults, and figures of interest."""

    calls: int
    faults: list[str] = field(default_factory=list)
    outcomes: Counter[str] = field(default_factory=Counter)
    attempts: int = 0
    seconds: float = 0.0
    grown_kb: int = 0
    grown_objects: int = 0

    def check(self, holds: bool, what: str) -> None:
        """Notes a fault."""
        if not holds and len(self.faults) < 20:
            self.faults.append(what)

    def call(self, number: int, outcome: str) -> None:
        """Notes what came of one call."""
        self.outcomes[outcome] += 1
        self.check(outcome == expected(number)[0], f"call {number}: {outcome}, not {expected(number)[0]}")


def question(number: int) -> list[dict[str, Any]]:
    return [{"role": "user", "content": f"call {number}"}]


def outcome(number: int, text: str | None, error: TranslateError | None) -> str:
    """One word for what came of a call; the wrong answer is named as such."""
    if isinstance(error, ProviderError):
        return str(error.status) if error.message == f"no {number}" else f"another's error: {error.message}"
    if isinstance(error, TransportError):
        return error.kind
    if error is not None:
        return type(error).__name__
    return "ok" if text == f"answer {number}" else f"another's answer: {text}"


def settings() -> dict[str, Any]:
    return {"retries": RETRIES, "retry_base_ms": 1, "read_timeout_ms": READ_TIMEOUT_MS}


def by_threads(url: str, numbers: range, report: Report) -> None:
    """All calls through one client by many threads."""

    def one(number: int) -> str:
        try:
            return outcome(number, client.translate(question(number)).text, None)
        except TranslateError as error:
            return outcome(number, None, error)

    with Client(url, "anthropic", "m", "key", **settings()) as client, ThreadPoolExecutor(THREADS) as pool:
        for number, came in zip(numbers, pool.map(one, numbers), strict=True):
            report.call(number, came)


def by_tasks(url: str, numbers: range, report: Report) -> None:
    """All calls through one client by many tasks."""

    async def run() -> None:
        waiting = iter(numbers)

        async def worker(client: AsyncClient) -> None:
            for number in waiting:
                try:
                    report.call(number, outcome(number, (await client.translate(question(number))).text, None))
                except TranslateError as error:
                    report.call(number, outcome(number, None, error))

        async with AsyncClient(url, "anthropic", "m", "key", **settings()) as client:
            await asyncio.gather(*(worker(client) for _ in range(TASKS)))

    asyncio.run(run())


def sockets_open() -> int:
    """Open descriptors of this process, where the system says."""
    return len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0


def resident_kb() -> int:
    """Memory in use, where the system says."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024
    except OSError:
        return 0


def soak(calls: int) -> Report:
    """`calls` calls, in slices by threads and by tasks in turn; what the first tenth left is measured against."""
    report = Report(calls)
    threads, descriptors = threading.active_count(), sockets_open()
    started = time.monotonic()
    stub = Stub()
    size = calls // 20
    parts = [range(start, min(start + size, calls)) for start in range(0, calls, size)]
    before = (0, 0)
    for part, numbers in enumerate(parts):
        (by_tasks if part % 2 else by_threads)(stub.url, numbers, report)
        gc.collect()
        if part == 1:
            before = resident_kb(), len(gc.get_objects())
    # The stub's own count of attempts is an integer a call.
    report.grown_kb = resident_kb() - before[0]
    report.grown_objects = len(gc.get_objects()) - before[1]
    stub.stop()
    report.seconds = time.monotonic() - started
    for number in range(calls):
        wanted, seen = expected(number)[1], stub.attempts[number]
        report.attempts += seen
        report.check(seen == wanted, f"call {number}: {seen} attempts, not {wanted}")
    report.check(sum(report.outcomes.values()) == calls, "calls were lost")
    report.check(report.grown_objects < 2000, f"{report.grown_objects} more objects")
    report.check(report.grown_kb < 8_000, f"{report.grown_kb} kB more memory")
    gc.collect()
    report.check(threading.active_count() == threads, f"threads left: {threading.enumerate()}")
    report.check(sockets_open() <= descriptors, f"descriptors: {descriptors} before, {sockets_open()} after")
    return report


def main() -> int:
    """Prints what was found; 1 where something was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=20_000)
    report = soak(parser.parse_args().calls)
    print(f"{report.calls} calls, {report.attempts} attempts, {report.seconds:.0f} s")
    print("outcomes:", ", ".join(f"{name} {count}" for name, count in sorted(report.outcomes.items())))
    print(f"memory {report.grown_kb:+} kB, objects {report.grown_objects:+}")
    for fault in report.faults:
        print("FAULT", fault)
    return 1 if report.faults else 0


if __name__ == "__main__":
    sys.exit(main())
