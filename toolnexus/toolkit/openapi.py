"""An OpenAPI document (3.0, 3.1) as HTTP tools, one for each operation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import msgspec

from .errors import ConfigError
from .http import Body, HttpTool, Place
from .names import sanitize
from .schemas import Schema, Schemas, resolve
from .switches import Switches, chosen

_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_PLACES: Mapping[str, Place] = {"path": "path", "query": "query", "header": "header", "cookie": "cookie"}
_NOT_ARGUMENTS = frozenset(("accept", "content-type", "authorization"))  # OpenAPI: these header parameters are ignored
_BODIES: tuple[tuple[str, Body], ...] = (
    ("application/json", "json"),
    ("application/x-www-form-urlencoded", "form"),
    ("text/plain", "raw"),
)
_FETCH_SECONDS = 30.0


def from_openapi(
    spec: str | PathLike[str] | Mapping[str, Any],
    *,
    base_url: str | None = None,
    headers: Mapping[str, str] | None = None,
    only: Switches = None,
) -> list[HttpTool]:
    """The operations of a document: an object, the path of a JSON or YAML file, or an http(s) URL.

    A tool is named after its `operationId`, else after method and path. Parameters become properties; so do those of a
    JSON object body that clashes with none, any other body is the one property `body`. `only` chooses by tool name,
    before the operation is read. Raises `ConfigError` naming the operation that cannot be declared.
    """
    document = spec if isinstance(spec, Mapping) else _read(spec)
    version = document.get("openapi")
    if not isinstance(version, str) or not version.startswith("3."):
        raise ConfigError("no OpenAPI document of version 3")
    operations = dict(_operations(document))
    return [_tool(document, name, operations[name], base_url, dict(headers or {})) for name in chosen(operations, only)]


def _read(spec: str | PathLike[str]) -> Mapping[str, Any]:
    text = _fetch(str(spec)) if str(spec).startswith(("http://", "https://")) else Path(spec).read_bytes()
    try:
        document = msgspec.json.decode(text)
    except msgspec.MsgspecError:
        document = _yaml(text)
    if not isinstance(document, dict):
        raise ConfigError("no OpenAPI document: no object")
    return document


def _fetch(url: str) -> bytes:
    import httpx

    response = httpx.get(url, timeout=_FETCH_SECONDS, follow_redirects=True)
    if not response.is_success:
        raise ConfigError(f"the document answered HTTP {response.status_code}")
    return response.content


def _yaml(text: bytes) -> Any:
    try:
        import yaml
    except ModuleNotFoundError as error:
        raise ConfigError(f"a YAML document needs the extra [skills]: {error}") from None

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        """YAML with the types of JSON: a date stays a string."""

    Loader.yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith(":timestamp")]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    try:
        return yaml.load(text, Loader=Loader)
    except (yaml.YAMLError, RecursionError) as error:
        raise ConfigError(f"neither JSON nor YAML: {' '.join(str(error).split())}") from None


class _Operation(msgspec.Struct, frozen=True):
    method: str
    path: str
    item: Mapping[str, Any]
    words: Mapping[str, Any]


def _operations(document: Mapping[str, Any]) -> Iterator[tuple[str, _Operation]]:
    """`(tool name, operation)` in document order, names made distinct by a number."""
    taken: set[str] = set()
    for path, entry in (document.get("paths") or {}).items():
        item = resolve(document, entry)
        for method in _METHODS:
            words = item.get(method) if isinstance(item, Mapping) else None
            if not isinstance(words, Mapping):
                continue
            base = sanitize(str(words.get("operationId") or f"{method}_{path.strip('/')}"))
            name, number = base, 1
            while name in taken:
                number += 1
                name = f"{base}_{number}"
            taken.add(name)
            yield name, _Operation(method.upper(), path, item, words)


def _tool(
    document: Mapping[str, Any], name: str, operation: _Operation, base_url: str | None, headers: dict[str, str]
) -> HttpTool:
    try:
        builder = _Builder(document)
        for parameter in _parameters(document, operation):
            builder.add_parameter(parameter)
        body, whole = builder.add_body(resolve(document, operation.words.get("requestBody")))
        url = _base(document, operation, base_url) + operation.path
    except ConfigError as error:
        raise ConfigError(f"operation {name!r}: {error}") from None
    texts = (operation.words.get("summary"), operation.words.get("description"))
    description = "\n\n".join(dict.fromkeys(text.strip() for text in texts if isinstance(text, str) and text.strip()))
    return HttpTool(name, description, operation.method, url, headers, builder.schema(), builder.places, body, whole)


def _parameters(document: Mapping[str, Any], operation: _Operation) -> list[Mapping[str, Any]]:
    """The path's parameters and the operation's own, which win."""
    merged: dict[tuple[str, str], Mapping[str, Any]] = {}
    for source in (operation.item, operation.words):
        for entry in source.get("parameters") or ():
            parameter = resolve(document, entry)
            if not isinstance(parameter, Mapping) or not isinstance(parameter.get("name"), str):
                raise ConfigError("a parameter has no name")
            merged[parameter["name"], str(parameter.get("in"))] = parameter
    return list(merged.values())


def _base(document: Mapping[str, Any], operation: _Operation, base_url: str | None) -> str:
    if base_url is not None:
        return base_url.rstrip("/")
    for source in (operation.words, operation.item, document):
        for server in source.get("servers") or ():
            url = str(server.get("url", ""))
            for key, variable in (server.get("variables") or {}).items():
                url = url.replace(f"{{{key}}}", str(variable.get("default", "")))
            if url.startswith(("http://", "https://")):
                return url.rstrip("/")
    raise ConfigError("the document names no absolute server; give a base_url")


class _Builder:
    """The input schema of one operation."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = document
        self._schemas = Schemas(document)
        self._properties: Schema = {}
        self._required: list[str] = []
        self.places: dict[str, tuple[Place, str]] = {}

    def schema(self) -> Schema:
        schema: Schema = {"type": "object", "properties": self._properties}
        if self._required:
            schema["required"] = self._required
        if self._schemas.definitions:
            schema["$defs"] = self._schemas.definitions
        return schema

    def add_parameter(self, parameter: Mapping[str, Any]) -> None:
        key, place = parameter["name"], _PLACES.get(str(parameter.get("in")))
        if place is None:
            raise ConfigError(f"parameter {key!r} is in no place known")
        if place == "header" and key.lower() in _NOT_ARGUMENTS:
            return
        name = key if key not in self._properties else f"{place}_{key}"
        schema = self._schemas.convert(_parameter_schema(parameter))
        if isinstance(parameter.get("description"), str):
            schema["description"] = parameter["description"]
        self._add(name, schema, required=place == "path" or parameter.get("required") is True)
        self.places[name] = (place, key)

    def add_body(self, body: Any) -> tuple[Body, str | None]:
        """How the body is written, and the one argument that is all of it, if one is."""
        content = body.get("content") if isinstance(body, Mapping) else None
        if not content:
            return "json", None
        mode, media = _media(content)
        given = media.get("schema") if isinstance(media.get("schema"), Mapping) else {}
        required = body.get("required") is True
        converted = self._schemas.convert(given)
        whole = self._expanded(converted)
        if mode != "raw" and required and self._fits(whole):
            for name, schema in whole["properties"].items():
                self._add(name, schema, required=name in whole.get("required", ()))
            return mode, None
        name = "body" if "body" not in self._properties else "request_body"
        if isinstance(body.get("description"), str):
            converted.setdefault("description", body["description"])
        self._add(name, converted, required=required)
        return mode, name

    def _add(self, name: str, schema: Any, *, required: bool) -> None:
        self._properties[name] = schema
        if required:
            self._required.append(name)

    def _expanded(self, schema: Schema) -> Schema:
        reference = schema.get("$ref")
        return self._schemas.definitions[reference.rpartition("/")[2]] if isinstance(reference, str) else schema

    def _fits(self, schema: Schema) -> bool:
        """Whether a body's properties can stand beside the parameters and say all there is to say."""
        plain = set(schema) <= {"type", "properties", "required", "title", "description", "additionalProperties"}
        properties = schema.get("properties")
        if not plain or not properties or schema.get("additionalProperties"):
            return False
        return not set(properties) & set(self._properties)


def _parameter_schema(parameter: Mapping[str, Any]) -> Any:
    if isinstance(parameter.get("schema"), Mapping):
        return parameter["schema"]
    for media in (parameter.get("content") or {}).values():
        if isinstance(media, Mapping) and isinstance(media.get("schema"), Mapping):
            return media["schema"]
    return {}


def _media(content: Mapping[str, Any]) -> tuple[Body, Mapping[str, Any]]:
    for wanted, mode in _BODIES:
        for kind, media in content.items():
            bare = kind.partition(";")[0].strip().lower()
            if bare == wanted or (mode == "json" and (bare.endswith("+json") or bare == "*/*")):
                return mode, media
    raise ConfigError(f"no body of a known kind, but {', '.join(content)}")
