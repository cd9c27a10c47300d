"""Neutral content parts in OpenAI's shapes (clause `openai.neutral-parts`); every other part stays as it came."""

from __future__ import annotations

from typing import Any

from msgspec import Raw

from toolnexus.wire.exact import decode_fields, decode_items, encode, plain
from toolnexus.wire.log import Log
from toolnexus.wire.media import UNKNOWN_TYPE, Media, is_neutral, read_media

_AUDIO_FORMATS = {
    "audio/mpeg": "mp3",
    "audio/mp3": "mp3",
    "audio/wav": "wav",
    "audio/x-wav": "wav",
}


def translate_parts(raw: Raw, log: Log) -> Raw | list[Raw]:
    """The messages with each neutral part in OpenAI's shape; messages without one keep their bytes."""
    return [_message(item, f"/messages/{index}", log) for index, item in enumerate(decode_items(raw))]


def _message(raw: Raw, at: str, log: Log) -> Raw:
    keys = decode_fields(raw)
    content = keys.get("content")
    if content is None or bytes(content)[:1] != b"[":
        return raw
    parts = decode_items(content)
    translated = [_part(part, f"{at}/content/{index}", log) for index, part in enumerate(parts)]
    if all(new is old for new, old in zip(translated, parts, strict=True)):
        return raw
    keys["content"] = Raw(encode(translated))
    return Raw(encode(keys))


def _part(raw: Raw, at: str, log: Log) -> Raw:
    part = plain(raw)
    if not isinstance(part, dict) or not isinstance(part.get("type"), str) or not is_neutral(part):
        return raw
    media = read_media(part, at)
    form = _form(media)
    if form is None:
        log.warn("unsupported-part", at, f"the provider carries no such {media.kind}; a text that names it was sent")
        form = {"type": "text", "text": media.placeholder}
    extras = {key: value for key, value in part.items() if key not in ("type", "mimeType", "data", "url", "name")}
    return Raw(encode({**form, **extras}))


def _form(media: Media) -> dict[str, Any] | None:
    data_url = f"data:{media.media_type or UNKNOWN_TYPE};base64,{media.data}"
    if media.kind == "image" and (media.data or media.url):
        return {"type": "image_url", "image_url": {"url": media.url or data_url}}
    if media.data is None:
        return None
    if media.kind == "file":
        return {"type": "file", "file": {"filename": media.name or "file", "file_data": data_url}}
    audio = _AUDIO_FORMATS.get(media.media_type)
    return {"type": "input_audio", "input_audio": {"data": media.data, "format": audio}} if audio else None
