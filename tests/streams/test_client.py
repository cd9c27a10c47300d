"""`client.stream` over a loopback connection: deltas when their bytes arrive, and nothing left behind."""

from __future__ import annotations

import asyncio
import gc
import json
import socket
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any

import pytest

from toolnexus import (
    AsyncClient,
    Client,
    Delta,
    InvalidRequest,
    InvalidResponse,
    MetricEvent,
    ProviderError,
    Stream,
    StreamDecoder,
    TranslateError,
    TransportError,
)

MESSAGES = [{"role": "user", "content": "hi"}]


def event(kind: str, **fields: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode()


START = event(
    "message_start",
    message={
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [],
        "stop_reason": None,
        "usage": {"input_tokens": 7, "output_tokens": 1},
    },
)
BLOCK = event("content_block_start", index=0, content_block={"type": "text", "text": ""})
END = (
    event("content_block_stop", index=0)
    + event("message_delta", delta={"stop_reason": "end_turn"}, usage={"output_tokens": 5})
    + event("message_stop")
)


def text(words: str) -> bytes:
    return event("content_block_delta", index=0, delta={"type": "text_delta", "text": words})


class Provider:
    """A socket server that lets a test write the answer piece by piece."""

    def __init__(self, answer: Callable[[Provider, socket.socket], None]) -> None:
        self.requests: list[bytes] = []
        self.hung_up = threading.Event()
        self._answer = answer
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.base = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._one, args=(connection,), daemon=True).start()

    def _one(self, connection: socket.socket) -> None:
        with connection:
            data = b""
            while b"\r\n\r\n" not in data:
                data += connection.recv(65536)
            head, _, body = data.partition(b"\r\n\r\n")
            length = int(
                next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length")).split(b":")[1]
            )
            while len(body) < length:
                body += connection.recv(65536)
            self.requests.append(body)
            try:
                self._answer(self, connection)
            except OSError:
                self.hung_up.set()

    def close(self) -> None:
        self._listener.close()


HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


def plainly(*pieces: bytes) -> Callable[[Provider, socket.socket], None]:
    def answer(provider: Provider, connection: socket.socket) -> None:
        connection.sendall(HEAD)
        for piece in pieces:
            connection.sendall(chunk(piece))
        connection.sendall(b"0\r\n\r\n")

    return answer


@contextmanager
def serving(answer: Callable[[Provider, socket.socket], None]) -> Iterator[Provider]:
    provider = Provider(answer)
    try:
        yield provider
    finally:
        provider.close()


def client(provider: Provider, **settings: Any) -> Client:
    return Client(provider.base, "anthropic", "claude-x", api_key="key-for-tests", retries=0, **settings)


def read(stream: Stream, into: list[Delta]) -> None:
    for delta in stream:
        into.append(delta)


def words(deltas: list[Delta]) -> str:
    return "".join(delta.content or "" for delta in deltas)


def test_the_request_is_that_of_translate_and_asks_for_a_stream() -> None:
    with serving(plainly(START, BLOCK, text("hello"), END)) as provider, client(provider) as c:
        list(c.stream(MESSAGES, max_tokens=5))
    assert json.loads(provider.requests[0]) == {
        "model": "claude-x",
        "max_tokens": 5,
        "messages": MESSAGES,
        "stream": True,
    }


def test_deltas_then_the_result() -> None:
    with serving(plainly(START, BLOCK, text("hel"), text("lo"), END)) as provider, client(provider) as c:
        with c.stream(MESSAGES) as stream:
            deltas = list(stream)
        assert words(deltas) == "hello"
        assert stream.result().text == "hello"
        assert stream.result().usage.total_tokens == 12
        assert (stream.response_id, stream.model) == ("msg_1", "m")


def test_async_deltas_then_the_result() -> None:
    async def main(base: str) -> tuple[list[Delta], str]:
        async with (
            AsyncClient(base, "anthropic", "claude-x", api_key="key-for-tests") as c,
            c.stream(MESSAGES) as stream,
        ):
            deltas = [delta async for delta in stream]
            return deltas, stream.result().text

    with serving(plainly(START, BLOCK, text("hel"), text("lo"), END)) as provider:
        deltas, whole = asyncio.run(main(provider.base))
    assert words(deltas) == whole == "hello"


def test_a_delta_is_handed_on_when_its_bytes_arrive() -> None:
    sent_at: list[float] = []

    def answer(provider: Provider, connection: socket.socket) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.sendall(HEAD + chunk(START + BLOCK))
        for number in range(40):
            time.sleep(0.01)
            sent_at.append(time.perf_counter())
            connection.sendall(chunk(text(f"{number} ")))
        connection.sendall(chunk(END) + b"0\r\n\r\n")

    seen_at = []
    with serving(answer) as provider, client(provider) as c:
        for delta in c.stream(MESSAGES):
            if delta.content:
                seen_at.append(time.perf_counter())
    waits = [seen - sent for seen, sent in zip(seen_at, sent_at, strict=True)]
    assert median(waits) < 0.005, f"median {median(waits) * 1000:.2f} ms from byte to delta"


def test_leaving_early_closes_the_connection() -> None:
    def answer(provider: Provider, connection: socket.socket) -> None:
        connection.sendall(HEAD + chunk(START + BLOCK))
        for number in range(2_000):
            connection.sendall(chunk(text(f"{number} ")))
            time.sleep(0.005)

    with serving(answer) as provider, client(provider) as c:
        with c.stream(MESSAGES) as stream:
            for delta in stream:
                if delta.content:
                    break
        assert provider.hung_up.wait(5)
        assert list(stream) == []


def test_cancelling_the_task_closes_the_connection() -> None:
    def answer(provider: Provider, connection: socket.socket) -> None:
        connection.sendall(HEAD + chunk(START + BLOCK))
        for number in range(2_000):
            connection.sendall(chunk(text(f"{number} ")))
            time.sleep(0.005)

    async def main(base: str) -> None:
        async with AsyncClient(base, "anthropic", "claude-x", api_key="key-for-tests") as c:
            begun = asyncio.Event()

            async def read() -> None:
                async with c.stream(MESSAGES) as stream:
                    async for delta in stream:
                        if delta.content:
                            begun.set()

            task = asyncio.create_task(read())
            await begun.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    with serving(answer) as provider:
        asyncio.run(main(provider.base))
        assert provider.hung_up.wait(5)


def test_a_cut_connection_raises_with_what_had_arrived() -> None:
    def answer(provider: Provider, connection: socket.socket) -> None:
        connection.sendall(HEAD + chunk(START + BLOCK + text("half an ans")))

    deltas: list[Delta] = []
    with serving(answer) as provider, client(provider) as c, pytest.raises(TransportError) as caught:
        read(c.stream(MESSAGES), deltas)
    assert words(deltas) == "half an ans"
    assert caught.value.partial is not None
    assert caught.value.partial.text == "half an ans"
    assert caught.value.partial.usage.prompt_tokens == 7


def test_an_error_event_raises_with_what_had_arrived() -> None:
    overloaded = event("error", error={"type": "overloaded_error", "message": "Overloaded"})
    deltas: list[Delta] = []
    with (
        serving(plainly(START, BLOCK, text("par"), overloaded)) as provider,
        client(provider) as c,
        pytest.raises(ProviderError) as caught,
    ):
        read(c.stream(MESSAGES), deltas)
    assert words(deltas) == "par"
    assert (caught.value.status, caught.value.type) == (503, "overloaded_error")
    assert caught.value.partial is not None
    assert caught.value.partial.text == "par"


def test_an_end_without_its_marker_raises() -> None:
    with (
        serving(plainly(START, BLOCK, text("almost"))) as provider,
        client(provider) as c,
        pytest.raises(InvalidResponse, match="end marker"),
    ):
        list(c.stream(MESSAGES))


def test_attempts_are_repeated_only_before_the_first_byte() -> None:
    answers = iter([b"HTTP/1.1 529 Overloaded\r\nconnection: close\r\ncontent-length: 0\r\n\r\n", b""])

    def answer(provider: Provider, connection: socket.socket) -> None:
        refusal = next(answers, None)
        if refusal is None:
            plainly(START, BLOCK, text("third time"), END)(provider, connection)
        else:
            connection.sendall(refusal)

    with serving(answer) as provider:
        c = Client(provider.base, "anthropic", "claude-x", api_key="k-for-tests", retries=2, retry_base_ms=0)
        assert words(list(c.stream(MESSAGES))) == "third time"
        assert len(provider.requests) == 3
        c.close()


def test_nothing_is_repeated_after_the_first_byte() -> None:
    def answer(provider: Provider, connection: socket.socket) -> None:
        connection.sendall(HEAD + chunk(START))

    with serving(answer) as provider:
        c = Client(provider.base, "anthropic", "claude-x", api_key="k-for-tests", retries=3, retry_base_ms=0)
        with pytest.raises(TransportError):
            list(c.stream(MESSAGES))
        assert len(provider.requests) == 1
        c.close()


def test_the_deadline_covers_the_whole_stream() -> None:
    def answer(provider: Provider, connection: socket.socket) -> None:
        connection.sendall(HEAD + chunk(START + BLOCK))
        for number in range(2_000):
            connection.sendall(chunk(text(f"{number} ")))
            time.sleep(0.02)

    with serving(answer) as provider, client(provider, timeout_ms=300) as c:
        started = time.monotonic()
        with pytest.raises(TransportError) as caught:
            list(c.stream(MESSAGES))
    assert caught.value.kind == "timeout"
    assert time.monotonic() - started < 3


def set_at_first_text(stream: Stream, token: threading.Event) -> None:
    for delta in stream:
        if delta.content:
            token.set()


def test_a_set_token_stops_the_stream() -> None:
    token = threading.Event()

    def answer(provider: Provider, connection: socket.socket) -> None:
        connection.sendall(HEAD + chunk(START + BLOCK))
        for number in range(500):
            connection.sendall(chunk(text(f"{number} ")))
            time.sleep(0.01)

    with serving(answer) as provider, client(provider) as c, pytest.raises(TransportError) as caught:
        set_at_first_text(c.stream(MESSAGES, cancel=token), token)
    assert caught.value.kind == "cancelled"


def test_hooks_and_metrics_are_those_of_translate() -> None:
    seen: list[str] = []
    events: list[MetricEvent] = []
    hooks = {
        "before_llm": lambda call: seen.append(f"before {call['messages'][0]['content']}"),
        "after_llm": lambda call: seen.append(f"after {call['response']['content'][0]['text']}"),
    }
    with (
        serving(plainly(START, BLOCK, text("hello"), END)) as provider,
        client(provider, hooks=hooks, on_metric=events.append) as c,
    ):
        list(c.stream(MESSAGES))
        assert seen == ["before hi", "after hello"]
        assert [(e.status, e.prompt_tokens, e.completion_tokens) for e in events] == [("ok", 7, 5)]
        assert events[0].first_delta_ms is not None
        assert events[0].first_delta_ms <= events[0].ms
        assert 'toolnexus_llm_requests_total{model="claude-x",status="ok"} 1' in c.metrics()


def test_a_broken_stream_is_counted_once_as_an_error() -> None:
    events: list[MetricEvent] = []
    after: list[Any] = []
    with (
        serving(plainly(START)) as provider,
        client(provider, hooks={"after_llm": after.append}, on_metric=events.append) as c,
    ):
        with pytest.raises(InvalidResponse):
            list(c.stream(MESSAGES))
        assert [e.status for e in events] == ["error"]
        assert after == []


def test_a_refused_request_makes_no_call() -> None:
    with serving(plainly()) as provider, client(provider) as c:
        with pytest.raises(InvalidRequest):
            list(c.stream([]))
        assert provider.requests == []


def test_without_keeping_there_is_no_result() -> None:
    with serving(plainly(START, BLOCK, text("hello"), END)) as provider, client(provider) as c:
        stream = c.stream(MESSAGES, keep_result=False)
        assert words(list(stream)) == "hello"
        with pytest.raises(TranslateError, match="not kept"):
            stream.result()


def test_memory_does_not_grow_with_a_stream_that_is_not_kept() -> None:
    from toolnexus import ClientConfig

    decoder = StreamDecoder(ClientConfig("http://127.0.0.1", "anthropic", "claude-x"), keep=False)
    decoder.feed(START + BLOCK)
    piece = text("word " * 20) * 50
    decoder.feed(piece)
    gc.collect()
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    for _ in range(200):
        decoder.feed(piece)
    gc.collect()
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert after - before < 50_000, f"{after - before} bytes after {200 * len(piece)} bytes of stream"


def test_a_plain_json_answer_is_given_as_its_deltas() -> None:
    body = json.dumps({"id": "msg_2", "content": [{"type": "text", "text": "all at once"}], "stop_reason": "end_turn",
                       "usage": {"input_tokens": 1, "output_tokens": 2}}).encode()  # fmt: skip

    def answer(provider: Provider, connection: socket.socket) -> None:
        connection.sendall(
            b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body)
        )

    with serving(answer) as provider, client(provider) as c, c.stream(MESSAGES) as stream:
        deltas = list(stream)
        assert words(deltas) == "all at once"
        assert deltas[0].role == "assistant"
        assert stream.result().finish_reason == "stop"


def test_no_secret_shows_in_an_error_of_a_stream() -> None:
    echo = event("error", error={"type": "authentication_error", "message": "bad key key-for-tests"})
    with serving(plainly(START, echo)) as provider, client(provider) as c, pytest.raises(ProviderError) as caught:
        list(c.stream(MESSAGES))
    assert "key-for-tests" not in str(caught.value)
    assert "[redacted]" in str(caught.value)


def test_a_stream_that_never_began_says_why_again() -> None:
    def answer(provider: Provider, connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 529 Busy\r\ncontent-length: 2\r\n\r\n{}")

    with serving(answer) as provider, client(provider) as c:
        stream = c.stream(MESSAGES)
        with pytest.raises(ProviderError) as caught:
            next(iter(stream))
        with pytest.raises(ProviderError) as again:
            stream.result()
    assert again.value is caught.value
