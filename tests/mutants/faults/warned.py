"""Faults in warnings: each code lost, pointers that lead elsewhere, and warnings of what is no loss."""

from __future__ import annotations

import re
from typing import Any

from tests.mutants.exchange import Ask
from tests.mutants.mutant import (
    register,
    warned,
)
from tests.mutants.walk import (
    calls,
    given,
    nested,
    objects,
    tools,
    turns,
)

Tree = dict[str, Any]

CODES = [
    "cache-control-dropped",
    "choices-ignored",
    "empty-turn-dropped",
    "field-dropped",
    "finish-reason-unmapped",
    "history-without-tools",
    "lone-surrogate",
    "malformed-arguments",
    "media-type-corrected",
    "param-clamped",
    "param-dropped",
    "prefill-trimmed",
    "reply-repaired",
    "request-params-refused",
    "system-replaced",
    "thinking-dropped",
    "tool-choice-dropped",
    "tool-id-mapped",
    "tool-name-mapped",
    "truncated-tool-call",
    "unsupported-part",
]
"""The closed list of SPEC section 6."""


def _loses(code: str) -> None:
    def spoil(answer: Tree, ask: Any) -> Tree:
        rows = answer.get("warnings") or []
        kept = [row for row in rows if row["code"] != code]
        return answer if len(kept) == len(rows) else {**answer, "warnings": kept}

    register(spoil, "answers", spoil, f"loses-{code}", f"The warning {code} is lost.")


for _code in CODES:
    _loses(_code)


@warned()
def warns_once_a_code(warnings: list[Tree]) -> Any:
    """Of several warnings of one code only the first is given."""
    return list({row["code"]: row for row in reversed(warnings)}.values())[::-1]


@warned()
def warns_twice(warnings: list[Tree]) -> Any:
    """A warning of a param is given twice."""
    return [*warnings, *(row for row in warnings if row["code"].startswith("param"))]


@warned()
def points_at_the_message(warnings: list[Tree]) -> None:
    """A warning inside a message points at the message as a whole."""
    for row in warnings:
        row["pointer"] = re.sub(r"^(/messages/\d+)/.*", r"\1", row["pointer"])


@warned()
def points_at_the_part(warnings: list[Tree]) -> None:
    """A warning inside a part points at the part as a whole."""
    for row in warnings:
        row["pointer"] = re.sub(r"^(/messages/\d+/content/\d+)/.*", r"\1", row["pointer"])


@warned()
def points_at_the_call(warnings: list[Tree]) -> None:
    """A warning inside a call points at the call as a whole."""
    for row in warnings:
        row["pointer"] = re.sub(r"(/tool_calls/\d+)/.*", r"\1", row["pointer"])


@warned()
def points_into_the_sent_body(warnings: list[Tree]) -> None:
    """Pointers name the place in the provider's body: a message's number after hoisting."""
    for row in warnings:
        row["pointer"] = re.sub(
            r"^/messages/(\d+)", lambda found: f"/messages/{max(int(found[1]) - 1, 0)}", row["pointer"]
        )


@warned()
def points_nowhere_in_params(warnings: list[Tree]) -> None:
    """Warnings of params point at the param by its bare name."""
    for row in warnings:
        row["pointer"] = row["pointer"].replace("/params/", "/")


@warned()
def points_into_params_always(warnings: list[Tree]) -> None:
    """A param at the top of a body is pointed at inside params."""
    for row in warnings:
        if row["code"].startswith("param") and not row["pointer"].startswith("/params"):
            row["pointer"] = "/params" + row["pointer"]


@warned()
def points_nowhere_in_replies(warnings: list[Tree]) -> None:
    """Warnings of the reply point nowhere."""
    for row in warnings:
        if row["pointer"] in ("/stop_reason", "/choices/0/finish_reason", "/choices"):
            row["pointer"] = ""


Tree = dict[str, Any]

# -- over-eager warnings ----------------------------------------------------------------------------------------------


def _warning(code: str, pointer: str) -> Tree:
    return {"code": code, "pointer": pointer, "message": "lost"}


@warned("anthropic")
def warns_of_no_ops(warnings: list[Tree], ask: Ask) -> None:
    """A parameter that changes nothing is reported as dropped."""
    no_ops = {
        "store": False,
        "logprobs": False,
        "frequency_penalty": "0",
        "presence_penalty": "0",
        "logit_bias": {},
        "n": "1",
        "stream": False,
    }
    for key, value in no_ops.items():
        if given(ask.request).get(key, "absent") == value:
            warnings.append(_warning("param-dropped", f"/params/{key}"))


@warned("anthropic")
def warns_of_nulls(warnings: list[Tree], ask: Ask) -> None:
    """A null param is reported as dropped."""
    for key, value in given(ask.request).items():
        if value is None:
            warnings.append(_warning("param-dropped", f"/params/{key}"))


@warned("anthropic")
def warns_of_defaults(warnings: list[Tree], ask: Ask) -> None:
    """A default that is written out is reported as dropped."""
    params = given(ask.request)
    for key, value in (
        ("service_tier", "auto"),
        ("parallel_tool_calls", True),
        ("response_format", {"type": "text"}),
        ("user", ""),
    ):
        if params.get(key, 0) == value:
            warnings.append(_warning("param-dropped", f"/params/{key}"))


@warned("anthropic")
def warns_of_detail_auto(warnings: list[Tree], ask: Ask) -> None:
    """detail: auto is reported as dropped."""
    for part in nested(ask.request["messages"]):
        if part.get("detail") == "auto":
            warnings.append(_warning("field-dropped", "/messages/0/content/0/image_url/detail"))


@warned("anthropic")
def warns_of_empty_fields(warnings: list[Tree], ask: Ask) -> None:
    """Unknown fields that hold nothing are reported as dropped."""
    known = {
        "role",
        "content",
        "tool_calls",
        "tool_call_id",
        "refusal",
        "function_call",
        "cache_control",
        "thinking_blocks",
    }
    for place, turn in enumerate(turns(ask.request)):
        for key in turn.keys() - known:
            if turn[key] in (None, "", [], {}, False):
                warnings.append(_warning("field-dropped", f"/messages/{place}/{key}"))


@warned("anthropic")
def warns_of_call_types(warnings: list[Tree], ask: Ask) -> None:
    """index of a call and id of a message are reported as dropped."""
    found = [call for call in calls(ask.request) if "index" in call] + [
        turn for turn in turns(ask.request) if "id" in turn
    ]
    warnings.extend(_warning("field-dropped", "/messages/1") for _ in found)


@warned("anthropic")
def warns_of_auto(warnings: list[Tree], ask: Ask) -> None:
    """A choice of auto without tools is reported as dropped."""
    choices = (ask.request.get("tool_choice"), given(ask.request).get("function_call"))
    if ("auto" in choices or {"type": "auto"} in choices) and not list(tools(ask.request)):
        warnings.append(_warning("tool-choice-dropped", "/tool_choice"))


@warned("anthropic")
def warns_of_blank_text(warnings: list[Tree], ask: Ask) -> None:
    """A blank text beside calls or pictures is reported as an empty turn."""
    for place, turn in enumerate(turns(ask.request)):
        blank = [
            part for part in objects(turn.get("content")) if part.get("type") == "text" and not part["text"].strip()
        ]
        if blank or (turn.get("tool_calls") and isinstance(turn.get("content"), str) and not turn["content"].strip()):
            warnings.append(_warning("empty-turn-dropped", f"/messages/{place}"))


@warned("anthropic")
def warns_of_relabelled_media(warnings: list[Tree], ask: Ask) -> None:
    """A media type that is only written otherwise is reported as corrected."""
    text = str(ask.request["messages"])
    if re.search(r"image/jpg|data:IMAGE|data:Image|IMAGE/|Image/|image/PNG|data:;|;charset|; ?name=", text) and not any(
        row["code"] == "media-type-corrected" for row in warnings
    ):
        warnings.append(_warning("media-type-corrected", "/messages/0/content/0"))
