"""Does Anthropic's own SDK agree with the corpus?

    python check.py            needs toolnexus-conformance[dev], which pins the SDK

Every expected body of an Anthropic case is held against the SDK's request types, then sent by the SDK's own client to
the loopback stub, which must see exactly that body. Every canned JSON answer must come back through the client as it
was scripted: a `Message` with the same blocks, or an `APIStatusError` with the same status. Ends with 1 if anything
differs.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

import anthropic

from conformance import corpus
from conformance.case import Case, Exchange
from conformance.compare import match
from conformance.providers.sdk_types import check_request
from conformance.stub import Script, Stub
from conformance.tree import Json, plain, read_bytes

#: Clauses about bodies, or about answers that are Anthropic's: the rest scripts what no Anthropic server would say.
ODD = ("error.", "retry.", "openai.", "anthropic.finish-more", "anthropic.unknown-blocks", "anthropic.args-string")


def main() -> int:
    """Run the check over the corpus and tell what differs."""
    counts: Counter[str] = Counter()
    faults: list[str] = []
    with Stub() as stub:
        for case in corpus.read(corpus.find()).cases:
            if case.style == "anthropic" and case.op == "translate":
                for exchange in case.exchanges[:1]:
                    faults.extend(f"{case.id}: {fault}" for fault in check(case, exchange, stub, counts))
    for fault in faults:
        print(fault)
    print(f"anthropic {anthropic.__version__}: " + ", ".join(f"{number} {name}" for name, number in counts.items()))
    print(f"{len(faults)} differences")
    return 1 if faults else 0


def check(case: Case, exchange: Exchange, stub: Stub, counts: Counter[str]) -> Iterator[str]:
    """What the SDK has against one expected body and its canned answer."""
    expected = exchange.expect.body
    if not isinstance(expected, dict) or "$" in {key[:1] for key in keys(expected)}:
        counts["bodies not sent (loosened, or without one)"] += 1
        return
    body: Any = plain(expected)
    counts["bodies"] += 1
    deliberate = bool(case.tree.get("deviates"))
    if not deliberate:
        yield from (f"request types: {complaint}" for complaint in check_request("anthropic", body))
    with stub.script(case) as script:
        answer = send(stub, script, body)
        if not script.calls or match(expected, read_bytes(script.calls[0].body)) is not None:
            yield "the client did not send the body as it is"
    reply = exchange.reply
    scripted = reply.payload if reply.kind == "json" else None
    if not isinstance(scripted, dict) or deliberate or any(clause.startswith(ODD) for clause in case.clauses):
        counts["answers not compared (not Anthropic's own shape)"] += 1
        return
    counts["answers"] += 1
    yield from compared(scripted, reply.status, answer)


def keys(value: Json) -> Iterator[str]:
    """Every key of a tree."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield key if key not in ("$ref", "$defs", "$schema", "$id", "$anchor", "$comment") else ""
            yield from keys(item)
    elif isinstance(value, list):
        for item in value:
            yield from keys(item)


def send(stub: Stub, script: Script, body: dict[str, Any]) -> Any:
    """The client's answer to a body: a `Message`, or the error it raises."""
    client = anthropic.Anthropic(api_key=script.key, base_url=stub.url, max_retries=0, timeout=5)
    try:
        return client.post("/v1/messages", body=body, cast_to=anthropic.types.Message)
    except (anthropic.AnthropicError, ValueError) as wrong:  # ValueError: an answer that is no JSON
        return wrong


def compared(scripted: dict[str, Json], status: int, answer: Any) -> Iterator[str]:
    """Does the client's answer hold what was scripted?"""
    if status >= 400:
        if not isinstance(answer, anthropic.APIStatusError) or answer.status_code != status:
            yield f"status {status} came as {answer!r}"
        return
    if not isinstance(answer, anthropic.types.Message):
        yield f"the answer came as {answer!r}"
        return
    came = answer.to_dict(exclude_unset=True, mode="json")
    for key, value in scripted.items():
        if came.get(key) != plain(value):
            yield f"answer {key}: scripted {plain(value)!r}, came {came.get(key)!r}"


if __name__ == "__main__":
    sys.exit(main())
