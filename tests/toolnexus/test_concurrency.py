"""One client for everyone: nothing is lost, nothing mixed (clause `call.stateless`)."""

from __future__ import annotations

import asyncio
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from toolnexus import AsyncClient, Client, TranslateResult

THREADS, EACH = 32, 8
TASKS = 500


def echo(provider: Any, seen: Any, wire: Any) -> None:
    """Answers with what was asked, and counts as many tokens as its number says."""
    asked = seen.json()["messages"][0]["content"]
    number = int(asked.rpartition(" ")[2])
    body = {
        **provider.anthropic,
        "content": [{"type": "text", "text": asked}],
        "usage": {"input_tokens": number, "output_tokens": 1},
    }
    wire.send(provider.http(200, json.dumps(body).encode()))


def check(number: int, result: TranslateResult) -> int:
    assert result.text == f"call {number}"
    assert result.usage.prompt_tokens == number
    return number


def question(number: int) -> list[dict[str, Any]]:
    return [{"role": "user", "content": f"call {number}"}]


def counted(text: str, calls: int) -> None:
    assert f'requests_total{{model="claude-x",status="ok"}} {calls}\n' in text
    assert f'tokens_total{{type="prompt"}} {sum(range(calls))}\n' in text


def test_one_client_serves_32_threads(provider: Any) -> None:
    provider.script = lambda seen, wire: echo(provider, seen, wire)
    begin = threading.Barrier(THREADS)

    def work(thread: int) -> list[int]:
        # All at once, the client's first connection too.
        begin.wait()
        return [check(n, client.translate(question(n))) for n in range(thread * EACH, thread * EACH + EACH)]

    with Client(provider.url, "anthropic", "claude-x", retries=0) as client, ThreadPoolExecutor(THREADS) as pool:
        answered = [number for numbers in pool.map(work, range(THREADS)) for number in numbers]
        text = client.metrics()
    assert sorted(answered) == list(range(THREADS * EACH))
    assert len(provider.seen) == THREADS * EACH
    assert provider.connections <= THREADS
    counted(text, THREADS * EACH)


def test_one_client_serves_500_tasks(provider: Any) -> None:
    provider.script = lambda seen, wire: echo(provider, seen, wire)

    async def run() -> tuple[list[int], str]:
        async with AsyncClient(provider.url, "anthropic", "claude-x", retries=0) as client:

            async def one(number: int) -> int:
                return check(number, await client.translate(question(number)))

            return await asyncio.gather(*map(one, range(TASKS))), client.metrics()

    answered, text = asyncio.run(run())
    assert answered == list(range(TASKS))
    assert len(provider.seen) == TASKS
    counted(text, TASKS)


def test_two_calls_share_nothing(provider: Any) -> None:
    provider.script = lambda seen, wire: wire.send(provider.good(seen))
    hooked: list[Any] = []

    def first_only(seen: Any) -> Any:
        hooked.append(seen)
        return {"messages": [{"role": "user", "content": "changed"}], "tools": []} if len(hooked) == 1 else None

    with Client(provider.url, "anthropic", "claude-x", hooks={"before_llm": first_only}) as client:
        client.translate(question(1), tools=[{"type": "function", "function": {"name": "f"}}], system="s", max_tokens=1)
        client.translate(question(2))
    first, second = (seen.json() for seen in provider.seen)
    assert first["messages"] == [{"role": "user", "content": "changed"}]
    assert second == {"model": "claude-x", "max_tokens": 4096, "messages": question(2)}
