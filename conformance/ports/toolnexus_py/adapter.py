"""Speaks the port protocol, version 1, for the `toolnexus` published on PyPI.

    python adapter.py

One JSON message a line on stdin, one reply a line on stdout. The client, and with it everything a call could leave
behind, is made anew for each message. Needs nothing of this repository, only `toolnexus` of `requirements.txt`.
"""

from __future__ import annotations

import asyncio
import http.client
import importlib.metadata
import json
import re
import sys
import urllib.error
import urllib.request
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import toolnexus
from toolnexus.client import ProviderError, RunTimeout
from toolnexus.content import ContentPartError, UnsupportedPartError
from toolnexus.toolkit import Toolkit

CAPABILITIES = [
    *("anthropic", "openai", "toolkit", "hooks", "request_params", "body_transform", "declare"),
    *("system_prompt", "headers", "anthropic_version", "retries", "retryable_statuses", "timeout_ms"),
]

#: Options of a case's client that the port has under the same name.
SAME = (
    *("style", "base_url", "model", "api_key", "headers", "system_prompt"),
    *("retries", "retry_base_ms", "retryable_statuses", "timeout_ms"),
)

#: What `translate` takes. Everything else of a Chat Completions body is a param, save the model, which the client has.
FIELDS = ("messages", "tools", "tool_choice", "system", "max_tokens")


class Cannot(Exception):
    """The port has no way to be asked for this; the text says what is missing."""


class HookRaised(Exception):
    """What a case's hook raises; the text is the case's."""


# -- asking -----------------------------------------------------------------------------------------------------------


async def translate(message: dict[str, Any]) -> dict[str, Any]:
    request = request_of(message)
    hooks = Hooks(message.get("hooks", {}))
    client = client_of(message, params_of(request), hooks)
    toolkit = toolkit_of(message["toolkit"], message["client"]) if "toolkit" in message else None
    given: dict[str, Any] = {name: request[name] for name in FIELDS[1:] if request.get(name) is not None}
    for _ in range(message.get("repeat", 1)):
        outcome = await outcome_of(client.translate(request.get("messages"), toolkit=toolkit, **given))
    return {**outcome, "fired": hooks.fired} if "hooks" in message else outcome


async def declare(message: dict[str, Any]) -> dict[str, Any]:
    toolkit = toolkit_of(message["toolkit"], None)
    return {"openai": toolkit.to_openai(), "anthropic": toolkit.to_anthropic(), "gemini": toolkit.to_gemini()}


def request_of(message: dict[str, Any]) -> dict[str, Any]:
    """The request as a caller of the port would have it: read with Python's own json."""
    if "request" in message:
        return message["request"]
    try:
        return json.loads(message["request_text"])
    except (ValueError, RecursionError) as wrong:
        raise Cannot(f"Python's json does not read this request: {wrong}") from None


def params_of(request: dict[str, Any]) -> dict[str, Any]:
    """The further fields that say something."""
    params = request.get("params")
    if params is not None and not isinstance(params, dict):
        raise Cannot("the port has no params, so none of a wrong type")
    further = {name: value for name, value in request.items() if name not in (*FIELDS, "params", "model")}
    return {name: value for name, value in {**further, **(params or {})}.items() if value not in (None, [], {})}


def client_of(message: dict[str, Any], params: dict[str, Any], hooks: Hooks) -> Any:
    wanted = message["client"]
    options = {name: wanted[name] for name in SAME if name in wanted}
    unknown = set(wanted) - {*SAME, "anthropic_version"}
    if unknown:
        raise Cannot(f"the client has no option for {', '.join(sorted(unknown))}")
    if "anthropic_version" in wanted:  # a header is the port's way to say so
        options["headers"] = {"anthropic-version": wanted["anthropic_version"], **options.get("headers", {})}
    if params and wanted["style"] == "anthropic":
        raise Cannot(f"translate takes no params ({', '.join(sorted(params))}) and maps none to Anthropic")
    if doubled := params.keys() & {*FIELDS, "model"}:
        raise Cannot(f"the port has no params that {', '.join(sorted(doubled))} could stand in")
    shaped = {**params, **message.get("request_params", {})}  # the port's way to send further fields
    if shaped:
        options["request_params"] = shaped
    if "body_transform" in message:
        options["body_transform"] = lambda body: merge_patch(body, message["body_transform"])
    return toolnexus.create_client(**options, **hooks.options())


def toolkit_of(tools: list[dict[str, Any]], client: dict[str, Any] | None) -> Toolkit:
    """A real toolkit, whose tools raise the stub's alarm when they run."""

    def post() -> None:
        assert client is not None
        base = urlsplit(client["base_url"])
        url = f"{base.scheme}://{base.netloc}/_alarm"
        urllib.request.urlopen(urllib.request.Request(url, b"", {"x-api-key": client["api_key"]}), timeout=2).close()

    async def alarm(*_: Any) -> toolnexus.ToolResult:
        await asyncio.to_thread(post)
        return toolnexus.ToolResult(output="ran", is_error=False)

    made: dict[str, list[toolnexus.Tool]] = {"mcp": [], "skill": [], "builtin": [], "a2a": [], "extra": []}
    for tool in tools:
        source = tool.get("source", "native")
        built = toolnexus.Tool(tool["name"], tool["description"], tool["inputSchema"], source, alarm)
        made[source if source in made else "extra"].append(built)
    # Each kind in the place where the port keeps it: which of two names wins depends on that.
    return Toolkit(
        mcp=SimpleNamespace(tools=made["mcp"]),
        skill=SimpleNamespace(tool=made["skill"][0]) if made["skill"] else None,
        builtins=made["builtin"],
        agents=made["a2a"],
        extra_tools=made["extra"],
    )


class Hooks:
    """The hooks of one case; `fired` counts how often each was called."""

    def __init__(self, wanted: dict[str, Any]) -> None:
        self.wanted = wanted
        self.fired = {"before_llm": 0, "after_llm": 0, "on_error": 0, "before_tool": 0, "after_tool": 0}

    def options(self) -> dict[str, Any]:
        if not self.wanted:
            return {}
        names = ("before_llm", "after_llm", "before_tool", "after_tool")
        options: dict[str, Any] = {"hooks": {name: self.hook(name) for name in names}}
        if "on_error" in self.wanted:
            options["on_error"] = self.on_error
        return options

    def hook(self, name: str) -> Any:
        wanted = self.wanted.get(name, {})

        def called(_: Any) -> Any:
            self.fired[name] += 1
            if "raise" in wanted:
                raise HookRaised(wanted["raise"])
            return wanted.get("replace")

        return called

    def on_error(self, info: Any) -> str:
        decisions = self.wanted["on_error"]
        decision = decisions[min(self.fired["on_error"], len(decisions) - 1)]
        self.fired["on_error"] += 1
        return decision if decision != "default" else "retry" if info["retryable"] else "fail"


def merge_patch(target: Any, patch: Any) -> Any:
    """RFC 7396."""
    if not isinstance(patch, dict):
        return patch
    merged = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = merge_patch(merged.get(key), value)
    return merged


# -- answering --------------------------------------------------------------------------------------------------------


async def outcome_of(call: Any) -> dict[str, Any]:
    try:
        return {"result": result_of(await call)}
    except (ContentPartError, UnsupportedPartError, HookRaised) as wrong:
        return error("invalid-request", wrong)
    except ProviderError as wrong:
        return {"error": provider_error(wrong)}
    except (RunTimeout, OSError, http.client.HTTPException) as wrong:
        return error("transport", wrong, type=transport_type(wrong))
    except ValueError as wrong:  # json's errors among them, and a body that is no UTF-8
        return error("invalid-response", wrong)
    except RuntimeError as wrong:
        if not str(wrong).startswith("No API key"):
            raise
        return error("invalid-request", wrong)


def result_of(result: Any) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": result.text or None}
    if result.tool_calls:
        message["tool_calls"] = result.tool_calls_json()  # what the port offers for the next request's history
    return {
        "text": result.text,
        "tool_calls": [{"id": call.id, "name": call.name, "arguments": call.arguments} for call in result.tool_calls],
        "finish_reason": result.finish_reason,
        "usage": result.usage,
        "model": result.model,
        "message": message,
        "raw": result.raw,
    }


def error(kind: str, wrong: BaseException, **more: Any) -> dict[str, Any]:
    return {"error": {"kind": kind, "message": f"{type(wrong).__name__}: {wrong}", **more}}


def provider_error(wrong: ProviderError) -> dict[str, Any]:
    """The port gives status, Retry-After and the whole body; type and message are read from that, as a caller would."""
    said = {"kind": "provider", "status": wrong.status, "message": str(wrong), "retry_after": wrong.retry_after}
    try:
        body = json.loads(wrong.body)
    except ValueError:
        return said
    if not isinstance(body, dict):
        return said
    inner = body.get("error") if isinstance(body.get("error"), dict) else {}
    read = {name: inner[name] for name in ("type", "message", "param", "code") if _readable(name, inner.get(name))}
    return {**said, **read, "request_id": body.get("request_id")}


def _readable(name: str, value: Any) -> bool:
    """Is it a text, or a code that is a number? A caller makes nothing of another shape."""
    return isinstance(value, str) or (name == "code" and type(value) in (int, float))


def transport_type(wrong: BaseException) -> str:
    cause = getattr(wrong, "reason", wrong)
    if isinstance(cause, TimeoutError):
        return "timeout"
    return "connect" if isinstance(cause, ConnectionRefusedError) else "reset"


# -- the protocol -----------------------------------------------------------------------------------------------------

OPERATIONS = {"translate": translate, "declare": declare}


def hello() -> dict[str, Any]:
    return {
        "op": "hello",
        "protocol": 1,
        "port": {
            "name": "toolnexus",
            "language": "python",
            "version": importlib.metadata.version("toolnexus"),
            "url": "https://github.com/muthuishere/toolnexus",
        },
        "capabilities": CAPABILITIES,
        "max_in_flight": 4,
    }


def say(reply: dict[str, Any]) -> None:
    try:
        line = json.dumps(reply, separators=(",", ":"), allow_nan=False)
    except ValueError:  # the port read a number as infinity, which only `raw` can hold, and JSON cannot
        reply["result"].pop("raw")
        line = json.dumps(reply, separators=(",", ":"))
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


async def answer(message: dict[str, Any]) -> None:
    try:
        reply = await OPERATIONS[message["op"]](message)
    except Cannot as wrong:
        reply = {"skip": {"reason": str(wrong)}}
    except Exception as wrong:  # the port fell over something: no outcome of the contract
        reply = {"skip": {"reason": f"the port raised {type(wrong).__name__}: {wrong}"}}
    say({"id": message["id"], **reply})


async def serve() -> None:
    running: set[asyncio.Task[None]] = set()
    while line := await asyncio.to_thread(sys.stdin.buffer.readline):
        try:
            message = json.loads(line)
        except (ValueError, RecursionError) as wrong:
            found = re.search(rb'"id":"([^"]+)"', line)
            if found is not None:
                reason = f"Python's json does not read this request: {wrong}"
                say({"id": found[1].decode(), "skip": {"reason": reason}})
            continue
        if message["op"] == "bye":
            break
        if message["op"] == "hello":
            say(hello())
        elif message["op"] not in OPERATIONS:
            say({"id": message["id"], "skip": {"reason": f"the port has no {message['op']}"}})
        else:
            task = asyncio.create_task(answer(message))
            running.add(task)
            task.add_done_callback(running.discard)
    if running:
        await asyncio.wait(running)


if __name__ == "__main__":
    asyncio.run(serve())
