"""Faults in broken connections, and secrets that are shown."""

from __future__ import annotations

import json
import re
import sys
from typing import Any

from tests.mutants.exchange import Ask, Received, Sent
from tests.mutants.failed import error_object, is_provider, last_text, succeed
from tests.mutants.mutant import (
    answer,
    error,
    exchange,
)

Tree = dict[str, Any]


# -- broken connections -----------------------------------------------------------------------------------------------


@answer()
def eats_transport_errors(answer: Tree, ask: Ask) -> None:
    """A broken connection is an empty success."""
    if answer.get("error", {}).get("kind") == "transport":
        succeed(answer, ask)


@error()
def reports_transport_errors_as_the_providers(error: Tree) -> None:
    """A broken connection is reported as a provider's 500."""
    if error["kind"] == "transport":
        error.update(kind="provider", status=500)


@error()
def calls_every_transport_error_a_timeout(error: Tree) -> None:
    """A reset is reported as a timeout."""
    if error.get("type") == "reset":
        error["type"] = "timeout"


@error()
def calls_every_transport_error_a_reset(error: Tree) -> None:
    """A timeout is reported as a reset."""
    if error["kind"] == "transport":
        error["type"] = "reset"


def _wire_body(ask: Ask) -> tuple[int, bytes] | None:
    """Status and everything behind the first blank line of what the socket carried."""
    head, blank, body = (ask.wire or b"").partition(b"\r\n\r\n")
    line = head.split(b" ")
    return (int(line[1]), body) if blank and len(line) > 1 and line[1].isdigit() else None


@exchange
def takes_a_cut_body_for_whole(post: Any, sent: Sent, ask: Ask) -> Received:
    """Whatever had arrived when the connection broke is the answer."""
    try:
        return post(sent)
    except Exception:
        found = _wire_body(ask)
        if found is None:
            raise
        rest = found[1]
        return Received(found[0], (), rest[rest.find(b"{") : rest.rfind(b"}") + 1])


@exchange
def reads_bodies_past_the_blank_line(post: Any, sent: Sent, ask: Ask) -> Received:
    """The body is all that follows the first blank line, chunk sizes and interim replies included."""
    try:
        got = post(sent)
    except Exception as wrong:
        if (found := _wire_body(ask)) is None:
            raise wrong
        return Received(found[0], (), found[1])
    found = _wire_body(ask)
    return got if found is None else Received(found[0], got.headers, found[1])


@exchange
def needs_a_length(post: Any, sent: Sent, ask: Ask) -> Received:
    """A body without Content-Length is taken for empty."""
    got = post(sent)
    framed = ask.wire is None or re.search(rb"(?i)\r\n(content-length|transfer-encoding):", ask.wire)
    return got if framed else Received(got.status, got.headers, b"")


# -- secrets ----------------------------------------------------------------------------------------------------------


@error()
def shows_what_the_provider_quotes(error: Tree, ask: Ask) -> None:
    """A key that the provider quotes is shown."""
    quoted = error_object(ask).get("message")
    tree = ask.last.tree if ask.last else None
    if is_provider(error):
        error["message"] = quoted or (
            tree.get("error") if isinstance(tree, dict) and isinstance(tree.get("error"), str) else error["message"]
        )


@error()
def shows_what_a_page_quotes(error: Tree, ask: Ask) -> None:
    """A key in a body that is no JSON is shown."""
    if is_provider(error) and ask.last and ask.last.tree is None and ask.last.body:
        error["message"] = re.sub(r"<[^>]*>", " ", last_text(ask))[:200]


@error()
def shows_the_address(error: Tree, ask: Ask) -> None:
    """A failure names the address that was called, with whatever stands in it."""
    if ask.exchanges and "{" not in str(ask.client.get("base_url")) and not error_object(ask):
        error["message"] = f"{error.get('message')} ({ask.client['base_url']})"


@error()
def masks_what_looks_like_a_key(error: Tree) -> None:
    """Masked keys are masked once more, and the sentence is lost."""
    if is_provider(error):
        error["message"] = re.sub(r"\S*\*{2,}\S*", "[redacted]", error["message"])


@error()
def quotes_the_refused_part(error: Tree, ask: Ask) -> None:
    """An invalid request quotes the value at fault."""
    if error["kind"] == "invalid-request" and "image_url" in str(error.get("pointer")):
        error["message"] = json.dumps(ask.request["messages"])


@exchange
def logs_its_headers(post: Any, sent: Sent, ask: Ask) -> Received:
    """A refused call writes its headers to stderr."""
    got = post(sent)
    if got.status in (401, 403):
        sys.stderr.write(f"request failed: {dict(sent.headers)}\n")
    return got
