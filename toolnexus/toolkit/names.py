"""Names of tools that come from a named source."""

from __future__ import annotations

import re

_OUTSIDE = re.compile(r"[^a-zA-Z0-9_-]")


def sanitize(text: str) -> str:
    """`text` with every character outside `[a-zA-Z0-9_-]` replaced by `_` (clause toolkit.names)."""
    return _OUTSIDE.sub("_", text)


def qualified(source: str, tool: str) -> str:
    """`sanitize(source)_sanitize(tool)`: the name of a tool of an MCP server or an agent (clause toolkit.names)."""
    return f"{sanitize(source)}_{sanitize(tool)}"
