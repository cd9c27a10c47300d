"""A provider on this machine, so that the examples need neither key nor network.

It asks for one tool and, once it has the result, answers with it. Put a real one in its place by leaving it out:
`Client("https://api.anthropic.com", style="anthropic", model="claude-sonnet-4-5")`.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

Style = Literal["anthropic", "openai"]


@contextmanager
def provider(style: Style, name: str, arguments: dict[str, Any]) -> Iterator[str]:
    """A provider that calls the tool `name` with `arguments`; yields its address."""

    def answer(_: str, body: Any) -> Any:
        results = [text for message in body["messages"] for text in _results(message)]
        if results:
            return _text(style, f"The tool said: {results[-1]}")
        if name not in _declared(style, body):
            return _text(style, f"Nobody declared a tool {name}.")
        return _call(style, name, arguments)

    with serve(answer) as url:
        yield url


@contextmanager
def serve(answer: Callable[[str, Any], Any]) -> Iterator[str]:
    """A JSON service on a free port: `answer` gets path and body (None for a GET); yields its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._reply(None)

        def do_POST(self) -> None:
            self._reply(json.loads(self.rfile.read(int(self.headers["content-length"]))))

        def _reply(self, body: Any) -> None:
            sent = json.dumps(answer(self.path, body)).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)

        def log_message(self, *_: Any) -> None:
            """Nothing: stdout and stderr belong to the example."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _declared(style: Style, body: Any) -> list[str]:
    tools = body.get("tools", [])
    return [tool["name"] if style == "anthropic" else tool["function"]["name"] for tool in tools]


def _results(message: Any) -> list[str]:
    if message["role"] == "tool":
        return [message["content"]]
    content = message["content"]
    blocks = content if isinstance(content, list) else []
    return [block["content"] for block in blocks if block["type"] == "tool_result"]


def _call(style: Style, name: str, arguments: dict[str, Any]) -> Any:
    if style == "anthropic":
        block = {"type": "tool_use", "id": "toolu_1", "name": name, "input": arguments}
        return {"content": [block], "stop_reason": "tool_use", "usage": {"input_tokens": 9, "output_tokens": 9}}
    call = {"id": "call_1", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    return {"id": "chatcmpl-1", "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}


def _text(style: Style, text: str) -> Any:
    if style == "anthropic":
        content = [{"type": "text", "text": text}]
        return {"content": content, "stop_reason": "end_turn", "usage": {"input_tokens": 9, "output_tokens": 9}}
    message = {"role": "assistant", "content": text}
    return {"id": "chatcmpl-2", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
