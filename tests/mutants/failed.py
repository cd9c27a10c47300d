"""What mutants of failures look at and make."""

from __future__ import annotations

from typing import Any

from tests.mutants.exchange import Ask, Received

Tree = dict[str, Any]


def is_provider(error: Tree) -> bool:
    """Whether a failure is the provider's."""
    return bool(error["kind"] == "provider")


def last_text(ask: Ask) -> str:
    """The body of the last answer as text."""
    return "" if ask.last is None else ask.last.body.decode("utf-8", "replace")


def error_object(ask: Ask) -> Tree:
    """The error object of the last answer, else an empty one."""
    tree = ask.last.tree if ask.last else None
    if isinstance(tree, list) and len(tree) == 1:
        tree = tree[0]
    found = tree.get("error") if isinstance(tree, dict) else None
    return found if isinstance(found, dict) else {}


def is_error(got: Received) -> bool:
    """Whether an answer is no 2xx."""
    return got.status >= 300


def empty_success(ask: Ask, text: str = "") -> Tree:
    """An empty success, as a careless translator makes one."""
    usage = dict.fromkeys(("prompt_tokens", "completion_tokens", "total_tokens"), 0)
    return {"text": text, "tool_calls": [], "finish_reason": "stop", "usage": usage, "model": ask.client.get("model")}


def succeed(answer: Tree, ask: Ask, text: str = "") -> None:
    """Turns a failure into an empty success."""
    answer.pop("error")
    answer.update(result=empty_success(ask, text), warnings=[])
