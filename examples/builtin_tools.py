"""The builtins: ten names and schemas that models know. What they do is yours to write."""

from itertools import islice
from typing import Any

from toolnexus import Client
from toolnexus.toolkit import create_toolkit

from loop import ask
from stub_provider import provider

WRITERS = ("bash", "write", "edit", "apply_patch")

kit = create_toolkit(builtins={"tools": dict.fromkeys(WRITERS, False)})
print(*kit.names())


def read(path: str, offset: int = 1, limit: int = 100) -> str:
    """Your own way to read a file."""
    with open(path, encoding="utf-8") as lines:
        return "".join(islice(lines, offset - 1, offset - 1 + limit)).rstrip("\n")


def run(name: str, arguments: Any) -> str:
    """What you allow; a tool that you do not host says so to the model."""
    return read(**arguments) if name == "read" else f"{name} is not available"


with (
    provider("anthropic", "read", {"path": __file__, "limit": 1}) as url,
    Client(url, style="anthropic", model="claude-sonnet-4-5", api_key="none") as client,
):
    print(ask(client, kit, "What is this file about?", run))
