"""A case from a recording: the provider's side exact, the caller's side read back, and TODO where people have to write.

What the caller gets is left open (`"result": {}`): a recording shows what a provider does, and `bless` fills in what a
port makes of it. A refusal is known, and so written.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast
from urllib.parse import parse_qsl, urlencode, urlsplit

from conformance.authoring.recording import unsend
from conformance.authoring.recording.blobs import STAND_INS
from conformance.authoring.recording.redact import CREDENTIAL, Redactor, credentials
from conformance.authoring.recording.secrets import Leak, scan
from conformance.authoring.recording.seen import ENDINGS, Recorded
from conformance.cli.checks import vendors
from conformance.cli.checks.form import TODO
from conformance.cli.checks.meaning import needed
from conformance.cli.checks.source import Source
from conformance.faults import UsageFault
from conformance.report.redact import SECRET
from conformance.tree import Json, NotJson, Number, plain, read_bytes

Tree = dict[str, Json]

_VERSION: Final = "2023-06-01"

#: Headers of a refusal that a client reads; all others are dropped.
_KEPT: Final = ("retry-after", "retry-after-ms", "request-id", "x-request-id")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What only people know of the case: its id, style and clauses, its level and version, and the caller's request
    where they have it."""

    name: str
    style: str
    clauses: tuple[str, ...]
    level: str
    since: str
    request: Tree | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """A case, what it left out of the provider's request, how often what was replaced, and what still leaks."""

    tree: Tree
    left_out: tuple[str, ...]
    replaced: dict[str, int]
    leaks: tuple[Leak, ...]


def drafts(found: Sequence[Recorded], wanted: Wanted, allowed: Sequence[str] = ()) -> list[Draft]:
    """A draft for each call with its retries: the same body sent again after a failure. Raises `UsageFault`."""
    groups = _groups(found)
    names = [wanted.name, *(f"{wanted.name}-{number}" for number in range(2, len(groups) + 1))]
    return [_draft(group, wanted, name, allowed) for group, name in zip(groups, names, strict=True)]


def _groups(found: Sequence[Recorded]) -> list[list[Recorded]]:
    groups: list[list[Recorded]] = []
    for item in found:
        last = groups[-1][-1] if groups else None
        if last is not None and last.status >= 300 and last.request_body == item.request_body:
            groups[-1].append(item)
        else:
            groups.append([item])
    return groups


def _draft(found: Sequence[Recorded], wanted: Wanted, name: str, allowed: Sequence[str]) -> Draft:
    secrets = [secret for item in found for secret in _secrets(item)]
    redactor = Redactor(secrets)
    body, replies = _body(found[0]), [_reply(item) for item in found]
    for part in (body, wanted.request, *replies):
        redactor.learn(part)
    request, left_out = (wanted.request, []) if wanted.request is not None else unsend.request(wanted.style, body)
    tree: Tree = {
        "id": name,
        "title": f"{TODO}: the expectation in one line",
        "level": wanted.level,
        "clauses": cast("Json", list(wanted.clauses)),
        "requires": [],
        "why": f"{TODO}: what goes wrong in practice where this is broken",
        "source": {"kind": "recorded", "ref": f"{TODO}: which service, and what is peculiar about its answer"},
        "since": wanted.since,
        "client": _client(found, wanted.style, body, redactor),
        "request": redactor.tree(request),
        "exchanges": [_exchange(found[0], body, reply, redactor) for reply in replies],
        **_outcome(found[-1], replies[-1], redactor),
    }
    tree["requires"] = cast("Json", needed(cast("dict[str, Any]", plain(tree))))
    tree |= _deviations(tree)
    leaks = scan(tree, secrets, (*allowed, *STAND_INS))
    return Draft(tree, tuple(left_out), dict(redactor.counts), tuple(leaks))


def _deviations(tree: Tree) -> Tree:
    """Where the recording departs from what the vendor documents: most often it is what the case is about."""
    source = Source(Path(), str(tree["id"]), "", tree)
    checks = [vendors.check_rules, *([vendors.check_types] if vendors.has_types() else [])]
    faults = [fault for check in checks for fault in check(source)]
    found: Tree = {fault.pointer: f"{TODO}: is it meant? {fault.message}" for fault in faults}
    return {"deviates": found} if found else {}


def _secrets(found: Recorded) -> list[str]:
    parts = urlsplit(found.url)
    cookies = [pair for pair in found.reply_headers if pair[0].lower() in SECRET]
    named = [*found.request_headers, *cookies, *parse_qsl(parts.query)]
    return [*credentials(named), *([parts.password] if parts.password else [])]


# -- the provider's side ----------------------------------------------------------------------------------------------


def _body(found: Recorded) -> Tree:
    try:
        body = read_bytes(found.request_body)
    except NotJson as wrong:
        raise UsageFault(f"the request to {found.target} is no JSON: {wrong.message}") from None
    if not isinstance(body, dict) or not isinstance(body.get("model"), str):
        raise UsageFault(f"the request to {found.target} names no model")
    return body


def _exchange(found: Recorded, body: Tree, reply: Tree, redactor: Redactor) -> Json:
    expect: Tree = {"method": "POST", "path": _target(found, redactor), "body": redactor.tree(body)}
    return {"expect": expect, "reply": redactor.tree(reply)}


def _target(found: Recorded, redactor: Redactor) -> str:
    """Path and query as a case may show them: a credential in the query is a word, and stays one for the client."""
    parts = urlsplit(found.target)
    query = [(name, "redacted" if CREDENTIAL.search(name) else value) for name, value in parse_qsl(parts.query)]
    return redactor.text(f"{parts.path}?{urlencode(query)}" if query else parts.path)


def _reply(found: Recorded) -> Tree:
    kept = _KEPT if found.status >= 300 else ()
    headers: Tree = {name: value for name, value in found.reply_headers if name.lower() in kept}
    kind, payload = _payload(found)
    content = found.reply_header("content-type")
    if not content.startswith(_TYPES.get(kind, "application/json")):
        headers["content-type"] = content
    reply: Tree = {"status": Number(found.status)}
    if headers:
        reply["headers"] = headers
    return {**reply, kind: payload}


_TYPES: Final = {"sse": "text/event-stream"}


def _payload(found: Recorded) -> tuple[str, Json]:
    if found.reply_header("content-type").startswith("text/event-stream"):
        return "sse", _events(found.reply_body)
    try:
        return "json", read_bytes(found.reply_body)
    except NotJson:
        pass
    try:
        return "text", found.reply_body.decode("utf-8")
    except UnicodeDecodeError:
        return "base64", base64.b64encode(found.reply_body).decode()


def _events(body: bytes) -> Json:
    """The events of a stream (wire-facts F2): name and data, which is JSON wherever it can be."""
    text = body.decode("utf-8", "replace").removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    found: list[Json] = []
    for block in text.split("\n\n"):
        fields = [line.partition(":") for line in block.split("\n") if line and not line.startswith(":")]
        data = [value.removeprefix(" ") for name, _, value in fields if name == "data"]
        names = [value.removeprefix(" ") for name, _, value in fields if name == "event"]
        if data:
            named: Tree = {"event": names[-1]} if names else {}
            found.append({**named, "data": _data("\n".join(data))})
    return found


def _data(text: str) -> Json:
    try:
        value = read_bytes(text.encode("utf-8", "surrogatepass"))
    except NotJson:
        return text
    return text if isinstance(value, str) else value


# -- the caller's side ------------------------------------------------------------------------------------------------


def _client(found: Sequence[Recorded], style: str, body: Tree, redactor: Redactor) -> Tree:
    client: Tree = {"style": style, "base_url": _base(found[0], style, redactor), "model": body["model"]}
    first = found[0]
    if beta := first.request_header("anthropic-beta"):
        client["headers"] = {"anthropic-beta": beta}
    version = first.request_header("anthropic-version")
    if style == "anthropic" and version not in ("", _VERSION):
        client["anthropic_version"] = version
    client["retries"] = Number(len(found) - 1)
    if len(found) > 1:
        client["retry_base_ms"] = Number(0)
    return client


def _base(found: Recorded, style: str, redactor: Redactor) -> str:
    """The base URL from which the style makes the path (`anthropic.endpoint`, `openai.endpoint`)."""
    path, mark, query = _target(found, redactor).partition("?")
    if not path.endswith(ENDINGS[style]):
        raise UsageFault(f"{found.target} is no call of style {style}: its path does not end in {ENDINGS[style]}")
    base = path.removesuffix(ENDINGS[style])
    # Both styles add /v1 to a base without a path, so it has to be there only where something stands before it.
    return f"{{stub}}{'' if base == '/v1' and style == 'anthropic' else base}{mark}{query}"


def _outcome(found: Recorded, reply: Tree, redactor: Redactor) -> Tree:
    stream: Tree = {"stream": True, "deltas": []} if _streams(found) else {}
    if found.status < 300:
        return {**stream, "result": {}}
    error: Tree = {"kind": "provider", "status": Number(found.status)}
    match reply.get("json"):
        case {"error": {"type": str() as kind}}:
            error["type"] = kind
    return {**stream, "error": error}


def _streams(found: Recorded) -> bool:
    return _body(found).get("stream") is True
