"""What one encoding notes as it goes: the warnings of `result.warnings`."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from toolnexus.result import Warning

_EMPTY: tuple[Any, ...] = (None, "", [], {}, False)


class Log(Struct):
    """Collects the warnings of one request, in the order in which they are found."""

    warnings: list[Warning]

    def warn(self, code: str, pointer: str, message: str) -> None:
        """Notes that something did not arrive as written; `code` is one of SPEC section 7."""
        self.warnings.append(Warning(code, pointer, message))

    def dropped(self, pointer: str, message: str = "the provider has no place for this field") -> None:
        """Notes a field that is not sent (clause `anthropic.dropped-fields`)."""
        self.warn("field-dropped", pointer, message)

    def unknown(self, value: dict[str, Any], known: frozenset[str], pointer: str) -> None:
        """Notes each key outside `known` whose value says something; an empty one loses nothing."""
        if value.keys() <= known:
            return
        for key, item in value.items():
            if key not in known and not any(item is e or (item == e and type(item) is type(e)) for e in _EMPTY):
                self.dropped(f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}")
