"""`translate`: what would go over the wire.

The one verb that calls the translator: it imports `toolnexus` when it is run, and nothing else of the kit does but the
in-process driver.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from conformance.canonical import write
from conformance.cli import options
from conformance.shape import STYLES
from conformance.tree import read_bytes

if TYPE_CHECKING:
    from toolnexus import ProviderRequest

_EXAMPLE = options.example(
    "translate --style anthropic --model claude-sonnet-4-5 < body.json",
    "translate --body < body.json | curl https://api.anthropic.com/v1/messages …",
    title="Examples",
)

_INVALID = 1

#: Where the body would go, unless one says so.
_BASES = {"anthropic": "https://api.anthropic.com", "openai": "https://api.openai.com/v1"}


@click.command("translate", epilog=_EXAMPLE)
@click.option(
    "--style", type=click.Choice(STYLES), default="anthropic", show_default=True, help="The provider's style."
)
@click.option("--model", help="The client's model; else the one the body names.")
@click.option("--base-url", help="The provider's address.")
@click.option("--anthropic-version", default="2023-06-01", show_default=True, help="Anthropic's API version.")
@click.option("--system", help="The client's system prompt.")
@click.option("--header", "headers", multiple=True, metavar="'NAME: VALUE'", help="A header of the client's.")
@click.option("--stream", is_flag=True, help="Ask for a stream; a body that asks for one needs no saying.")
@click.option("--body", "only_body", is_flag=True, help="Only the exact bytes of the body; warnings on stderr.")
@options.as_json("One JSON object: method, url, headers, body (token for token) and warnings.")
def command(
    style: str,
    model: str | None,
    base_url: str | None,
    anthropic_version: str,
    system: str | None,
    headers: tuple[str, ...],
    stream: bool,
    only_body: bool,
    as_json: bool,
) -> int:
    """Show what an OpenAI body becomes.

    Reads a Chat Completions body on stdin, and prints the provider's body and the warnings; nothing is sent. A body
    that cannot be sent is one line on stderr with a JSON pointer (with --json an object on stdout), and exit code 1.
    """
    import toolnexus

    data = sys.stdin.buffer.read()
    try:
        request = toolnexus.TranslateRequest.from_json(data)
        config = toolnexus.ClientConfig(
            base_url or _BASES[style],
            style,  # type: ignore[arg-type]  # one of STYLES, as the option says
            _model(model, request.model),
            headers=_headers(headers),
            system_prompt=system,
            anthropic_version=anthropic_version,
        )
        sent = toolnexus.encode(request, config, stream=stream or _streams(data))
    except toolnexus.InvalidRequest as wrong:
        return _refused(wrong.message, wrong.pointer, as_json)
    except (TypeError, ValueError) as wrong:
        raise click.UsageError(str(wrong)) from None
    _SHOW["json" if as_json else "body" if only_body else "text"](sent)
    return 0


def _model(given: str | None, named: str | None) -> str:
    model = given or named
    if not model:
        raise click.UsageError("which model? The body names none; say so with --model")
    return model


def _headers(given: Sequence[str]) -> list[tuple[str, str]]:
    pairs = [text.partition(":") for text in given]
    if wrong := [name for name, colon, _ in pairs if not colon]:
        raise click.UsageError(f"--header {wrong[0]!r} has no colon; write 'NAME: VALUE'")
    return [(name.strip(), value.strip()) for name, _, value in pairs]


def _streams(body: bytes) -> bool:
    """Does the body ask for a stream? One that cannot be read has been refused before."""
    return bool(json.loads(body.decode("utf-8", "replace")).get("stream") is True)


def _refused(message: str, pointer: str, as_json: bool) -> int:
    if as_json:
        click.echo(json.dumps({"error": {"message": message, "pointer": pointer}}))
    else:
        click.echo(f"Error: {pointer or '/'}: {' '.join(message.split())}", err=True)
    return _INVALID


# -- shown ------------------------------------------------------------------------------------------------------------


def _text(sent: ProviderRequest) -> None:
    click.echo(write(read_bytes(sent.body)))
    for line in _warnings(sent):
        click.echo(line)


def _bytes(sent: ProviderRequest) -> None:
    click.echo(sent.body, nl=False)
    for line in _warnings(sent):
        click.echo(line, err=True)


def _object(sent: ProviderRequest) -> None:
    """The parts as one object, the body spliced in as it is."""
    head: dict[str, Any] = {"method": sent.method, "url": sent.url, "headers": dict(sent.headers)}
    rows = [{"code": row.code, "pointer": row.pointer, "message": row.message} for row in sent.warnings]
    click.echo(f'{json.dumps(head)[:-1]}, "body": {sent.body.decode()}, "warnings": {json.dumps(rows)}}}')


def _warnings(sent: ProviderRequest) -> list[str]:
    return [f"warning {row.code} {row.pointer or '/'}: {row.message}" for row in sent.warnings]


_SHOW = {"text": _text, "body": _bytes, "json": _object}
