"""The part that is yours: ask, run what was called, send the results back."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from toolnexus import Client, Toolkit


def ask(
    client: Client, kit: Toolkit, question: str, run: Callable[[str, Any], str], *, system: str | None = None
) -> str:
    """The answer to one question; `run` gets the name and the arguments of each call and gives its result."""
    messages: list[Any] = [{"role": "user", "content": question}]
    while True:
        result = client.translate(messages, toolkit=kit, system=system, max_tokens=1024)
        if not result.tool_calls:
            return result.text
        messages.append(result.to_message())
        for call in result.tool_calls:
            output = run(call.name, json.loads(call.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": output})
