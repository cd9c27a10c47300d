"""Faults in placeholders, and in neutral parts for an OpenAI-style server."""

from __future__ import annotations

import re
from typing import Any

from conformance.tree import Number
from tests.mutants.exchange import Ask
from tests.mutants.mutant import (
    body,
)
from tests.mutants.walk import (
    blocks,
    contents,
    nested,
    objects,
    turns,
)

Tree = dict[str, Any]

_PLACEHOLDER = re.compile(r"\[unsupported (.+) part \((.+), (\d+) bytes\)\]")


def _placeholders(body: Tree) -> list[tuple[Tree, re.Match[str]]]:
    found = [
        (block, _PLACEHOLDER.fullmatch(str(block.get("text"))))
        for block in nested([body.get("system"), body["messages"]])
    ]
    return [(block, match) for block, match in found if match]


# -- placeholders -----------------------------------------------------------------------------------------------------


def _rewritten(body: Tree, change: Any) -> None:
    for block, match in _placeholders(body):
        block["text"] = change(*match.groups())
    if isinstance(body.get("system"), str):
        body["system"] = _PLACEHOLDER.sub(lambda match: change(*match.groups()), body["system"])


@body("anthropic")
def drops_unsupported_parts(body: Tree) -> None:
    """A part the provider cannot carry is dropped."""
    for holder, content in contents(body):
        holder["content"] = [block for block in content if not _PLACEHOLDER.fullmatch(str(block.get("text")))] or "."


@body("anthropic")
def names_unsupported_parts_otherwise(body: Tree) -> None:
    """A placeholder says less: neither type nor size."""
    _rewritten(body, lambda kind, *_: f"[{kind}]")


@body("anthropic")
def counts_encoded_bytes(body: Tree) -> None:
    """A placeholder counts the base64 characters, not the bytes."""
    _rewritten(body, lambda kind, of, size: f"[unsupported {kind} part ({of}, {-(-int(size) // 3) * 4} bytes)]")


@body("anthropic")
def says_audio_mp3(body: Tree) -> None:
    """mp3 is named audio/mp3 in a placeholder."""
    _rewritten(body, lambda kind, of, size: f"[unsupported {kind} part ({of.replace('mpeg', 'mp3')}, {size} bytes)]")


@body("anthropic")
def leaves_unknown_types_empty(body: Tree) -> None:
    """A placeholder of an unknown type names none."""
    _rewritten(
        body,
        lambda kind, of, size: (
            f"[unsupported {kind} part ({of.replace('application/octet-stream', 'unknown')}, {size} bytes)]"
        ),
    )


@body("anthropic")
def calls_every_part_a_file(body: Tree) -> None:
    """A placeholder calls every part a file."""
    _rewritten(body, lambda kind, of, size: f"[unsupported file part ({of}, {size} bytes)]")


@body("anthropic")
def calls_unknown_parts_unknown(body: Tree) -> None:
    """A placeholder does not name the type of an unknown part."""
    _rewritten(
        body,
        lambda kind, of, n: (
            f"[unsupported {kind if kind in ('image', 'audio', 'file') else 'unknown'} part ({of}, {n} bytes)]"
        ),
    )


@body("anthropic")
def joins_placeholders_to_texts(body: Tree) -> None:
    """A placeholder joins the text before it."""
    for _, content in contents(body):
        for place in range(len(content) - 1, 0, -1):
            before, block = content[place - 1], content[place]
            if _PLACEHOLDER.fullmatch(str(block.get("text"))) and before.get("type") == "text":
                before["text"] += block["text"]
                del content[place]


@body("anthropic")
def puts_placeholders_last(body: Tree) -> None:
    """Placeholders are put at the end of their turn."""
    for _, content in contents(body):
        content.sort(key=lambda block: bool(_PLACEHOLDER.fullmatch(str(block.get("text")))))


@body("anthropic")
def sends_assistant_pictures(body: Tree, ask: Ask) -> None:
    """A picture in an assistant message is sent as one, which the provider refuses."""
    for turn in turns(body, "assistant"):
        for block, match in _placeholders({"messages": [turn]}):
            if match[1] == "image":
                block.clear()
                block.update(type="image", source={"type": "base64", "media_type": match[2], "data": "AAAA"})


@body("anthropic")
def loses_placeholders_of_system(body: Tree) -> None:
    """A picture in a system message is lost."""
    if isinstance(body["system"], str):
        body["system"] = _PLACEHOLDER.sub("", body["system"])


@body("anthropic")
def sends_other_image_types(body: Tree) -> None:
    """A picture of a type the provider refuses is sent all the same."""
    for block, match in _placeholders(body):
        if match[1] == "image" and match[3] != "0":
            block.clear()
            block.update(type="image", source={"type": "base64", "media_type": match[2], "data": "AAAA"})


@body("anthropic")
def sends_office_files_as_documents(body: Tree) -> None:
    """A file the provider cannot read is sent as a document."""
    for block, match in _placeholders(body):
        if match[1] == "file":
            block.clear()
            block.update(type="document", source={"type": "base64", "media_type": match[2], "data": "AAAA"})


@body("anthropic")
def sends_other_schemes(body: Tree, ask: Ask) -> None:
    """An image address of another scheme is handed to the provider."""
    urls = [part.get("url") for part in nested(ask.request["messages"]) if isinstance(part.get("url"), str)]
    for block, match in _placeholders(body):
        if match[1] == "image" and match[3] == "0" and urls:
            block.clear()
            block.update(type="image", source={"type": "url", "url": urls[0]})


@body("anthropic")
def sends_file_ids(body: Tree, ask: Ask) -> None:
    """A file_id of another provider is handed on."""
    ids = [part["file_id"] for part in nested(ask.request["messages"]) if "file_id" in part]
    for block, _ in _placeholders(body) if ids else ():
        block.clear()
        block.update(type="document", source={"type": "file", "file_id": ids[0]})


@body("anthropic")
def transcribes_audio(body: Tree) -> None:
    """Audio is sent as a block that the provider does not have."""
    for block, match in _placeholders(body):
        if match[1] == "audio":
            block.clear()
            block.update(type="audio", media_type=match[2])


@body("anthropic")
def counts_from_the_text(body: Tree, ask: Ask) -> None:
    """A placeholder of an address counts its letters as bytes."""
    _rewritten(body, lambda kind, of, size: f"[unsupported {kind} part ({of}, {size if size != '0' else 24} bytes)]")


# -- OpenAI style -----------------------------------------------------------------------------------------------------


def _neutral(ask: Ask) -> list[Tree]:
    parts = [part for turn in turns(ask.request) for part in objects(turn.get("content"))]
    return [part for part in parts if part.get("type") in ("image", "audio", "file") and part["type"] not in part]


@body("openai")
def passes_neutral_parts(body: Tree, ask: Ask) -> None:
    """Neutral parts are sent as they are."""
    for turn, given in zip(turns(body), turns(ask.request), strict=True):
        if isinstance(turn["content"], list):
            turn["content"] = given["content"]


@body("openai")
def drops_neutral_parts_without_a_form(body: Tree) -> None:
    """A neutral part that OpenAI cannot carry is dropped."""
    for turn in turns(body):
        turn["content"] = [part for part in turn["content"] if not str(part.get("text")).startswith("[unsupported")]


@body("openai")
def sends_mpeg_as_a_format(body: Tree) -> None:
    """Neutral audio is sent with its media type's own word as format."""
    for part in blocks(body, "input_audio"):
        part["input_audio"]["format"] = {"mp3": "mpeg", "wav": "x-wav"}.get(part["input_audio"]["format"], "")


@body("openai")
def sends_audio_as_a_data_url(body: Tree, ask: Ask) -> None:
    """Neutral audio is sent as a data URL."""
    for part in blocks(body, "input_audio") if _neutral(ask) else ():
        part["input_audio"]["data"] = "data:audio/wav;base64," + part["input_audio"]["data"]


@body("openai")
def sends_images_bare(body: Tree, ask: Ask) -> None:
    """A neutral image's data is sent without the data URL's head."""
    for part in blocks(body, "image_url") if _neutral(ask) else ():
        part["image_url"]["url"] = part["image_url"]["url"].rpartition(",")[2]


@body("openai")
def sends_image_url_as_a_string(body: Tree, ask: Ask) -> None:
    """A neutral image by address becomes an image_url that is a string."""
    for part in blocks(body, "image_url") if _neutral(ask) else ():
        if part["image_url"]["url"].startswith("http"):
            part["image_url"] = part["image_url"]["url"]


@body("openai")
def sends_files_without_a_name(body: Tree, ask: Ask) -> None:
    """A neutral file's name is lost."""
    for part in blocks(body, "file") if _neutral(ask) else ():
        part["file"].pop("filename", None)


@body("openai")
def sends_every_file_as_file(body: Tree, ask: Ask) -> None:
    """Every neutral file is called file."""
    for part in blocks(body, "file") if _neutral(ask) else ():
        part["file"]["filename"] = "file"


@body("openai")
def puts_neutral_parts_last(body: Tree, ask: Ask) -> None:
    """Neutral parts are put behind the texts."""
    for turn in turns(body) if _neutral(ask) else ():
        turn["content"].sort(key=lambda part: part["type"] != "text")


@body("openai")
def takes_own_parts_for_neutral(body: Tree) -> None:
    """OpenAI's own file part is taken for a neutral one."""
    for part in blocks(body, "file"):
        part["file"].setdefault("filename", "file")
        part["file"].pop("file_id", None)


@body("openai")
def sends_urls_as_file_data(body: Tree, ask: Ask) -> None:
    """A neutral file or audio by address is sent as if the address were its data."""
    urls = [part["url"] for part in _neutral(ask) if part["type"] != "image" and "url" in part]
    for turn in turns(body):
        for part in objects(turn["content"]):
            if str(part.get("text")).startswith("[unsupported") and urls:
                part.clear()
                part.update(type="file", file={"filename": "file", "file_data": urls[0]})


@body("openai")
def sends_other_audio(body: Tree, ask: Ask) -> None:
    """Audio of a type OpenAI refuses is sent with that type's word."""
    for turn in turns(body):
        for part in objects(turn["content"]):
            match = _PLACEHOLDER.fullmatch(str(part.get("text")))
            if match and match[1] == "audio" and match[3] != Number("0"):
                part.clear()
                part.update(type="input_audio", input_audio={"data": "AAAA", "format": match[2].rpartition("/")[2]})
