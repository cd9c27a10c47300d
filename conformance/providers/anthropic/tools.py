"""What a tool declaration and a tool choice may hold (wire-facts B5, B6), as data."""

from __future__ import annotations

import re

from conformance.providers.anthropic.blocks import CACHE_CONTROL
from conformance.providers.shape import (
    Kind,
    anything,
    flag,
    listing,
    mapping,
    null_or,
    one_of,
    record,
    ruled,
    tagged,
    text,
    whole,
)

NAME_PATTERN = "^[a-zA-Z0-9_-]{1,128}$"

# Computer use, advisor and MCP toolsets live behind beta headers: known to exist, not looked into.
BETA_TOOLS = re.compile(r"computer_2024\d+|computer_2025\d+|advisor_\d+|mcp_toolset")

_CALLERS = listing(one_of("direct", "code_execution_20250825", "code_execution_20260120", "code_execution_20260521"))
_COMMON: dict[str, Kind] = {"type": anything, "cache_control": CACHE_CONTROL, "allowed_callers": _CALLERS}
_TOOL: dict[str, Kind] = {**_COMMON, "defer_loading": flag, "strict": flag}
_EXAMPLES: dict[str, Kind] = {"input_examples": listing(mapping)}

CUSTOM = record(
    {
        **_TOOL,
        **_EXAMPLES,
        "name": ruled("b8-17-tool-name", text(NAME_PATTERN), "pattern"),
        "description": text(),
        "input_schema": mapping,
        "eager_input_streaming": null_or(flag),
    },
    required=("name", "input_schema"),
    missing={"input_schema": "b8-19-input-schema"},
)


def _named(name: str, **more: Kind) -> Kind:
    return record({**_TOOL, "name": one_of(name), **more}, required=("name",))


_DOMAINS: dict[str, Kind] = {"allowed_domains": null_or(listing(text())), "blocked_domains": null_or(listing(text()))}
_SEARCH: dict[str, Kind] = {**_DOMAINS, "max_uses": null_or(whole(1)), "user_location": null_or(mapping)}
_FETCH: dict[str, Kind] = {
    **_DOMAINS,
    "max_uses": null_or(whole(1)),
    "max_content_tokens": null_or(whole(1)),
    "citations": null_or(record({"enabled": flag})),
}
_INCLUSION: dict[str, Kind] = {"response_inclusion": anything}
_TOOLSET = record({**_COMMON, "configs": null_or(mapping)})

TOOLS: dict[str, Kind] = {
    "custom": CUSTOM,
    "bash_20250124": _named("bash", **_EXAMPLES),
    "text_editor_20250124": _named("str_replace_editor", **_EXAMPLES),
    "text_editor_20250429": _named("str_replace_based_edit_tool", **_EXAMPLES),
    "text_editor_20250728": _named("str_replace_based_edit_tool", **_EXAMPLES, max_characters=null_or(whole(1))),
    "memory_20250818": _named("memory", **_EXAMPLES),
    "web_search_20250305": _named("web_search", **_SEARCH),
    "web_search_20260209": _named("web_search", **_SEARCH),
    "web_search_20260318": _named("web_search", **_SEARCH, **_INCLUSION),
    "web_fetch_20250910": _named("web_fetch", **_FETCH),
    "web_fetch_20260209": _named("web_fetch", **_FETCH),
    "web_fetch_20260309": _named("web_fetch", **_FETCH, use_cache=flag),
    "web_fetch_20260318": _named("web_fetch", **_FETCH, use_cache=flag, **_INCLUSION),
    "code_execution_20250522": _named("code_execution"),
    "code_execution_20250825": _named("code_execution"),
    "code_execution_20260120": _named("code_execution"),
    "code_execution_20260521": _named("code_execution"),
    "tool_search_tool_regex_20251119": _named("tool_search_tool_regex"),
    "tool_search_tool_regex": _named("tool_search_tool_regex"),
    "tool_search_tool_bm25_20251119": _named("tool_search_tool_bm25"),
    "tool_search_tool_bm25": _named("tool_search_tool_bm25"),
    "computer_toolset_20260801": _TOOLSET,
    "browser_toolset_20260801": _TOOLSET,
}

TOOL = tagged(TOOLS, default="custom", rule="b8-19d-tool-tag", free=BETA_TOOLS)

_PARALLEL: dict[str, Kind] = {"type": anything, "disable_parallel_tool_use": flag}

TOOL_CHOICE = tagged(
    {
        "auto": record(_PARALLEL),
        "any": record(_PARALLEL),
        "tool": record({**_PARALLEL, "name": text()}, required=("name",)),
        "none": record({"type": anything}),
    }
)
