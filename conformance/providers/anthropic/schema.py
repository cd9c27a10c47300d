"""The body as a whole, and how Anthropic words what does not fit (wire-facts B2, B8)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from conformance.providers.anthropic.blocks import CACHE_CONTROL, MESSAGE, ONLY_TEXT
from conformance.providers.anthropic.rules import RULES
from conformance.providers.anthropic.tools import TOOL, TOOL_CHOICE
from conformance.providers.at import BODY
from conformance.providers.incoming import Incoming
from conformance.providers.shape import (
    Fault,
    Kind,
    anything,
    by_type,
    flag,
    listing,
    mapping,
    null_or,
    number,
    one_of,
    record,
    ruled,
    tagged,
    text,
    whole,
)
from conformance.providers.violation import Violation

_DISPLAY = null_or(one_of("summarized", "omitted"))
_BUDGET = ruled("b8-38-budget-minimum", whole(1024), "low")

THINKING = tagged(
    {
        "enabled": record({"type": anything, "budget_tokens": _BUDGET, "display": _DISPLAY}, ("budget_tokens",)),
        "disabled": record({"type": anything}),
        "adaptive": record({"type": anything, "display": _DISPLAY}),
        "between_tools": record({"type": anything}),
    }
)

OUTPUT_CONFIG = record(
    {
        "effort": null_or(one_of("low", "medium", "high", "xhigh", "max")),
        "format": null_or(tagged({"json_schema": record({"type": anything, "schema": mapping}, ("schema",))})),
    }
)

# B8 30 has words of its own for the temperature; they are chosen in `fields.py`.
SAMPLING: Mapping[str, Kind] = {"temperature": anything, "top_p": number(0, 1), "top_k": whole(0)}

BODY_KEYS: Mapping[str, Kind] = {
    "model": text(),
    "max_tokens": whole(0),
    "messages": ruled("b8-02-no-messages", listing(MESSAGE, 1, 100_000), "few"),
    "system": by_type(string=text(), list=listing(ONLY_TEXT)),
    "tools": listing(TOOL),
    "tool_choice": TOOL_CHOICE,
    "stop_sequences": listing(text()),
    "stream": flag,
    "thinking": THINKING,
    "output_config": OUTPUT_CONFIG,
    "cache_control": CACHE_CONTROL,
    "metadata": record({"user_id": null_or(text())}),
    "service_tier": one_of("auto", "standard_only"),
    "speed": null_or(one_of("standard", "fast")),
    "container": null_or(by_type(string=text(), object=mapping)),
    "inference_geo": null_or(text()),
    "diagnostics": null_or(record({"previous_message_id": null_or(text())})),
    **SAMPLING,
}

# Known only behind an `anthropic-beta` header (B2); not looked into.
BETA_KEYS: Mapping[str, Kind] = dict.fromkeys(
    ("fallbacks", "mcp_servers", "context_management", "output_format"), anything
)

_REQUIRED = ("model", "max_tokens", "messages")
_MISSING = {"max_tokens": "b8-01-max-tokens-missing"}

BODY_SHAPE = record(BODY_KEYS, _REQUIRED, _MISSING)
BETA_SHAPE = record({**BODY_KEYS, **BETA_KEYS}, _REQUIRED, _MISSING)


def fits(body: Mapping[str, Any], incoming: Incoming) -> Iterator[Violation]:
    """What in the body does not fit the schema, in the order of its keys."""
    shape = BETA_SHAPE if incoming.header("anthropic-beta") else BODY_SHAPE
    for fault in shape(body, BODY):
        yield worded(fault)


def worded(fault: Fault) -> Violation:
    """The fault as Anthropic would report it."""
    name, wanted = _FAULTS[fault.code]
    rule = RULES[fault.rule or name]
    got = f'"{fault.got}"' if rule.name == "b8-04-role" else repr(fault.got)
    return rule.broken(fault.at, want=wanted(fault), got=got)


def _type_name(fault: Fault) -> str:
    return " or ".join(_PYDANTIC_TYPES.get(word, word) for word in str(fault.want).split(" or "))


_PYDANTIC_TYPES = {"object": "dictionary"}


def _quoted(words: object) -> list[str]:
    return [repr(word) for word in words] if isinstance(words, Sequence) else [repr(words)]


def _choice(fault: Fault) -> str:
    *most, last = _quoted(fault.want)
    return f"{', '.join(most)} or {last}" if most else last


def _words(template: str) -> Callable[[Fault], str]:
    return lambda fault: template.format(fault.want, fault.got)


# fault code → the rule it breaks unless the shape names another, and the words for what was wanted
_FAULTS: Mapping[str, tuple[str, Callable[[Fault], str]]] = {
    "missing": ("b2-missing", _words("")),
    "extra": ("b8-03-unknown-key", _words("")),
    "type": ("b2-type", _type_name),
    "choice": ("b2-choice", _choice),
    "pattern": ("b2-length", _words("{0}")),
    "long": ("b2-length", _words("String should have at most {0} characters")),
    "low": ("b2-range", _words("greater than or equal to {0}")),
    "high": ("b2-range", _words("less than or equal to {0}")),
    "few": ("b2-length", _words("List should have at least {0} item after validation, not {1}")),
    "many": ("b2-length", _words("List should have at most {0} items after validation, not {1}")),
    "tag": ("b2-tag", lambda fault: ", ".join(_quoted(fault.want))),
}
