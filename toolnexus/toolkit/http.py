"""HTTP endpoints as tools: what the model is told, and the request its arguments stand for. Nothing is sent."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import quote, urlencode

import msgspec

from .declaration import Tool
from .environment import expand, expand_all
from .errors import ToolError

Place = Literal["path", "query", "header", "cookie"]
Body = Literal["json", "form", "raw"]

_PLACEHOLDER = re.compile(r"(?<!\$)\{([^{}]+)\}")
_WITHOUT_BODY = frozenset(("GET", "HEAD"))
_BODIES = frozenset(("json", "form", "raw"))
_MEDIA_TYPES: Mapping[str, str] = {
    "json": "application/json",
    "form": "application/x-www-form-urlencoded",
    "raw": "text/plain; charset=utf-8",
}


class HttpRequest(msgspec.Struct, frozen=True):
    """A request ready to be sent by the caller; headers may hold secrets, so its repr shows none."""

    method: str
    url: str
    headers: dict[str, str]
    body: bytes | None = None

    def __repr__(self) -> str:
        return f"HttpRequest({self.method})"


@dataclass(frozen=True)
class HttpTool:
    """One endpoint. `places` says where an argument goes and under which key; every other argument is the body.

    `url` may hold `{placeholder}`s, `url` and `headers` also `${VARIABLE}`s of the environment. `body_argument` names
    the one argument that is the whole body.
    """

    name: str
    description: str
    method: str
    url: str = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    input_schema: Mapping[str, Any] = field(repr=False)
    places: Mapping[str, tuple[Place, str]] = field(repr=False)
    body: Body = "json"
    body_argument: str | None = None

    def declaration(self) -> Tool:
        """The tool as declared; its origin is method and url."""
        return Tool(self.name, self.description, self.input_schema, "http", origin=(self.method, self.url))

    def request(self, arguments: Mapping[str, Any], environment: Mapping[str, str] | None = None) -> HttpRequest:
        """The request a model's arguments stand for. Raises `ToolError` for a placeholder without an argument.

        Without a place, arguments go into the body, or into the query where the method has none. A null counts as
        absent outside the body. Raises `ConfigError` for a variable of the environment that is not set.
        """
        variables = os.environ if environment is None else environment
        placed: dict[Place, dict[str, Any]] = {"path": {}, "query": {}, "header": {}, "cookie": {}}
        rest: dict[str, Any] = {}
        for name, value in arguments.items():
            place = self.places.get(name)
            if place is None:
                rest[name] = value
            elif value is not None:
                placed[place[0]][place[1]] = value
        if self.method in _WITHOUT_BODY:
            placed["query"].update({name: value for name, value in rest.items() if value is not None})
            rest = {}
        headers = expand_all(self.headers, variables)
        headers.update({key: _text(value) for key, value in placed["header"].items()})
        if placed["cookie"]:
            headers["cookie"] = "; ".join(f"{key}={quote(_text(value))}" for key, value in placed["cookie"].items())
        body = self._body(rest)
        if body is not None and not any(key.lower() == "content-type" for key in headers):
            headers["content-type"] = _MEDIA_TYPES[self.body]
        return HttpRequest(self.method, self._url(placed, variables), headers, body)

    def _url(self, placed: Mapping[Place, Mapping[str, Any]], variables: Mapping[str, str]) -> str:
        def value(match: re.Match[str]) -> str:
            key = match.group(1)
            if key not in placed["path"]:
                raise ToolError(self.name, f"no argument for {{{key}}} of the url")
            return quote(_text(placed["path"][key]), safe="")

        # Variables first: what a model says is never looked up in the environment.
        url = _PLACEHOLDER.sub(value, expand(self.url, variables))
        if not placed["query"]:
            return url
        return f"{url}{'&' if '?' in url else '?'}{_form(placed['query'])}"

    def _body(self, rest: dict[str, Any]) -> bytes | None:
        content: Any = rest.get(self.body_argument) if self.body_argument else rest
        if content is None or (content == {} and not self.body_argument):
            return None
        if self.body == "json":
            return msgspec.json.encode(content)
        if self.body == "form" and isinstance(content, Mapping):
            return _form(content).encode()
        return _text(content).encode()


def http_tool(
    name: str,
    url: str,
    *,
    method: str = "GET",
    description: str = "",
    headers: Mapping[str, str] | None = None,
    query: Iterable[str] = (),
    body: Body = "json",
    input_schema: Mapping[str, Any] | None = None,
) -> HttpTool:
    """An endpoint declared by hand; without a schema its placeholders (required) and query arguments are strings.

    Raises `ToolError` for a body mode other than json, form and raw.
    """
    if body not in _BODIES:
        raise ToolError(name, f"body is json, form or raw, not {body!r}")
    placeholders = list(dict.fromkeys(_PLACEHOLDER.findall(url)))
    places: dict[str, tuple[Place, str]] = {key: ("query", key) for key in query}
    places |= {key: ("path", key) for key in placeholders}
    schema = input_schema
    if schema is None:
        properties = {key: {"type": "string"} for key in (*placeholders, *query)}
        schema = {"type": "object", "properties": properties, "required": placeholders}
    whole = "body" if body == "raw" else None
    return HttpTool(name, description, method.upper(), url, dict(headers or {}), schema, places, body, whole)


def from_dict(tool: Mapping[str, Any]) -> HttpTool:
    """An endpoint from the published form `{name, description, method, url, headers, query, body, inputSchema}`."""
    name = tool.get("name")
    if not isinstance(name, str) or not isinstance(tool.get("url"), str):
        raise ToolError(str(name), "an HTTP tool needs a name and a url")
    schema = tool.get("inputSchema", tool.get("input_schema"))
    return http_tool(
        name,
        tool["url"],
        method=tool.get("method") or "GET",
        description=tool.get("description") or "",
        headers=tool.get("headers"),
        query=tool.get("query") or (),
        body=tool.get("body") or "json",
        input_schema=schema,
    )


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple) and all(not isinstance(item, list | dict) for item in value):
        return ",".join(_text(item) for item in value)
    return msgspec.json.encode(value).decode()


def _form(values: Mapping[str, Any]) -> str:
    """`a=1&b=2`; a list repeats its key."""
    pairs = [
        (key, _text(item)) for key, value in values.items() for item in (value if isinstance(value, list) else [value])
    ]
    return urlencode(pairs, quote_via=quote)
