"""Checks of what a case says: clauses, level, needs, outcome, warnings, provenance."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from conformance.authoring import spec
from conformance.case import OPTIONAL
from conformance.cli.checks.source import Fault, Source, mapping
from conformance.corpus import LEVELS, Corpus
from conformance.tree import ABSENT, BadPointer, Json, NotJson, get, join, read

#: must is 0.
RANK: dict[str, int] = {level: rank for rank, level in enumerate(LEVELS)}

_THREAD = re.compile(r"[\w.-]+/[\w.-]+#\d+|https?://")


def check_clauses(case: Source, corpus: Corpus) -> Iterator[Fault]:
    """Each cited clause exists, and the level is not above theirs."""
    for index, clause in enumerate(case.cited):
        if clause not in corpus.clauses:
            yield case.fault("clauses", f"/clauses/{index}", f"{clause} is no clause of clauses.json")
    ranks = [RANK[corpus.clauses[clause].level] for clause in case.cited if clause in corpus.clauses]
    level = case.value.get("level")
    if ranks and level in RANK and RANK[level] < min(ranks):
        yield case.fault("clauses", "/level", f"no cited clause is a {level}: {LEVELS[min(ranks)]} at most")


def needed(value: dict[str, Any]) -> list[str]:
    """What `requires` has to hold: the style and each capability the case uses; declarations need but a toolkit."""
    if "declare" in value:
        return ["toolkit"]
    return [str(mapping(value.get("client")).get("style")), *(key for key in OPTIONAL if key in value)]


def check_requires(case: Source) -> Iterator[Fault]:
    """`requires` names what the case uses, and nothing else."""
    wanted = needed(case.value)
    have = case.value.get("requires")
    if have != wanted:
        yield case.fault("requires", "/requires", f"has to be {wanted}")


def check_outcome(case: Source) -> Iterator[Fault]:
    """A caller's fault is found before the call; every other outcome needs one."""
    exchanges = case.value.get("exchanges")
    kind = mapping(case.value.get("error")).get("kind")
    if kind == "invalid-request" and exchanges and not _hook_raises(case):
        yield case.fault("outcome", "/exchanges", "an invalid-request error asserts that no call is made")
    if exchanges == [] and kind != "invalid-request" and not _hook_raises(case):
        yield case.fault("outcome", "/exchanges", "an outcome without a call is an invalid-request error")


def _hook_raises(case: Source) -> bool:
    return any("raise" in mapping(hook) for hook in mapping(case.value.get("hooks")).values())


def warning_codes() -> dict[str, str]:
    """The closed list of warning codes with what their pointers lead into, from the table in toolnexus/SPEC.md."""
    return {code.code: code.into for code in spec.codes().values()}


def check_warnings(case: Source) -> Iterator[Fault]:
    """Each warning's code is known, and its pointer and that of an error lead to something the case has."""
    warnings = case.value.get("warnings")
    for index, warning in enumerate(warnings if isinstance(warnings, list) else ()):
        code, pointer = mapping(warning).get("code"), mapping(warning).get("pointer")
        into = warning_codes().get(str(code))
        if into is None:
            yield case.fault("warnings", f"/warnings/{index}/code", f"{code} is not in the SPEC's table of codes")
        elif isinstance(pointer, str) and not _leads(case, pointer, into):
            yield case.fault("warnings", f"/warnings/{index}/pointer", f"{pointer} leads nowhere in the {into}")
    error = mapping(case.value.get("error"))
    pointer = error.get("pointer")
    if error.get("kind") == "invalid-request" and isinstance(pointer, str) and not _leads(case, pointer, "request"):
        yield case.fault("warnings", "/error/pointer", f"{pointer} leads nowhere in the request")


def _leads(case: Source, pointer: str, into: str) -> bool:
    """Whether the place around what the pointer names exists: what is missing may be pointed at, too."""
    trees = list(_pointed(case, into))
    return not trees or any(_exists(tree, pointer) for tree in trees)


def _pointed(case: Source, into: str) -> Iterator[Json]:
    if into == "request":
        request = case.tree.get("request")
        if isinstance(request, dict):
            yield {**request, "toolkit": case.tree.get("toolkit", [])}
        text = case.tree.get("request_text")
        if isinstance(text, str):
            try:
                yield read(text)
            except NotJson:
                return
    if into == "reply":
        exchanges = case.tree.get("exchanges")
        for exchange in exchanges if isinstance(exchanges, list) else ():
            reply = mapping(mapping(exchange).get("reply"))
            if "json" in reply:
                yield reply["json"]


def _exists(tree: Json, pointer: str) -> bool:
    try:
        around = get(tree, pointer.rpartition("/")[0])
    except BadPointer:
        return False
    return around is not ABSENT and isinstance(around, dict | list)


def check_provenance(case: Source) -> Iterator[Fault]:
    """A report names its public thread."""
    source = mapping(case.value.get("source"))
    if source.get("kind") == "report" and not _THREAD.search(str(source.get("ref"))):
        yield case.fault("provenance", "/source/ref", "name the public thread: owner/repo#number or its address")


def check_deviations(case: Source) -> Iterator[Fault]:
    """What `deviates` excuses is there."""
    for pointer in mapping(case.value.get("deviates")):
        if not pointer.startswith("/exchanges/") or get(case.tree, pointer) is ABSENT:
            yield case.fault("deviates", join("/deviates", pointer), "nothing to excuse there")
