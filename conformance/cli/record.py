"""`record`: a case from what a real client and a real provider say to each other."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import click

from conformance.authoring.casefile import Desk
from conformance.authoring.naming import fresh
from conformance.authoring.recording import draft
from conformance.authoring.recording.proxy import Proxy
from conformance.authoring.recording.seen import Recorded, style_of
from conformance.cli import drafting, options
from conformance.cli.ending import interruptible
from conformance.faults import UsageFault

_EXAMPLE = options.example(
    "record anthropic/finish/model-says-no --upstream https://api.anthropic.com --clause anthropic.finish",
)


@click.command("record", epilog=_EXAMPLE)
@options.fixtures
@click.option("--upstream", required=True, metavar="URL", help="The provider; the path of a call is put behind it.")
@click.option("--listen", type=click.IntRange(0, 65535), default=0, help="The proxy's port; 0 is any free one.")
@click.option("--calls", type=click.IntRange(1), default=1, show_default=True, help="Stop after so many calls.")
@drafting.described
def command(upstream: str, listen: int, calls: int, fixtures: Path | None, drafted: drafting.Drafted) -> int:
    """Record a call to a provider as a case.

    Starts a proxy on 127.0.0.1 and prints its address; give it to your client in place of the provider's, and make the
    call. Everything is passed on as it is, the key too. When so many calls are over (or you press Ctrl-C) each becomes
    a case: ID, ID-2 and so on.

    Keys, headers, ids, e-mails, hosts and data are replaced. Where something still looks like a secret, nothing is
    written, and the exit code is 1. The case is a draft: lint says what is left to write, and bless fills in what a
    port makes of the answer.
    """
    desk = Desk(fixtures)
    named = fresh(desk, drafted.name, drafted.clauses, drafted.output)
    with Proxy(upstream, listen, lambda text: click.echo(f"not recorded: {text}", err=True)) as proxy:
        click.echo(proxy.url)
        click.echo(f"passes calls on to {upstream}; give your client this base URL and make {calls} of them", err=True)
        found = _recorded(proxy, calls)
    if not found:
        raise UsageFault("nothing was recorded")
    found = [item for item in found if style_of(item.url) == named.style]
    if not found:
        raise UsageFault(f"no call of style {named.style} was made: none ended in its path")
    return drafting.kept(desk, draft.drafts(found, drafted.wanted(named), drafted.allowed), drafted)


def _recorded(proxy: Proxy, calls: int) -> list[Recorded]:
    """The calls, as many as asked for or as there were before Ctrl-C."""
    found: list[Recorded] = []
    with interruptible(), suppress(KeyboardInterrupt):
        while len(found) < calls:
            item = proxy.take(0.2)
            if item is not None:
                found.append(item)
                size = len(item.reply_body)
                click.echo(f"{len(found)}  {item.method} {item.target} → {item.status} ({size} bytes)", err=True)
    return found
