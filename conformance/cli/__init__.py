"""The command `toolnexus-conformance`: one verb a file, loaded when it is called.

Exit codes are the pytest plugin's: 0 fine, 1 not conformant, 2 interrupted, 4 usage, 10 the port could not be run,
11 a fault in kit or corpus.
"""

from __future__ import annotations

import importlib
import sys

import click

from conformance.faults import Fault

USAGE = 4
INTERRUPTED = 2
CORPUS_FAULT = 11

#: verb → module; the function has the verb's name, `-` as `_`.
VERBS = {
    "diff": "conformance.cli.diff",
    "fmt": "conformance.cli.fmt",
    "lint": "conformance.cli.lint",
    "list": "conformance.cli.list_",
    "report": "conformance.cli.report",
    "show": "conformance.cli.show",
}


class _Verbs(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        command: click.Command = importlib.import_module(VERBS[cmd_name]).command
        return command


@click.command(cls=_Verbs, context_settings={"help_option_names": ["-h", "--help"]})
def cli() -> None:
    """Read, check and format the conformance corpus."""


def main(argv: list[str] | None = None) -> int:
    """Run one verb and return its exit code."""
    try:
        code = cli.main(args=argv, prog_name="toolnexus-conformance", standalone_mode=False)
    except click.UsageError as wrong:
        wrong.show()
        return USAGE
    except click.ClickException as wrong:
        wrong.show()
        return wrong.exit_code
    except Fault as wrong:
        click.echo(f"Error: {wrong}", err=True)
        return wrong.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return INTERRUPTED
    return code if isinstance(code, int) else 0


if __name__ == "__main__":
    sys.exit(main())
