"""How OpenAI words what does not fit its schema (wire-facts A2, A9)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from conformance.providers.at import BODY as HERE
from conformance.providers.openai.rules import RULES
from conformance.providers.openai.shapes import BODY
from conformance.providers.shape import Fault
from conformance.providers.violation import Violation


def fits(body: Mapping[str, Any]) -> Iterator[Violation]:
    """What in the body does not fit the schema, in the order of its keys."""
    for fault in BODY(body, HERE):
        yield worded(fault)


def worded(fault: Fault) -> Violation:
    """The fault as OpenAI would report it."""
    name, wanted, found = _FAULTS[fault.code]
    # An unknown tag is reported at the field that holds it: `messages[0].role`.
    at = fault.at / fault.key if fault.key else fault.at
    return RULES[fault.rule or name].broken(at, want=wanted(fault), got=found(fault))


def _quoted(words: object) -> str:
    listed = words if isinstance(words, Sequence) and not isinstance(words, str) else [words]
    *most, last = [repr(word) for word in listed]
    return f"{', '.join(most)}, and {last}" if most else last


def _article(type_names: object) -> str:
    return " or ".join(f"{'an' if name[0] in 'aeio' else 'a'} {name}" for name in str(type_names).split(" or "))


def _words(template: str) -> Callable[[Fault], str]:
    return lambda fault: template.format(fault.want, fault.got)


_GOT = _words("{1}")
_NONE = _words("")

# fault code → the rule it breaks unless the shape names another, the words for what was wanted, and for what was found
_FAULTS: Mapping[str, tuple[str, Callable[[Fault], str], Callable[[Fault], str]]] = {
    "missing": ("a2-missing", _NONE, _NONE),
    "extra": ("a2-unknown-key", _NONE, _NONE),
    "type": ("a2-type", lambda fault: _article(fault.want), lambda fault: _article(fault.got)),
    "choice": ("a2-choice", lambda fault: _quoted(fault.want), lambda fault: repr(fault.got)),
    "tag": ("a2-choice", lambda fault: _quoted(fault.want), lambda fault: repr(fault.got)),
    "pattern": ("a2-length", _words("expected a string that matches the pattern '{0}'."), _GOT),
    "long": ("a2-length", _words("string too long, the maximum length is {0} but it has length {1}."), _GOT),
    "low": ("a2-range", _words("of at least {0}"), _GOT),
    "high": ("a2-range", _words("of at most {0}"), _GOT),
    "few": ("a2-length", _words("array too short, the minimum length is {0} but it has length {1}."), _GOT),
    "many": ("a2-length", _words("too many items, the maximum is {0} but there are {1}."), _GOT),
}
