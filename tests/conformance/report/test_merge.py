"""Shards become runs, runs become columns; what does not belong together is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conformance.faults import UsageFault
from conformance.report import merge, results
from conformance.report.merge import Source

CASES = [f"a/b/{number}" for number in range(12)]


def source(found: Any, label: str = "", path: str = "x") -> Source:
    return Source(Path(path), label, found)


def shards(run_of: Any, make: Any, count: int, **header: Any) -> list[Source]:
    parts = [[make(name) for name in CASES[start::count]] for start in range(count)]
    return [
        source(run_of(part, shard=f"{number}/{count}", **header), path=f"s{number}")
        for number, part in enumerate(parts, 1)
    ]


def test_the_shards_of_a_run_become_the_run(run_of: Any, make: Any) -> None:
    (column,) = merge.columns(shards(run_of, make, 3)[::-1])
    whole = run_of([make(name) for name in CASES])
    assert column.slug == "sample"
    assert column.results.started == whole.started
    assert column.results.cases == whole.cases
    assert column.results.finished.states == {"pass": 12}
    assert column.results.finished.seconds == 7.5


def test_the_worst_shard_decides(run_of: Any, make: Any) -> None:
    for codes, exit_code in {
        (0, 0): 0,
        (0, 5): 0,
        (0, 1): 1,
        (1, 10): 10,
        (10, 11): 11,
        (0, 2): 2,
        (11, 99): 99,
    }.items():
        parts = [source(run_of([], exit_code=code, shard=f"{n}/2")) for n, code in enumerate(codes, 1)]
        assert merge.columns(parts)[0].results.finished.exit_code == exit_code


def test_notes_say_whose_they_are(run_of: Any, make: Any) -> None:
    one, two = shards(run_of, make, 2)
    object.__setattr__(one.results, "finished", results.RunFinished(1, ("no case was checked",)))
    assert merge.columns([one, two])[0].results.finished.notes == ("shard 1/2: no case was checked",)


def test_a_missing_shard_is_refused(run_of: Any, make: Any) -> None:
    one, _, three, _ = shards(run_of, make, 4)
    with pytest.raises(UsageFault, match=r"of sample 1[.]0 shard 2/4, 4/4 is missing"):
        merge.columns([one, three])


def test_a_shard_that_is_there_twice_is_refused(run_of: Any, make: Any) -> None:
    one, two = shards(run_of, make, 2)
    with pytest.raises(UsageFault, match=r"shard 1/2 of sample 1[.]0 is there twice: s1 and s1"):
        merge.columns([one, two, one])


def test_shards_of_different_runs_do_not_mix(run_of: Any, make: Any) -> None:
    exact, loose = shards(run_of, make, 2), shards(run_of, make, 2, accept="equivalent")
    with pytest.raises(UsageFault, match="is missing"):
        merge.columns([exact[0], loose[1]])


def test_unlike_corpora_are_refused(run_of: Any, make: Any) -> None:
    old = run_of([make("a/b/c")], corpus_hash="sha256:" + "cd" * 32, port="old")
    with pytest.raises(
        UsageFault,
        match=r"unlike corpora cannot be merged: new has 1\.0 sha256:abababababab, old 1\.0 sha256:cdcdcdcdcdcd",
    ):
        merge.columns([source(run_of([make("a/b/c")]), path="new"), source(old, path="old")])


@pytest.mark.parametrize(
    ("headers", "slugs"),
    [
        ([{"port": "a"}, {"port": "b c/d"}], ["a", "b-c-d"]),
        ([{"language": "go"}, {"language": "rust"}], ["sample-go", "sample-rust"]),
        ([{"version": "1"}, {"version": "2"}], ["sample-go-1", "sample-go-2"]),
        ([{"port": "///"}, {"port": "b"}], ["port", "b"]),
    ],
)
def test_ports_of_one_name_are_told_apart(headers: list[Any], slugs: list[str], run_of: Any) -> None:
    columns = merge.columns([source(run_of([], **header)) for header in headers])
    assert [column.slug for column in columns] == slugs


def test_a_port_that_is_there_twice_needs_names(run_of: Any) -> None:
    with pytest.raises(UsageFault, match=r"sample-go-1[.]0 is there twice; name one of them with NAME=PATH"):
        merge.columns([source(run_of([])), source(run_of([]))])
    columns = merge.columns([source(run_of([]), "before"), source(run_of([]), "after")])
    assert [column.slug for column in columns] == ["before", "after"]


def test_names_are_read_from_the_command_line(run_of: Any, make: Any, tmp_path: Path) -> None:
    results.write(run_of([make("a/b/c")]), tmp_path / "results.jsonl")
    odd = tmp_path / "x=y"
    results.write(run_of([make("a/b/c")]), odd)
    found = merge.read([str(tmp_path), f"go={tmp_path}", str(odd)])
    assert [one.label for one in found] == ["", "go", ""]
    assert all(one.results.cases[0].id == "a/b/c" for one in found)
