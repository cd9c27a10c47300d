"""What stands for data in a recorded case: the smallest picture or page of the same kind, or a few plain bytes."""

from __future__ import annotations

import base64
import binascii
import re
from typing import Final

from conformance.providers import pictures

#: The smallest files of their kinds: one pixel, or no page at all.
_SAMPLES: Final[dict[str, str]] = {
    "image/png": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==",
    "image/gif": "R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAkQBADs=",
    "image/jpeg": (
        "/9j/2wBDAAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQH/"
        "wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAAP/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AP//Z"
    ),
    "image/webp": "UklGRhgAAABXRUJQVlA4TAwAAAAvAAAAAKhZRara/wA=",
    "application/pdf": "JVBERi0xLjQlJSVFT0Y=",
}

#: Everything that stands for data; the secret scan knows them.
STAND_INS: Final = tuple(_SAMPLES.values())

#: A text that is nothing but base64, long enough to be data and no word.
LONG: Final = re.compile(r"[A-Za-z0-9+/_-]{64,}={0,2}")

#: Data inside a longer text: a data URL.
DATA_URL: Final = re.compile(r"(data:[\w.+-]+/[\w.+-]+(?:;[\w=.+-]+)*;base64,)([A-Za-z0-9+/_=-]+)")


def stand_in(data: str, number: int) -> str:
    """Base64 that stands for other base64: a sample of the same kind, else bytes that only count."""
    return _SAMPLES.get(_kind(data) or "") or base64.b64encode(f"data {number}".encode()).decode()


def _kind(data: str) -> str | None:
    head = data[:64].replace("-", "+").replace("_", "/")
    try:
        begin = base64.b64decode(head[: len(head) // 4 * 4])
    except (binascii.Error, ValueError):
        return None
    return "application/pdf" if begin.startswith(b"%PDF-") else pictures.sniff(begin)
