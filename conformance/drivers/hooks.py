"""A case's hooks and body transform as functions, for Python ports whose API takes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


class HookRaised(Exception):
    """What a case's hook raises; the text is the case's."""


class Hooks:
    """The hooks of one case; `fired` counts how often each was called, those a case does not mention included."""

    def __init__(self, wanted: Mapping[str, Any]) -> None:
        self._wanted = wanted
        self.fired = {"before_llm": 0, "after_llm": 0, "on_error": 0, "before_tool": 0, "after_tool": 0}

    def settings(self) -> dict[str, Any]:
        """`hooks` and `on_error` as a client takes them; nothing for a case without hooks."""
        if not self._wanted:
            return {}
        names = ("before_llm", "after_llm", "before_tool", "after_tool")
        hooks: dict[str, Any] = {"hooks": {name: self._hook(name) for name in names}}
        if "on_error" in self._wanted:
            hooks["on_error"] = self._on_error
        return hooks

    def _hook(self, name: str) -> Callable[..., Any]:
        wanted = self._wanted.get(name, {})

        def hook(*_: Any) -> Any:
            self.fired[name] += 1
            if "raise" in wanted:
                raise HookRaised(wanted["raise"])
            return wanted.get("replace")

        return hook

    def _on_error(self, _: Any) -> str | None:
        """The decisions in turn, the last one again and again; `default` leaves it to the client."""
        decisions = self._wanted["on_error"]
        decision = decisions[min(self.fired["on_error"], len(decisions) - 1)]
        self.fired["on_error"] += 1
        return None if decision == "default" else str(decision)


def merge_patch(target: Any, patch: Any) -> Any:
    """The target with a JSON merge patch applied (RFC 7396); neither argument is changed."""
    if not isinstance(patch, Mapping):
        return patch
    merged = dict(target) if isinstance(target, Mapping) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = merge_patch(merged.get(key), value)
    return merged
