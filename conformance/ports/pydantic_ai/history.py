"""An OpenAI history in pydantic-ai's own message types, as a user who moves over would write it.

Only what those types have a place for is carried; anything else is `Cannot`, never dropped here.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote_to_bytes

from peer import Cannot
from pydantic_ai.messages import (
    AudioUrl,
    BinaryContent,
    DocumentUrl,
    ImageUrl,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserContent,
    UserPromptPart,
)

#: The keys of each role that the types have a place for.
KNOWN = {
    "system": {"role", "content"},
    "developer": {"role", "content"},
    "user": {"role", "content"},
    "assistant": {"role", "content", "tool_calls", "thinking_blocks", "reasoning_content"},
    "tool": {"role", "content", "tool_call_id"},
}


def messages_of(history: Any) -> list[ModelMessage]:
    """The history; results that follow each other share a request, as the library itself records them."""
    if not isinstance(history, list):
        raise Cannot("the library's history is typed: it takes no such messages")
    names: dict[str, str] = {}
    made: list[ModelMessage] = []
    running = False
    for message in history:
        role = checked(message)
        if role == "tool":
            call = message.get("tool_call_id") or ""
            part = ToolReturnPart(tool_name=names.get(call, ""), content=result_of(message), tool_call_id=call)
            if running and isinstance(made[-1], ModelRequest):
                made[-1] = ModelRequest(parts=[*made[-1].parts, part])
            else:
                made.append(ModelRequest(parts=[part]))
        elif role == "assistant":
            parts = list(answer_of(message))
            names.update({part.tool_call_id: part.tool_name for part in parts if isinstance(part, ToolCallPart)})
            made.append(ModelResponse(parts=parts))
        elif role == "user":
            made.append(ModelRequest(parts=[UserPromptPart(content=content_of(message.get("content")))]))
        else:
            made.append(ModelRequest(parts=[SystemPromptPart(content=text_of(message.get("content")))]))
        running = role == "tool"
    return made


def checked(message: Any) -> str:
    if not isinstance(message, dict) or message.get("role") not in KNOWN:
        raise Cannot("the library's history is typed: it takes no such message")
    role: str = message["role"]
    if unknown := {name for name, value in message.items() if name not in KNOWN[role] and value}:
        raise Cannot(f"the library's history has no place for {', '.join(sorted(unknown))}")
    return role


def text_of(content: Any) -> str:
    parts = content_of(content)
    if isinstance(parts, str):
        return parts
    if any(not isinstance(part, str) for part in parts):
        raise Cannot("only text has a place here")
    return "".join(str(part) for part in parts)


def answer_of(message: dict[str, Any]) -> Iterator[TextPart | ThinkingPart | ToolCallPart]:
    for block in message.get("thinking_blocks") or []:
        if block.get("type") != "thinking":
            raise Cannot("hidden thinking is for the library's own replies only")
        yield ThinkingPart(block["thinking"], signature=block.get("signature"), provider_name="anthropic")
    if message.get("content") is not None:
        yield TextPart(text_of(message["content"]))
    for call in message.get("tool_calls") or []:
        if not isinstance(call, dict) or not isinstance(call.get("function"), dict):
            raise Cannot("the library's history has no such call")
        yield ToolCallPart(
            tool_name=call["function"].get("name") or "",
            args=call["function"].get("arguments"),
            tool_call_id=call.get("id") or "",
        )


def result_of(message: dict[str, Any]) -> Any:
    content = content_of(message.get("content"))
    if isinstance(content, str):
        return content
    return "".join(map(str, content)) if all(isinstance(part, str) for part in content) else content


def content_of(content: Any) -> str | list[UserContent]:
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list):
        raise Cannot("the library's history is typed: it takes no such content")
    return [part_of(part) for part in content]


def part_of(part: Any) -> UserContent:
    kind = part.get("type") if isinstance(part, dict) else None
    if unknown := {name for name, value in (part or {}).items() if value and name not in PART_KEYS.get(kind, ())}:
        raise Cannot(f"a part has no place for {', '.join(sorted(unknown))}")
    try:
        return PARTS[kind](part)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise Cannot(f"the library's history has no such part ({kind})") from None


def image_url(part: dict[str, Any]) -> UserContent:
    image = part["image_url"]
    if image.get("detail", "auto") != "auto":
        raise Cannot("an image's detail has no place")
    return data_url(image["url"]) if image["url"].startswith("data:") else ImageUrl(url=image["url"])


def file(part: dict[str, Any]) -> UserContent:
    if "file" not in part:
        return neutral(part)
    given = part["file"]["file_data"]
    if part["file"].get("filename"):
        raise Cannot("a file's name has no place")
    return data_url(given) if given.startswith("data:") else DocumentUrl(url=given)


def neutral(part: dict[str, Any]) -> UserContent:
    if part.get("name"):
        raise Cannot("a file's name has no place")
    if "data" in part:
        return BinaryContent(base64.b64decode(part["data"], validate=True), media_type=part["mimeType"])
    kinds = {"image": ImageUrl, "file": DocumentUrl, "audio": AudioUrl}
    return kinds[part["type"]](url=part["url"], media_type=part.get("mimeType"))


def data_url(url: str) -> BinaryContent:
    head, _, data = url[len("data:") :].partition(",")
    kind, *marks = head.split(";")
    given = base64.b64decode(data, validate=True) if "base64" in marks else unquote_to_bytes(data)
    return BinaryContent(given, media_type=kind)


def audio(part: dict[str, Any]) -> UserContent:
    kinds = {"wav": "audio/wav", "mp3": "audio/mpeg"}
    given = base64.b64decode(part["input_audio"]["data"], validate=True)
    return BinaryContent(given, media_type=kinds[part["input_audio"]["format"]])


PARTS: dict[Any, Any] = {
    "text": lambda part: part["text"],
    "image_url": image_url,
    "file": file,
    "input_audio": audio,
    "image": neutral,
    "audio": neutral,
}

PART_KEYS: dict[Any, set[str]] = {
    "text": {"type", "text"},
    "image_url": {"type", "image_url"},
    "file": {"type", "file", "mimeType", "data", "url", "name"},
    "input_audio": {"type", "input_audio"},
    "image": {"type", "mimeType", "data", "url", "name"},
    "audio": {"type", "mimeType", "data", "url", "name"},
}
