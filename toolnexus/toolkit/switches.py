"""Allow-lists and drop-lists, the same for servers' tools, skills and builtins."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

Switches = Mapping[str, bool] | Collection[str] | None
"""`{name: bool}`: one true makes it an allow-list, else the false ones are dropped; a list of names allows those."""


def is_on(config: Mapping[str, object]) -> bool:
    """Whether a source is on: `disabled: true` wins, then `enabled: false`."""
    return config.get("disabled") is not True and config.get("enabled") is not False


def chosen(names: Iterable[str], switches: Switches) -> list[str]:
    """The names that are left, in the order given; names that do not exist are ignored."""
    every = list(names)
    if switches is None:
        return every
    if not isinstance(switches, Mapping):
        return [name for name in every if name in switches] if switches else every
    allowed = {name for name, on in switches.items() if on}
    if allowed:
        return [name for name in every if name in allowed]
    return [name for name in every if name not in switches]


def unknown(names: Iterable[str], switches: Switches) -> list[str]:
    """The switches that name nothing there is."""
    every = set(names)
    return [name for name in switches or () if name not in every]
