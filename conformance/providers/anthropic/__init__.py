"""Anthropic's Messages API: its rules in the order it is taken to check them (wire-facts B8).

Auth header, version header, JSON, schema (fields, tools, media, cache marks), model capability, conversation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from conformance.providers.anthropic import (
    caching,
    capability,
    content,
    conversation,
    declarations,
    fields,
    media,
    schema,
    strict,
    turns,
)
from conformance.providers.anthropic.models import model
from conformance.providers.anthropic.rules import RULES
from conformance.providers.incoming import Incoming, UnreadableError
from conformance.providers.violation import Violation

__all__ = ["RULES", "check", "reply", "reply_headers"]

MOST_BYTES = 32 * 1024 * 1024
REQUEST_ID = "req_011CconformanceStub00000"

_SCHEMA_CHECKS = (*fields.CHECKS, *declarations.CHECKS, *strict.CHECKS, *media.CHECKS, *caching.CHECKS)
_TALK_CHECKS = (*content.CHECKS, *turns.CHECKS)


def check(incoming: Incoming) -> Iterator[Violation]:
    """What Anthropic has against a request, in its order."""
    yield from _headers(incoming)
    if incoming.size() > MOST_BYTES:
        yield RULES["b8-52-body-size"].broken()
        return
    try:
        body = incoming.read()
    except UnreadableError as wrong:
        rule = "b8-53-lone-surrogate" if wrong.surrogate else "b1-json"
        yield RULES[rule].broken(reason=wrong.reason)
        return
    if not isinstance(body, dict):
        yield RULES["b2-type"].broken(want="dictionary")
        return
    yield from _body(body, incoming)


def reply(violation: Violation) -> Mapping[str, Any]:
    """The JSON of the error Anthropic answers with (B12)."""
    error = {"type": violation.type, "message": violation.message}
    return {"type": "error", "error": error, "request_id": REQUEST_ID}


def reply_headers(_violation: Violation) -> Mapping[str, str]:
    """The headers of that answer."""
    return {"request-id": REQUEST_ID}


def _headers(incoming: Incoming) -> Iterator[Violation]:
    if incoming.headers is None:
        return
    bearer = incoming.header("authorization").partition(" ")
    if not incoming.header("x-api-key") and not (bearer[0].lower() == "bearer" and bearer[2].strip()):
        yield RULES["b1-auth"].broken()
    if not incoming.header("anthropic-version"):
        yield RULES["b1-version"].broken()
    if incoming.header("content-type").partition(";")[0].strip().lower() != "application/json":
        yield RULES["b1-content-type"].broken()


def _body(body: Mapping[str, Any], incoming: Incoming) -> Iterator[Violation]:
    talk = conversation.read(body)
    row = model(body.get("model"))
    yield from schema.fits(body, incoming)
    if incoming.version == capability.NEXT_VERSION:
        yield from capability.next_version(talk)
    yield from chain.from_iterable(judge(talk) for judge in _SCHEMA_CHECKS)
    yield from chain.from_iterable(judge(talk, row) for judge in capability.CHECKS)
    yield from chain.from_iterable(judge(talk) for judge in _TALK_CHECKS)
