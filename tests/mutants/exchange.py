"""What passes between a port and its provider, as values a mutant may change."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, Literal

from conformance.tree import Json, NotJson, compact, from_python, read, read_bytes


def pairs(headers: Any) -> tuple[tuple[str, str], ...]:
    """Headers as name and value pairs, repeated ones each for itself."""
    several = getattr(headers, "multi_items", None) or getattr(headers, "items", None)
    return tuple((str(name), str(value)) for name, value in (several() if several else headers))


#: How a streamed answer ends: by its last chunk, by a broken connection, or not at all.
Ending = Literal["whole", "broken", "stalled"]


def alike(one: Any, other: Any) -> bool:
    """Whether two trees are the same, kinds of leaves and order of keys included.

    `Number("1")` is not `"1"`, and `True` not `1`.
    """
    if one is other:
        return True
    if one.__class__ is not other.__class__:
        return False
    if one.__class__ is dict:
        return len(one) == len(other) and all(
            key == name and alike(item, value)
            for (key, item), (name, value) in zip(one.items(), other.items(), strict=True)
        )
    if one.__class__ is list:
        return len(one) == len(other) and all(map(alike, one, other))
    return bool(one == other)


@dataclass(frozen=True)
class Sent:
    """One request of a port; `headers` are pairs with lower-case names, `tree` is the body as an exact tree."""

    url: str
    headers: tuple[tuple[str, str], ...]
    body: bytes

    @cached_property
    def tree(self) -> Json:
        """The body as an exact tree; None where it is no JSON the kit can hold."""
        return _tree(self.body)

    def with_tree(self, tree: Json) -> Sent:
        """The same request with another body."""
        return self if alike(tree, self.tree) else replace(self, body=compact(tree).encode("utf-8", "surrogatepass"))

    def header(self, name: str) -> str | None:
        """The first header of that name."""
        return next((value for key, value in self.headers if key == name), None)

    def with_header(self, name: str, value: str | None) -> Sent:
        """The same request with the header set, or without it."""
        rest = tuple(pair for pair in self.headers if pair[0] != name)
        headers = rest if value is None else (*rest, (name, value))
        return self if sorted(headers) == sorted(self.headers) else replace(self, headers=headers)


@dataclass(frozen=True)
class Received:
    """One answer of a provider. `chunks` is set for an event stream, and `ending` says how it ended."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    chunks: tuple[bytes, ...] | None = None
    ending: Ending = "whole"

    @cached_property
    def tree(self) -> Json:
        """The body as an exact tree; None where it is no JSON the kit can hold."""
        return _tree(self.body)

    def with_tree(self, tree: Json) -> Received:
        """The same answer with another body."""
        return self if alike(tree, self.tree) else self.with_body(compact(tree).encode("utf-8", "surrogatepass"))

    def with_body(self, body: bytes) -> Received:
        """The same answer with other bytes."""
        return self if body == self.body else replace(self, body=body)

    def with_chunks(self, chunks: Iterable[bytes], ending: Ending | None = None) -> Received:
        """The same stream in other chunks."""
        own = tuple(chunk for chunk in chunks if chunk)
        ending = ending or self.ending
        if (own, ending) == (self.chunks, self.ending):
            return self
        return replace(self, body=b"".join(own), chunks=own, ending=ending)

    def header(self, name: str) -> str | None:
        """The first header of that name, compared without case."""
        return next((value for key, value in self.headers if key.lower() == name), None)


def _tree(body: bytes) -> Json:
    try:
        return read_bytes(body)
    except (NotJson, RecursionError):
        return None


@lru_cache(maxsize=4096)
def request_tree(text: str) -> dict[str, Any]:
    """A request's text as an exact tree; one tree for all who ask."""
    try:
        tree = read(text)
    except (NotJson, RecursionError):
        return {}
    return tree if isinstance(tree, dict) else {}


@dataclass
class Ask:
    """One message on its way through a port: what was asked, and what passed between port and provider so far.

    `memory` lives as long as the port's client, so that a mutant can carry over what it must not. `wire` holds the
    exact bytes of the last answer where a case scripts them.
    """

    message: dict[str, Any]
    exchanges: list[tuple[Sent, Received | Exception]] = field(default_factory=list)
    memory: dict[str, Any] = field(default_factory=dict)
    wire: bytes | None = None

    @property
    def client(self) -> dict[str, Any]:
        """The client's options, none where only declarations are asked for."""
        return self.message.get("client") or {}

    @property
    def style(self) -> str:
        """The provider style, "" where only declarations are asked for."""
        return str(self.client.get("style", ""))

    @property
    def request(self) -> dict[str, Any]:
        """The translate request as an exact tree, not to be changed; empty where it is none the kit can read."""
        return request_tree(self.message.get("request_text", "{}"))

    def part(self, name: str) -> Any:
        """A part of the message, such as `hooks`, as an exact tree; an empty object where there is none."""
        return from_python(self.message.get(name, {}))

    @property
    def last(self) -> Received | None:
        """The last answer that came, if one did."""
        return next((got for _, got in reversed(self.exchanges) if isinstance(got, Received)), None)
