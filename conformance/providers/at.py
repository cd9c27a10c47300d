"""Where in a body something stands, written the way each reader wants it."""

from __future__ import annotations

from dataclasses import dataclass

Step = str | int


@dataclass(frozen=True, slots=True)
class At:
    """One place in a JSON body: a key or an index below another place.

    A *tag* is no step of the body: Anthropic's messages name the chosen variant of a union in
    their paths (`tools.0.custom.name`, wire-facts B8), JSON pointers do not.
    """

    up: At | None = None
    step: Step = ""
    tag: bool = False

    def __truediv__(self, step: Step) -> At:
        """The place one key or index further down."""
        return At(self, step)

    def tagged(self, tag: str) -> At:
        """The same place, read as the named variant of a union."""
        return At(self, tag, True)

    @property
    def pointer(self) -> str:
        """The place as a JSON pointer (RFC 6901); the whole body is the empty string."""
        return "".join(f"/{_escaped(place.step)}" for place in self._trail() if not place.tag)

    @property
    def dotted(self) -> str:
        """The place as Anthropic writes it: `messages.0.content.1.image.source` (B8)."""
        return ".".join(str(place.step) for place in self._trail())

    @property
    def bracketed(self) -> str:
        """The place as OpenAI writes it: `messages[0].tool_calls[1].id` (A9)."""
        written = ""
        for place in self._trail():
            if place.tag:
                continue
            written += f"[{place.step}]" if isinstance(place.step, int) else f".{place.step}"
        return written.removeprefix(".")

    def _trail(self) -> list[At]:
        trail: list[At] = []
        place = self
        while place.up is not None:
            trail.append(place)
            place = place.up
        trail.reverse()
        return trail


BODY = At()


def _escaped(step: Step) -> str:
    return str(step).replace("~", "~0").replace("/", "~1")
