"""A small MCP server over stdio, started by `mcp_tools.py` and `round_trip.py`."""

from mcp.server.mcpserver import MCPServer

server = MCPServer("harbour", log_level="WARNING")


@server.tool()
def next_high_tide(port: str) -> str:
    """Time of the next high tide in a port."""
    return f"High tide in {port} at 14:05"


@server.tool()
def free_piers(port: str, longest: bool = False) -> list[int]:
    """Numbers of the piers that are free."""
    return [7] if longest else [2, 3, 7]


if __name__ == "__main__":
    server.run()
