"""The service's routes: every answer is JSON, every fault `{"error": "…"}` with the status it deserves."""

from __future__ import annotations

import functools
import json
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, cast

import msgspec
from werkzeug.exceptions import HTTPException
from werkzeug.routing import Map, Rule
from werkzeug.wrappers import Request, Response

from conformance import fingerprint
from conformance.authoring import choose
from conformance.authoring.service.attempts import Attempts, BadReply, NoAttempt, NoSuchCase
from conformance.case import Case
from conformance.faults import UsageFault
from conformance.tree import NotJson, read_bytes

_ROUTES: Final = Map(
    [
        Rule("/", endpoint="about", methods=["GET"]),
        Rule("/openapi.json", endpoint="openapi", methods=["GET"]),
        Rule("/cases", endpoint="cases", methods=["GET"]),
        Rule("/cases/<style>/<area>/<name>", endpoint="take", methods=["GET"]),
        Rule("/cases/<style>/<area>/<name>/result", endpoint="give_back", methods=["POST"]),
        Rule("/cases/<style>/<area>/<name>/verdict", endpoint="verdict", methods=["GET"]),
        Rule("/verdicts", endpoint="verdicts", methods=["GET"]),
    ]
)

_FAULTS: Final[Mapping[type[Exception], int]] = {
    NoSuchCase: 404,
    NoAttempt: 409,
    BadReply: 400,
    NotJson: 400,
    UsageFault: 400,
}

#: Query parameter → field of `choose.Wanted`; each may be given several times.
_LISTS: Final = {"style": "styles", "area": "areas", "clause": "clauses", "requires": "capabilities"}
_WORDS: Final = ("level", "since", "text")


class Service:
    """A WSGI application in werkzeug's terms: a request in, a response out."""

    def __init__(self, attempts: Attempts) -> None:
        self._attempts = attempts
        self._corpus = attempts.corpus

    def __call__(self, request: Request) -> Response:
        """Answer one request."""
        try:
            name, parts = _ROUTES.bind_to_environ(request.environ).match()
            body = _ENDPOINTS[name](self, request, "/".join(parts.values()))
            return _answer(200, body)
        except HTTPException as wrong:
            return _answer(wrong.code or 500, _fault(wrong.description or ""))
        except tuple(_FAULTS) as wrong:
            return _answer(_FAULTS[type(wrong)], _fault(_told(wrong)))

    # -- endpoints ----------------------------------------------------------------------------------------------------

    def about(self, request: Request, _: str) -> str:
        """Which corpus this is, and where the rest is."""
        about = {
            "corpus": self._corpus.version,
            "corpus_hash": fingerprint.of(self._corpus.fixtures),
            "cases": len(self._corpus.cases),
            "stub": self._attempts.stub.url,
            "openapi": "/openapi.json",
        }
        return json.dumps(about)

    def openapi(self, request: Request, _: str) -> str:
        """The OpenAPI document."""
        return json.dumps({**document(self._corpus.fixtures), "servers": [{"url": request.host_url.rstrip("/")}]})

    def cases(self, request: Request, _: str) -> str:
        """The cases that the query chooses."""
        if unknown := set(request.args) - {*_LISTS, *_WORDS}:
            known = ", ".join((*_LISTS, *_WORDS))
            raise UsageFault(f"unknown parameter {', '.join(sorted(unknown))}; known are {known}")
        lists = {field: tuple(request.args.getlist(name)) for name, field in _LISTS.items()}
        words = {name: request.args[name] for name in _WORDS if name in request.args}
        wanted = choose.Wanted(**cast("Any", lists | words))
        return json.dumps([_row(case) for case in choose.cases(self._corpus, wanted)])

    def take(self, request: Request, case: str) -> str:
        """A case to run, under a key of its own."""
        return self._attempts.take(case)

    def give_back(self, request: Request, case: str) -> str:
        """The verdict on what came of a case."""
        return msgspec.json.encode(self._attempts.give_back(case, read_bytes(request.get_data()))).decode()

    def verdict(self, request: Request, case: str) -> str:
        """The latest verdict on a case."""
        self._attempts.case(case)
        if case not in self._attempts.verdicts:
            raise NoSuchCase(f"{case} is not judged yet: POST its result")
        return msgspec.json.encode(self._attempts.verdicts[case]).decode()

    def verdicts(self, request: Request, _: str) -> str:
        """How every case went that was judged, and the calls that no case could be found for."""
        events = list(self._attempts.verdicts.values())
        lost = [f"{call.method} {call.path}" for call in self._attempts.stub.unclaimed]
        rows = [{"id": event.id, "state": event.state, "red": event.red} for event in events]
        return json.dumps({"states": Counter(event.state for event in events), "lost_calls": lost, "verdicts": rows})


_ENDPOINTS: Final[Mapping[str, Callable[[Service, Request, str], str]]] = {
    name: getattr(Service, name) for name in ("about", "openapi", "cases", "take", "give_back", "verdict", "verdicts")
}


def _row(case: Case) -> dict[str, object]:
    return {
        "id": case.id,
        "title": case.title,
        "level": case.level,
        "clauses": case.clauses,
        "requires": case.needs,
        "features": sorted(case.features),
        "since": case.since,
    }


def _answer(status: int, body: str) -> Response:
    return Response(body, status, {"content-type": "application/json", "cache-control": "no-store"})


def _fault(message: str) -> str:
    return json.dumps({"error": message})


def _told(wrong: Exception) -> str:
    if isinstance(wrong, NotJson):
        return f"the result is no JSON: line {wrong.line}: {wrong.message}"
    text = str(wrong)
    return f"no case {text}" if isinstance(wrong, NoSuchCase) and " " not in text else text


# -- the document -----------------------------------------------------------------------------------------------------

#: Messages of the protocol that the document shows; their own parts come along.
_SHOWN: Final = ("client", "translate", "toolkit", "hooks", "id", "declare", "reply", "result", "error")


@functools.cache
def document(fixtures: Path) -> dict[str, Any]:
    """The OpenAPI document: the routes, with the messages from the corpus' protocol.schema.json as their schemas."""
    found: dict[str, Any] = json.loads((Path(__file__).parent / "openapi.json").read_text("utf-8"))
    protocol = json.loads((fixtures / "protocol.schema.json").read_text("utf-8"))["$defs"]
    schemas = json.dumps({name: protocol[name] for name in _SHOWN}).replace("#/$defs/", "#/components/schemas/")
    found["components"]["schemas"] |= json.loads(schemas)
    # A result may be posted without the message's id: then it is the latest attempt's.
    found["components"]["schemas"]["reply"].pop("required", None)
    return found
