"""OpenAI's Chat Completions, for OpenAI itself and for servers compatible with it (wire-facts A1-A9).

Auth header, JSON, schema, then fields and messages that belong together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from conformance.providers.incoming import Incoming, UnreadableError
from conformance.providers.openai import schema, talk
from conformance.providers.openai.rules import RULES
from conformance.providers.violation import Violation

__all__ = ["RULES", "check", "reply", "reply_headers"]

REQUEST_ID = "req_conformancestub0000000000000000"


def check(incoming: Incoming) -> Iterator[Violation]:
    """What OpenAI has against a request, in its order."""
    yield from _headers(incoming)
    try:
        body = incoming.read()
    except UnreadableError as wrong:
        yield RULES["a1-lone-surrogate" if wrong.surrogate else "a1-json"].broken(reason=wrong.reason)
        if not wrong.surrogate:
            return
        body = wrong.body
    if not isinstance(body, dict):
        yield RULES["a1-json"].broken(reason="the body is no object")
        return
    yield from schema.fits(body)
    for judge in talk.CHECKS:
        yield from judge(body)


def reply(violation: Violation) -> Mapping[str, Any]:
    """The JSON of the error OpenAI answers with: all four keys, always (A9)."""
    error = {"message": violation.message, "type": violation.type, "param": violation.param, "code": violation.code}
    return {"error": error}


def reply_headers(_violation: Violation) -> Mapping[str, str]:
    """The headers of that answer."""
    return {"x-request-id": REQUEST_ID}


def _headers(incoming: Incoming) -> Iterator[Violation]:
    if incoming.headers is None:
        return
    # Compatible servers have their own ways: Azure reads `api-key` (A1), Bedrock a signature.
    if not incoming.header("api-key") and incoming.header("authorization").lower() in ("", "bearer"):
        yield RULES["a1-auth"].broken()
    if incoming.header("content-type").partition(";")[0].strip().lower() != "application/json":
        yield RULES["a1-content-type"].broken()
