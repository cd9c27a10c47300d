"""What a report keeps of a case beside its verdict: what was asked, seen, answered and given back.

Payload is kept as JSON text, exact to the token; only very long texts inside it are cut, each saying how long it was.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Final

import msgspec

from conformance.case import Case, Expect
from conformance.deltas import joined
from conformance.observation import Answer, Call, NoAnswer, NotStarted, Observation, Outcome
from conformance.replies import Encoded
from conformance.report.events import (
    About,
    CallRow,
    CaseJudged,
    CheckRow,
    DifferenceRow,
    Evidence,
    ReplyRow,
    WantedCall,
)
from conformance.report.redact import Redactor
from conformance.tree import Absent, Json, NotJson, Number, compact, read_bytes

#: A string inside a payload that is longer than this is cut to its beginning, in characters.
LONGEST_STRING: Final = 4000
_KEPT: Final = 400

#: A body that is longer than this, in bytes, is read to cut its strings, and cut itself where that does not help.
LONGEST_BODY: Final = 64 * 1024

_PARTS: Final = ("toolkit", "hooks", "request_params", "body_transform", "stream")
_OUTCOMES: Final = ("result", "error", "declare", "deltas", "fired")


def redactor(case: Case, stub: str) -> Redactor:
    """The redactor for a case: what it says itself of client and headers is no secret."""
    expected: list[Json] = [dict(exchange.expect.headers) for exchange in case.exchanges]
    return Redactor(stub, compact([case.client, *expected]))


def seen(case: Case, observed: Observation, shown: Redactor) -> Evidence:
    """What was seen of a case, without secrets."""
    replies = {id(call): (reply, fault) for call, reply, fault in observed.answers}
    return Evidence(
        calls=tuple(_call(call, replies.get(id(call)), shown) for call in observed.calls),
        strays=tuple(_call(call, None, shown) for call in observed.strays),
        answer=shown.text(_answer(observed.outcome)),
    )


def shortened(event: CaseJudged) -> CaseJudged:
    """The event, very long values of its differences cut to where they part."""
    checks = [
        CheckRow(check.name, check.state, tuple(_parting(row) for row in check.differences)) for check in event.checks
    ]
    return msgspec.structs.replace(event, checks=tuple(checks))


def _parting(row: DifferenceRow) -> DifferenceRow:
    want, got = row.want or "", row.got or ""
    if max(len(want), len(got)) <= LONGEST_STRING:
        return row
    parting = next((n for n, (left, right) in enumerate(zip(want, got, strict=False)) if left != right), 0)
    begin = max(0, parting - _KEPT)
    return DifferenceRow(row.where, row.kind, row.want and _window(want, begin), row.got and _window(got, begin))


def _window(text: str, begin: int) -> str:
    if len(text) <= LONGEST_STRING:
        return text
    piece = text[begin : begin + 2 * _KEPT]
    return f"{'…' if begin else ''}{piece}… ({len(text)} characters)"


def about(case: Case) -> About:
    """The case itself."""
    parts = {name: part for name in _PARTS if not isinstance(part := case.part(name), Absent)}
    request = case.request_text or ""
    return About(
        title=case.title,
        why=case.why,
        style=case.style,
        since=case.since,
        client=_text(case.client) if case.client else "",
        request=_body(request.encode("utf-8", "surrogatepass")),
        parts=_text(parts) if parts else "",
        repeat=case.repeat,
        wanted=tuple(_wanted(exchange.expect) for exchange in case.exchanges),
        outcome=_text(_compared({name: case.tree[name] for name in _OUTCOMES if name in case.tree})),
        warnings=_text(case.tree.get("warnings", [])),
    )


def _wanted(expect: Expect) -> WantedCall:
    rows = [f"{name}: {value if type(value) is str else compact(value)}" for name, value in expect.headers.items()]
    rows += [f"{name}: (present)" for name in expect.present_headers]
    rows += [f"{name}: (absent)" for name in expect.absent_headers]
    body = "" if isinstance(expect.body, Absent) else _text(expect.body)
    return WantedCall(expect.method or "", expect.path or "", "\n".join(rows), body)


def _call(call: Call, answered: tuple[Encoded, str | None] | None, shown: Redactor) -> CallRow:
    return CallRow(
        method=call.method,
        path=shown.text(call.path),
        headers=_headers(call.headers, shown),
        body=shown.text(_body(call.body)),
        reply=None if answered is None else _reply(*answered, shown),
    )


def _reply(encoded: Encoded, fault: str | None, shown: Redactor) -> ReplyRow:
    body = encoded.wire if encoded.wire is not None else encoded.body
    return ReplyRow(
        status=0 if encoded.wire is not None else encoded.status,
        headers=_headers(encoded.headers, shown),
        body=shown.text(_body(body)),
        fault=fault or "",
    )


def _headers(headers: Iterable[tuple[str, str]], shown: Redactor) -> tuple[tuple[str, str], ...]:
    return tuple((name, shown.header(name, value)) for name, value in headers)


def _answer(outcome: Outcome) -> str:
    match outcome:
        case Answer(value=value):
            # The id is the message's, and another one in every run.
            return _text(_compared({name: part for name, part in value.items() if name != "id"}))
        case NoAnswer(kind=kind, message=message):
            return f"({kind}: {message})"
        case NotStarted(message=message):
            return f"(not started: {message})"


def _compared(outcome: dict[str, Json]) -> dict[str, Json]:
    """The outcome with its deltas joined as the verdict joins them, so that the pointers of differences fit."""
    return {name: joined(part) if name == "deltas" else part for name, part in outcome.items()}


# -- bounds -----------------------------------------------------------------------------------------------------------


def _body(body: bytes) -> str:
    """A body as text, as it was unless it is very long; bytes that are no UTF-8 are written `\\xff`."""
    if len(body) > LONGEST_BODY:
        try:
            return _text(read_bytes(body))
        except NotJson:
            return _cut(body.decode("utf-8", "backslashreplace"))
    return body.decode("utf-8", "backslashreplace")


def _text(value: Json) -> str:
    text = compact(_short(value))
    return text if len(text) <= 4 * LONGEST_BODY else _cut(text)


def _short(value: Json) -> Json:
    if isinstance(value, dict):
        return {_cut(key): _short(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_short(item) for item in value]
    return _cut(value) if isinstance(value, str) else value


def _cut(text: str) -> str:
    """The text, or its beginning with its length and hash, so that two that differ further on still look unlike."""
    if len(text) <= LONGEST_STRING:
        return text
    digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    cut = f"{text[:_KEPT]}… ({len(text)} characters, sha256 {digest}…)"
    return Number(cut) if isinstance(text, Number) else cut
