"""Content parts as Anthropic blocks, in every place they may stand (SPEC section 2, "Text, parts and blocks").

Three places differ: a user turn or tool result carries images and documents, an assistant turn or system prompt only
text; what a place cannot carry becomes a text that names it, never silence (clause `anthropic.parts-placeholder`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import msgspec
from msgspec import Raw, Struct

from toolnexus.errors import InvalidRequest
from toolnexus.wire.anthropic import marks
from toolnexus.wire.anthropic.blocks import (
    Base64Source,
    Block,
    Document,
    Image,
    Text,
    TextSource,
    UrlSource,
)
from toolnexus.wire.anthropic.marks import Mark
from toolnexus.wire.exact import INSIDE, MAX_DEPTH, decode_fields, plain, too_deep
from toolnexus.wire.log import Log
from toolnexus.wire.media import IMAGE_TYPES, UNKNOWN_TYPE, Media, is_neutral, read_media, suffix_type, url_path

Place = Literal["system", "user", "assistant", "tool"]


class TextPart(Struct, gc=False, forbid_unknown_fields=True):
    """A text part with nothing but its text; a tag would let a part without any type pass for one."""

    type: Literal["text"]
    text: str


class Piece(Struct, gc=False):
    """One part as read: a text (with its mark, where it has one) or a block that stands for itself."""

    text: str | None = None
    block: Block | None = None
    mark: Raw | None = None
    at: str = ""


_decode_text = msgspec.json.Decoder(TextPart).decode

_PART_KEYS = {
    "text": frozenset({"type", "text", "cache_control"}),
    "refusal": frozenset({"type", "refusal", "cache_control"}),
    "image_url": frozenset({"type", "image_url", "cache_control"}),
    "input_audio": frozenset({"type", "input_audio", "cache_control"}),
    "file": frozenset({"type", "file", "cache_control"}),
}
_NEUTRAL_KEYS = frozenset({"type", "mimeType", "data", "url", "name", "cache_control"})
_INNER_KEYS = {
    "image_url": frozenset({"url", "detail"}),
    "input_audio": frozenset({"data", "format"}),
    "file": frozenset({"file_data", "file_id", "filename"}),
}
# Where Anthropic's own blocks may stand (B4, B8 14). A call in a user turn, or a result in an assistant turn, is the
# caller's mistake.
_NATIVE: dict[str, tuple[Place, ...]] = {
    "tool_use": ("assistant",),
    "tool_result": ("user",),
    "thinking": ("assistant",),
    "redacted_thinking": ("assistant",),
    "image": ("user", "tool"),
    "document": ("user", "tool"),
}
_PAIRED = frozenset({"tool_use", "tool_result"})

NativeHook = Callable[[dict[str, Raw], dict[str, Any], str], Block | None]
"""What the turn builder makes of a native `tool_use` or `tool_result`: the block to send, or None for none."""


def read_parts(parts: list[Raw], at: str, place: Place, log: Log, native: NativeHook | None = None) -> list[Piece]:
    """The parts of one content array, in order. Raises `InvalidRequest` at a part no reading makes sense of."""
    pieces: list[Piece] = []
    for index, raw in enumerate(parts):
        try:
            pieces.append(Piece(_decode_text(raw).text))
        except (msgspec.MsgspecError, RecursionError):
            piece = _careful_part(raw, f"{at}/{index}", place, log, native)
            if piece is not None:
                pieces.append(piece)
    return pieces


def _careful_part(raw: Raw, at: str, place: Place, log: Log, native: NativeHook | None) -> Piece | None:
    if too_deep(bytes(raw), INSIDE):
        raise InvalidRequest(f"nested deeper than {MAX_DEPTH} levels", "/".join(at.split("/")[:3]))
    try:
        keys = decode_fields(raw)
    except (msgspec.MsgspecError, RecursionError):
        raise InvalidRequest("a content part is no object", at) from None
    kind = plain(keys["type"]) if "type" in keys else None
    if not isinstance(kind, str):
        raise InvalidRequest("a content part needs a type", f"{at}/type" if "type" in keys else at)
    if kind in _NATIVE and (kind not in ("image", "document") or "source" in keys):
        return _native_part(kind, raw, keys, at, place, log, native)
    part = plain(raw)
    mark = marks.read_mark(keys.get("cache_control"), f"{at}/cache_control")
    if kind == "text" or (kind == "refusal" and place == "assistant"):
        text = part.get(kind)
        if not isinstance(text, str):
            raise InvalidRequest(f"a {kind} part needs its {kind} as a string", f"{at}/{kind}" if kind in part else at)
        log.unknown(part, _PART_KEYS[kind], at)
        return Piece(text, None, mark, at)
    media = read_media(part, at)
    _note_dropped(kind, part, at, log)
    block = _media_block(media, at, place, log)
    if media.name and not isinstance(block, Document):
        below = "name" if is_neutral(part) else "file/filename"
        log.dropped(f"{at}/{below}", "only a document has a name at the provider")
    return Piece(None, block, mark, at)


def _note_dropped(kind: str, part: dict[str, Any], at: str, log: Log) -> None:
    if is_neutral(part):
        log.unknown(part, _NEUTRAL_KEYS, at)
    elif kind in _INNER_KEYS:
        log.unknown(part, _PART_KEYS[kind], at)
        inner = part[kind]
        if isinstance(inner, dict):
            log.unknown(inner, _INNER_KEYS[kind], f"{at}/{kind}")
            if inner.get("detail") not in (None, "auto"):
                log.dropped(f"{at}/{kind}/detail", "images have no detail setting at the provider")
            if inner.get("file_data") and inner.get("file_id"):
                log.dropped(
                    f"{at}/{kind}/file_id", "file_data was sent; an id of another provider's file means nothing here"
                )


def _native_part(
    kind: str,
    raw: Raw,
    keys: dict[str, Raw],
    at: str,
    place: Place,
    log: Log,
    native: NativeHook | None,
) -> Piece | None:
    if place not in _NATIVE[kind]:
        if kind in _PAIRED:
            raise InvalidRequest(f"a {kind} block may not stand in a {place} message", at)
        return Piece(None, _placeholder(_native_media(kind, keys), at, log), None, at)
    if kind == "thinking" and not is_signed(keys):
        log.dropped(at, "a thinking block without its signature is refused by the provider")
        return None
    mark = marks.read_mark(keys.get("cache_control"), f"{at}/cache_control")
    block: Block | None = raw if mark is None else keys
    if kind in _PAIRED and native is not None:
        before = dict(keys)
        block = native(keys, {key: plain(keys[key]) for key in ("id", "name", "tool_use_id") if key in keys}, at)
        if block is None:
            return None
        if keys == before and mark is None:
            block = raw
    if kind in ("thinking", "redacted_thinking") and mark is not None:
        marks.lost(log, f"{at}/cache_control", "a thinking block takes no cache mark")
        block, mark = {key: value for key, value in keys.items() if key != "cache_control"}, None
    return Piece(None, block, mark, at)


def is_signed(keys: dict[str, Raw]) -> bool:
    """Whether a native thinking block carries a signature (a redacted one carries its data)."""
    for key in ("signature", "data"):
        if key in keys:
            value = plain(keys[key])
            if isinstance(value, str) and value:
                return True
    return False


def signed_thinking(raws: list[Raw], at: str, log: Log) -> list[Block]:
    """Signed blocks as they came; an unsigned one would be refused (clause `anthropic.thinking-roundtrip`)."""
    blocks: list[Block] = []
    for place, raw in enumerate(raws):
        try:
            signed = is_signed(decode_fields(raw))
        except msgspec.MsgspecError:
            raise InvalidRequest("a thinking block is no object", f"{at}/{place}") from None
        if signed:
            blocks.append(raw)
        else:
            log.dropped(f"{at}/{place}", "a thinking block without its signature is refused")
    return blocks


def _native_media(kind: str, keys: dict[str, Raw]) -> Media:
    source = plain(keys["source"]) if "source" in keys else {}
    source = source if isinstance(source, dict) else {}
    data = source.get("data") if source.get("type") == "base64" else None
    media_type = source.get("media_type")
    return Media(
        "file" if kind == "document" else kind,
        media_type if isinstance(media_type, str) else "",
        data if isinstance(data, str) else None,
    )


def _placeholder(media: Media, at: str, log: Log) -> Text:
    log.warn("unsupported-part", at, f"the provider carries no {media.kind} here; a text that names it was sent")
    return Text(media.placeholder)


def _media_block(media: Media, at: str, place: Place, log: Log) -> Block:
    block = _carry(media) if place in _NATIVE["image"] else None
    if block is None:
        return _placeholder(media, at, log)
    if media.corrected:
        log.warn("media-type-corrected", at, f"the bytes are {media.media_type}; that type was sent")
    return block


def _carry(media: Media) -> Image | Document | None:
    """The block that carries a part, None where there is none."""
    if media.kind not in ("image", "file"):
        return None
    if media.url is not None:
        return _carry_url(media, media.url)
    if not media.data:
        return None
    if media.media_type in IMAGE_TYPES:
        return Image(Base64Source(media.media_type, media.data))
    if media.kind == "file" and media.media_type == "application/pdf":
        return Document(Base64Source(media.media_type, media.data), media.name)
    if media.kind == "file" and media.media_type.startswith("text/"):
        return _carry_text(media)
    return None


def _carry_url(media: Media, url: str) -> Image | Document | None:
    declared = media.media_type
    if media.kind == "image":
        return Image(UrlSource(url)) if not declared or declared in IMAGE_TYPES else None
    if declared in IMAGE_TYPES or (not declared and suffix_type(url_path(url)) in IMAGE_TYPES):
        return Image(UrlSource(url))
    if declared in ("", "application/pdf", UNKNOWN_TYPE):
        return Document(UrlSource(url), media.name)
    return None


def _carry_text(media: Media) -> Document | None:
    try:
        text = media.decoded().decode()
    except UnicodeDecodeError:
        return None
    return Document(TextSource(text), media.name) if text.strip() else None


def is_text(pieces: list[Piece]) -> bool:
    """Whether every piece is an unmarked text, so that their concatenation says it all."""
    return all(piece.text is not None and piece.mark is None for piece in pieces)


def joined(pieces: list[Piece]) -> str:
    """The texts of the pieces, without a separator."""
    return "".join([piece.text for piece in pieces if piece.text is not None])


def to_blocks(pieces: list[Piece], log: Log, sent: list[Mark]) -> list[Block]:
    """Pieces as blocks in their order: runs of unmarked text are one block, blank text is none.

    Clauses `anthropic.parts-order`, `anthropic.empty-turns`.
    """
    blocks: list[Block] = []
    run: list[str] = []

    def close_run() -> None:
        text = "".join(run)
        run.clear()
        if text and not text.isspace():
            blocks.append(Text(text))

    for piece in pieces:
        if piece.text is not None and piece.mark is None:
            run.append(piece.text)
            continue
        close_run()
        block: Block | None = piece.block if piece.text is None else Text(piece.text)
        if piece.text is not None and not piece.text.strip():
            marks.lost(log, f"{piece.at}/cache_control", "an empty text takes no cache mark")
            continue
        if block is not None:
            blocks.append(block)
            if piece.mark is not None:
                marks.put_mark(block, piece.mark, f"{piece.at}/cache_control", sent, log)
    close_run()
    return blocks
