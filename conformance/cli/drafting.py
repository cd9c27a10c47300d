"""What `record` and `import` share: what people say of the case to be, and how it is written."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from conformance.authoring.casefile import Desk
from conformance.authoring.naming import Naming
from conformance.authoring.recording import keeping
from conformance.authoring.recording.draft import Draft, Wanted
from conformance.cli import options
from conformance.faults import UsageFault
from conformance.tree import Json, NotJson, read_bytes


@dataclass(frozen=True, slots=True)
class Drafted:
    """The case to be: its id and clauses, the caller's own request, where to write it, and harmless texts."""

    name: str
    clauses: tuple[str, ...]
    request: Path | None
    output: Path | None
    allowed: tuple[str, ...]

    def wanted(self, named: Naming) -> Wanted:
        """The same for the draft; raises `UsageFault` for a request that is none."""
        return Wanted(named.name, named.style, named.clauses, named.level, named.since, self._request())

    def _request(self) -> dict[str, Json] | None:
        if self.request is None:
            return None
        try:
            tree = read_bytes(self.request.read_bytes())
        except NotJson as wrong:
            raise UsageFault(f"{self.request}: line {wrong.line}: {wrong.message}") from None
        if not isinstance(tree, dict):
            raise UsageFault(f"{self.request}: a request is an object")
        apart = ("model", "stream", "stream_options")
        own = ("messages", "tools", "tool_choice", "system", "max_tokens", "params")
        request = {key: value for key, value in tree.items() if key in own}
        params = {key: value for key, value in tree.items() if key not in own and key not in apart}
        return {**request, "params": params} if params else request


def described(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options that describe the case to be; they arrive as `drafted`."""

    @functools.wraps(function)
    def gathered(**given: Any) -> Any:
        described = {name: given.pop(name) for name in Drafted.__slots__}
        return function(drafted=Drafted(**described), **given)

    decorated: Callable[..., Any] = gathered
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated


_OPTIONS = (
    click.argument("name", metavar="ID"),
    click.option("--clause", "clauses", multiple=True, shell_complete=options.offered_clauses, help="What it checks."),
    click.option(
        "--request",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="The OpenAI body your client was given; else it is read back from what the provider got.",
    ),
    click.option(
        "-o",
        "--output",
        type=click.Path(file_okay=False, path_type=Path),
        help="The folder to write below, in place of the corpus' cases; call it cases, so that lint knows the ids.",
    ),
    click.option("--allow", "allowed", multiple=True, metavar="TEXT", help="Take this text for no secret."),
)


def kept(desk: Desk, drafts: Sequence[Draft], drafted: Drafted) -> int:
    """Write the drafts and say what comes next; raises `LeakFault`."""

    def place(name: str) -> Path:
        return desk.place(name) if drafted.output is None else drafted.output / f"{name}.json"

    for path in keeping.keep(drafts, place, lambda text: click.echo(text, err=True)):
        click.echo(str(path))
        file = _near(path)
        click.echo(f"next: write what is TODO in it, then lint, run and bless {file}", err=True)
    return 0


def _near(path: Path) -> Path:
    return path.relative_to(Path.cwd()) if path.is_absolute() and path.is_relative_to(Path.cwd()) else path
