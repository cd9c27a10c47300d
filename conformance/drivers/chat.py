"""A translate request as a Chat Completions body, and a `chat.completion` as a translate result.

This is all that stands between the corpus and a gateway: what the two functions do not carry over, a gateway cannot be
asked, and is n/a (`words_for`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from conformance.tree import Json, NotJson, compact, read

#: What `params` may not hold, since it is a field of its own; in a body there is but one place for it.
_OWN: Final = frozenset(("messages", "tools", "tool_choice", "max_tokens", "model", "system", "stream"))

#: Keys of a message, a delta or a call that are a gateway's own remarks, and mean nothing in a history.
REMARKS: Final = frozenset(("provider_specific_fields", "annotations", "images", "index", "caller"))

_COUNTS: Final = ("prompt_tokens", "completion_tokens", "total_tokens")
_DETAILS: Final = (
    ("prompt_tokens_details", "cached_tokens"),
    ("prompt_tokens_details", "cache_write_tokens"),
    ("completion_tokens_details", "reasoning_tokens"),
)


class NoCompletion(ValueError):
    """An answer that is no `chat.completion`; the message says why."""


# -- asking -----------------------------------------------------------------------------------------------------------


def words_for(request_text: str | None, *, stream: bool = False) -> Iterator[str]:
    """What of a translate request a Chat Completions body has no words for."""
    request = _read(request_text)
    if request is None:
        if '"params":' in (request_text or ""):
            yield "params (in a request that is no plain JSON)"
        return
    if stream and request.get("stream_options") is not None:
        yield "stream_options (a gateway's own)"
    elif not stream and request.get("stream") is True:
        yield "stream"
    if request.get("system") not in (None, ""):
        yield "system (an override)"
    params = request.get("params")
    if params is not None and not isinstance(params, dict):
        yield "params that are no object"
    elif params:
        taken = _OWN | {name for name, value in request.items() if value is not None}
        yield from (f"params.{name}" for name in params if name in taken)
        if stream and params.get("stream_options") is not None:
            yield "params.stream_options (a gateway's own)"


def body_for(request_text: str, model: str, *, stream: bool = False) -> bytes:
    """The body of the call: the request's fields with its `params` beside them, all tokens as they were.

    A stream asks for its usage. A text that is no JSON object the kit can read goes out as it is, `model` put in front.
    """
    request = _read(request_text)
    if request is None:
        begin = request_text.find("{")
        text = f'{{"model":{json.dumps(model)},{request_text[begin + 1 :]}' if begin >= 0 else request_text
        return text.encode("utf-8", "surrogatepass")
    body: dict[str, Json] = {"model": model}
    params = request.get("params")
    body.update((name, value) for name, value in request.items() if name not in ("params", "system", "model"))
    body.update(params if isinstance(params, dict) else {})
    if stream:
        body = {**body, "stream": True, "stream_options": {"include_usage": True}}
    return compact(body).encode()


def _read(request_text: str | None) -> dict[str, Json] | None:
    """The request as a tree; None for one that is no JSON object, or nests too deeply to be written again."""
    try:
        found = read(request_text or "{}")
        compact(found)
    except (NotJson, RecursionError):
        return None
    return found if isinstance(found, dict) else None


# -- reading ----------------------------------------------------------------------------------------------------------


def result_of(completion: Json) -> dict[str, Json]:
    """The `chat.completion` as a translate result; raises `NoCompletion`.

    | result | from |
    |---|---|
    | `text` | `choices[0].message.content` |
    | `tool_calls` | `message.tool_calls`: id, type, and name and arguments (of a custom call its input) |
    | `finish_reason` | `choices[0].finish_reason` |
    | `usage` | the three counts, and `cached_tokens`, `cache_write_tokens`, `reasoning_tokens` from the details |
    | `model` | `model` |
    | `refusal` | `message.refusal` |
    | `reasoning` | `message.reasoning_content`, else `message.reasoning` |
    | `message` | `message` as a client keeps it (`history_message`) |

    `raw` has no place in it. Of several choices the first is read.
    """
    whole: dict[str, Json] = completion if isinstance(completion, dict) else {}
    choices = whole.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise NoCompletion("it has no choices[0].message")
    calls = message.get("tool_calls")
    if calls is not None and not isinstance(calls, list):
        raise NoCompletion("message.tool_calls is no list")
    return {
        "text": message.get("content"),
        "tool_calls": [_call(call) for call in calls or []],
        "finish_reason": choice.get("finish_reason"),
        "usage": usage_of(whole.get("usage")),
        "model": whole.get("model"),
        "refusal": message.get("refusal"),
        "reasoning": message.get("reasoning_content") or _text(message.get("reasoning")),
        "message": history_message(message),
    }


def history_message(message: Mapping[str, Json]) -> dict[str, Json]:
    """The message as a client keeps it in its history.

    Role and content, and of the other keys those that say something and are no gateway's remarks.
    """
    kept = {name: value for name, value in _telling(message) if name not in ("role", "content")}
    if isinstance(calls := kept.get("tool_calls"), list):
        kept["tool_calls"] = [dict(_telling(call)) if isinstance(call, dict) else call for call in calls]
    return {"role": "assistant", "content": message.get("content") or None, **kept}


def _telling(value: Mapping[str, Json]) -> Iterator[tuple[str, Json]]:
    return ((key, item) for key, item in value.items() if key not in REMARKS and item not in (None, "", [], {}))


def usage_of(usage: Json) -> Json:
    """OpenAI's usage with the details beside the counts."""
    if not isinstance(usage, dict):
        return None
    found: dict[str, Json] = {name: usage[name] for name in _COUNTS if name in usage}
    for group, name in _DETAILS:
        if isinstance(details := usage.get(group), dict) and name in details:
            found[name] = details[name]
    return found


def _call(call: Any) -> Json:
    match call:
        case {"type": "custom", "custom": {"name": name, "input": given}}:
            return {"id": call.get("id"), "type": "custom", "name": name, "arguments": given}
        case {"function": {"name": name, "arguments": arguments}}:
            return {"id": call.get("id"), "type": call.get("type") or "function", "name": name, "arguments": arguments}
        case _:
            raise NoCompletion(f"a tool call without name or arguments: {compact(call)[:200]}")


def _text(value: Json) -> Json:
    return value if isinstance(value, str) and value else None
