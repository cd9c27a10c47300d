"""The ten builtin tools: names and input schemas, declared like any other and run by whoever hosts them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .declaration import Tool
from .errors import ConfigError
from .status import Loaded, SourceStatus, disabled
from .switches import chosen, is_on, unknown

Property = dict[str, Any]


def _text(description: str, **more: Any) -> Property:
    return {"type": "string", "description": description, **more}


def _number(description: str, **more: Any) -> Property:
    return {"type": "number", "description": description, **more}


def _flag(description: str) -> Property:
    return {"type": "boolean", "description": description}


def _object(required: tuple[str, ...], properties: Mapping[str, Property]) -> Property:
    return {"type": "object", "properties": dict(properties), "required": list(required)}


def _list(description: str, items: Property) -> Property:
    return {"type": "array", "description": description, "items": items}


_QUESTION = _object(
    ("question",),
    {
        "question": _text("What to ask."),
        "header": _text("A short title for the question."),
        "options": _list("Answers to choose from.", {"type": "string"}),
        "multiple": _flag("Whether several options may be chosen."),
    },
)
_TODO = _object(
    ("id", "text", "completed"),
    {
        "id": _text("What the item is known by."),
        "text": _text("What is to be done."),
        "completed": _flag("Whether it is done."),
    },
)

_TOOLS: Mapping[str, tuple[str, Property]] = {
    "bash": (
        "Run a shell command and read what it prints.",
        _object(
            ("command",),
            {
                "command": _text("The command line."),
                "workdir": _text("The folder to run it in; the current one if absent."),
                "timeout": _number("Milliseconds after which it is stopped; 60000 if absent."),
                "description": _text("What the command does, in a few words."),
            },
        ),
    ),
    "read": (
        "Read a file, or some of its lines.",
        _object(
            ("path",),
            {
                "path": _text("The file."),
                "offset": _number("The first line to read, counted from 1."),
                "limit": _number("How many lines to read."),
            },
        ),
    ),
    "write": (
        "Write a file; what was in it is replaced, missing folders are made.",
        _object(("path", "content"), {"path": _text("The file."), "content": _text("All that it will hold.")}),
    ),
    "edit": (
        "Replace a piece of text in a file.",
        _object(
            ("path", "oldString", "newString"),
            {
                "path": _text("The file."),
                "oldString": _text("The text to replace, exactly as it stands there; only one place may match."),
                "newString": _text("The text to put in its place."),
                "replaceAll": _flag("Replace every match, however many there are."),
            },
        ),
    ),
    "grep": (
        "Search the contents of files with a regular expression.",
        _object(
            ("pattern",),
            {
                "pattern": _text("The regular expression."),
                "path": _text("The folder to search; the current one if absent."),
                "include": _text("A glob for the files to look into."),
                "limit": _number("How many matches to show; 100 if absent."),
            },
        ),
    ),
    "glob": (
        "List the files that match a pattern.",
        _object(
            ("pattern",),
            {
                "pattern": _text("The glob."),
                "path": _text("The folder to look in; the current one if absent."),
                "limit": _number("How many files to list; 100 if absent."),
            },
        ),
    ),
    "webfetch": (
        "Fetch a web page.",
        _object(
            ("url",),
            {
                "url": _text("The address."),
                "format": _text("How to return it; markdown if absent.", enum=["text", "markdown", "html"]),
                "timeout": _number("Seconds to wait; 30 if absent."),
            },
        ),
    ),
    "question": (
        "Ask the user, and wait for the answer.",
        _object(("questions",), {"questions": _list("The questions.", _QUESTION)}),
    ),
    "apply_patch": (
        "Add, change and delete files with one patch: all of it or nothing.",
        _object(
            ("patchText",),
            {
                "patchText": _text(
                    "The patch, between the lines *** Begin Patch and *** End Patch. Each file begins with "
                    "*** Add File: PATH, *** Update File: PATH or *** Delete File: PATH, each line with +, - or space."
                )
            },
        ),
    ),
    "todowrite": (
        "Replace the list of things to do.",
        _object(("todos",), {"todos": _list("The whole list.", _TODO)}),
    ),
}

NAMES: tuple[str, ...] = tuple(_TOOLS)


def load(setting: bool | Mapping[str, Any] | None = None) -> Loaded:
    """The builtin tools that are on: all of them by default.

    `False`, `{"disabled": true}` or `{"enabled": false}` switch the source off, `{"tools": {name: bool}}` single tools
    (a name that is not there is on). Raises `ConfigError` for another type.
    """
    if setting is None or setting is True:
        setting = {}
    if setting is False:
        return disabled("builtin", "builtins")
    if not isinstance(setting, Mapping):
        raise ConfigError(f"builtins is true, false or an object, not {type(setting).__name__}")
    if not is_on(setting):
        return disabled("builtin", "builtins")
    # On a baseline of all on, `true` says nothing new: only `false` drops.
    off = {name: False for name, on in (setting.get("tools") or {}).items() if on is False}
    tools = tuple(_tool(name) for name in chosen(NAMES, off))
    notes = (
        SourceStatus("builtin", name, "skipped", detail="there is no such builtin")
        for name in unknown(NAMES, setting.get("tools"))
    )
    return Loaded(tools, (SourceStatus("builtin", "builtins", "loaded", len(tools)), *notes))


def _tool(name: str) -> Tool:
    description, schema = _TOOLS[name]
    return Tool(name, description, schema, "builtin")
