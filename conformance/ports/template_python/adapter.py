"""A port adapter without a translator: the whole protocol, and a `skip` where your code goes.

    python adapter.py        then type: {"op":"hello","protocol":1,"corpus":"1.0"}

Copy this file beside your translator and do the TODOs in order. stdout belongs to the protocol; print to stderr.
"""

from __future__ import annotations

import json
import sys
from typing import Any


def hello() -> dict[str, Any]:
    return {
        "op": "hello",
        "protocol": 1,
        # TODO 1: your port's name and version.
        "port": {"name": "my-port", "language": "python", "version": "0.0.0"},
        # TODO 4: what it can do. A case that needs more is n/a, not wrong. Further words: openai, warnings, pointers,
        # toolkit, hooks, request_params, body_transform, declare, stream, and options of a client: retries, headers, …
        "capabilities": ["anthropic"],
    }


def translate(message: dict[str, Any]) -> dict[str, Any]:
    """One call of your translator. Make the client anew each time: nothing may stay from one message to the next."""
    client = message["client"]  # style, base_url, model, api_key, retries, …: honour them all, the key above all
    # The request as JSON, or its exact text where number tokens, duplicate keys or escapes are the subject.
    request = message["request"] if "request" in message else json.loads(message["request_text"])
    # TODO 2: build a client from `client`, hand it `request` (`repeat` times, if it is there), and give back what it gave:
    # return {"result": {"text": "…", "tool_calls": [{"id": "…", "name": "…", "arguments": "{…}"}],
    #                    "finish_reason": "stop", "usage": {"prompt_tokens": 9, "completion_tokens": 2,
    #                                                       "total_tokens": 11}}}
    # TODO 3: where it fails: kind is invalid-request (before any call), provider, transport or invalid-response.
    # return {"error": {"kind": "provider", "status": 429, "type": "rate_limit_error", "message": "…"}}
    return {"skip": {"reason": f"no translator yet for {client['style']}, {len(request)} fields"}}


OPERATIONS = {"translate": translate}  # also: declare, stream


def answer(message: dict[str, Any]) -> dict[str, Any]:
    operation = OPERATIONS.get(message["op"])
    if operation is None:
        return {"skip": {"reason": f"the port has no {message['op']}"}}
    try:
        return operation(message)
    except Exception as wrong:  # no outcome of the contract, yet no reason to die: the next case is waiting
        return {"skip": {"reason": f"the port raised {type(wrong).__name__}: {wrong}"}}


def read(line: bytes) -> dict[str, Any]:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as wrong:  # too deep or too long a number: the id is all an answer needs
        return {"op": f"way to read it: {wrong}", "id": line.split(b'"')[7].decode()}


def main() -> None:
    for line in sys.stdin.buffer:  # the end of input means bye
        message = read(line)
        if message["op"] == "bye":
            return
        reply = hello() if message["op"] == "hello" else {"id": message["id"], **answer(message)}
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
