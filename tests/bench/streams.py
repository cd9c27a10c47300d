"""What streaming costs: `python -m tests.bench.streams` prints ratios measured in one run.

- decoding 50,000 events against splitting the same bytes into events and parsing each with msgspec (bound: 2.5 times),
- memory of a stream that is not kept,
- the time from a byte's arrival on loopback to its delta (bound: 1 ms, median).
"""

from __future__ import annotations

import json
import socket
import sys
import threading
import time
import tracemalloc
from collections.abc import Callable
from statistics import median

import msgspec

from toolnexus import Client, ClientConfig, StreamDecoder

EVENTS = 50_000
PIECE = 16 * 1024
ROUNDS = 9


def anthropic_stream() -> bytes:
    start = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None}
    events: list[dict[str, object]] = [
        {"type": "message_start", "message": {**start, "usage": {"input_tokens": 7, "output_tokens": 1}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    ]
    events += [
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": f"word {n} "}}
        for n in range(EVENTS)
    ]
    events += [
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": EVENTS}},
        {"type": "message_stop"},
    ]
    return b"".join(f"event: {e['type']}\ndata: {json.dumps(e, separators=(',', ':'))}\n\n".encode() for e in events)


def openai_stream() -> bytes:
    envelope = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-x"}
    deltas: list[tuple[dict[str, str], str | None]] = [({"role": "assistant", "content": ""}, None)]
    deltas += [({"content": f"word {n} "}, None) for n in range(EVENTS)]
    deltas.append(({}, "stop"))
    chunks = [
        {**envelope, "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}]}
        for delta, reason in deltas
    ]
    lines = [f"data: {json.dumps(chunk, separators=(',', ':'))}\n\n" for chunk in chunks]
    return "".join([*lines, "data: [DONE]\n\n"]).encode()


def split_and_parse(data: bytes) -> None:
    decode = msgspec.json.Decoder().decode
    for block in data.split(b"\n\n"):
        start = block.find(b"data: ")
        if start >= 0 and not block.endswith(b"[DONE]"):
            decode(block[start + 6 :])


def decoded(data: bytes, style: str, *, keep: bool) -> None:
    decoder = StreamDecoder(ClientConfig("http://127.0.0.1/v1", style, "m"), keep=keep)  # type: ignore[arg-type]
    count = sum(len(decoder.feed(data[i : i + PIECE])) for i in range(0, len(data), PIECE)) + len(decoder.close())
    assert count > EVENTS


def seconds(function: Callable[[], None]) -> float:
    started = time.perf_counter()
    function()
    return time.perf_counter() - started


def ratio(data: bytes, style: str, *, keep: bool) -> float:
    """The median of ratios measured side by side, so that a busy machine slows both."""
    return median(
        seconds(lambda: decoded(data, style, keep=keep)) / seconds(lambda: split_and_parse(data)) for _ in range(ROUNDS)
    )


def growth(data: bytes) -> int:
    """Bytes held after the stream that were not held near its beginning."""
    decoder = StreamDecoder(ClientConfig("http://127.0.0.1", "anthropic", "m"), keep=False)
    pieces = [data[i : i + PIECE] for i in range(0, len(data), PIECE)]
    for piece in pieces[:5]:
        decoder.feed(piece)
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    for piece in pieces[5:]:
        decoder.feed(piece)
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return after - before


def first_delta_ms() -> float:
    """Median milliseconds from the moment a text's bytes are written to the moment its delta is in hand."""
    body = anthropic_stream().split(b"\n\n")
    written: list[float] = []
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.recv(65536)
            connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")
            connection.sendall(b"\n\n".join(body[:2]) + b"\n\n")
            for event in body[2:102]:
                time.sleep(0.005)
                written.append(time.perf_counter())
                connection.sendall(event + b"\n\n")
            connection.sendall(b"\n\n".join(body[-4:]))

    threading.Thread(target=serve, daemon=True).start()
    seen = []
    with Client(f"http://127.0.0.1:{listener.getsockname()[1]}", "anthropic", "m", api_key="k" * 8) as client:
        for delta in client.stream([{"role": "user", "content": "hi"}]):
            if delta.content is not None:
                seen.append(time.perf_counter())
    listener.close()
    return median(arrival - sent for arrival, sent in zip(seen, written, strict=True)) * 1000


def main() -> None:
    rows = [
        ("anthropic, not kept", ratio(anthropic_stream(), "anthropic", keep=False), 2.5),
        ("anthropic, kept", ratio(anthropic_stream(), "anthropic", keep=True), 2.5),
        ("openai, not kept", ratio(openai_stream(), "openai", keep=False), 2.5),
        ("openai, kept", ratio(openai_stream(), "openai", keep=True), 2.5),
    ]
    out = sys.stdout.write
    for name, value, bound in rows:
        out(f"decode 50,000 events, {name}: {value:.2f} times splitting and parsing (bound {bound})\n")
    out(f"memory growth of a stream that is not kept: {growth(anthropic_stream())} bytes\n")
    out(f"from byte to delta on loopback: {first_delta_ms():.3f} ms, median (bound 1)\n")


if __name__ == "__main__":
    main()
