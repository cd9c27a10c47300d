"""Several results as one: the shards of a run become the run, and runs of many ports the columns of a grid."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from conformance.faults import UsageFault
from conformance.report import results
from conformance.report.events import RunFinished
from conformance.report.results import Results
from conformance.shard import parse as parse_shard

#: Exit codes, the worst first; 5 (nothing selected) is what a shard without cases gives, and no fault.
_WORST: Final = (11, 3, 2, 4, 10, 1, 0, 5)


@dataclass(frozen=True, slots=True)
class Source:
    """One results file: where it is, the name it was given (`NAME=PATH`), and what is in it."""

    path: Path
    label: str
    results: Results


@dataclass(frozen=True, slots=True)
class Column:
    """One port of a grid; `slug` names it in links and folders."""

    slug: str
    results: Results


def read(texts: Sequence[str]) -> list[Source]:
    """Read what a command line names: a results file or its folder, with a name of its own as `NAME=PATH`."""
    return [_source(text) for text in texts]


def _source(text: str) -> Source:
    label, equals, path = text.partition("=")
    if not equals or Path(text).exists():
        label, path = "", text
    return Source(Path(path), label, results.read(Path(path)))


def columns(sources: Sequence[Source]) -> list[Column]:
    """The ports of a grid; raises `UsageFault` for unlike corpora, missing shards and a port that is there twice."""
    _check_corpora(sources)
    runs: dict[tuple[object, ...], list[Source]] = {}
    for source in sources:
        runs.setdefault(_run(source), []).append(source)
    whole = [(parts[0].label, _combined(parts)) for parts in runs.values()]
    return [Column(slug, found) for slug, (_, found) in zip(_slugs(whole), whole, strict=True)]


def _check_corpora(sources: Sequence[Source]) -> None:
    first = sources[0]
    for other in sources[1:]:
        if other.results.started.corpus_hash != first.results.started.corpus_hash:
            raise UsageFault(
                f"unlike corpora cannot be merged: {first.path} has {_corpus(first)}, {other.path} {_corpus(other)}"
            )


def _corpus(source: Source) -> str:
    started = source.results.started
    return f"{started.corpus} {started.corpus_hash[:19]}"


def _run(source: Source) -> tuple[object, ...]:
    """What the shards of one run have in common. A whole run has nothing in common with another."""
    run = source.results.started
    if run.shard is None:
        return (id(source),)
    count = parse_shard(run.shard).count
    return (source.label, run.port, run.version, run.language, run.spec, run.level, run.accept, run.since, count)


# -- shards -----------------------------------------------------------------------------------------------------------


def _combined(parts: Sequence[Source]) -> Results:
    first = parts[0].results
    if first.started.shard is None:
        return first
    _check_shards(parts)
    runs = [source.results for source in parts]
    cases = results.in_order(case for run in runs for case in run.cases)
    started = msgspec.structs.replace(first.started, shard=None, began=min(run.started.began for run in runs))
    finished = RunFinished(
        exit_code=min((run.finished.exit_code for run in runs), key=_badness),
        notes=tuple(f"shard {run.started.shard}: {note}" for run in runs for note in run.finished.notes),
        seconds=round(sum(run.finished.seconds for run in runs), 3),
        states=results.count(cases),
    )
    return Results(started, cases, finished)


def _badness(exit_code: int) -> int:
    return _WORST.index(exit_code) if exit_code in _WORST else -1


def _check_shards(parts: Sequence[Source]) -> None:
    shards = [parse_shard(source.results.started.shard or "1/1") for source in parts]
    count = shards[0].count
    numbers = [shard.number for shard in shards]
    missing = [f"{number}/{count}" for number in range(1, count + 1) if number not in numbers]
    if missing:
        raise UsageFault(f"of {parts[0].results.port} shard {', '.join(missing)} is missing")
    for number in numbers:
        if numbers.count(number) > 1:
            twice = " and ".join(str(source.path) for source, n in zip(parts, numbers, strict=True) if n == number)
            raise UsageFault(f"shard {number}/{count} of {parts[0].results.port} is there twice: {twice}")


# -- names ------------------------------------------------------------------------------------------------------------


def _slugs(runs: Sequence[tuple[str, Results]]) -> list[str]:
    """A short name for each port: its name, with language or version where names alone clash."""
    forms = [_forms(label, found) for label, found in runs]
    for depth in range(3):
        names = [form[min(depth, len(form) - 1)] for form in forms]
        if len(set(names)) == len(names):
            return names
    clash = next(name for name in names if names.count(name) > 1)
    raise UsageFault(f"{clash} is there twice; name one of them with NAME=PATH")


def _forms(label: str, found: Results) -> list[str]:
    run = found.started
    if label:
        return [_plain([label])]
    return [
        _plain([run.port]),
        _plain([run.port, run.language]),
        _plain([run.port, run.language, run.version]),
    ]


def _plain(words: Iterable[str]) -> str:
    """Words as one that can stand in a link and in a folder's name."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", "-".join(words)).strip("-.") or "port"
