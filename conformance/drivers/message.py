"""The port protocol's messages, version 1: what is sent, and the first check of what comes back.

The full shapes are in `fixtures/protocol.schema.json`; here each fault names the field and shows a right example.
"""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass, field
from typing import Any, Final

from conformance import shape
from conformance.case import OPTIONAL, OPTIONS, Case, Op, client_for
from conformance.faults import PortFault
from conformance.tree import Absent, Json, ascii_only, compact, plain

PROTOCOL: Final = 1

#: How long a port may take for one case, in ms. A case that takes longer has failed.
DEADLINE_MS: Final = 5000

#: Every word a port may declare. Styles first: without one nothing can be checked.
CAPABILITIES: Final = (*shape.STYLES, *OPTIONAL, *OPTIONS, "pointers", "warnings")

#: The features a port may declare it lacks, because its language's JSON or HTTP loses them.
FEATURES: Final = ("number-tokens", "bytes", "wire")

#: The hooks that a reply counts.
HOOKS: Final = ("before_llm", "after_llm", "on_error", "before_tool", "after_tool")

_PARTS: Final = ("toolkit", "hooks", "request_params", "body_transform")

_EXAMPLE: Final = (
    '{"op":"hello","protocol":1,"port":{"name":"toolnexus","language":"go","version":"0.21.0"},'
    '"capabilities":["anthropic","openai","warnings"]}'
)


@dataclass(frozen=True, slots=True)
class Hello:
    """Who the port is and what it can do; `lacks` are features its language loses."""

    name: str
    language: str
    version: str
    capabilities: tuple[str, ...]
    lacks: tuple[str, ...] = ()
    max_in_flight: int = 1
    url: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One message about a case. `request_text` is exact; `as_text` sends it as text, else it is spliced as JSON."""

    id: str
    op: Op
    case: str
    client: dict[str, Any] | None = None
    request_text: str | None = None
    as_text: bool = False
    parts: dict[str, Json] = field(default_factory=dict)
    repeat: int = 1
    deadline_ms: int = DEADLINE_MS

    def _head(self) -> dict[str, Any]:
        head: dict[str, Any] = {"op": self.op, "id": self.id, "case": self.case}
        if self.client is not None:
            head["client"] = self.client
        if self.repeat > 1:
            head["repeat"] = self.repeat
        head["deadline_ms"] = self.deadline_ms
        return head

    def line(self) -> str:
        """The message as one ASCII line, without its end; number tokens of the case as written."""
        pieces = [json.dumps(self._head(), separators=(",", ":"))[:-1]]
        pieces.extend(f"{json.dumps(key)}:{ascii_only(compact(part))}" for key, part in self.parts.items())
        if self.request_text is not None and self.as_text:
            pieces.append(f'"request_text":{json.dumps(self.request_text)}')
        elif self.request_text is not None:
            pieces.append(f'"request":{ascii_only(self.request_text)}')
        return ",".join(pieces) + "}"

    def value(self) -> dict[str, Any]:
        """The message for a Python port: `request` decoded the ordinary way, and the exact `request_text` beside it.

        A request that Python's `json` cannot decode (nested too deeply, an integer of more than 4,300 digits) is there
        as text alone.
        """
        value = {**self._head(), **{key: plain(part) for key, part in self.parts.items()}}
        if self.request_text is not None:
            value["request_text"] = self.request_text
            with contextlib.suppress(ValueError, RecursionError):
                value["request"] = json.loads(self.request_text)
        return value


def hello(corpus: str) -> dict[str, Any]:
    """The first message."""
    return {"op": "hello", "protocol": PROTOCOL, "corpus": corpus}


def for_case(case: Case, number: str, stub: str, key: str) -> Message:
    """The message that runs a case once; nothing expected is in it."""
    parts = {name: part for name in _PARTS if not isinstance(part := case.part(name), Absent)}
    if case.op == "declare":
        return Message(number, "declare", case.id, parts={"toolkit": parts["toolkit"]})
    return Message(
        number,
        case.op,
        case.id,
        client=client_for(case, stub, key),
        request_text=case.request_text,
        as_text="request_text" in case.tree,
        parts=parts,
        repeat=case.repeat,
        deadline_ms=DEADLINE_MS,
    )


# -- what comes back --------------------------------------------------------------------------------------------------

_HELLO: Final = shape.Record(
    {
        "op": shape.one_of("hello"),
        "protocol": shape.integer(PROTOCOL, PROTOCOL),
        "port": shape.Record(
            {"name": shape.text, "language": shape.text, "version": shape.text, "url": shape.any_text},
            required=("name", "language", "version"),
        ),
        "capabilities": shape.list_of(shape.one_of(*CAPABILITIES, *FEATURES)),
        "lacks": shape.list_of(shape.one_of(*FEATURES)),
        "max_in_flight": shape.integer(1, 64),
    },
    required=("op", "protocol", "port", "capabilities"),
)


def read_hello(value: Json) -> Hello:
    """The port's hello; raises `PortFault` naming the field, with a right example."""
    try:
        _HELLO(value)
    except shape.Misshapen as wrong:
        raise PortFault(f"the port's hello: {wrong.pointer or '/'} {wrong.message}; right is {_EXAMPLE}") from None
    found: Any = plain(value)
    return Hello(
        **{key: found["port"].get(key, "") for key in ("name", "language", "version", "url")},
        capabilities=tuple(found["capabilities"]),
        lacks=tuple(found.get("lacks", ())),
        max_in_flight=found.get("max_in_flight", 1),
    )


#: What an answer may be; a stream's deltas come beside a result or an error.
_OUTCOMES: Final = ("result", "error", "skip", "openai")

_TEXT: Final = shape.or_null(shape.any_text)
_OBJECT: Final = shape.or_null(shape.an_object)


def _code(value: Json) -> None:
    """A provider's code: a text, or a number."""
    if not isinstance(value, str):
        raise shape.Misshapen("must be a text or a number")


_CALL: Final = shape.Record(
    {"id": shape.any_text, "type": _TEXT, "name": shape.any_text, "arguments": shape.any_text},
    required=("id", "name", "arguments"),
    open=True,
)

_RESULT: Final = shape.Record(
    {
        **dict.fromkeys(("text", "finish_reason", "model", "refusal", "reasoning"), _TEXT),
        "tool_calls": shape.or_null(shape.list_of(_CALL)),
        "usage": _OBJECT,
        "message": _OBJECT,
    },
    open=True,
)

_ERROR: Final = shape.Record(
    {
        "kind": shape.one_of("invalid-request", "provider", "transport", "invalid-response"),
        "status": shape.or_null(shape.integer(0)),
        "code": shape.or_null(_code),
        **dict.fromkeys(("type", "message", "param", "pointer", "retry_after", "request_id"), _TEXT),
    },
    required=("kind",),
    open=True,
)

_WARNING: Final = shape.Record(
    {"code": shape.any_text, "pointer": shape.any_text, "message": _TEXT}, required=("code", "pointer"), open=True
)

_REPLY: Final = shape.Record(
    {
        "id": shape.text,
        "result": _RESULT,
        "error": _ERROR,
        "skip": shape.Record({"reason": shape.text, "issue": shape.any_text}, required=("reason",)),
        "deltas": shape.list_of(shape.an_object),
        "openai": shape.a_list,
        "anthropic": shape.a_list,
        "gemini": shape.a_list,
        "fired": shape.map_of(shape.integer(0), shape.one_of(*HOOKS)),
        "warnings": shape.list_of(_WARNING),
    },
    required=("id",),
    one_of=_OUTCOMES,
)

_RIGHT: Final = '"result":{"text":"hi","tool_calls":[],"finish_reason":"stop"}'

#: The field that is wrong → a right example of it.
_EXAMPLES: Final = {
    "error": '"error":{"kind":"provider","status":429,"type":"rate_limit_error","message":"slow down"}',
    "skip": '"skip":{"reason":"streaming is not there yet","issue":"https://example.com/issues/7"}',
    "deltas": '"deltas":[{"role":"assistant"},{"content":"hi"},{"finish_reason":"stop"}],"result":{"text":"hi"}',
    "openai": '"openai":[],"anthropic":[],"gemini":[]',
    "fired": '"result":{"text":"hi"},"fired":{"before_llm":1,"after_llm":1}',
    "warnings": '"result":{"text":"hi"},"warnings":[{"code":"param-dropped","pointer":"/params/seed"}]',
    "result/tool_calls": '"result":{"tool_calls":[{"id":"c1","name":"add","arguments":"{\\"a\\":1}"}],'
    '"finish_reason":"tool_calls"}',
}


def reply_fault(value: Json) -> str | None:
    """What is wrong with a reply, in one line that shows a right one; None for one that can be judged."""
    try:
        _REPLY(value)
        _whole(value)
    except shape.Misshapen as wrong:
        field = "/".join(wrong.pointer.split("/")[1:3])
        example = _EXAMPLES.get(field) or _EXAMPLES.get(field.partition("/")[0], _RIGHT)
        return f'{wrong.pointer or "/"} {wrong.message}; right is {{"id":"17",{example}}}'
    return None


def _whole(value: Any) -> None:
    """What no single field shows: one outcome, and all three of the declarations."""
    if not any(key in value for key in _OUTCOMES):
        raise shape.Misshapen(f"has none of {', '.join(_OUTCOMES)}")
    if "openai" in value and not ("anthropic" in value and "gemini" in value):
        raise shape.Misshapen("must have anthropic and gemini beside it", "/openai")
