"""`completion`: what a shell needs to complete verbs, options, ids and clauses."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from conformance.cli import PROGRAM, options
from conformance.cli.group import cli

_EXAMPLE = options.example("completion bash >> ~/.bashrc")

#: The variable by which click is asked for completions.
_VARIABLE = f"_{PROGRAM.replace('-', '_').upper()}_COMPLETE"


@click.command("completion", epilog=_EXAMPLE)
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
def command(shell: str) -> int:
    """Print a shell's completion script.

    It completes verbs, options, the ids of cases and the clauses. For fish, write it to
    ~/.config/fish/completions/toolnexus-conformance.fish.
    """
    found = get_completion_class(shell)
    assert found is not None  # click has all three
    click.echo(found(cli, {}, PROGRAM, _VARIABLE).source())
    return 0
