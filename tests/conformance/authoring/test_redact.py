"""Redaction: what must not be shown is replaced everywhere by the same, and what carries the fault stays."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from conformance.authoring.recording.blobs import stand_in
from conformance.authoring.recording.redact import Redactor, credentials
from conformance.providers import anthropic, pictures
from conformance.tree import Json, from_python, plain

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4).decode()


def redacted(*trees: Any, secrets: tuple[str, ...] = ()) -> Any:
    redactor = Redactor(secrets)
    found: list[Json] = [from_python(tree) for tree in trees]
    for tree in found:
        redactor.learn(tree)
    shown = [plain(redactor.tree(tree)) for tree in found]
    return shown if len(shown) > 1 else shown[0]


def test_a_key_goes_wherever_it_stands() -> None:
    shown = redacted({"a": "my key is hunter2secret", "hunter2secret": 1}, secrets=("hunter2secret", "hunter2"))
    assert shown == {"a": "my key is redacted", "redacted": 1}


@pytest.mark.parametrize(
    ("key", "value", "shown"),
    [
        ("id", "msg_01SJbioLEggiTorfw9JRPvgh", "msg_1"),
        ("id", "chatcmpl-ABC123xyz456", "chatcmpl-1"),
        ("tool_call_id", "functions.get_weather:0", "functions.get_weather:0"),
        ("id", "call_a1", "call_a1"),
        ("id", "550e8400-e29b-41d4-a716-446655440000", "00000000-0000-4000-8000-000000000001"),
        ("id", "call_" + "aZ-9_" * 12, "call_1"),
        ("system_fingerprint", "fp_44709d6fcb", "fp_1"),
        ("user", "ann", "user-1"),
        ("model", "claude-sonnet-4-5-20250929", "claude-sonnet-4-5-20250929"),
        ("name", "get_weather2024", "get_weather2024"),
    ],
)
def test_ids_lose_their_random_part_alone(key: str, value: str, shown: str) -> None:
    assert redacted({key: value}) == {key: shown}


def test_an_id_is_the_same_on_both_sides() -> None:
    call = {"content": [{"type": "tool_use", "id": "toolu_01243A2FLMhWAVGBdHaz8JcH"}]}
    result = {"tool_use_id": "toolu_01243A2FLMhWAVGBdHaz8JcH", "content": "for toolu_01243A2FLMhWAVGBdHaz8JcH"}
    first, second = redacted(call, result)
    assert first["content"][0]["id"] == second["tool_use_id"] == "toolu_1"
    assert second["content"] == "for toolu_1"


def test_ids_that_differ_stay_different() -> None:
    one, two = "call_abcdefg1234567", "call_abcdefg1234568"
    assert redacted([{"id": one}, {"id": two}, {"id": one}]) == [{"id": "call_1"}, {"id": "call_2"}, {"id": "call_1"}]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Ann <ann.smith+x@corp.io>, bob@corp.io", "Ann <user1@example.com>, user2@example.com"),
        ("at 10.1.2.3 and 127.0.0.1", "at 192.0.2.1 and 127.0.0.1"),
        ("version 1.2.3.4.5", "version 1.2.3.4.5"),
        ("see https://files.corp.io/a/b.png?sig=1#x", "see https://host1.example/1.png"),
        ("at http://corp.io and http://corp.io/x", "at http://host1.example/ and http://host1.example/1"),
        ("see https://example.com/a?b=1", "see https://example.com/a?b=1"),
        (
            '{"$schema": "http://json-schema.org/draft-07/schema"}',
            '{"$schema": "http://json-schema.org/draft-07/schema"}',
        ),
        ("order 550e8400-e29b-41d4-a716-446655440000", "order 00000000-0000-4000-8000-000000000001"),
        ("a" * 200, "a" * 200),
    ],
)
def test_texts(text: str, shown: str) -> None:
    assert redacted({"text": text}) == {"text": shown}


def test_a_picture_stays_a_picture() -> None:
    shown = redacted(
        {"data": PNG, "url": f"data:image/png;base64,{PNG}", "file": base64.b64encode(bytes(range(99))).decode()}
    )
    assert pictures.sniff(base64.b64decode(shown["data"])) == "image/png"
    assert shown["url"] == f"data:image/png;base64,{shown['data']}"
    assert base64.b64decode(shown["file"]).startswith(b"data ")


@pytest.mark.parametrize(
    ("begin", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"GIF89a", "image/gif"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"RIFF....WEBP", "image/webp"),
    ],
)
def test_what_stands_for_a_picture_is_one_that_the_provider_takes(begin: bytes, kind: str) -> None:
    data = stand_in(base64.b64encode(begin + bytes(99)).decode(), 1)
    source = {"type": "base64", "media_type": kind, "data": data}
    turns = [{"role": "user", "content": [{"type": "image", "source": source}]}]
    body = {"model": "claude-x", "max_tokens": 64, "messages": turns}
    from conformance.providers import blocking, check

    assert blocking(check("anthropic", body)) == []
    assert anthropic.RULES


def test_a_document_stays_a_document() -> None:
    data = stand_in(base64.b64encode(b"%PDF-1.7 and more of it" * 9).decode(), 1)
    assert base64.b64decode(data).startswith(b"%PDF-")


def test_signatures_are_data_however_short() -> None:
    shown = redacted({"thinking": "hm", "signature": "c2ln"}, {"signature": "c2ln"})
    assert shown[0]["signature"] == shown[1]["signature"] != "c2ln"


def test_numbers_and_what_is_no_text_stay() -> None:
    tree = {"created": 1712345678, "n": 1.5, "ok": True, "none": None, "id": 7}
    assert redacted(tree) == tree


def test_what_was_replaced_is_counted() -> None:
    redactor = Redactor(["hunter2secret"])
    redactor.tree(from_python({"a": "ann@corp.io ann@corp.io bob@corp.io hunter2secret"}))
    assert redactor.counts == {"key": 1, "e-mail": 2}


def test_credentials_are_known_by_the_names_of_their_headers() -> None:
    headers = [("Authorization", "Bearer abc"), ("x-api-key", "def"), ("accept", "json"), ("X-Goog-Api-Key", "ghi")]
    assert credentials(headers) == ["Bearer abc", "abc", "def", "def", "ghi", "ghi"]
