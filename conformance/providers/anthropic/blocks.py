"""What a message and its content blocks may hold (wire-facts B3, B4), as data."""

from __future__ import annotations

import re

from conformance.providers.shape import (
    Kind,
    anything,
    by_type,
    flag,
    listing,
    mapping,
    null_or,
    one_of,
    record,
    ruled,
    tagged,
    text,
)

ROLES = ("user", "assistant", "system")
ID_PATTERN = "^[a-zA-Z0-9_-]+$"
IMAGE_TYPES = ("image/jpeg", "image/png", "image/gif", "image/webp")
THINKING_BLOCKS = ("thinking", "redacted_thinking")
SERVER_TOOLS = (
    "web_search",
    "web_fetch",
    "code_execution",
    "bash_code_execution",
    "text_editor_code_execution",
    "tool_search_tool_regex",
    "tool_search_tool_bm25",
)
SERVER_RESULTS = (
    "web_search_tool_result",
    "web_fetch_tool_result",
    "code_execution_tool_result",
    "bash_code_execution_tool_result",
    "text_editor_code_execution_tool_result",
    "tool_search_tool_result",
)

# Blocks behind a beta header: known to exist, not looked into.
BETA_BLOCKS = re.compile("mcp_tool_use|mcp_tool_result|compaction|fallback|advisor_.*")

_ID = ruled("b8-15-id-characters", text(ID_PATTERN), "pattern")
_TYPE: Kind = anything  # the tag has been read by then

CACHE_CONTROL = null_or(record({"type": one_of("ephemeral"), "ttl": one_of("5m", "1h")}, required=("type",)))

_MARKED = {"type": _TYPE, "cache_control": CACHE_CONTROL}

_TEXT = {**_MARKED, "text": text(), "citations": null_or(listing(mapping))}
TEXT = record(_TEXT, required=("text",))
# Where nothing but text may stand there is no union, hence no tag in the path.
ONLY_TEXT = record({**_TEXT, "type": one_of("text")}, required=("type", "text"))

_URL = record({"type": _TYPE, "url": text()}, required=("url",))
_FILE = record({"type": _TYPE, "file_id": text()}, required=("file_id",))
_BASE64_IMAGE = record(
    {"type": _TYPE, "media_type": ruled("b8-47-image-media-type", one_of(*IMAGE_TYPES)), "data": text()},
    required=("media_type", "data"),
)
_BASE64_PDF = record(
    {"type": _TYPE, "media_type": one_of("application/pdf"), "data": text()}, required=("media_type", "data")
)
_PLAIN_TEXT = record({"type": _TYPE, "media_type": one_of("text/plain"), "data": text()}, ("media_type", "data"))

IMAGE = record(
    {
        **_MARKED,
        "source": tagged({"base64": _BASE64_IMAGE, "url": _URL, "file": _FILE}),
        "transformations": null_or(record({"oversized_image": one_of("downsize", "error")})),
    },
    required=("source",),
)

_INLINE = record(
    {"type": _TYPE, "content": by_type(string=text(), list=listing(tagged({"text": TEXT, "image": IMAGE})))},
    required=("content",),
)

DOCUMENT = record(
    {
        **_MARKED,
        "source": tagged({"base64": _BASE64_PDF, "text": _PLAIN_TEXT, "content": _INLINE, "url": _URL, "file": _FILE}),
        "title": null_or(text()),
        "context": null_or(text()),
        "citations": null_or(record({"enabled": flag})),
    },
    required=("source",),
)

SEARCH_RESULT = record(
    {
        **_MARKED,
        "source": text(),
        "title": text(),
        "content": listing(ONLY_TEXT),
        "citations": record({"enabled": flag}),
    },
    required=("source", "title", "content"),
)

_TOOL_REFERENCE = record({**_MARKED, "tool_name": text()}, required=("tool_name",))
_BROWSER_STATE = record(
    {**_MARKED, "tabs": listing(mapping), "state_changes": null_or(listing(mapping))}, required=("tabs",)
)

RESULT_BLOCKS = {
    "text": TEXT,
    "image": IMAGE,
    "search_result": SEARCH_RESULT,
    "document": DOCUMENT,
    "tool_reference": _TOOL_REFERENCE,
    "browser_state": _BROWSER_STATE,
}

_TOOL_USE = record(
    {
        **_MARKED,
        "id": _ID,
        "name": text(),
        "input": ruled("b8-16-input-object", mapping),
        "caller": mapping,
        "toolset_name": null_or(text()),
    },
    required=("id", "name", "input"),
    missing={"input": "b2-missing"},
)

_TOOL_RESULT = record(
    {
        **_MARKED,
        "tool_use_id": _ID,
        "content": by_type(string=text(), list=listing(tagged(RESULT_BLOCKS, rule="b4-block-type"))),
        "is_error": flag,
        "toolset_name": null_or(text()),
    },
    required=("tool_use_id",),
)

_SERVER_TOOL_USE = record(
    {**_MARKED, "id": _ID, "name": one_of(*SERVER_TOOLS), "input": mapping, "caller": mapping},
    required=("id", "name", "input"),
)


def _server_result(name: str) -> Kind:
    # Only the web results may say who called them.
    caller = {"caller": mapping} if name.startswith("web_") else {}
    known = {**_MARKED, **caller, "tool_use_id": _ID, "content": by_type(list=anything, object=anything)}
    return record(known, required=("tool_use_id", "content"))


BLOCKS: dict[str, Kind] = {
    "text": TEXT,
    "image": IMAGE,
    "document": DOCUMENT,
    "search_result": SEARCH_RESULT,
    "thinking": record({"type": _TYPE, "thinking": text(), "signature": text()}, required=("thinking", "signature")),
    "redacted_thinking": record({"type": _TYPE, "data": text()}, required=("data",)),
    "tool_use": _TOOL_USE,
    "tool_result": _TOOL_RESULT,
    "server_tool_use": _SERVER_TOOL_USE,
    **{name: _server_result(name) for name in SERVER_RESULTS},
    "container_upload": record({**_MARKED, "file_id": text()}, required=("file_id",)),
}

# Which role may hold a block, where B4 says so; a rule of its own for what B8 14 and the open questions name.
PLACES: dict[str, tuple[str, str]] = {
    "tool_use": ("assistant", "b8-14-block-in-wrong-role"),
    "tool_result": ("user", "b8-14-block-in-wrong-role"),
    "thinking": ("assistant", "b4-block-place"),
    "redacted_thinking": ("assistant", "b4-block-place"),
    "server_tool_use": ("assistant", "b4-block-place"),
    **dict.fromkeys(SERVER_RESULTS, ("assistant", "b4-block-place")),
    "image": ("user", "b4-media-in-assistant"),
    "document": ("user", "b4-media-in-assistant"),
    "search_result": ("user", "b4-media-in-assistant"),
    "container_upload": ("user", "b4-media-in-assistant"),
}

MESSAGE = record(
    {
        "role": ruled("b8-04-role", one_of(*ROLES)),
        "content": by_type(string=text(), list=listing(tagged(BLOCKS, rule="b4-block-type", free=BETA_BLOCKS))),
    },
    required=("role", "content"),
)
