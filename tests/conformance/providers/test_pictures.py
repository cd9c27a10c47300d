"""Types and sizes are read from the first bytes of a picture."""

from __future__ import annotations

import struct

import pytest

from conformance.providers.pictures import dimensions, sniff

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + struct.pack(">II", 640, 480)
GIF = b"GIF89a" + struct.pack("<HH", 640, 480)
JPEG = b"".join(
    (
        b"\xff\xd8\xff\xe0\x00\x10JFIF" + bytes(10),
        b"\xff\xff\xdb\x00\x04ab",  # a table, behind a fill byte
        b"\xff\xc2\x00\x11\x08\x01\xe0\x02\x80",
    )
)
VP8 = b"RIFF\x00\x00\x00\x00WEBPVP8 " + bytes(10) + struct.pack("<HH", 640, 480)
VP8L = b"RIFF\x00\x00\x00\x00WEBPVP8L" + bytes(5) + struct.pack("<I", (640 - 1) | (480 - 1) << 14) + bytes(5)
VP8X = b"RIFF\x00\x00\x00\x00WEBPVP8X" + bytes(8) + struct.pack("<I", 639)[:3] + struct.pack("<I", 479)[:3]

PICTURES = {
    "image/png": [PNG],
    "image/gif": [GIF, GIF.replace(b"89a", b"87a")],
    "image/jpeg": [JPEG],
    "image/webp": [VP8, VP8L, VP8X],
}


@pytest.mark.parametrize(("name", "data"), [(name, data) for name, listed in PICTURES.items() for data in listed])
def test_type_and_size(name: str, data: bytes) -> None:
    assert sniff(data) == name
    assert dimensions(data) == (640, 480)


@pytest.mark.parametrize(
    "data", [PNG[:20], GIF[:8], JPEG[:25], VP8[:20], b"\xff\xd8\xff\xd9", PNG[:12] + b"IDAT" + bytes(8)]
)
def test_a_cut_header_has_a_type_and_no_size(data: bytes) -> None:
    assert sniff(data) is not None
    assert dimensions(data) is None


@pytest.mark.parametrize("data", [b"", b"hello", b"<svg/>", b"RIFF\x00\x00\x00\x00WAVE", b"%PDF-1.4"])
def test_other_bytes_are_no_picture(data: bytes) -> None:
    assert sniff(data) is None
    assert dimensions(data) is None
