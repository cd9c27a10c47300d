"""The corpus as streams: the bytes of every stream case's reply, and what a decoder makes of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from conformance import corpus, replies
from conformance.case import Case
from toolnexus import ClientConfig, Delta, ProviderRequest, StreamDecoder, TranslateError, TranslateRequest, encode


@dataclass(frozen=True)
class Streamed:
    """One stream case: its settings, the request as encoded, and the answer's body."""

    case: Case
    config: ClientConfig
    sent: ProviderRequest
    body: bytes


@dataclass(frozen=True)
class Outcome:
    """What a decoder made of a body: its deltas, and the error that ended them or None."""

    deltas: list[Delta]
    error: tuple[type[Exception], str] | None
    decoder: StreamDecoder


def run(streamed: Streamed, pieces: list[bytes], *, keep: bool = True) -> Outcome:
    """Feeds the pieces and ends the body, as a client does."""
    decoder = StreamDecoder(streamed.config, streamed.sent, keep=keep)
    deltas: list[Delta] = []
    try:
        for piece in pieces:
            deltas += decoder.feed(piece)
        deltas += decoder.close()
        deltas += decoder.close()
    except TranslateError as error:
        return Outcome(deltas, (type(error), str(error)), decoder)
    return Outcome(deltas, None, decoder)


@cache
def cases() -> tuple[Case, ...]:
    """Every case of the corpus, variants too."""
    return corpus.read(corpus.find()).cases


def config_of(case: Case) -> ClientConfig:
    client = {key: value for key, value in case.client.items() if key in ("style", "model", "anthropic_version")}
    return ClientConfig("http://127.0.0.1/v1", **client)


def sent_of(case: Case, config: ClientConfig, *, stream: bool) -> ProviderRequest | None:
    """The request as encoded, None where the case is about refusing it."""
    try:
        return encode(TranslateRequest.from_json(case.request_text or "{}"), config, stream=stream)
    except TranslateError:
        return None


def stream_cases() -> Iterator[Streamed]:
    """Every stream case whose last reply is a body of events that arrives whole."""
    for case in cases():
        if case.deltas is None or not case.exchanges:
            continue
        reply = case.exchanges[-1].reply
        if reply.kind not in ("sse", "chunks") or reply.fault is not None or reply.status != 200:
            continue
        config = config_of(case)
        sent = sent_of(case, config, stream=True)
        if sent is not None:
            yield Streamed(case, config, sent, replies.encode(reply).body)


def ids(items: list[Any]) -> list[str]:
    return [item.case.id for item in items]
