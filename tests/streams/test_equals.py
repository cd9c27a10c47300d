"""The folded stream equals the plain result for the same answer (clause `stream.equals`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from conformance import replies
from conformance.case import Case
from tests.streams.as_stream import anthropic_events, openai_chunks
from tests.streams.streamed import cases, config_of, sent_of
from toolnexus import ClientConfig, ProviderRequest, StreamDecoder, TranslateError, decode

# A derived id avoids the ids of the calls after it; a stream has not seen those yet when it must name the call.
UNKNOWABLE = {"openai/call-ids/derived-id-is-unique[taken-later]"}
WRITERS = {"anthropic": anthropic_events, "openai": openai_chunks}


@dataclass(frozen=True)
class Pair:
    """One plain case with the stream its reply could have been."""

    case: Case
    config: ClientConfig
    sent: ProviderRequest
    plain: bytes
    stream: bytes


def pairs() -> Iterator[Pair]:
    for case in cases():
        if case.id in UNKNOWABLE or case.result is None or case.deltas is not None or not case.exchanges:
            continue
        reply = case.exchanges[-1].reply
        if reply.kind != "json" or reply.fault is not None or not 200 <= reply.status < 300:
            continue
        payload: Any = reply.payload
        if not isinstance(payload, dict):
            continue
        config = config_of(case)
        body = WRITERS[case.style](payload)
        sent = sent_of(case, config, stream=True)
        if body is not None and sent is not None:
            yield Pair(case, config, sent, replies.encode(reply).body, body)


PAIRS = list(pairs())


def test_most_plain_cases_have_a_stream() -> None:
    plain = [case for case in cases() if case.result is not None and case.deltas is None]
    assert len(PAIRS) > 0.8 * len(plain)


@pytest.mark.parametrize("pair", PAIRS, ids=[pair.case.id for pair in PAIRS])
def test_the_folded_stream_is_the_plain_result(pair: Pair) -> None:
    decoder = StreamDecoder(pair.config, pair.sent)
    deltas = decoder.feed(pair.stream) + decoder.close()
    try:
        plain = decode(200, {}, pair.plain, pair.config, pair.sent)
    except TranslateError as error:
        pytest.fail(f"the plain reply is an error: {error}")
    folded = decoder.result()
    for field in ("text", "tool_calls", "finish_reason", "usage", "model", "refusal", "reasoning", "warnings"):
        assert getattr(folded, field) == getattr(plain, field), field
    assert folded.to_message() == plain.to_message()
    text = "".join(delta.content for delta in deltas if delta.content is not None)
    assert text == plain.text
    assert [delta.finish_reason for delta in deltas if delta.finish_reason] == [plain.finish_reason]
