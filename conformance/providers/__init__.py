"""What a provider would say to a request: its validation rules as data, by style.

Facts and confidence marks are those of wire-facts: A2-A9 for OpenAI, B1-B9 and B12 for Anthropic. Used by lint (no
expected body breaks a blocking rule), by the stub (`reply: provider`) and by failure reports. Bodies are decoded JSON
or the bytes of a request; nothing here does IO.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from conformance.providers import anthropic, openai
from conformance.providers.incoming import Body, Incoming
from conformance.providers.violation import Rule, Violation

__all__ = ["STYLES", "Rule", "Violation", "answer", "blocking", "check", "explain", "rules"]

DEFAULT_VERSION = "2023-06-01"
HOUSE_HEADER = "x-toolnexus-house-rule"

# Unproved on the direct API, and it would refuse the published contract's own example (B8 24, H).
OFF = frozenset(("b8-24-history-without-tools",))


@dataclass(frozen=True, slots=True)
class Provider:
    """One style: its rules, its check, and how it words an error."""

    rules: Mapping[str, Rule]
    check: Callable[[Incoming], Iterator[Violation]]
    reply: Callable[[Violation], Mapping[str, Any]]
    reply_headers: Callable[[Violation], Mapping[str, str]]


_PROVIDERS: Mapping[str, Provider] = {
    "anthropic": Provider(anthropic.RULES, anthropic.check, anthropic.reply, anthropic.reply_headers),
    "openai": Provider(openai.RULES, openai.check, openai.reply, openai.reply_headers),
}

STYLES = tuple(_PROVIDERS)


def rules(style: str) -> Mapping[str, Rule]:
    """Every rule of a style by its name; an unknown style is a ValueError."""
    return _provider(style).rules


def check(
    style: str, body: Body, *, headers: Mapping[str, str] | None = None, version: str = DEFAULT_VERSION
) -> list[Violation]:
    """Everything a provider has against a request, in the order it is taken to check (B8).

    Without `headers` the body alone is judged. `version` is Anthropic's API version; an
    `anthropic-version` header beats it. An unknown style is a ValueError.
    """
    return list(_provider(style).check(Incoming.of(body, headers, version)))


def blocking(violations: Iterable[Violation]) -> list[Violation]:
    """The violations that lint refuses (corpus-and-protocol: "Is the corpus itself right?").

    Rules marked R with `!!` or `!`, rules marked P (they fire only for the model or version at hand),
    and house rules. B8 24 is off.
    """
    return [violation for violation in violations if violation.rule not in OFF and _blocks(violation)]


def answer(style: str, body: bytes, headers: Mapping[str, str]) -> dict[str, Any] | None:
    """The error a provider would send for a request, as a case's `reply`: status, headers, json; None if it accepts.

    An answer for a house rule carries the header `x-toolnexus-house-rule`, so that nobody takes it
    for the provider's own (wire-facts G2).
    """
    first = next(iter(blocking(check(style, body, headers=headers))), None)
    if first is None:
        return None
    provider = _provider(style)
    house = {HOUSE_HEADER: first.rule} if first.stub == "house" else {}
    sent = {"content-type": "application/json", **provider.reply_headers(first), **house}
    return {"status": first.status, "headers": sent, "json": dict(provider.reply(first))}


def explain(style: str, body: Body, headers: Mapping[str, str] | None = None) -> str | None:
    """One line that says what the provider would answer, for failure reports; None if it accepts."""
    first = next(iter(blocking(check(style, body, headers=headers))), None)
    if first is None:
        return None
    if first.stub == "house":
        return f"house rule {first.rule}: {first.message}"
    # What the caller wrote is quoted in some messages; the report has one line.
    return " ".join(f"{first.status} {first.type}: {first.message}".split())


def _blocks(violation: Violation) -> bool:
    return violation.stub in ("P", "house") or (violation.stub == "R" and violation.confidence != "?")


def _provider(style: str) -> Provider:
    try:
        return _PROVIDERS[style]
    except KeyError:
        raise ValueError(f"no rules for style {style!r}; known styles: {', '.join(STYLES)}") from None
