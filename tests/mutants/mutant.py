"""How a mutant is written down: one small function a fault, registered by the seam at which it spoils the reference.

The seams, in the order in which a call passes them:

    request, options, message   what the caller asks, before the port reads it
    policy                      the client the port makes (its retries and hooks)
    body, sent                  the provider request, just before it is sent
    exchange                    the sending itself
    reply, received             the provider's answer, before it is decoded
    events, chunked             the same, where it is streamed
    result, error, warned, deltas, answer     what the caller gets
    openai_tools, anthropic_tools, gemini_tools   what the adapters declare

An edit gets its own copy of the value, changes it or gives another, and may ask for the `Ask` as well. Its docstring
is the fault it models, in one line.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from conformance.tree import compact
from tests.mutants.events import read_events, write_event
from tests.mutants.exchange import Ask, Received, Sent, alike

Level = Literal["asks", "makes", "sends", "exchanges", "reads", "answers"]
Edit = Callable[..., Any]
Spoil = Callable[..., Any]


@dataclass(frozen=True)
class Mutant:
    """A wrong translator. `spoil` works at `level`; it gives the very value it got where it changes nothing."""

    name: str
    theme: str
    fault: str
    level: Level
    spoil: Spoil


MUTANTS: dict[str, Mutant] = {}


def register(edit: Edit, level: Level, spoil: Spoil, name: str = "", fault: str = "") -> None:
    """Adds a mutant; its name is the edit's, with dashes, its fault the first line of the docstring."""
    name = (name or edit.__name__).replace("_", "-")
    fault = fault or (edit.__doc__ or "").strip()
    if not fault or "\n" in fault or name in MUTANTS:
        raise TypeError(f"mutant {name} needs a name of its own and a docstring of one line")
    MUTANTS[name] = Mutant(name, edit.__module__.rpartition(".")[2], fault, level, spoil)


class MutantBug(BaseException):
    """A mutant that crashes instead of being wrong; it must not count as a kill."""


_UNFIT = (AttributeError, LookupError, TypeError, ValueError, StopIteration, RecursionError)


def edited(edit: Edit) -> Callable[[Any, Ask], Any]:
    """The edit on a copy of a tree, with or without the ask; gives the changed copy.

    A value of a shape that the edit was not made for stays as it is: cases about wrong types are full of them, and a
    crash must not count as a fault that a case has found.
    """
    takes_ask = len(inspect.signature(edit).parameters) > 1

    def run(value: Any, ask: Ask) -> Any:
        try:
            own = copied(value)
            changed = edit(own, ask) if takes_ask else edit(own)
        except _UNFIT:
            return value
        return own if changed is None else changed

    return run


def copied(value: Any) -> Any:
    """A copy of a tree down to its leaves."""
    if value.__class__ is dict:
        return {key: copied(item) for key, item in value.items()}
    if value.__class__ is list:
        return [copied(item) for item in value]
    return value


def concerns(style: str, ask: Ask) -> bool:
    """Whether a mutant of that style ("" for both) is asked."""
    return not style or style == ask.style


# -- what the caller asks ---------------------------------------------------------------------------------------------


def request(style: str = "", **named: str) -> Callable[[Edit], Edit]:
    """The edit gets the translate request as an exact tree."""

    def decorate(edit: Edit) -> Edit:
        run = edited(edit)

        def spoil(message: dict[str, Any], ask: Ask) -> dict[str, Any]:
            if not ask.request or not concerns(style, ask):
                return message
            changed = run(ask.request, ask)
            return message if alike(changed, ask.request) else {**message, "request_text": compact(changed)}

        register(edit, "asks", spoil, **named)
        return edit

    return decorate


def message(style: str = "", **named: str) -> Callable[[Edit], Edit]:
    """The edit gets the protocol's whole message, save its texts."""

    def decorate(edit: Edit) -> Edit:
        run = edited(edit)

        def spoil(message: dict[str, Any], ask: Ask) -> dict[str, Any]:
            if not concerns(style, ask):
                return message
            changed = run(message, ask)
            return message if alike(changed, message) else changed

        register(edit, "asks", spoil, **named)
        return edit

    return decorate


def options(style: str = "", **named: str) -> Callable[[Edit], Edit]:
    """The edit gets the client's options."""

    def decorate(edit: Edit) -> Edit:
        run = edited(edit)

        def spoil(message: dict[str, Any], ask: Ask) -> dict[str, Any]:
            if not ask.client or not concerns(style, ask):
                return message
            changed = run(message["client"], ask)
            return message if alike(changed, message["client"]) else {**message, "client": changed}

        register(edit, "asks", spoil, **named)
        return edit

    return decorate


# -- around the call --------------------------------------------------------------------------------------------------


def policy(edit: Edit) -> Edit:
    """The edit gets the client that the port made, and changes it."""
    register(edit, "makes", edit)
    return edit


def exchange(edit: Edit) -> Edit:
    """The edit gets the function that posts one `Sent`, the `Sent`, and the ask; it gives a `Received`, or raises."""
    register(edit, "exchanges", edit)
    return edit


def body(style: str = "", **named: str) -> Callable[[Edit], Edit]:
    """The edit gets the provider request's body as an exact tree."""

    def decorate(edit: Edit) -> Edit:
        run = edited(edit)

        def spoil(sent: Sent, ask: Ask) -> Sent:
            if not concerns(style, ask) or not isinstance(sent.tree, dict):
                return sent
            return sent.with_tree(run(sent.tree, ask))

        register(edit, "sends", spoil, **named)
        return edit

    return decorate


def sent(style: str = "", **named: str) -> Callable[[Edit], Edit]:
    """The edit gets the `Sent` itself and gives the one to post."""

    def decorate(edit: Edit) -> Edit:
        def spoil(sent: Sent, ask: Ask) -> Sent:
            return edit(sent, ask) if concerns(style, ask) else sent

        register(edit, "sends", spoil, **named)
        return edit

    return decorate


def reply(style: str = "", **named: str) -> Callable[[Edit], Edit]:
    """The edit gets the body of a provider's 2xx answer as an exact tree."""

    def decorate(edit: Edit) -> Edit:
        run = edited(edit)

        def spoil(received: Received, ask: Ask) -> Received:
            if received.chunks is not None or received.status >= 300 or not concerns(style, ask):
                return received
            if not isinstance(received.tree, dict):
                return received
            return received.with_tree(run(received.tree, ask))

        register(edit, "reads", spoil, **named)
        return edit

    return decorate


def received(style: str = "", **named: str) -> Callable[[Edit], Edit]:
    """The edit gets the `Received` itself and gives the one to decode."""

    def decorate(edit: Edit) -> Edit:
        def spoil(received: Received, ask: Ask) -> Received:
            return edit(received, ask) if received.chunks is None and concerns(style, ask) else received

        register(edit, "reads", spoil, **named)
        return edit

    return decorate


def chunked(style: str = "", **named: str) -> Callable[[Edit], Edit]:
    """The edit gets a streamed `Received` and gives the one to decode."""

    def decorate(edit: Edit) -> Edit:
        def spoil(received: Received, ask: Ask) -> Received:
            return edit(received, ask) if received.chunks is not None and concerns(style, ask) else received

        register(edit, "reads", spoil, **named)
        return edit

    return decorate


def events(style: str = "", **named: str) -> Callable[[Edit], Edit]:
    """The edit gets the events of a streamed answer, each `{"event": name or None, "data": tree or text}`."""

    def decorate(edit: Edit) -> Edit:
        run = edited(edit)

        def spoil(received: Received, ask: Ask) -> Received:
            if received.chunks is None or not concerns(style, ask):
                return received
            found = read_events(received.body)
            changed = run(found, ask)
            return received if alike(changed, found) else received.with_chunks(map(write_event, changed))

        register(edit, "reads", spoil, **named)
        return edit

    return decorate


# -- what the caller gets ---------------------------------------------------------------------------------------------


def answer(style: str = "", **named: str) -> Callable[[Edit], Edit]:
    """The edit gets the port's whole answer."""

    def decorate(edit: Edit) -> Edit:
        run = edited(edit)

        def spoil(answer: dict[str, Any], ask: Ask) -> dict[str, Any]:
            if not concerns(style, ask):
                return answer
            changed = run(answer, ask)
            return answer if alike(changed, answer) else changed

        register(edit, "answers", spoil, **named)
        return edit

    return decorate


def _part(key: str) -> Callable[..., Callable[[Edit], Edit]]:
    def part(style: str = "", **named: str) -> Callable[[Edit], Edit]:
        def decorate(edit: Edit) -> Edit:
            run = edited(edit)

            def spoil(answer: dict[str, Any], ask: Ask) -> dict[str, Any]:
                if answer.get(key) is None or not concerns(style, ask):
                    return answer
                changed = run(answer[key], ask)
                return answer if alike(changed, answer[key]) else {**answer, key: changed}

            register(edit, "answers", spoil, **named)
            return edit

        return decorate

    return part


#: The edit gets the answer's `result`, `error`, `warnings`, `deltas`, or one style's declarations.
result, error, warned, deltas = _part("result"), _part("error"), _part("warnings"), _part("deltas")
openai_tools, anthropic_tools, gemini_tools = _part("openai"), _part("anthropic"), _part("gemini")
