"""The adapter for our own translator, through its public API: what `python:toolnexus` runs."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import urlsplit

import httpx

import toolnexus
from conformance.case import OPTIONS
from conformance.drivers.hooks import HookRaised, Hooks, merge_patch
from conformance.observation import ALARM

_CAPABILITIES: Final = (
    "anthropic",
    "openai",
    "toolkit",
    "hooks",
    "request_params",
    "body_transform",
    "declare",
    "stream",
    "pointers",
    "warnings",
    *OPTIONS,
)


def port() -> Port:
    """The factory."""
    return Port()


class Port:
    """Answers the protocol's messages by calling `toolnexus`."""

    def __init__(self) -> None:
        # One transport for all cases, without certificates: making it is what costs, and the stub is on loopback.
        self._http = httpx.Client(trust_env=False, verify=False)

    def hello(self) -> dict[str, Any]:
        """Who we are."""
        return {
            "op": "hello",
            "protocol": 1,
            "port": {"name": "toolnexus", "language": "python", "version": _version()},
            "capabilities": list(_CAPABILITIES),
        }

    def handle(self, message: dict[str, Any]) -> dict[str, Any]:
        """Run one message."""
        return {"id": message["id"], **_OPERATIONS[message["op"]](self, message)}

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def _translate(self, message: dict[str, Any]) -> dict[str, Any]:
        hooks = Hooks(message.get("hooks", {}))
        toolkit = _toolkit(message["toolkit"], message["client"]) if "toolkit" in message else None
        client = self._client(message, hooks)
        for _ in range(message.get("repeat", 1)):
            outcome = _outcome(client, message["request_text"], toolkit)
        return {**outcome, "fired": hooks.fired} if "hooks" in message else outcome

    def _stream(self, message: dict[str, Any]) -> dict[str, Any]:
        hooks = Hooks(message.get("hooks", {}))
        toolkit = _toolkit(message["toolkit"], message["client"]) if "toolkit" in message else None
        client = self._client(message, hooks)
        for _ in range(message.get("repeat", 1)):
            outcome = _streamed(client, message["request_text"], toolkit)
        return {**outcome, "fired": hooks.fired} if "hooks" in message else outcome

    def _client(self, message: dict[str, Any], hooks: Hooks) -> Any:
        options = dict(message["client"])
        if "request_params" in message:
            options["request_params"] = message["request_params"]
        if "body_transform" in message:
            patch = message["body_transform"]
            options["body_transform"] = lambda body: merge_patch(body, patch)
        return toolnexus.Client(http_client=self._http, **options, **hooks.settings())

    def _declare(self, message: dict[str, Any]) -> dict[str, Any]:
        toolkit = _toolkit(message["toolkit"], None)
        return {"openai": toolkit.to_openai(), "anthropic": toolkit.to_anthropic(), "gemini": toolkit.to_gemini()}


_OPERATIONS: Final[dict[str, Callable[[Port, dict[str, Any]], dict[str, Any]]]] = {
    "translate": Port._translate,
    "stream": Port._stream,
    "declare": Port._declare,
}


def _version() -> str:
    try:
        return importlib.metadata.version("toolnexus-conformance")
    except importlib.metadata.PackageNotFoundError:  # a checkout that is not installed
        return "0"


def _toolkit(tools: list[dict[str, Any]], client: dict[str, Any] | None) -> Any:
    """A real toolkit, whose every tool raises the stub's alarm when it runs."""

    def alarm(**_: Any) -> str:
        if client is not None:
            base = urlsplit(client["base_url"])
            httpx.post(f"{base.scheme}://{base.netloc}{ALARM}", headers={"x-api-key": client["api_key"]})
        return "ran"

    return toolnexus.Toolkit(
        [
            toolnexus.Tool(
                name=tool["name"],
                description=tool["description"],
                input_schema=tool["inputSchema"],
                source=tool.get("source", "native"),
                handler=alarm,
            )
            for tool in tools
        ]
    )


def _outcome(client: Any, request_text: str, toolkit: Any) -> dict[str, Any]:
    try:
        request = toolnexus.TranslateRequest.from_json(request_text, toolkit=toolkit)
        result = client.translate(request)
    except HookRaised as wrong:
        return {"error": {"kind": "invalid-request", "message": str(wrong)}}
    except toolnexus.TranslateError as wrong:
        return {"error": _error(wrong)}
    return {"result": _result(result), "warnings": [_warning(row) for row in result.warnings]}


def _streamed(client: Any, request_text: str, toolkit: Any) -> dict[str, Any]:
    deltas: list[dict[str, Any]] = []
    try:
        request = toolnexus.TranslateRequest.from_json(request_text, toolkit=toolkit)
        with client.stream(request) as stream:
            for delta in stream:
                deltas.append(_delta(delta))
            result = stream.result()
    except HookRaised as wrong:
        return {"deltas": deltas, "error": {"kind": "invalid-request", "message": str(wrong)}}
    except toolnexus.TranslateError as wrong:
        return {"deltas": deltas, "error": _error(wrong)}
    return {"deltas": deltas, "result": _result(result), "warnings": [_warning(row) for row in result.warnings]}


def _delta(delta: Any) -> dict[str, Any]:
    """A delta as SPEC section 6 writes it: what stands beside `delta` in a chunk is a step of its own."""
    if delta.role is not None:
        return {"role": delta.role}
    if delta.finish_reason is not None:
        return {"finish_reason": delta.finish_reason}
    if delta.usage is not None:
        return {"usage": {name: getattr(delta.usage, name) for name in _USAGE}}
    step: dict[str, Any] = delta.to_openai()
    return step


def _result(result: Any) -> dict[str, Any]:
    usage = result.usage
    return {
        "text": result.text,
        "tool_calls": [
            {"id": call.id, "type": call.type, "name": call.name, "arguments": call.arguments}
            for call in result.tool_calls
        ],
        "finish_reason": result.finish_reason,
        "usage": {name: getattr(usage, name) for name in _USAGE},
        "model": result.model,
        "refusal": result.refusal,
        "reasoning": result.reasoning,
        "message": result.to_message(),
        "raw": result.raw,
    }


_USAGE: Final = (
    "prompt_tokens",
    "completion_tokens",
    "total_tokens",
    "cached_tokens",
    "cache_write_tokens",
    "reasoning_tokens",
)


def _warning(row: Any) -> dict[str, str]:
    return {"code": row.code, "pointer": row.pointer, "message": row.message}


def _error(wrong: toolnexus.TranslateError) -> dict[str, Any]:
    match wrong:
        case toolnexus.InvalidRequest():
            return {"kind": "invalid-request", "message": wrong.message, "pointer": wrong.pointer}
        case toolnexus.TransportError():
            return {"kind": "transport", "type": wrong.kind, "message": wrong.message}
        case toolnexus.InvalidResponse():
            return {"kind": "invalid-response", "status": wrong.status, "message": wrong.message}
        case toolnexus.ProviderError():
            names = ("status", "type", "message", "param", "code", "request_id", "retry_after")
            return {"kind": "provider", **{name: getattr(wrong, name) for name in names}}
        case _:
            raise wrong
