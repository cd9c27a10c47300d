"""The canonical form of a case file, and JSON read without loss.

Canonical is: two spaces, the key order of `case.schema.json` where the schema names keys (payload keeps its own),
UTF-8 unescaped save what cannot stand raw in JSON, every number token as written, one final newline
(corpus-and-protocol: "A case"). It is what `JSON.stringify(value, null, 2)` prints, so that any language can check it.
"""

from __future__ import annotations

import functools
import json
import re
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

Json: TypeAlias = "dict[str, Json] | list[Json] | str | Number | bool | None"

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class NotJson(ValueError):
    """The text is no JSON that a case may hold; `line` counts from 1."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


class Number(str):
    """A number as its token: `1.10`, `1e400` and big integers stay what they are."""

    __slots__ = ()


class _Duplicate(ValueError):
    pass


def _constant(token: str) -> NoReturn:
    raise ValueError(f"{token} is no JSON")


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [key for key, _ in pairs]
        again = next(key for index, key in enumerate(names) if key in names[:index])
        raise _Duplicate(again)
    return found


_EXACT = json.JSONDecoder(parse_int=Number, parse_float=Number, parse_constant=_constant, object_pairs_hook=_object)


def read(text: str) -> Json:
    """Read JSON with exact numbers; duplicate keys, `NaN` and a byte order mark are refused as `NotJson`."""
    if text.startswith("\ufeff"):
        raise NotJson("a byte order mark", 1)
    try:
        value: Json = _EXACT.decode(text)
    except json.JSONDecodeError as wrong:
        raise NotJson(wrong.msg, wrong.lineno) from None
    except _Duplicate as wrong:
        key = str(wrong)
        raise NotJson(f"duplicate key {json.dumps(key)}", _line_of_duplicate(text, key)) from None
    except (ValueError, RecursionError) as wrong:
        raise NotJson("nested too deeply" if isinstance(wrong, RecursionError) else str(wrong), 1) from None
    return value


def _line_of_duplicate(text: str, key: str) -> int:
    """The line where `key` stands for the last time: as near as a reader needs, without a second parser."""
    at = text.rfind(json.dumps(key, ensure_ascii=False))
    return text.count("\n", 0, at) + 1 if at >= 0 else 1


def write(value: Json, indent: str = "") -> str:
    """Print a value in canonical layout, keys in the order they have."""
    if isinstance(value, dict):
        if not value:
            return "{}"
        inner = indent + "  "
        rows = (f"{inner}{_string(key)}: {write(item, inner)}" for key, item in value.items())
        return "{\n" + ",\n".join(rows) + f"\n{indent}}}"
    if isinstance(value, list):
        if not value:
            return "[]"
        inner = indent + "  "
        return "[\n" + ",\n".join(inner + write(item, inner) for item in value) + f"\n{indent}]"
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, str):
        return _string(value)
    return {True: "true", False: "false", None: "null"}[value]


def _string(text: str) -> str:
    raw = json.dumps(text, ensure_ascii=False)
    return raw if raw.isascii() else _LONE_SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", raw)


def ordered(value: Json, schema: dict[str, Any], root: dict[str, Any]) -> Json:
    """Put the keys that `schema` names into its order, at every depth it describes; other keys follow as they stood."""
    schema = _resolved(schema, root)
    if isinstance(value, list):
        items = schema.get("items")
        return [ordered(item, items, root) for item in value] if isinstance(items, dict) else value
    if not isinstance(value, dict):
        return value
    named: dict[str, Any] = schema.get("properties", {})
    rest = schema.get("additionalProperties")
    keys = [key for key in named if key in value] + [key for key in value if key not in named]
    return {key: ordered(value[key], named.get(key, rest if isinstance(rest, dict) else {}), root) for key in keys}


def _resolved(schema: dict[str, Any], root: dict[str, Any]) -> dict[str, Any]:
    ref = schema.get("$ref")
    if ref is None:
        return schema
    target: Any = root
    for step in str(ref).removeprefix("#/").split("/"):
        target = target[step]
    return dict(target)


@functools.cache
def fixtures_root() -> Path:
    """The corpus beside this package: a checkout's wins over one that a build left inside (as `corpus.find`)."""
    here = Path(__file__).resolve().parent
    checkout = [here.parent / "fixtures"] if (here.parent / "pyproject.toml").is_file() else []
    return next(p for p in (*checkout, here / "fixtures") if (p / "case.schema.json").is_file())


@functools.cache
def case_schema() -> dict[str, Any]:
    """The schema of a case, as plain values."""
    loaded: dict[str, Any] = json.loads((fixtures_root() / "case.schema.json").read_text("utf-8"))
    return loaded


def canonical(case: Json) -> str:
    """The canonical text of a case."""
    schema = case_schema()
    return write(ordered(case, schema, schema)) + "\n"
