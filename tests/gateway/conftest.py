"""The sample gateway as a process of its own, its upstream wherever a test wants it."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

SCRIPT = Path(__file__).parent / "gateway.py"
READY_S = 30


@pytest.fixture
def free_port() -> Callable[[], int]:
    """Gives ports of 127.0.0.1 that nobody listens on.

    They lie below those that systems hand out by themselves: one of those may be somebody's before it is used.
    """

    def find() -> int:
        for port in iter(lambda: random.randrange(15_000, 30_000), None):
            with contextlib.suppress(OSError), socket.socket() as taken:
                taken.bind(("127.0.0.1", port))
                return port
        raise AssertionError("no port is free")

    return find


@pytest.fixture
def gateway(free_port: Callable[[], int]) -> Iterator[Callable[..., str]]:
    """Starts the gateway with an upstream, and gives its base URL."""
    processes: list[subprocess.Popen[bytes]] = []

    def start(upstream: str, *options: str) -> str:
        port = free_port()
        command = [sys.executable, str(SCRIPT), "--port", str(port), "--upstream", upstream, *options]
        processes.append(subprocess.Popen(command, start_new_session=True))
        url = f"http://127.0.0.1:{port}/v1"
        until = time.monotonic() + READY_S
        while time.monotonic() < until and processes[-1].poll() is None:
            try:
                httpx.get(f"{url}/models", trust_env=False)
                return url
            except httpx.TransportError:
                time.sleep(0.05)
        raise AssertionError("the gateway did not start")

    yield start
    for process in processes:
        os.kill(process.pid, signal.SIGTERM)
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
