"""HTTP endpoints as tools: by hand and from an OpenAPI document. The requests are yours to send."""

from typing import Any

import httpx
from toolnexus import Client
from toolnexus.toolkit import create_toolkit, from_openapi, http_tool

from loop import ask
from stub_provider import provider, serve

OPENAPI = {
    "openapi": "3.1.0",
    "info": {"title": "Harbour", "version": "1"},
    "paths": {
        "/ships/{name}": {
            "get": {
                "operationId": "find_ship",
                "summary": "Where a ship lies.",
                "parameters": [
                    {"name": "name", "in": "path", "required": True, "schema": {"type": "string"}},
                    {"name": "history", "in": "query", "schema": {"type": "boolean"}},
                ],
            }
        }
    },
}


def harbour(path: str, _: Any) -> Any:
    """The service behind the tools; here it only says what it was asked."""
    return {"asked": path}


with serve(harbour) as base:
    pier = http_tool("pier", f"{base}/piers/{{number}}", query=["day"], description="Who lies at a pier.")
    endpoints = {endpoint.name: endpoint for endpoint in [pier, *from_openapi(OPENAPI, base_url=base)]}
    kit = create_toolkit(http_tools=endpoints.values(), builtins=False)
    print(*kit.names())

    def run(name: str, arguments: Any) -> str:
        """The request that the arguments stand for, sent."""
        request = endpoints[name].request(arguments)
        return httpx.request(request.method, request.url, headers=request.headers, content=request.body).text

    with (
        provider("anthropic", "find_ship", {"name": "Ann Lee", "history": True}) as url,
        Client(url, style="anthropic", model="claude-sonnet-4-5", api_key="none") as client,
    ):
        print(ask(client, kit, "Where is the Ann Lee?", run))
