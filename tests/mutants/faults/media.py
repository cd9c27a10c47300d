"""Faults in pictures, documents and their media types. Anthropic style."""

from __future__ import annotations

import base64
import re
from typing import Any

from tests.mutants.exchange import Ask
from tests.mutants.mutant import (
    body,
    request,
)
from tests.mutants.walk import (
    blocks,
    contents,
    is_result_turn,
    nested,
    objects,
    turns,
)

Tree = dict[str, Any]


def _sources(body: Tree, kind: str = "") -> list[Tree]:
    return [
        b["source"] for b in blocks(body) if isinstance(b.get("source"), dict) and (not kind or b.get("type") == kind)
    ]


@body("anthropic")
def loses_pictures(body: Tree) -> None:
    """Pictures of a user turn are lost, its text stays."""
    for turn in turns(body, "user"):
        if isinstance(turn["content"], list) and not is_result_turn(turn):
            turn["content"] = [block for block in turn["content"] if block.get("type") != "image"] or "."


@body("anthropic")
def passes_pictures_in_openai_shape(body: Tree) -> None:
    """A base64 picture is sent as OpenAI's image_url."""
    for block in blocks(body, "image", "user"):
        source = block["source"]
        if source.get("media_type") in ("image/png", "image/webp"):
            block.clear()
            block.update(type="image_url", image_url={"url": f"data:{source['media_type']};base64,{source['data']}"})


@body("anthropic")
def puts_text_before_pictures(body: Tree) -> None:
    """The texts of a mixed turn are put in front of its pictures."""
    for _, content in contents(body):
        if not any(block.get("type") in ("tool_use", "tool_result") for block in content):
            content.sort(key=lambda block: block.get("type") != "text")


@body("anthropic")
def puts_pictures_before_text(body: Tree) -> None:
    """The pictures of a mixed turn are put in front of its texts."""
    for _, content in contents(body):
        if not any(block.get("type") in ("tool_use", "tool_result") for block in content):
            content.sort(key=lambda block: block.get("type") == "text")


@body("anthropic")
def joins_texts_across_pictures(body: Tree) -> None:
    """The texts on both sides of a picture are joined."""
    for holder, content in contents(body):
        texts = [block for block in content if block.get("type") == "text"]
        if len(texts) > 1 and any(block.get("type") == "image" for block in content):
            joined = {"type": "text", "text": "".join(block["text"] for block in texts)}
            holder["content"] = [joined, *(block for block in content if block.get("type") != "text")]


@body("anthropic")
def leaves_text_runs_apart(body: Tree, ask: Ask) -> None:
    """Neighbouring text parts beside a picture stay blocks of their own."""
    for turn in turns(ask.request, "user"):
        runs = [part for part in objects(turn.get("content")) if part.get("type") == "text"]
        if len(runs) > 1 and isinstance(turn["content"], list):
            for _, sent in contents(body):
                for place, block in enumerate(list(sent)):
                    texts = [part["text"] for part in runs]
                    for start in range(len(runs) - 1):
                        if block.get("text") == texts[start] + texts[start + 1]:
                            sent[place : place + 1] = runs[start : start + 2]


@body("anthropic")
def fetches_no_urls(body: Tree) -> None:
    """A picture by address is sent as its address in a text."""
    for block in blocks(body, "image"):
        if block["source"]["type"] == "url":
            url = block["source"]["url"]
            block.clear()
            block.update(type="text", text=url)


@body("anthropic")
def cleans_urls(body: Tree) -> None:
    """Addresses of pictures and documents are normalised: query cut, host lower-cased."""
    for source in _sources(body):
        if source.get("type") == "url":
            source["url"] = source["url"].partition("?")[0].replace("HTTPS", "https").replace("http://", "https://")


@body("anthropic")
def lets_every_file_be_a_document(body: Tree, ask: Ask) -> None:
    """A file part that holds a picture is sent as a document."""
    files = any(part.get("type") == "file" for turn in turns(ask.request) for part in objects(turn.get("content")))
    for block in blocks(body, "image") if files else ():
        block["type"] = "document"


@body("anthropic")
def loses_documents(body: Tree) -> None:
    """A PDF becomes a text that names it."""
    for block in blocks(body, "document", "user"):
        if block["source"].get("media_type") == "application/pdf":
            block.clear()
            block.update(type="text", text="[document]")


@body("anthropic")
def sends_text_files_as_base64(body: Tree) -> None:
    """A text file is sent as base64."""
    for source in _sources(body, "document"):
        if source["type"] == "text":
            source["type"] = "base64"
            source["data"] = base64.b64encode(source["data"].encode()).decode()


@body("anthropic")
def keeps_the_type_of_text_files(body: Tree) -> None:
    """A text file keeps a media type that the provider refuses."""
    for source in _sources(body, "document"):
        if source["type"] == "text":
            source["media_type"] = "text/csv"


@body("anthropic")
def sends_text_files_as_text(body: Tree) -> None:
    """A text file becomes a text block."""
    for block in blocks(body, "document"):
        if block["source"]["type"] == "text":
            text = block["source"]["data"]
            block.clear()
            block.update(type="text", text=text)


@body("anthropic")
def loses_titles(body: Tree) -> None:
    """The filename of a document is lost."""
    for block in blocks(body, "document"):
        block.pop("title", None)


@body("anthropic")
def titles_every_document(body: Tree) -> None:
    """A document without a filename gets a title."""
    for block in blocks(body, "document"):
        block.setdefault("title", "document.pdf")


@body("anthropic")
def titles_pictures(body: Tree, ask: Ask) -> None:
    """The filename of a picture is sent as its title."""
    for part in nested(ask.request["messages"]):
        name = part.get("filename") if "file_data" in part else part.get("name") if "mimeType" in part else None
        for block in blocks(body, "image") if name else ():
            block["title"] = name


@request("anthropic")
def takes_data_urls_only(request: Tree) -> None:
    """file_data that is no data URL is taken for nothing."""
    for part in nested(request["messages"]):
        if "file_data" in part and not str(part["file_data"]).startswith(("data:", "http")):
            part["file_id"] = "lost"
            del part["file_data"]


@request("anthropic")
def reads_no_bare_image_urls(request: Tree) -> None:
    """image_url given as a string is not read."""
    for part in nested(request["messages"]):
        if isinstance(part.get("image_url"), str):
            part["image_url"] = {"url": "data:,"}


@body("anthropic")
def ignores_signatures(body: Tree, ask: Ask) -> None:
    """The media type is the declared one, whatever the bytes are."""
    declared = re.findall(r'data:([^;,"]*)[^,"]*,([^"]{8})', str(ask.request["messages"]).replace("'", '"'))
    declared += [
        (part["mimeType"], part["data"][:8])
        for part in nested(ask.request["messages"])
        if "mimeType" in part and "data" in part
    ]
    for source in _sources(body):
        for media_type, start in declared:
            if str(source.get("data", "")).startswith(start):
                source["media_type"] = media_type.lower().replace("image/jpg", "image/jpeg")


@body("anthropic")
def keeps_media_types_as_declared(body: Tree, ask: Ask) -> None:
    """Media types are sent in the letters in which they were declared."""
    declared = re.findall(r"data:([^;,]*)[^,]*,", str(ask.request["messages"]))
    declared += [str(part["mimeType"]) for part in nested(ask.request["messages"]) if "mimeType" in part]
    for source in _sources(body):
        for media_type in declared:
            if media_type.lower() == source.get("media_type"):
                source["media_type"] = media_type


@body("anthropic")
def keeps_parameters_of_media_types(body: Tree, ask: Ask) -> None:
    """Parameters of a media type are sent."""
    declared = re.findall(r"data:([^,]*?)(?:;base64)?,", str(ask.request["messages"]))
    declared += [str(part["mimeType"]) for part in nested(ask.request["messages"]) if "mimeType" in part]
    for source in _sources(body):
        for media_type in declared:
            if ";" in media_type and media_type.lower().startswith(str(source.get("media_type"))):
                source["media_type"] = media_type


@body("anthropic")
def sends_image_jpg(body: Tree, ask: Ask) -> None:
    """image/jpg is sent as it is."""
    if "image/jpg" in str(ask.request["messages"]).lower():
        for source in _sources(body):
            if source.get("media_type") == "image/jpeg":
                source["media_type"] = "image/jpg"


@body("anthropic")
def takes_unlabelled_data_for_png(body: Tree, ask: Ask) -> None:
    """Data without a media type is taken for a PNG."""
    bare = "data:;base64" in str(ask.request["messages"]) or any(
        "file_data" in part for part in nested(ask.request["messages"])
    )
    for source in _sources(body) if bare else ():
        if (
            source.get("type") == "base64"
            and "data:image" not in str(ask.request)
            and "data:application" not in str(ask.request)
        ):
            source["media_type"] = "image/png"


@request("anthropic")
def trusts_the_filename(request: Tree) -> None:
    """The type of bare base64 is taken from the filename, not from the bytes."""
    for part in nested(request["messages"]):
        name = str(part.get("filename", ""))
        if (
            "file_data" in part
            and name.endswith(".pdf")
            and not str(part["file_data"]).startswith(("JVBERi", "data:", "http"))
        ):
            part["file_data"] = "JVBERi0xLjQK"


@body("anthropic")
def retypes_text_files(body: Tree, ask: Ask) -> None:
    """A file declared as text is sent as what its first bytes look like."""
    for source in _sources(body, "document"):
        if source["type"] == "text" and str(source["data"]).startswith(("%PDF", "GIF8")):
            source.update(
                type="base64", media_type="application/pdf", data=base64.b64encode(source["data"].encode()).decode()
            )


@body("anthropic")
def keeps_base64_as_written(body: Tree, ask: Ask) -> None:
    """Base64 is sent with white space, in the URL-safe alphabet or without padding, as it came."""
    given = re.findall(r"base64,([^']*)'", str(ask.request["messages"])) + [
        str(p["data"]) for p in nested(ask.request["messages"]) if "data" in p
    ]
    given += [str(p["file_data"]) for p in nested(ask.request["messages"]) if "file_data" in p]
    for source in _sources(body):
        for data in given:
            if _plain_base64(data.encode().decode("unicode_escape")) == source.get("data"):
                source["data"] = data.encode().decode("unicode_escape")


def _plain_base64(data: str) -> str:
    bare = re.sub(r"\s", "", data).replace("-", "+").replace("_", "/").rstrip("=")
    return bare + "=" * (-len(bare) % 4)


@request("anthropic")
def keeps_percent_signs(request: Tree) -> None:
    """A data URL without base64 is not decoded."""
    for part in nested(request["messages"]):
        for key in ("url", "file_data"):
            text = part.get(key)
            if isinstance(text, str) and text.startswith("data:") and ";base64" not in text and "%" in text:
                part[key] = text.replace("%", "%25")


@request("anthropic")
def reads_no_neutral_parts(request: Tree) -> None:
    """Neutral parts mean nothing: each becomes an unknown part."""
    for turn in turns(request):
        for part in objects(turn.get("content")):
            if part.get("type") in ("image", "file", "audio") and part["type"] not in part and "source" not in part:
                part["type"] = f"neutral_{part['type']}"


@body("anthropic")
def loses_data_of_neutral_parts(body: Tree, ask: Ask) -> None:
    """A neutral file by address is sent as a document whatever its type says."""
    if any(part.get("mimeType") and "url" in part for part in nested(ask.request["messages"])):
        for block in blocks(body, "image"):
            if block["source"]["type"] == "url":
                block["type"] = "document"


@body("anthropic")
def refuses_untyped_urls(body: Tree, ask: Ask) -> None:
    """A neutral file by address without a telling type becomes a text."""
    untyped = [
        p
        for p in nested(ask.request["messages"])
        if p.get("type") == "file" and "url" in p and p.get("mimeType") != "application/pdf"
    ]
    for block in blocks(body, "document") if untyped else ():
        block.clear()
        block.update(type="text", text="[file]")


@body("anthropic")
def takes_every_url_for_a_document(body: Tree) -> None:
    """A file address that ends in an image suffix is a document, too."""
    for block in blocks(body, "image"):
        if block["source"]["type"] == "url" and re.search(
            r"\.(png|jpe?g|gif|webp)$", block["source"]["url"].partition("?")[0], re.IGNORECASE
        ):
            block["type"] = "document"


@body("anthropic")
def looks_for_suffixes_anywhere(body: Tree) -> None:
    """An image suffix in the query makes a file address an image."""
    for block in blocks(body, "document"):
        if block["source"]["type"] == "url" and re.search(
            r"\.(png|jpe?g|gif|webp)", block["source"]["url"], re.IGNORECASE
        ):
            block["type"] = "image"
            block.pop("title", None)


@body("anthropic")
def downloads_nothing_in_results(body: Tree) -> None:
    """Documents and addresses inside a tool result are lost."""
    for block in blocks(body, "tool_result", "user"):
        if isinstance(block["content"], list):
            block["content"] = [
                b for b in block["content"] if b.get("type") != "document" and b.get("source", {}).get("type") != "url"
            ]


@body("anthropic")
def reorders_parts_of_results(body: Tree) -> None:
    """The parts of a tool result are sent last first."""
    for block in blocks(body, "tool_result", "user"):
        if isinstance(block["content"], list):
            block["content"].reverse()


@body("anthropic")
def drops_results_of_pictures_only(body: Tree) -> None:
    """A tool result that is only a picture gets a text beside it."""
    for block in blocks(body, "tool_result", "user"):
        if isinstance(block["content"], list) and all(b.get("type") != "text" for b in block["content"]):
            block["content"].insert(0, {"type": "text", "text": "result"})


@body("anthropic")
def nests_content_of_turns_with_tools(body: Tree) -> None:
    """With tools a mixed content is wrapped in one more list."""
    for turn in turns(body, "user") if "tools" in body else ():
        if isinstance(turn["content"], list) and any(block.get("type") == "image" for block in turn["content"]):
            turn["content"] = [{"type": "text", "text": str(turn["content"])}]
