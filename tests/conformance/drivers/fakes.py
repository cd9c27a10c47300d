"""Gateways that are a function each, and what they are made of."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx

from conformance.case import Case
from conformance.drivers.gateway import Gateway
from conformance.drivers.message import for_case
from conformance.stub import Script, Stub

Reply = tuple[int, dict[str, str], bytes]
Answering = Callable[[dict[str, Any], dict[str, str], str], Reply]

JSON = {"content-type": "application/json"}
EVENTS = {"content-type": "text/event-stream"}


def as_json(value: Any, status: int = 200, **headers: str) -> Reply:
    return status, {**JSON, **headers}, json.dumps(value).encode()


def completion(text: str) -> Reply:
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return as_json({"id": "c", "object": "chat.completion", "model": "claude-x", "choices": [choice]})


def upstream(stub: str, body: dict[str, Any], key: str, model: str | None = None, path: str = "/v1/messages") -> Any:
    sent = {"model": model or body["model"], "max_tokens": 64, "messages": body["messages"]}
    return httpx.post(f"{stub}{path}", json=sent, headers={"x-api-key": key}, trust_env=False)


def bearer(headers: dict[str, str]) -> str:
    return headers["authorization"].removeprefix("Bearer ")


def honest(body: dict[str, Any], headers: dict[str, str], stub: str) -> Reply:
    """Hands the key on."""
    answer = upstream(stub, body, bearer(headers))
    return (
        completion("hello") if answer.status_code == 200 else as_json({"error": {"message": "no"}}, answer.status_code)
    )


def secretive(body: dict[str, Any], headers: dict[str, str], stub: str) -> Reply:
    """Has a key of its own."""
    upstream(stub, body, "sk-own")
    return completion("hello")


def ask(driver: Gateway, stub: Stub, case: Case, **changes: Any) -> tuple[Any, Script]:
    with stub.script(case) as script:
        message = for_case(case, "1", stub.url, script.key)
        for name, value in changes.items():
            object.__setattr__(message, name, value)
        return driver.run(message).outcome, script
