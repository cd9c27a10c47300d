"""A small OpenAI-compatible gateway on the public API of `toolnexus`: what a user of the library would write.

`python gateway.py --port 4000 --upstream http://127.0.0.1:8089` hands the caller's key on; with `--upstream-key` it has
one of its own. The upstream speaks the `--style` given; without one, OpenAI's for models with `gpt` in their name and
Anthropic's for all others.
"""

from __future__ import annotations

import argparse
import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any

import envelope
import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from toolnexus import AsyncClient, AsyncStream, Delta, InvalidRequest, TranslateError, TranslateRequest


class Gateway:
    """Answers `/v1/chat/completions`; `key` replaces the caller's where it is given."""

    def __init__(self, upstream: str, key: str | None = None, style: str | None = None) -> None:
        self._upstream = upstream
        self._style = style
        self._key = key
        self._http = httpx.AsyncClient(trust_env=False, verify=False)

    def app(self) -> Starlette:
        """The application."""
        routes = [
            Route("/v1/chat/completions", self.complete, methods=["POST"]),
            Route("/v1/models", self.models, methods=["GET"]),
        ]
        return Starlette(routes=routes, lifespan=self._lifespan)

    @contextlib.asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        yield
        await self._http.aclose()

    async def models(self, _: Request) -> Response:
        """Every model is known, none is listed."""
        return JSONResponse({"object": "list", "data": []})

    async def complete(self, asked: Request) -> Response:
        """One call."""
        body = await asked.body()
        try:
            request = TranslateRequest.from_json(body)
            client = self._client(request.model, asked.headers.get("authorization", ""))
            params = request.params
            if params.get("stream") is True:
                return await self._streamed(client.stream(_without_stream_options(body)), params)
            return JSONResponse(envelope.completion(await client.translate(request)))
        except TranslateError as wrong:
            return _failed(wrong)

    def _client(self, model: str | None, authorization: str) -> AsyncClient:
        if not model:
            raise InvalidRequest("you must provide a model parameter", "/model")
        openai = self._style == "openai" if self._style else "gpt" in model
        return AsyncClient(
            f"{self._upstream}/v1" if openai else self._upstream,
            "openai" if openai else "anthropic",
            model,
            self._key or authorization.removeprefix("Bearer "),
            retries=0,
            http_client=self._http,
        )

    async def _streamed(self, stream: AsyncStream, params: dict[str, Any]) -> Response:
        """Headers go out when the first delta is there: a failure before it has a status of its own."""
        deltas = aiter(stream)
        first = await anext(deltas, None)
        chunks = envelope.Chunks(stream.model, counted=bool((params.get("stream_options") or {}).get("include_usage")))
        return StreamingResponse(_events(first, deltas, chunks), media_type="text/event-stream")


async def _events(first: Delta | None, deltas: AsyncIterator[Delta], chunks: envelope.Chunks) -> AsyncIterator[bytes]:
    try:
        if first is not None:
            for event in chunks.of(first):
                yield event
        async for delta in deltas:
            for event in chunks.of(delta):
                yield event
    except TranslateError as wrong:
        yield envelope.event(envelope.error(wrong)[1])
    else:
        yield b"data: [DONE]\n\n"


def _without_stream_options(body: bytes) -> TranslateRequest:
    """The request without the options of the gateway's own stream: the translator asks for usage by itself."""
    request = TranslateRequest.from_json(body)
    if set(request.params.get("stream_options") or {}) - {"include_usage"}:
        return request
    tree = json.loads(body)
    if tree.pop("stream_options", None) is None:
        return request
    return TranslateRequest.from_json(json.dumps(tree))


def _failed(wrong: TranslateError) -> Response:
    status, body, headers = envelope.error(wrong)
    return JSONResponse(body, status, headers)


def main() -> None:
    """Serve on loopback."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--upstream", required=True)
    parser.add_argument("--upstream-key")
    parser.add_argument("--style", choices=("anthropic", "openai"))
    asked = parser.parse_args()
    app = Gateway(asked.upstream, asked.upstream_key, asked.style).app()
    uvicorn.run(app, host="127.0.0.1", port=asked.port, log_level="warning", access_log=False)


if __name__ == "__main__":
    main()
