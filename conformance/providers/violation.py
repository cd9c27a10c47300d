"""A provider's rule, and one breach of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from conformance.providers.at import BODY, At

Confidence = Literal["!!", "!", "?"]
Stub = Literal["R", "P", "W", "house"]


@dataclass(frozen=True, slots=True)
class Violation:
    """One reason a provider has to refuse a body.

    `status` and `type` are those of the reply, `message` is its text, `pointer` is a JSON pointer
    into the body ("" for the whole of it and for headers). `confidence` and `stub` are those of the
    rule (wire-facts 0.2 and B8). `param` and `code` fill OpenAI's error object (A9).
    """

    rule: str
    status: int
    type: str
    message: str
    pointer: str
    confidence: Confidence
    stub: Stub
    param: str | None = None
    code: str | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of a provider: its name, what the reply says, and how sure we are of it.

    `message` is a template: `{path}` and `{param}` are the place as Anthropic and as OpenAI write
    it, other words come from the check. `ref` is the section of wire-facts that states the rule.
    """

    name: str
    confidence: Confidence
    stub: Stub
    message: str
    ref: str
    status: int = 400
    type: str = "invalid_request_error"
    code: str | None = None

    def broken(self, at: At = BODY, *, param: str | None = None, **words: object) -> Violation:
        """The breach of this rule at one place; `words` fill the message."""
        place = at.bracketed if param is None else param
        return Violation(
            rule=self.name,
            status=self.status,
            type=self.type,
            message=self.message.format(path=at.dotted, param=place, **words),
            pointer=at.pointer,
            confidence=self.confidence,
            stub=self.stub,
            param=place or None,
            code=self.code,
        )


def book(rules: Iterable[Rule]) -> Mapping[str, Rule]:
    """The rules by name, read-only; a name used twice is a ValueError."""
    by_name: dict[str, Rule] = {}
    for rule in rules:
        if rule.name in by_name:
            raise ValueError(f"two rules are called {rule.name!r}")
        by_name[rule.name] = rule
    return MappingProxyType(by_name)
