"""What a Chat Completions body, its messages and its tools may hold (wire-facts A2-A6), as data."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.providers.shape import (
    Kind,
    anything,
    by_type,
    flag,
    listing,
    mapping,
    mapping_of,
    null_or,
    number,
    one_of,
    record,
    ruled,
    tagged,
    text,
    whole,
)

NAME_PATTERN = "^[a-zA-Z0-9_-]+$"
LONGEST_NAME = 64

_TYPE: Kind = anything  # the tag has been read by then

_CACHED = {"type": _TYPE, "prompt_cache_breakpoint": record({"mode": one_of("explicit"), "ttl": one_of("30m", "12h")})}

_TEXT = record({**_CACHED, "text": text()}, required=("text",))
_IMAGE = record({"url": text(), "detail": one_of("auto", "low", "high", "original")}, required=("url",))
_AUDIO = record({"data": text(), "format": one_of("wav", "mp3")}, required=("data", "format"))
_FILE = record({"file_data": text(), "file_id": text(), "filename": text()})
_REFUSAL = record({"type": _TYPE, "refusal": text()}, required=("refusal",))

USER_PARTS = {
    "text": _TEXT,
    "image_url": record({**_CACHED, "image_url": _IMAGE}, required=("image_url",)),
    "input_audio": record({**_CACHED, "input_audio": _AUDIO}, required=("input_audio",)),
    "file": record({**_CACHED, "file": _FILE}, required=("file",)),
}


def _content(parts: Mapping[str, Kind], **more: Kind) -> Kind:
    return by_type(string=text(), list=listing(tagged(parts), least=1), **more)


_TEXTS = _content({"text": _TEXT})

_CALL = tagged(
    {
        "function": record(
            {
                "id": ruled("a9-tool-call-id-long", text(most=40), "long"),
                "type": _TYPE,
                "function": record({"name": text(), "arguments": text()}, required=("name", "arguments")),
            },
            required=("id", "function"),
        ),
        "custom": record(
            {"id": text(), "type": _TYPE, "custom": record({"name": text(), "input": text()}, ("name", "input"))},
            required=("id", "custom"),
        ),
    }
)

_CALLED = record({"name": text(), "arguments": text()}, required=("name", "arguments"))

MESSAGE = tagged(
    {
        "developer": record({"role": _TYPE, "content": _TEXTS, "name": text()}, required=("content",)),
        "system": record({"role": _TYPE, "content": _TEXTS, "name": text()}, required=("content",)),
        "user": record({"role": _TYPE, "content": _content(USER_PARTS), "name": text()}, required=("content",)),
        "assistant": record(
            {
                "role": _TYPE,
                "content": _content({"text": _TEXT, "refusal": _REFUSAL}, null=anything),
                "name": text(),
                "refusal": null_or(text()),
                "audio": null_or(record({"id": text()}, required=("id",))),
                "tool_calls": ruled("a4-too-many-calls", listing(_CALL, most=128), "many"),
                "function_call": null_or(_CALLED),
            }
        ),
        "tool": record(
            {"role": _TYPE, "content": _TEXTS, "tool_call_id": text()}, required=("content", "tool_call_id")
        ),
        "function": record({"role": _TYPE, "content": null_or(text()), "name": text()}, required=("content", "name")),
    },
    key="role",
)

_NAME = ruled("a9-tool-name", text(NAME_PATTERN, most=LONGEST_NAME), "pattern")
_DESCRIPTION = ruled("a5-description-long", text(most=1024), "long")

_FUNCTION = record(
    {"name": _NAME, "description": _DESCRIPTION, "parameters": mapping, "strict": null_or(flag)}, required=("name",)
)
_GRAMMAR = record({"syntax": one_of("lark", "regex"), "definition": text()}, required=("syntax", "definition"))
_FORMAT = tagged(
    {"text": record({"type": _TYPE}), "grammar": record({"type": _TYPE, "grammar": _GRAMMAR}, ("grammar",))}
)
_CUSTOM = record({"name": _NAME, "description": text(), "format": _FORMAT}, required=("name",))

TOOL = tagged(
    {
        "function": record({"type": _TYPE, "function": _FUNCTION}, required=("function",)),
        "custom": record({"type": _TYPE, "custom": _CUSTOM}, required=("custom",)),
    }
)

_NAMED = record({"name": text()}, required=("name",))
_ALLOWED = record({"mode": one_of("auto", "required"), "tools": listing(mapping)}, required=("mode", "tools"))

TOOL_CHOICE = by_type(
    string=one_of("none", "auto", "required"),
    object=tagged(
        {
            "function": record({"type": _TYPE, "function": _NAMED}, required=("function",)),
            "custom": record({"type": _TYPE, "custom": _NAMED}, required=("custom",)),
            "allowed_tools": record({"type": _TYPE, "allowed_tools": _ALLOWED}, required=("allowed_tools",)),
        }
    ),
)

_JSON_SCHEMA = record(
    {"name": _NAME, "description": text(), "schema": mapping, "strict": null_or(flag)}, required=("name",)
)

RESPONSE_FORMAT = tagged(
    {
        "text": record({"type": _TYPE}),
        "json_object": record({"type": _TYPE}),
        "json_schema": record({"type": _TYPE, "json_schema": _JSON_SCHEMA}, required=("json_schema",)),
    }
)

_LEGACY_FUNCTION = record({"name": _NAME, "description": text(), "parameters": mapping}, required=("name",))
_STOP = null_or(by_type(string=text(), list=ruled("a9-stop-too-long", listing(text(), least=1, most=4), "many")))

BODY = record(
    {
        "messages": listing(MESSAGE, least=1),
        "model": text(),
        "audio": null_or(mapping),
        "frequency_penalty": null_or(number(-2, 2)),
        "presence_penalty": null_or(number(-2, 2)),
        "function_call": by_type(string=one_of("none", "auto"), object=_NAMED),
        "functions": listing(_LEGACY_FUNCTION, least=1, most=128),
        "logit_bias": null_or(mapping_of(whole(-100, 100))),
        "logprobs": null_or(flag),
        "top_logprobs": null_or(whole(0, 20)),
        "max_completion_tokens": null_or(whole()),
        "max_tokens": null_or(whole()),
        "metadata": null_or(mapping_of(text(most=512), most=16, key=text(most=64))),
        "modalities": null_or(listing(one_of("text", "audio"))),
        "moderation": null_or(mapping),
        "n": null_or(whole(1, 128)),
        "parallel_tool_calls": null_or(flag),
        "prediction": null_or(mapping),
        "prompt_cache_key": null_or(text()),
        "prompt_cache_options": null_or(mapping),
        "prompt_cache_retention": null_or(one_of("in_memory", "24h")),
        "reasoning_effort": null_or(one_of("none", "minimal", "low", "medium", "high", "xhigh", "max")),
        "response_format": null_or(RESPONSE_FORMAT),
        "safety_identifier": null_or(text(most=64)),
        "seed": null_or(whole()),
        "service_tier": null_or(one_of("auto", "default", "flex", "scale", "priority", "fast")),
        "stop": _STOP,
        "store": null_or(flag),
        "stream": null_or(flag),
        "stream_options": null_or(record({"include_usage": flag, "include_obfuscation": flag})),
        "temperature": null_or(number(0, 2)),
        "top_p": null_or(number(0, 1)),
        "tool_choice": TOOL_CHOICE,
        "tools": ruled("a2-tools-empty", listing(TOOL, least=1), "few"),
        "user": null_or(text()),
        "verbosity": null_or(one_of("low", "medium", "high")),
        "web_search_options": null_or(mapping),
    },
    required=("messages", "model"),
)
