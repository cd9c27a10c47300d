"""The group of all verbs: each is imported when it is called, and whatever goes wrong is one line on stderr."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from typing import Any, Final

import click

from conformance.cli import INTERRUPTED, PROGRAM, USAGE, VERBS
from conformance.faults import Fault

#: What click 8.2 and later raise where a group is called without a verb; earlier ones print the help by themselves.
_NO_VERB: Final[Any] = getattr(click.exceptions, "NoArgsIsHelpError", ())

_EPILOG = """\b
Where to begin:
  an adapter is new       selftest 'cmd:node port.mjs'        then   pytest --toolnexus-conformance …
  a case fails            run ID --port 'cmd:node port.mjs'   then   explain CLAUSE
  a mapping has changed   bless --dry-run                     then   bless --reason TEXT
  a provider surprised    record ID --upstream URL            then   lint, run, bless
  a test suite elsewhere  serve                               or     export
"""


class _Verbs(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        command: click.Command = importlib.import_module(VERBS[cmd_name]).command
        return command

    def main(  # type: ignore[override]  # click's has overloads that say which mode exits
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **options: Any
    ) -> Any:
        """Run one verb and exit with its code; with `standalone_mode=False` as click does."""
        if options.pop("standalone_mode", True):
            sys.exit(self._exit_code(args, prog_name or PROGRAM, options))
        return super().main(args, prog_name, standalone_mode=False, **options)

    def _exit_code(self, args: Sequence[str] | None, prog_name: str, options: dict[str, Any]) -> int:
        try:
            code = super().main(args, prog_name, standalone_mode=False, **options)
        except _NO_VERB as wrong:
            click.echo(wrong.ctx.get_help(), err=True)
            return USAGE
        except click.UsageError as wrong:
            where = PROGRAM if wrong.ctx is None else wrong.ctx.command_path
            return _told(f"{wrong.format_message()} (see {where} --help)", USAGE)
        except click.ClickException as wrong:
            return _told(wrong.format_message(), wrong.exit_code)
        except Fault as wrong:
            return _told(str(wrong), wrong.exit_code)
        except (click.Abort, KeyboardInterrupt):
            click.echo("interrupted", err=True)
            return INTERRUPTED
        except OSError as wrong:  # a file that cannot be read or written, a port that is taken
            return _told(f"{wrong.filename or 'input or output'}: {wrong.strerror or wrong}", USAGE)
        return code if isinstance(code, int) else 0


def _told(message: str, code: int) -> int:
    click.echo(f"Error: {' '.join(message.split())}", err=True)
    return code


@click.command(cls=_Verbs, epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name=PROGRAM, prog_name=PROGRAM)
def cli() -> None:
    """Read, write and check the conformance corpus, and run ports against it."""
