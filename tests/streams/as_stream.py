"""The stream that a plain reply could have been, written from the providers' documentation (wire-facts A8, B11)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.tree import Json, Number, compact

FRAGMENT = 7
"""Characters a fragment: small enough to cut numbers and escapes in two."""


def anthropic_events(reply: dict[str, Any]) -> bytes | None:
    """The events of a message; None where it is none that Anthropic would stream."""
    content = reply.get("content")
    if not isinstance(content, list) or not all(
        isinstance(b, dict) and isinstance(b.get("type"), str) for b in content
    ):
        return None
    usage = reply.get("usage")
    if not isinstance(usage, dict | None) or reply.get("error") is not None:
        return None
    start = {**reply, "content": [], "stop_reason": None}
    events: list[dict[str, Json]] = [{"type": "message_start", "message": start}]
    for index, block in enumerate(content):
        begun, deltas = _block(block)
        events.append({"type": "content_block_start", "index": Number(str(index)), "content_block": begun})
        events += [{"type": "content_block_delta", "index": Number(str(index)), "delta": delta} for delta in deltas]
        events.append({"type": "content_block_stop", "index": Number(str(index))})
    delta = {key: reply[key] for key in ("stop_reason", "stop_sequence", "stop_details") if key in reply}
    events.append({"type": "message_delta", "delta": delta, **({"usage": usage} if usage else {})})
    events.append({"type": "message_stop"})
    return b"".join(
        f"event: {event['type']}\ndata: {compact(event)}\n\n".encode("utf-8", "surrogatepass") for event in events
    )


def _block(block: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    kind = block["type"]
    if kind == "text" and isinstance(block.get("text"), str):
        return {**block, "text": ""}, [{"type": "text_delta", "text": text} for text in _fragments(block["text"])]
    if kind == "tool_use" and isinstance(block.get("input"), dict):
        pieces = _fragments(compact(block["input"])) if block["input"] else [""]
        return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
    if kind == "thinking" and isinstance(block.get("thinking"), str):
        deltas = [{"type": "thinking_delta", "thinking": text} for text in _fragments(block["thinking"])]
        signature = block.get("signature")
        if isinstance(signature, str):
            deltas.append({"type": "signature_delta", "signature": signature})
            return {**block, "thinking": "", "signature": ""}, deltas
        return {**block, "thinking": ""}, deltas
    return block, []


def openai_chunks(reply: dict[str, Any]) -> bytes | None:
    """The chunks of a completion; None where it is none that OpenAI would stream."""
    choices = reply.get("choices")
    if reply.get("error") is not None or not isinstance(choices, list) or len(choices) != 1:
        return None
    if not isinstance(choices[0], dict):
        return None
    message = choices[0].get("message")
    if not isinstance(message, dict) or not isinstance(message.get("content"), str | None):
        return None
    calls = message.get("tool_calls")
    if not isinstance(calls, list | None) or not all(_is_function(call) for call in calls or ()):
        return None
    envelope = {key: value for key, value in reply.items() if key not in ("choices", "usage")}
    chunks: list[dict[str, Any]] = [
        {**envelope, "choices": [{"index": Number("0"), "delta": delta, "finish_reason": None}]}
        for delta in _deltas(message)
    ]
    chunks.append(
        {**envelope, "choices": [{"index": Number("0"), "delta": {}, "finish_reason": choices[0].get("finish_reason")}]}
    )
    if reply.get("usage") is not None:
        chunks.append({**envelope, "choices": [], "usage": reply["usage"]})
    lines = [f"data: {compact(chunk)}\n\n" for chunk in chunks]
    return "".join([*lines, "data: [DONE]\n\n"]).encode("utf-8", "surrogatepass")


def _is_function(call: Any) -> bool:
    function = call.get("function") if isinstance(call, dict) else None
    # A call without an id is told from others by its index alone, and one without arguments streams none.
    return isinstance(function, dict) and isinstance(function.get("arguments"), str) and function["arguments"] != ""


def _deltas(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    rest = {key: value for key, value in message.items() if key not in (*_TEXTS, "tool_calls")}
    yield {"role": "assistant", "content": "" if message.get("content") is not None else None, **rest}
    for key in _TEXTS:
        if isinstance(message.get(key), str):
            for text in _fragments(message[key]):
                yield {key: text}
    for index, call in enumerate(message.get("tool_calls") or ()):
        function = call["function"]
        yield {"tool_calls": [{**call, "index": Number(str(index)), "function": {**function, "arguments": ""}}]}
        for piece in _fragments(function["arguments"]):
            yield {"tool_calls": [{"index": Number(str(index)), "function": {"arguments": piece}}]}


_TEXTS = ("reasoning_content", "reasoning", "content", "refusal")


def _fragments(text: str) -> list[str]:
    return [text[i : i + FRAGMENT] for i in range(0, len(text), FRAGMENT)]
