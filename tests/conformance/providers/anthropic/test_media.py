"""Each rule about pictures and documents fires on its bad body and stays silent on the good twin."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from conformance.providers import blocking, check
from conformance.providers.anthropic.rules import GROUPS


def png(width: int = 1, height: int = 1) -> bytes:
    return b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + width.to_bytes(4, "big") + height.to_bytes(4, "big") + b"\x08\x06"


GIF = b"GIF89a\x01\x00\x01\x00\x00\x00\x00"


def encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


def image(data: bytes | str, media_type: str = "image/png") -> dict[str, Any]:
    written = data if isinstance(data, str) else encoded(data)
    return {"type": "image", "source": {"type": "base64", "media_type": media_type, "data": written}}


def pdf(data: bytes) -> dict[str, Any]:
    source = {"type": "base64", "media_type": "application/pdf", "data": encoded(data)}
    return {"type": "document", "source": source}


def said(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"model": "claude-x", "max_tokens": 64, "messages": [{"role": "user", "content": list(blocks)}]}


SOURCE = "/messages/0/content/0/source"
PATH = "messages.0.content.0.image.source.base64"
BIG = encoded(png() + bytes(8 * 1024 * 1024))
FITS = encoded(png() + bytes(1024 * 1024))

TWINS: dict[str, tuple[dict[str, Any], dict[str, Any], str, str]] = {
    "b8-47-image-media-type": (
        said(image(png(), "image/jpg")),
        said(image(png())),
        f"{SOURCE}/media_type",
        f"{PATH}.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
    ),
    "b8-48-image-type-differs": (
        said(image(GIF)),
        said(image(GIF, "image/gif")),
        SOURCE,
        f"{PATH}: The image was specified using the image/png media type, but the image appears to be a image/gif "
        "image",
    ),
    "b8-49-base64": (said(image("not base64!")), said(image(png())), f"{SOURCE}/data", f"{PATH}.data: "),
    "b8-49-unreadable": (
        said(image(b"<svg></svg>")),
        said(image(png())),
        f"{SOURCE}/data",
        f"{PATH}.data: Could not process image",
    ),
    "b8-50-image-dimensions": (
        said(image(png(8001, 1))),
        said(image(png(8000, 1))),
        f"{SOURCE}/data",
        f"{PATH}.data: At least one of the image dimensions exceed max allowed size: 8000 pixels",
    ),
    "b8-51-image-size": (said(image(BIG)), said(image(FITS)), SOURCE, f"{PATH}: image exceeds 10 MB maximum: "),
    "b8-51-image-count": (
        said(*[image(png())] * 601),
        said(*[image(png())] * 600),
        "",
        "messages: too many images: 601 > 600",
    ),
}


@pytest.mark.parametrize("rule", TWINS)
def test_rule_fires_on_the_bad_body_only(rule: str, fires: Any) -> None:
    bad, good, pointer, message = TWINS[rule]
    assert fires("anthropic", rule, bad, good, pointer).message.startswith(message)


def test_every_rule_about_media_has_twins() -> None:
    assert set(TWINS) == {rule.name for rule in GROUPS["media"]}


def test_many_images_have_to_be_smaller() -> None:
    wide = image(png(2001, 1))
    assert check("anthropic", said(*[wide] * 20)) == []
    found = check("anthropic", said(*[wide] * 21))
    assert len(found) == 21
    assert found[0].message.endswith("max allowed size for many-image requests: 2000 pixels")


def test_images_inside_results_are_looked_at() -> None:
    body = said()
    body["messages"] = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "look", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": [image(GIF)]}]},
    ]
    found = blocking(check("anthropic", body))
    assert [(violation.rule, violation.pointer) for violation in found] == [
        ("b8-48-image-type-differs", "/messages/2/content/0/content/0/source")
    ]
    assert found[0].message.startswith("messages.2.content.0.tool_result.content.0.image.source.base64: The image was")


def test_documents_are_base64_and_begin_like_a_pdf() -> None:
    assert check("anthropic", said(pdf(b"%PDF-1.4"))) == []
    assert [violation.rule for violation in check("anthropic", said(pdf(b"hello")))] == ["b8-49-unreadable"]
