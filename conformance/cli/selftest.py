"""`selftest`: walk a new adapter through the protocol."""

from __future__ import annotations

import contextlib
import json
import shlex
from dataclasses import replace

import click
import msgspec

from conformance import adapters, selftest
from conformance.cli import options
from conformance.faults import PortFault
from conformance.options import Options
from conformance.selftest import Step

_EXAMPLE = options.example(
    "selftest 'cmd:node port.mjs'",
    "selftest python:my.module:factory",
    "selftest template_go",
    title="Examples",
)

_NOT_RIGHT = 1


@click.command("selftest", epilog=_EXAMPLE)
@click.argument("port", metavar="PORT")
@click.option("--stub-port", type=click.IntRange(1, 65535), default=None, help="Where a gateway reaches the stub.")
@click.option("--header", "headers", multiple=True, help="Send this to a gateway: 'NAME: VALUE'.")
@click.option("--model", "models", multiple=True, help="What a gateway calls the model: [STYLE=]NAME.")
@options.as_json("One JSON object a step, for programs.")
def command(port: str, stub_port: int | None, headers: tuple[str, ...], models: tuple[str, ...], as_json: bool) -> int:
    """Walk an adapter through hello, a good case, an error, an unknown field and a large message.

    Says at each step what it expected and what it saw. PORT is what --toolnexus-port takes, or one that ports list
    names and ports install has built. An adapter that skips what it is asked passes; whether a translation is right is
    what a run is for.

    Exit code 0 where every step is right, 1 where one is not, 10 where the port could not be run.
    """
    steps = []
    adapter = adapters.every().get(port)
    if adapter is not None:
        adapters.refuse_unbuilt(adapter)
    asked = Options(port=port, stub_port=stub_port or 0, headers=headers, models=models)
    with contextlib.nullcontext() if adapter is None else adapters.started(adapter):
        for step in selftest.walk(asked if adapter is None else replace(adapter.options(), known=None)):
            steps.append(step)
            click.echo(json.dumps(msgspec.to_builtins(step)) if as_json else _told(step))
    wrong = [step for step in steps if not step.right]
    if not as_json:
        click.echo(_summary(steps, wrong, asked if adapter is None else port))
    if wrong and wrong[0].name == "hello":
        return PortFault.exit_code
    return _NOT_RIGHT if wrong else 0


def _told(step: Step) -> str:
    mark = click.style("ok  ", fg="green") if step.right else click.style("FAIL", fg="red", bold=True)
    rows = [f"{mark}  {step.name}", f"        expected  {step.expected}", f"        saw       {step.saw}"]
    rows += [f"        remark    {step.remark}"] if step.remark else []
    rows += [f"        stderr    {line}" for line in step.stderr]
    return "\n".join(rows)


def _summary(steps: list[Step], wrong: list[Step], port: Options | str) -> str:
    if wrong:
        return f"{len(wrong)} of {len(steps)} steps went wrong; begin with: {wrong[0].name}"
    if isinstance(port, str):
        return f"the protocol is kept; next: toolnexus-conformance ports run {port}"
    return f"the protocol is kept; next: {shlex.join(['pytest', '--toolnexus-conformance', *port.arguments()])}"
