"""Checks of a case's form: schema, canonical text, path, variants, placeholders and hosts."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from jsonschema import Draft202012Validator, ValidationError

from conformance.canonical import canonical, case_schema
from conformance.cli.checks.source import Fault, Source, mapping, variant_values, walk
from conformance.tree import ABSENT, BadPointer, Json, Number, get, join

#: Where {stub} and {key} expand.
PLACE_AREAS = re.compile(r"/client(/|$)|/exchanges/\d+/expect/headers(/|$)")
#: What is written for people, or names where things come from: any host may be named there.
PROSE = re.compile(r"/(title|why|source|loose|deviates)(/|$)")

#: How a draft marks what people have to write.
TODO = "TODO"

#: Where a text names a host, and the hosts that are nobody's.
URL = re.compile(r"https?://[^\s\"'<>\\){]+", re.IGNORECASE)
SAFE_HOST = re.compile(r"(.+\.)?(example(\.(com|org|net))?|test|invalid)|localhost|127\.0\.0\.1|json-schema\.org")


def check_schema(case: Source) -> Iterator[Fault]:
    """The case fits case.schema.json."""
    for wrong in _validator().iter_errors(case.value):
        pointer = functools.reduce(join, wrong.absolute_path, "")
        yield case.fault("schema", pointer, _explained(wrong))


@functools.cache
def _validator() -> Draft202012Validator:
    return Draft202012Validator(case_schema())


def _explained(wrong: ValidationError) -> str:
    if wrong.validator == "oneOf" and not wrong.absolute_path:
        return "a case has one outcome: result, error or declare"
    if wrong.validator == "not" and not wrong.absolute_path:
        return "request and request_text exclude each other, and declare takes neither"
    text = wrong.message
    return text if len(text) <= 200 else f"{text[:197]}…"


def check_canonical(case: Source) -> Iterator[Fault]:
    """The text is what `fmt` writes."""
    wanted = canonical(case.tree)
    if wanted != case.text:
        have = case.text.split("\n")
        first = next((n for n, row in enumerate(wanted.split("\n")) if n >= len(have) or have[n] != row), len(have) - 1)
        yield Fault(case.path, first + 1, "", "not canonical: run `toolnexus-conformance fmt`", "canonical")


def check_path(case: Source) -> Iterator[Fault]:
    """The id is the path, and its first folder is the client's style, or `declare`."""
    if case.value.get("id") != case.id:
        yield case.fault("path", "/id", f"the path says {case.id}")
    folder = case.id.partition("/")[0]
    wanted = "declare" if "declare" in case.value else mapping(case.value.get("client")).get("style")
    if folder != wanted:
        yield case.fault("path", "/id", f"the case lies under {folder}/ and belongs under {wanted}/")


def check_text(case: Source) -> Iterator[Fault]:
    """{stub} and {key} stand only where they expand; no real host is named."""
    for pointer, text in strings(case):
        if PROSE.match(pointer):
            continue
        if ("{stub}" in text or "{key}" in text) and not PLACE_AREAS.match(pointer):
            yield case.fault("hosts", pointer, "{stub} and {key} expand only in client and in expected headers")
        for host in map(host_of, URL.findall(text)):
            if not SAFE_HOST.fullmatch(host):
                yield case.fault("hosts", pointer, f"{host or 'no host'}: name one under example, example.com or test")


def strings(case: Source) -> Iterator[tuple[str, str]]:
    """Each string of the case with its pointer; those of variants where they land."""
    for root, value in [("", case.tree), *variant_values(case)]:
        for pointer, item in walk(value, root):
            if isinstance(item, str) and not isinstance(item, Number) and not pointer.startswith("/variants/"):
                yield pointer, item


def host_of(url: str) -> str:
    """The host of a URL in lower case; "" where there is none."""
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""


def check_variants(case: Source) -> Iterator[Fault]:
    """A variant changes what the case has: the place around each of its pointers exists."""
    for name, changes in mapping(case.tree.get("variants")).items():
        for pointer in mapping(changes):
            if _parent(case.tree, pointer) is ABSENT:
                yield case.fault("variants", join("/variants", name), f"{pointer} leads nowhere")


def check_finished(case: Source) -> Iterator[Fault]:
    """Nothing is left of a draft: no TODO where people read, and an outcome that says something."""
    for pointer, text in strings(case):
        if PROSE.match(pointer) and text.startswith(TODO):
            yield case.fault("finished", pointer, "is still to be written")
    if case.value.get("result") == {}:
        yield case.fault("finished", "/result", "says nothing: list what the caller gets, or let bless do it")


def _parent(tree: Json, pointer: str) -> object:
    try:
        return get(tree, pointer.rpartition("/")[0])
    except BadPointer:
        return ABSENT
