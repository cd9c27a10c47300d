"""The four checks of a case: `request`, `calls`, `result` and `warnings`, each as one function."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal, Protocol

from conformance import openai_view
from conformance.case import Case, Expect, expand
from conformance.compare import match
from conformance.deltas import joined
from conformance.differences import Difference, between
from conformance.listed import error_views, result_views
from conformance.observation import ALARM, Answer, Call, NoAnswer, Observation, Outcome
from conformance.tree import ABSENT, Absent, Json, NotJson, Number, compact, read_bytes

CheckName = Literal["request", "calls", "result", "warnings"]
CheckState = Literal["pass", "equivalent", "fail", "n/a"]
CHECKS: Final[tuple[CheckName, ...]] = ("request", "calls", "result", "warnings")


@dataclass(frozen=True, slots=True)
class Check:
    """One check: how it went, and every difference found; an equivalent check has some, too.

    `meant` are the differences that are left under the equivalences, in the provider's normal form.
    """

    name: CheckName
    state: CheckState
    differences: tuple[Difference, ...] = ()
    meant: tuple[Difference, ...] = ()


class Equivalences(Protocol):
    """Normal forms under the closed list of equivalences."""

    def body(self, body: Json, style: str) -> Json:
        """The body in the style's normal form."""

    def headers(self, headers: Mapping[str, str], style: str) -> dict[str, str]:
        """The headers, by lower-case name, in the style's normal form."""


def _check(name: CheckName, differences: Iterable[Difference]) -> Check:
    found = tuple(differences)
    return Check(name, "fail" if found else "pass", found)


# -- request ----------------------------------------------------------------------------------------------------------


def request(case: Case, seen: Observation, stub: str, equivalences: Callable[[], Equivalences]) -> Check:
    """Is every call what the case expects? `equivalences` is asked for only where one is not."""
    exact: list[Difference] = []
    meant: list[Difference] = []
    several = len(case.exchanges) * case.repeat > 1
    for number, call in enumerate(seen.calls[: len(case.exchanges) * case.repeat]):
        expect = _filled(case.exchanges[number % len(case.exchanges)].expect, stub, seen.key)
        found = list(_one_request(expect, call))
        at = f"call {number + 1} " if several else ""
        exact.extend(_shown(difference, at, seen.key) for difference in found)
        if found:
            left = _meant(expect, call, case.style, equivalences())
            meant.extend(_shown(difference, at, seen.key) for difference in left)
    state: CheckState = "pass" if not exact else "fail" if meant else "equivalent"
    return Check("request", state, tuple(exact), tuple(meant))


def _filled(expect: Expect, stub: str, key: str) -> Expect:
    if not expect.headers:
        return expect
    return replace(expect, headers={name.lower(): expand(value, stub, key) for name, value in expect.headers.items()})


def _one_request(expect: Expect, call: Call) -> Iterator[Difference]:
    yield from _line(expect, call)
    yield from _headers(expect, call.header)
    yield from _body(expect.body, call, lambda body: body)


def _body(want: Json | Absent, call: Call, form: Callable[[Json], Json]) -> Iterator[Difference]:
    """What differs in the body, once both sides are in a form."""
    if want is ABSENT:
        return
    try:
        received = read_bytes(call.body)
    except NotJson as wrong:
        yield Difference("body", "not-json", compact(want), f"{_excerpt(call.body)} ({wrong.message})")
        return
    yield from _compared(form(want), form(received))


def _line(expect: Expect, call: Call) -> Iterator[Difference]:
    if expect.method is not None and expect.method != call.method:
        yield Difference("method", "value", expect.method, call.method)
    if expect.path is not None and expect.path != call.path:
        yield Difference("path", "value", expect.path, call.path)


def _headers(expect: Expect, sent: Mapping[str, str]) -> Iterator[Difference]:
    for name, want in expect.headers.items():
        got = sent.get(name)
        if got is None or match(want, got) is not None:
            text = want if isinstance(want, str) else compact(want)
            yield Difference(f"header {name}", "missing" if got is None else "value", text, got)
    for name in expect.present_headers:
        if name.lower() not in sent:
            yield Difference(f"header {name.lower()}", "missing", "(present)", None)
    for name in expect.absent_headers:
        if name.lower() in sent:
            yield Difference(f"header {name.lower()}", "unexpected", None, sent[name.lower()])


def _meant(expect: Expect, call: Call, style: str, equivalences: Equivalences) -> Iterator[Difference]:
    """What differs once both sides are in the provider's normal form."""
    yield from _line(expect, call)
    exact = {name: value for name, value in expect.headers.items() if isinstance(value, str)}
    headers: dict[str, Json] = {**expect.headers}
    if (normal := equivalences.headers(exact, style)) != exact:
        headers = {name: value for name, value in headers.items() if name not in exact} | dict(normal)
    yield from _headers(replace(expect, headers=headers), equivalences.headers(call.header, style))
    yield from _body(expect.body, call, lambda body: equivalences.body(body, style))


def _shown(difference: Difference, at: str, key: str) -> Difference:
    """The difference with its call's number, and without the key."""
    want, got = (text and text.replace(key, "{key}") for text in (difference.want, difference.got))
    return Difference(at + difference.where, difference.kind, want, got)


def _excerpt(body: bytes) -> str:
    text = body[:200].decode("utf-8", "replace")
    return f"{text}…" if len(body) > 200 else text


# -- calls ------------------------------------------------------------------------------------------------------------


def calls(case: Case, seen: Observation) -> Check:
    """Did the port make the calls of the script, and no other?"""
    return _check("calls", _call_faults(case, seen))


def _call_faults(case: Case, seen: Observation) -> Iterator[Difference]:
    expected = len(case.exchanges) * case.repeat
    if len(seen.calls) != expected:
        kind: Literal["missing", "unexpected"] = "missing" if len(seen.calls) < expected else "unexpected"
        yield Difference("calls", kind, str(expected), str(len(seen.calls)))
    for call in seen.strays:
        what = "a tool ran: " if call.path == ALARM else "a call without the case's key: "
        yield Difference("calls", "unexpected", None, f"{what}{call.method} {call.path}")


# -- result -----------------------------------------------------------------------------------------------------------


def result(case: Case, seen: Observation, *, pointers: bool) -> Check:
    """Is the outcome the one expected, and is the case's key nowhere in it? `pointers` as the capability."""
    if isinstance(seen.outcome, NoAnswer):
        return _check("result", [Difference("outcome", "missing", "a reply", seen.outcome.message)])
    if not isinstance(seen.outcome, Answer):
        return _check("result", [Difference("outcome", "missing", "a reply", "none")])
    return _check("result", [*_outcome(case, seen.outcome, pointers), *_secrets(seen, seen.outcome.value)])


def _outcome(case: Case, given: Answer, pointers: bool) -> Iterator[Difference]:
    answer = given.value
    kind = "declare" if case.declare is not None else "error" if case.error is not None else "result"
    got = _kind_of(answer)
    if kind != got:
        yield Difference("outcome", "type", _brief(kind, case.tree[kind]), _brief(got, _payload(answer, got)))
        return
    yield from _compared(*_views(case, given, pointers))
    if case.deltas is not None:
        yield from _compared(joined(case.deltas), joined(answer.get("deltas") or []), "/deltas")
    if case.fired:
        fired = answer.get("fired")
        # A count that a port leaves out is 0: a hook that did not fire.
        listed = {key: fired.get(key, Number("0")) for key in case.fired} if isinstance(fired, dict) else fired
        yield from _compared(case.fired, listed, "/fired")


def _kind_of(answer: dict[str, Json]) -> str:
    return next((kind for kind in ("result", "error") if kind in answer), "declare")


def _payload(answer: dict[str, Json], kind: str) -> Json:
    return {style: answer.get(style) for style in _STYLES} if kind == "declare" else answer.get(kind)


def _brief(kind: str, value: Json) -> str:
    text = compact(value)
    return f"{kind} {text[:300]}…" if len(text) > 300 else f"{kind} {text}"


_STYLES: Final = ("openai", "anthropic", "gemini")


def _views(case: Case, given: Answer, pointers: bool) -> tuple[Json, Json]:
    answer = given.value
    if case.declare is not None:
        return case.declare, {style: answer[style] for style in case.declare if style in answer}
    if case.error is not None:
        got = _object(answer["error"])
        want = openai_view.expected(case.error, got) if given.openai else case.error
        return error_views(want, got, pointers=pointers)
    assert case.result is not None
    return result_views(case.result, _object(answer["result"]))


def _object(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}


def _compared(want: Json, got: Json, at: str = "") -> Iterator[Difference]:
    if match(want, got) is not None:
        yield from between(want, got, at)


def _secrets(seen: Observation, answer: dict[str, Json]) -> Iterator[Difference]:
    """The key of a case is its secret: it must come back nowhere."""
    for name, value in answer.items():
        if seen.key in compact(value):
            yield Difference("secrets", "unexpected", None, f"the API key appears in {name}")
    if any(seen.key in line for line in seen.stderr):
        yield Difference("secrets", "unexpected", None, "the API key appears in stderr")


# -- warnings ---------------------------------------------------------------------------------------------------------


def warnings(case: Case, outcome: Outcome) -> Check | None:
    """Are the warnings those expected, as a multiset of code and pointer? None where there is nothing to judge."""
    if not isinstance(outcome, Answer):
        return None
    want = Counter(case.warnings)
    got = Counter(_warning(row) for row in _list(outcome.value.get("warnings")))
    missing = [Difference(pointer or "/", "missing", code, None) for code, pointer in (want - got).elements()]
    extra = [Difference(pointer or "/", "unexpected", None, code) for code, pointer in (got - want).elements()]
    return _check("warnings", [*missing, *extra])


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _warning(row: Json) -> tuple[str, str]:
    found = _object(row)
    return str(found.get("code", "")), str(found.get("pointer", ""))
