"""A gateway found out before the first case: is it there, where does it call, for which model, with which key?"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx

from conformance.case import Case, parse
from conformance.faults import PortFault
from conformance.observation import Call
from conformance.shape import STYLES
from conformance.stub import Stub

#: How long a gateway may take until it answers anything, in seconds; and how long it is left alone between two tries.
STARTUP_S: Final = 30.0
_PAUSE_S: Final = 0.1

#: The models that nearly all cases name.
MODELS: Final = {"anthropic": "claude-x", "openai": "gpt-x"}

_ENDINGS: Final = {"/messages": "anthropic", "/chat/completions": "openai"}

#: An answer that both styles of client can read.
_BOTH: Final[dict[str, Any]] = {
    "id": "probe",
    "type": "message",
    "object": "chat.completion",
    "created": 0,
    "role": "assistant",
    "model": "probe",
    "content": [{"type": "text", "text": "ok"}],
    "stop_reason": "end_turn",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "ok"}}],
    "usage": {"input_tokens": 1, "output_tokens": 1, "prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
}


@dataclass(frozen=True, slots=True)
class Upstream:
    """One style that the gateway can be checked for: the name it is asked by, the model it sends, does the key pass?"""

    style: str
    name: str
    sends: str
    keyed: bool


Post = Callable[[bytes, str, str], httpx.Response]


def wait_until_ready(url: str, http: httpx.Client, stub: str) -> str:
    """Wait for any answer; the gateway's name for itself, if it gives one. Raises `PortFault`."""
    until = time.monotonic() + STARTUP_S
    while True:
        try:
            return str(http.get(f"{url}/models", timeout=5.0).headers.get("server", ""))
        except httpx.HTTPError as wrong:
            if time.monotonic() > until:
                why = str(wrong) or type(wrong).__name__
                raise PortFault(
                    f"the gateway at {url} did not answer within {STARTUP_S:.0f} s ({why}); "
                    f"start it with its upstream at {stub}, then run this again"
                ) from None
        time.sleep(_PAUSE_S)


def probe(style: str, name: str, stub: Stub, post: Post) -> Upstream | str:
    """Ask the gateway for one answer and see what reaches the stub; a text says what came instead of a call."""
    case = _case(style)
    with stub.script(case) as script:
        body = {"model": name, "messages": [{"role": "user", "content": "hi"}], "max_tokens": 64}
        try:
            answer = post(json.dumps(body).encode(), script.key, style)
            said = f"{answer.status_code} {' '.join(answer.text.split())[:200]}".strip()
        except httpx.HTTPError as wrong:
            said = str(wrong) or type(wrong).__name__
        call = next((call for call in script.calls if call.method == "POST"), None)
    return said if call is None else _upstream(call, name, script.key)


def _upstream(call: Call, name: str, key: str) -> Upstream | str:
    path = call.path.partition("?")[0]
    found = next((style for ending, style in _ENDINGS.items() if path.endswith(ending)), None)
    if found is None:
        return f"it calls {call.path}, which belongs to neither {' nor '.join(STYLES)}"
    try:
        sends = json.loads(call.body).get("model")
    except (ValueError, AttributeError):
        return f"it sends what is no JSON object to {call.path}"
    return Upstream(found, name, str(sends), any(key in value for _, value in call.headers))


def _case(style: str) -> Case:
    tree = {
        "id": "kit/gateway/probe",
        "title": "What a gateway calls",
        "level": "may",
        "clauses": ["call.once"],
        "requires": [style],
        "why": "A gateway says nothing of itself.",
        "source": {"kind": "spec", "ref": "the kit"},
        "since": "1.0",
        "client": {"style": style, "base_url": "{stub}", "model": MODELS[style]},
        "request": {},
        "exchanges": [{"expect": {}, "reply": {"json": _BOTH}}] * 3,
        "result": {},
    }
    return parse(json.dumps(tree).encode(), str(tree["id"]), Path("probe"))[0]
