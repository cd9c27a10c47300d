"""One case: what a caller asks, what the provider must see and answers, and what the caller must get.

The shape is `fixtures/case.schema.json`; here it becomes frozen values, checked just so far that whatever is wrong is
one line naming the place (a JSON pointer into the file). Payload stays an exact tree (`tree`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, cast

from conformance import shape
from conformance.canonical import NotJson
from conformance.faults import CorpusFault
from conformance.tree import (
    ABSENT,
    Absent,
    BadPointer,
    Json,
    Number,
    compact,
    expand_repeat,
    numbers,
    plain,
    put,
    read_bytes,
)

Level = Literal["must", "should", "may"]
Op = Literal["translate", "stream", "declare"]

#: The kinds a reply's body comes in; a reply has at most one.
REPLY_KINDS: Final = ("json", "text", "base64", "sse", "chunks", "wire")

#: Optional parts of a case that a port must have a capability for.
OPTIONAL: Final = ("toolkit", "hooks", "request_params", "body_transform", "declare", "stream")

#: Settings of a case's client that a port may lack; each is a capability of its own name.
OPTIONS: Final = (
    "system_prompt",
    "headers",
    "anthropic_version",
    "models",
    "retries",
    "retryable_statuses",
    "max_retry_after_s",
    "timeout_ms",
)


@dataclass(frozen=True, slots=True)
class Expect:
    """What the provider must see; None and `ABSENT` are not looked at. Headers may hold `{stub}` and `{key}`."""

    method: str | None = None
    path: str | None = None
    headers: dict[str, Json] = field(default_factory=dict)
    present_headers: tuple[str, ...] = ()
    absent_headers: tuple[str, ...] = ()
    body: Json | Absent = ABSENT


@dataclass(frozen=True, slots=True)
class Reply:
    """What the provider answers: `payload` is of the given `kind`, or there is none (an empty body)."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    kind: str | None = None
    payload: Json = None
    fault: str | None = None
    provider: bool = False


@dataclass(frozen=True, slots=True)
class Exchange:
    """One call: what is expected of it, and its answer."""

    expect: Expect
    reply: Reply


@dataclass(frozen=True, slots=True)
class Case:
    """A case, or one of its variants: `id` is `name` or `name[variant]`.

    `tree` is the whole file with the variant applied and `$repeat` written out.
    """

    id: str
    name: str
    variant: str | None
    path: Path
    tree: dict[str, Json]
    title: str
    level: Level
    clauses: tuple[str, ...]
    requires: tuple[str, ...]
    why: str
    source: dict[str, Json]
    since: str
    repeat: int
    client: dict[str, Json]
    exchanges: tuple[Exchange, ...]
    result: dict[str, Json] | None
    error: dict[str, Json] | None
    declare: dict[str, Json] | None
    deltas: list[Json] | None
    fired: dict[str, Json]
    warnings: tuple[tuple[str, str], ...]
    loose: dict[str, Json]
    variants: dict[str, Json]

    @property
    def op(self) -> Op:
        """The protocol's operation that runs the case."""
        if self.declare is not None:
            return "declare"
        return "stream" if self.deltas is not None else "translate"

    @property
    def style(self) -> str:
        """The provider style of the client; "" where only declarations are asked for."""
        return str(self.client.get("style", ""))

    @property
    def needs(self) -> tuple[str, ...]:
        """The capabilities the case needs: those it lists, and those its parts imply."""
        implied = [key for key in OPTIONAL if key in self.tree]
        style = [self.style] if self.style else []
        options = [key for key in OPTIONS if self._sets(key)]
        return tuple(dict.fromkeys([*self.requires, *style, *implied, *options]))

    def _sets(self, option: str) -> bool:
        value = self.client.get(option)
        if option == "retries":  # none is what every port can do; some are the default
            return bool(self.client) and value != "0"
        return value is not None

    @property
    def request_text(self) -> str | None:
        """The translate request as exact JSON text, big texts written out; None where there is none."""
        if "request_text" in self.tree:
            return str(self.tree["request_text"])
        return compact(self.tree["request"]) if "request" in self.tree else None

    def part(self, key: str) -> Json | Absent:
        """An optional part as a tree: `toolkit`, `hooks`, `request_params`, `body_transform`."""
        return self.tree.get(key, ABSENT)

    @property
    def features(self) -> frozenset[str]:
        """What a runner's JSON and HTTP must not lose: `number-tokens`, `bytes`, `wire`."""
        return frozenset(name for name, test in _FEATURES.items() if test(self))


def expand(value: Json, stub: str, key: str) -> Json:
    """Write out `{stub}` and `{key}` in every text of a client or of expected headers."""
    if type(value) is str:
        return value.replace("{stub}", stub).replace("{key}", key)
    if isinstance(value, dict):
        return {name: expand(item, stub, key) for name, item in value.items()}
    if isinstance(value, list):
        return [expand(item, stub, key) for item in value]
    return value


def client_for(case: Case, stub: str, key: str) -> dict[str, Any]:
    """The client's options as plain values, written out for one run; `api_key` is the case's own unless it says."""
    return cast("dict[str, Any]", plain(expand({"api_key": "{key}", **case.client}, stub, key)))


# -- reading ----------------------------------------------------------------------------------------------------------


def load(path: Path, name: str) -> tuple[Case, ...]:
    """Read one file: the case, then its variants; `name` is the id its place gives it. Raises `CorpusFault`."""
    try:
        data = path.read_bytes()
    except OSError as wrong:
        raise CorpusFault(path, "", wrong.strerror or str(wrong)) from None
    return parse(data, name, path)


def parse(data: bytes, name: str, path: Path) -> tuple[Case, ...]:
    """The cases of a file's bytes, as `load` gives them."""
    try:
        tree = read_bytes(data)
    except NotJson as wrong:
        raise CorpusFault(path, f"line {wrong.line}", wrong.message) from None
    repeats = b'"$repeat"' in data
    try:
        base = _case(tree, path, None, repeats)
        if base.name != name:
            raise shape.Misshapen(f"must be {name}, as the path says", "/id")
        return base, *(_variant(base, str(key), changes, repeats) for key, changes in base.variants.items())
    except shape.Misshapen as wrong:
        raise CorpusFault(path, wrong.pointer or "/", wrong.message) from None


def _variant(base: Case, name: str, changes: Json, repeats: bool) -> Case:
    tree: Json = {key: item for key, item in base.tree.items() if key != "variants"}
    try:
        for pointer, value in cast("dict[str, Json]", changes).items():
            tree = put(tree, pointer, value)
        return _case(tree, base.path, name, repeats)
    except BadPointer as wrong:
        raise shape.Misshapen(str(wrong), f"/variants/{name}") from None
    except shape.Misshapen as wrong:
        raise shape.Misshapen(f"makes {wrong.pointer or '/'} wrong: {wrong.message}", f"/variants/{name}") from None


#: Where `$repeat` stands for a big text.
_REPEATS: Final = ("request", "request_params", "body_transform", "exchanges")


def _written_out(tree: Json) -> Json:
    """The case with `$repeat` expanded in the request and in what the provider sees and says."""
    if not isinstance(tree, dict):
        return tree
    try:
        return {key: expand_repeat(item) if key in _REPEATS else item for key, item in tree.items()}
    except BadPointer as wrong:
        raise shape.Misshapen(str(wrong)) from None


def _case(value: Json, path: Path, variant: str | None, repeats: bool) -> Case:
    value = _written_out(value) if repeats else value
    shape.CASE(value)
    tree = cast("dict[str, Json]", value)
    _check_whole(tree)
    get: Any = tree.get
    name = str(tree["id"])
    return Case(
        id=name if variant is None else f"{name}[{variant}]",
        name=name,
        variant=variant,
        path=path,
        tree=tree,
        title=get("title"),
        level=get("level"),
        clauses=tuple(get("clauses")),
        requires=tuple(get("requires")),
        why=get("why"),
        source=get("source"),
        since=get("since"),
        repeat=int(get("repeat", 1)),
        client=get("client", {}),
        exchanges=tuple(_exchange(item) for item in get("exchanges", ())),
        result=get("result"),
        error=get("error"),
        declare=get("declare"),
        deltas=get("deltas"),
        fired=get("fired", {}),
        warnings=tuple((row["code"], row["pointer"]) for row in get("warnings", ())),
        loose=get("loose", {}),
        variants=get("variants", {}),
    )


def _check_whole(tree: dict[str, Json]) -> None:
    """What no single part shows: one request, one outcome, deltas with a stream."""
    outcomes = [key for key in ("result", "error", "declare") if key in tree]
    if len(outcomes) != 1:
        raise shape.Misshapen("must have one of result, error and declare")
    requests = [key for key in ("request", "request_text") if key in tree]
    if outcomes == ["declare"]:
        if requests or "toolkit" not in tree:
            raise shape.Misshapen("needs toolkit and no request", "/declare")
        return
    if "client" not in tree:
        raise shape.Misshapen("must have client")
    if len(requests) != 1:
        raise shape.Misshapen("must have one of request and request_text")
    if "exchanges" not in tree:
        raise shape.Misshapen("must have exchanges; [] when no call is made")
    if ("deltas" in tree) != ("stream" in tree):
        raise shape.Misshapen("stream and deltas come together")


def _exchange(item: dict[str, Any]) -> Exchange:
    expect, reply = item["expect"], item["reply"]
    kind = next((kind for kind in REPLY_KINDS if kind in reply), None)
    return Exchange(
        Expect(
            method=expect.get("method"),
            path=expect.get("path"),
            headers=expect.get("headers", {}),
            present_headers=tuple(expect.get("present_headers", ())),
            absent_headers=tuple(expect.get("absent_headers", ())),
            body=expect.get("body", ABSENT),
        ),
        Reply(
            status=int(reply.get("status", 200)),
            headers=reply.get("headers", {}),
            kind=kind,
            payload=None if kind is None else reply[kind],
            fault=reply.get("fault"),
            provider="provider" in reply,
        ),
    )


# -- features ---------------------------------------------------------------------------------------------------------

_SAFE_INTEGER: Final = 2**53


def _survives(token: Number) -> bool:
    """Does the token come out of a double as it went in, in every language?"""
    if token.lstrip("-").isdigit():
        return token != "-0" and len(token) < 18 and abs(int(token)) < _SAFE_INTEGER
    return token == repr(float(token)) and not token.endswith(".0") and "e" not in token


def _number_tokens(case: Case) -> bool:
    kept: list[Json] = [item for key, item in case.tree.items() if key not in ("client", "variants")]
    text = case.tree.get("request_text")
    if isinstance(text, str):
        kept.extend(Number(token) for token in _TOKENS.findall(_STRINGS.sub("", text)))
    return any(not _survives(token) for token in numbers(kept)) or '{"$raw":' in compact(kept)


_STRINGS: Final = re.compile(r'"(?:[^"\\]|\\.)*"')
_TOKENS: Final = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")


def _bytes(case: Case) -> bool:
    replies = [exchange.reply for exchange in case.exchanges]
    return any(reply.kind == "base64" or '{"base64":' in compact(reply.payload) for reply in replies)


def _wire(case: Case) -> bool:
    return any(exchange.reply.kind == "wire" for exchange in case.exchanges)


_FEATURES: Final = {"number-tokens": _number_tokens, "bytes": _bytes, "wire": _wire}
