"""One HTTP exchange as values: what is sent, without sending it."""

from __future__ import annotations

from collections.abc import Sequence

from toolnexus.result import Warning

Headers = Sequence[tuple[str, str]]

NO_CUSTOM_TOOLS: frozenset[str] = frozenset()


class ProviderRequest:
    """One HTTP request for the provider: `method`, `url`, `headers` (pairs), `body` (JSON bytes) and the `warnings` of
    encoding it.

    `custom_tools` names the tools whose calls come back as custom ones; `decode` reads it from here. `repr` shows no
    header and no body.
    """

    __slots__ = ("body", "custom_tools", "headers", "method", "url", "warnings")

    def __init__(
        self,
        method: str,
        url: str,
        headers: Headers,
        body: bytes,
        warnings: tuple[Warning, ...] = (),
        custom_tools: frozenset[str] = NO_CUSTOM_TOOLS,
    ) -> None:
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.warnings = warnings
        self.custom_tools = custom_tools

    def __repr__(self) -> str:
        codes = [warning.code for warning in self.warnings]
        return f"ProviderRequest({self.method}, {len(self.body)} bytes, warnings={codes})"
