"""Expected bodies against the providers' rules and the vendors' own types, canned replies against their types.

What a case does on purpose is named in its `deviates`. The types are imported when they are first needed: the SDKs take
a second to load.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import click

from conformance import providers
from conformance.cli.checks.looseners import LOOSENERS, lone_key
from conformance.cli.checks.source import Fault, Source, mapping
from conformance.tree import Json, Number, compact, plain

#: What stands for a value of a type when a body is shown to a checker.
SAMPLES: dict[str, Any] = {
    "string": "text",
    "number": 1.5,
    "integer": 1,
    "boolean": True,
    "array": [],
    "object": {},
    "null": None,
}
VERSION = "2023-06-01"


def concrete(value: Json) -> Any:
    """A body as a provider might see it: looseners replaced by one value they accept, big texts kept short."""
    if isinstance(value, list):
        return [concrete(item) for item in value]
    if not isinstance(value, dict):
        return plain(value)
    key = lone_key(value)
    if key == "$repeat" or key in LOOSENERS:
        return _sample(key, value[key])
    return {name: concrete(item) for name, item in value.items()}


def _sample(key: str, argument: Json) -> Any:
    if key == "$any_of" and isinstance(argument, list):
        return concrete(argument[0])
    if key == "$repeat" and isinstance(argument, list):
        return argument[0]
    if key == "$raw" and isinstance(argument, str):
        return plain(Number(argument))
    if key == "$json":
        return compact(argument)
    if key == "$literal":
        return plain(argument)
    if key == "$type":
        return SAMPLES.get(str(argument), "text")
    return "text"


def _bodies(case: Source) -> Iterator[tuple[str, dict[str, Json], dict[str, Any]]]:
    """Each expected body with its pointer and the expected headers."""
    for index, expect in _sides(case, "expect"):
        if isinstance(expect.get("body"), dict):
            yield f"/exchanges/{index}/expect/body", expect["body"], mapping(plain(expect.get("headers")))


def _sides(case: Source, side: str) -> Iterator[tuple[int, dict[str, Any]]]:
    exchanges = case.tree.get("exchanges")
    for index, exchange in enumerate(exchanges if isinstance(exchanges, list) else ()):
        yield index, mapping(mapping(exchange).get(side))


def _client(case: Source) -> dict[str, Any]:
    return mapping(case.value.get("client"))


def _excused(case: Source, pointer: str) -> bool:
    """Whether `deviates` covers the place, or names something inside it."""
    told = mapping(case.value.get("deviates"))
    return any(f"{pointer}/".startswith(f"{at}/") or f"{at}/".startswith(f"{pointer}/") for at in told)


def check_rules(case: Source) -> Iterator[Fault]:
    """Every expected body breaks no rule that the provider surely has, nor one of the model it names."""
    client = _client(case)
    for pointer, body, headers in _bodies(case):
        version = headers.get("anthropic-version") or client.get("anthropic_version") or VERSION
        found = providers.check(client["style"], concrete(body), version=version)
        for violation in providers.blocking(found):
            where = f"{pointer}{violation.pointer}"
            if not _excused(case, where):
                yield case.fault("provider-rules", where, f"breaks {violation.rule}: {violation.message}")


def check_types(case: Source) -> Iterator[Fault]:
    """Expected bodies fit the SDK's request types, canned answers and errors its response types."""
    types = _sdk_types()
    style = str(_client(case).get("style"))  # a case of declarations has no client, nor any exchange
    for pointer, body, _ in _bodies(case):
        if not _excused(case, pointer):
            for text in types.check_request(style, concrete(body)):
                yield case.fault("sdk-types", pointer, f"request type: {text}")
    for index, reply in _sides(case, "reply"):
        pointer = f"/exchanges/{index}/reply/json"
        if isinstance(reply.get("json"), dict) and not _excused(case, pointer):
            for text in types.check_reply(style, concrete(reply["json"])):
                yield case.fault("sdk-types", pointer, f"response type: {text}")


def has_types() -> bool:
    """Are the SDKs there? Without them `check_types` is wrong usage."""
    return all(find_spec(name) is not None for name in providers.STYLES)


@cache
def _sdk_types() -> ModuleType:
    from conformance.providers import sdk_types

    for style in providers.STYLES:
        try:
            sdk_types.check_reply(style, {})
        except sdk_types.SdkMissingError as missing:
            raise click.UsageError(f"{missing}, or pass --without-sdk-types") from None
    return sdk_types
