"""Options that several verbs share, and what the shell offers for them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from conformance import corpus as corpora
from conformance.authoring import choose
from conformance.corpus import LEVELS, Corpus
from conformance.faults import Fault
from conformance.options import Options
from conformance.verdict import STATES

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

#: How many proposals a shell is handed.
_MOST = 200


def example(*lines: str, title: str = "Example") -> str:
    """The epilog of a verb's help; click leaves the line breaks as they are."""
    return "\n".join(["\b", f"{title}:", *(f"  toolnexus-conformance {line}" for line in lines)])


def fixtures(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--fixtures`: another corpus than the one that came with the kit."""
    kind = click.Path(exists=True, file_okay=False, path_type=Path)
    return click.option("--fixtures", type=kind, help="Another corpus.")(function)


def as_json(text: str) -> Decorator:
    """`--json`, and what it gives."""
    return click.option("--json", "as_json", is_flag=True, help=text)


def target(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options that name a port and the corpus; they arrive as `target`, the `Options` of a run."""

    @functools.wraps(function)
    def gathered(**given: Any) -> Any:
        named = {name: given.pop(name) for name in ("fixtures", "port", "stub_port", "headers", "models")}
        return function(target=Options(**named), **given)

    decorated: Callable[..., Any] = gathered
    for option in reversed(_TARGET):
        decorated = option(decorated)
    return decorated


def filters(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options that choose cases; they arrive as `wanted`, a `choose.Wanted`."""

    @functools.wraps(function)
    def gathered(**given: Any) -> Any:
        names = [name for name in choose.Wanted.__slots__ if name in given]
        return function(wanted=choose.Wanted(**{name: given.pop(name) for name in names}), **given)

    decorated: Callable[..., Any] = gathered
    for option in reversed(_FILTERS):
        decorated = option(decorated)
    return decorated


def offered_cases(ctx: click.Context, param: click.Parameter, begun: str) -> list[CompletionItem]:
    """Ids of cases, for the shell."""
    names = [name for name, _ in _offering(lambda: list(corpora.files(_root(ctx))))]
    return [CompletionItem(name) for name in names if name.startswith(begun)][:_MOST]


def offered_clauses(ctx: click.Context, param: click.Parameter, begun: str) -> list[CompletionItem]:
    """Ids of clauses with their texts, for the shell."""
    clauses = _offering(lambda: list(Corpus(_root(ctx), ()).clauses.values()))
    return [CompletionItem(row.id, help=row.text) for row in clauses if row.id.startswith(begun)]


def _root(ctx: click.Context) -> Path:
    return corpora.find(ctx.params.get("fixtures"))


def _offering(find: Callable[[], list[Any]]) -> list[Any]:
    """What there is to offer; a broken corpus is not for the shell to complain of."""
    try:
        return find()
    except Fault:
        return []


_TARGET = (
    fixtures,
    click.option(
        "--port",
        default=Options().port,
        show_default=True,
        help="The port: python:toolnexus, python:package.module:factory, 'cmd:node port.mjs', or a gateway's http URL.",
    ),
    click.option("--stub-port", type=int, default=0, help="Of a gateway: the port its upstream is pointed at."),
    click.option("--header", "headers", multiple=True, help="Of a gateway: NAME: VALUE, such as its own key."),
    click.option("--model", "models", multiple=True, help="Of a gateway: what it calls a model, STYLE=NAME."),
)
_FILTERS = (
    click.option("--style", "styles", multiple=True, type=click.Choice(choose.FOLDERS), help="Only this style."),
    click.option("--area", "areas", multiple=True, help="Only this area, the id's second part; * matches."),
    click.option("--level", type=click.Choice(LEVELS), default="may", help="Only this level and those above."),
    click.option(
        "--clause",
        "clauses",
        multiple=True,
        shell_complete=offered_clauses,
        help="Only cases that cite this clause, or one that begins so (openai.).",
    ),
    click.option("--requires", "capabilities", multiple=True, help="Only cases that need this style or capability."),
    click.option("--since", metavar="VERSION", help="Only cases that this version of the corpus had."),
    click.option("--text", default="", help="Only cases that hold this text anywhere, whatever its case."),
    click.option("--state", "states", multiple=True, type=click.Choice(STATES), help="Only cases that went so."),
    click.option("--results", type=click.Path(exists=True, path_type=Path), help="The run --state speaks of."),
)
