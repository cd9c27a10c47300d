"""A small port: translates just enough to be right, and is wrong in one way on request.

Run as `python sample.py [fault]` it speaks the process protocol; imported, `port()` is a Python port. It uses the
standard library only, so that it starts fast and shows what an adapter in any language has to do.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import urllib.error
import urllib.request
from typing import Any
from urllib.parse import urlsplit

CAPABILITIES = ["anthropic", "openai", "toolkit", "declare", "pointers", "warnings"]


def body_for(request: dict[str, Any], client: dict[str, Any]) -> dict[str, Any]:
    """The provider's body for plain text turns."""
    messages = [{"role": turn["role"], "content": turn["content"]} for turn in request["messages"]]
    return {"model": client["model"], "max_tokens": request.get("max_tokens", 4096), "messages": messages}


def post(client: dict[str, Any], body: dict[str, Any]) -> tuple[int, bytes]:
    """One call to the provider."""
    address = client["base_url"].rstrip("/") + "/v1/messages"
    headers = {"content-type": "application/json", "x-api-key": client["api_key"], "anthropic-version": "2023-06-01"}
    asked = urllib.request.Request(address, json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(asked) as reply:
            return reply.status, reply.read()
    except urllib.error.HTTPError as refused:
        return refused.code, refused.read()


def result_of(reply: dict[str, Any]) -> dict[str, Any]:
    """The result of a provider's answer."""
    usage = reply.get("usage", {})
    read, written = usage.get("input_tokens", 0), usage.get("output_tokens", 0)
    return {
        "text": "".join(block["text"] for block in reply["content"] if block["type"] == "text"),
        "tool_calls": [],
        "finish_reason": "stop",
        "usage": {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written},
        "model": reply.get("model"),
        "raw": reply,
    }


class Port:
    """The port, right or with one fault."""

    def __init__(self, fault: str = "") -> None:
        self.fault = fault

    def hello(self) -> dict[str, Any]:
        capabilities = [] if self.fault == "no-style" else list(CAPABILITIES)
        if self.fault == "no-warnings":
            capabilities.remove("warnings")
        if self.fault == "typo":
            capabilities[0] = "anthropc"
        port = {"name": "sample", "language": "python", "version": "1.0"}
        return {"op": "hello", "protocol": 1, "port": port, "capabilities": capabilities}

    def handle(self, message: dict[str, Any]) -> dict[str, Any]:
        return {"id": message["id"], **self.answer(message)}

    def answer(self, message: dict[str, Any]) -> dict[str, Any]:
        fault = self.fault
        if fault == "skip":
            return {"skip": {"reason": "not yet", "issue": "owner/repo#1"}}
        if fault == "hang":
            time.sleep(60)
        if fault == "raise":
            raise RuntimeError("broken on purpose")
        if message["op"] == "declare":
            return {"openai": [], "anthropic": [], "gemini": []}
        for _ in range(message.get("repeat", 1)):
            answer = self.translate(message)
        return answer

    def translate(self, message: dict[str, Any]) -> dict[str, Any]:
        client = message["client"]
        body = body_for(message["request"], client)
        if self.fault == "blocks":
            body["messages"] = [
                {**turn, "content": [{"type": "text", "text": turn["content"]}]} for turn in body["messages"]
            ]
        if self.fault == "wrong-model":
            body["model"] = "other"
        if self.fault == "leak":
            sys.stderr.write(f"using key {client['api_key']}\n")
        if self.fault == "alarm":
            base = urlsplit(client["base_url"])
            urllib.request.urlopen(urllib.request.Request(f"{base.scheme}://{base.netloc}/_alarm", b"{}"))
        if self.fault == "no-call":
            return {"result": {"text": "hello", "tool_calls": [], "finish_reason": "stop"}}
        if self.fault == "twice":
            post(client, body)
        status, raw = post(client, body)
        if status != 200:
            return {"error": {"kind": "provider", "status": status}}
        result = result_of(json.loads(raw))
        if self.fault == "wrong-text":
            result["text"] += "!"
        warned = [{"code": "field-dropped", "pointer": "/messages/0/name"}] if self.fault == "warns" else []
        return {"result": result, "warnings": warned}


def port() -> Port:
    """The factory of the Python port; the environment may name its fault."""
    return Port(os.environ.get("SAMPLE_FAULT", ""))


class AsyncPort(Port):
    """The same, with coroutines."""

    async def hello(self) -> dict[str, Any]:  # type: ignore[override]
        return super().hello()

    async def handle(self, message: dict[str, Any]) -> dict[str, Any]:  # type: ignore[override]
        return super().handle(message)


def async_port() -> AsyncPort:
    """The factory of the asynchronous port."""
    return AsyncPort(os.environ.get("SAMPLE_FAULT", ""))


def say(line: str) -> None:
    """Write a line to the kit at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> None:
    """Speak the process protocol over stdin and stdout."""
    fault = sys.argv[1] if len(sys.argv) > 1 else ""
    served = Port(fault)
    if fault == "dies":
        sys.exit("cannot find my runtime")
    if fault == "chatty":
        say("starting up")
    for line in sys.stdin:
        message = json.loads(line)
        if message["op"] == "bye":
            return
        if message["op"] == "hello":
            reply = served.hello()
        elif fault == "dies-later":
            os._exit(3)
        elif fault == "interrupts":
            os.kill(os.getppid(), signal.SIGINT)
            time.sleep(60)
        elif fault == "garbage":
            say("debug: here")
            reply = served.handle(message)
        elif fault == "wrong-id":
            reply = {**served.handle(message), "id": "nobody"}
        else:
            reply = served.handle(message)
        say(json.dumps(reply))


if __name__ == "__main__":
    main()
