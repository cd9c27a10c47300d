"""The one error of this package: a tool that cannot be declared."""

from __future__ import annotations


class ToolError(ValueError):
    """A tool that cannot be declared, with its name and the place of the fault.

    `tool` is the tool's (or function's) name, `pointer` a JSON pointer into the tool as written in JSON
    (`/name`, `/inputSchema/properties/x`), "" where no single place is at fault.
    """

    def __init__(self, tool: str, reason: str, pointer: str = "") -> None:
        super().__init__(f"tool {tool!r}: {reason}")
        self.tool = tool
        self.reason = reason
        self.pointer = pointer

    def __reduce__(self) -> tuple[type[ToolError], tuple[str, str, str]]:
        return type(self), (self.tool, self.reason, self.pointer)


class ConfigError(ValueError):
    """A configuration of a source that cannot be used; `str()` says why and holds no value of a header or variable."""
