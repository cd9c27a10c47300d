"""What the first bytes of a picture say: its type and its size, without decoding it (wire-facts G6)."""

from __future__ import annotations

from collections.abc import Callable

Size = tuple[int, int]

_SIGNATURES: tuple[tuple[str, Callable[[bytes], bool]], ...] = (
    ("image/png", lambda data: data.startswith(b"\x89PNG\r\n\x1a\n")),
    ("image/jpeg", lambda data: data.startswith(b"\xff\xd8\xff")),
    ("image/gif", lambda data: data.startswith((b"GIF87a", b"GIF89a"))),
    ("image/webp", lambda data: data.startswith(b"RIFF") and data[8:12] == b"WEBP"),
)

# JPEG frame headers that carry the size: SOF0..SOF15 without the tables DHT, JPG and DAC.
_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_JPEG_BARE = frozenset({0x01, *range(0xD0, 0xD9)})


def sniff(data: bytes) -> str | None:
    """The media type the signature names, or None for bytes of another kind."""
    return next((name for name, matches in _SIGNATURES if matches(data)), None)


def dimensions(data: bytes) -> Size | None:
    """Width and height in pixels as the header declares them, or None when it does not say."""
    reader = _READERS.get(sniff(data) or "")
    return reader(data) if reader else None


def _png(data: bytes) -> Size | None:
    if len(data) < 24 or data[12:16] != b"IHDR":
        return None
    return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")


def _gif(data: bytes) -> Size | None:
    if len(data) < 10:
        return None
    return int.from_bytes(data[6:8], "little"), int.from_bytes(data[8:10], "little")


def _jpeg(data: bytes) -> Size | None:
    place = 2
    while place + 9 <= len(data) and data[place] == 0xFF:
        marker = data[place + 1]
        if marker == 0xFF:
            place += 1
        elif marker in _JPEG_BARE:
            place += 2
        elif marker in _JPEG_FRAMES:
            return int.from_bytes(data[place + 7 : place + 9], "big"), int.from_bytes(
                data[place + 5 : place + 7], "big"
            )
        else:
            place += 2 + int.from_bytes(data[place + 2 : place + 4], "big")
    return None


def _webp(data: bytes) -> Size | None:
    reader = {b"VP8 ": _webp_lossy, b"VP8L": _webp_lossless, b"VP8X": _webp_extended}.get(data[12:16])
    return reader(data) if reader and len(data) >= 30 else None


def _webp_lossy(data: bytes) -> Size:
    return (int.from_bytes(data[26:28], "little") & 0x3FFF, int.from_bytes(data[28:30], "little") & 0x3FFF)


def _webp_lossless(data: bytes) -> Size:
    bits = int.from_bytes(data[21:25], "little")
    return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1


def _webp_extended(data: bytes) -> Size:
    return int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1


_READERS: dict[str, Callable[[bytes], Size | None]] = {
    "image/png": _png,
    "image/gif": _gif,
    "image/jpeg": _jpeg,
    "image/webp": _webp,
}
