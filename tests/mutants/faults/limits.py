"""Faults in token limits. Anthropic style."""

from __future__ import annotations

from typing import Any

from conformance.tree import Number
from tests.mutants.exchange import Ask
from tests.mutants.mutant import (
    body,
    request,
)
from tests.mutants.walk import given, holder

Tree = dict[str, Any]


@request("anthropic")
def defaults_to_1024_tokens(request: Tree) -> None:
    """Without a limit 1024 is sent."""
    if not any(_limit(request)):
        request["max_tokens"] = Number("1024")


def _limit(request: Tree) -> list[bool]:
    found = [request.get("max_tokens"), *(given(request).get(key) for key in ("max_tokens", "max_completion_tokens"))]
    return [value not in (None, Number("0")) for value in found]


@request("anthropic")
def reads_zero_as_a_limit(request: Tree) -> None:
    """A limit of 0 is sent as 1."""
    if request.get("max_tokens") == "0":
        request["max_tokens"] = Number("1")


@request("anthropic")
def lets_max_tokens_win(request: Tree) -> None:
    """max_tokens beats max_completion_tokens."""
    if request.get("max_tokens") is not None:
        holder(request, "max_completion_tokens").pop("max_completion_tokens", None)


@request("anthropic")
def ignores_max_completion_tokens(request: Tree) -> None:
    """max_completion_tokens means nothing."""
    holder(request, "max_completion_tokens").pop("max_completion_tokens", None)


@request("anthropic")
def ignores_max_tokens_in_params(request: Tree) -> None:
    """max_tokens inside params means nothing."""
    request["params"].pop("max_tokens", None)


@request("anthropic")
def lets_params_beat_the_argument(request: Tree) -> None:
    """max_tokens inside params beats the argument."""
    if request["params"].get("max_tokens") is not None:
        request["max_tokens"] = request["params"].pop("max_tokens")


@body("anthropic")
def caps_max_tokens(body: Tree) -> None:
    """A large limit is cut to 32000."""
    if int(body["max_tokens"]) > 32000:
        body["max_tokens"] = Number("32000")


@body("anthropic")
def raises_max_tokens(body: Tree) -> None:
    """A small limit is raised to 16."""
    if int(body["max_tokens"]) < 16:
        body["max_tokens"] = Number("16")


@request("anthropic")
def sends_max_completion_tokens_beside(request: Tree, ask: Ask) -> None:
    """Equal limits under both names are taken for a conflict."""
    found = given(request).get("max_completion_tokens")
    if found is not None and found == request.get("max_tokens"):
        request["max_tokens"] = Number(str(int(found) + 1))


@request("anthropic")
def reads_a_completion_limit_of_zero(request: Tree) -> None:
    """A max_completion_tokens of 0 is sent as 1."""
    if given(request).get("max_completion_tokens") == "0":
        holder(request, "max_completion_tokens")["max_completion_tokens"] = Number("1")


@body("anthropic")
def caps_max_tokens_at_the_default(body: Tree) -> None:
    """A limit above the default is cut to it."""
    if int(body["max_tokens"]) > 4096 and "thinking" not in body:
        body["max_tokens"] = Number("4096")
