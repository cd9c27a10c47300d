"""`results.jsonl`: what is written is what is read, and nothing else is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from conformance import corpus as corpora
from conformance import fingerprint
from conformance.faults import UsageFault
from conformance.options import Options
from conformance.report import results
from conformance.report.events import CaseJudged, EventLog, RunFinished, RunStarted
from conformance.shard import Shard

STARTED = RunStarted("p", "cmd:env TOKEN=abc p", "go", "1", ("anthropic",), "1.0", "may", "exact", began="2026-01-01")


@pytest.fixture
def corpus(folder: Any) -> corpora.Corpus:
    folder.add()
    folder.add("anthropic/text/two", variants={"b": {"/title": "b"}, "a": {"/title": "a"}})
    folder.add("anthropic/text/two-more")
    return corpora.read(folder.path)


def log_of(*ids: str) -> EventLog:
    log = EventLog()
    log.add(STARTED)
    for name in ids:
        log.add(CaseJudged(name, name.partition("[")[0], "must", ("call.once",), "pass", False))
    log.add(RunFinished(0, ("a note",)))
    return log


IDS = ("anthropic/text/two[b]", "anthropic/text/two-more", "anthropic/text/two", "anthropic/text/two[a]")


def test_a_run_comes_back_as_it_was(run_of: Any, make: Any, tmp_path: Path) -> None:
    found = run_of([make("a/b/c"), make("a/b/d", "fail"), make("a/b/e", "n/a"), make("a/b/f", "kit-error")])
    results.write(found, tmp_path / "results.jsonl")
    assert results.read(tmp_path / "results.jsonl") == found
    assert results.read(tmp_path) == found


def test_header_cases_footer_are_a_line_each(run_of: Any, make: Any, tmp_path: Path) -> None:
    results.write(run_of([make("a/b/c"), make("a/b/d\u2028", "fail")]), tmp_path / "r")
    header, *cases, footer = (json.loads(line) for line in (tmp_path / "r").read_bytes().split(b"\n")[:-1])
    assert (header["event"], header["format"], header["kit"], header["corpus"]) == ("run-started", 1, "0.1.0", "1.0")
    assert header["corpus_hash"].startswith("sha256:")
    assert [case["state"] for case in cases] == ["pass", "fail"]
    assert (footer["event"], footer["exit_code"]) == ("run-finished", 1)
    assert footer["states"] == {"fail": 1, "pass": 1}


def test_the_header_tells_corpus_and_kit(corpus: corpora.Corpus) -> None:
    header = results.from_log(log_of(*IDS), corpus, Options(), seconds=1).started
    assert header.corpus_hash == fingerprint.of(corpus.fixtures)
    assert header.kit == results.kit_version()
    assert [row.id for row in header.clauses] == list(corpus.clauses)
    assert header.spec == "cmd:env TOKEN=(hidden) p"


def test_cases_stand_in_the_same_order_however_they_came(corpus: corpora.Corpus) -> None:
    one, other = (results.from_log(log_of(*ids), corpus, Options(), seconds=1) for ids in (IDS, reversed(IDS)))
    assert one.cases == other.cases
    assert [case.id for case in one.cases] == [
        "anthropic/text/two",
        "anthropic/text/two[a]",
        "anthropic/text/two[b]",
        "anthropic/text/two-more",
    ]


def test_each_case_brings_what_it_is_about(corpus: corpora.Corpus) -> None:
    found = results.from_log(log_of("anthropic/text/two[a]"), corpus, Options(), seconds=1)
    assert found.cases[0].about is not None
    assert found.cases[0].about.title == "a"
    assert found.finished == RunFinished(0, ("a note",), 1, {"pass": 1})


def test_a_port_that_never_started_is_in_the_report(corpus: corpora.Corpus) -> None:
    options = Options(port="cmd:none", shard=Shard(1, 2))
    found = results.not_started(corpus, corpus.cases, options, 10, "cannot be started")
    assert {case.state for case in found.cases} == {"not-run"}
    assert all(case.red and case.reason == "cannot be started" for case in found.cases)
    assert (found.finished.exit_code, found.finished.notes) == (10, ("cannot be started",))
    assert (found.started.port, found.started.shard) == ("cmd:none", "1/2")


def test_the_clauses_can_be_asked_for(run_of: Any) -> None:
    assert run_of([]).clauses["call.once"].level == "must"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no results file: the first line is no header"),
        ("hello", "no results file: the first line is no header"),
        ("[]", "no results file: the first line is no header"),
        ('{"event":"case"}', "no results file: the first line is no header"),
        ('{"event":"run-started","format":2}', "format 2; this kit reads format 1"),
        ('{"event":"run-started","format":1}', "line 1: Object missing required field"),
    ],
)
def test_what_is_no_results_file_is_refused(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "r").write_text(text)
    with pytest.raises(UsageFault, match=message):
        results.read(tmp_path / "r")


def test_a_run_that_did_not_end_is_refused(run_of: Any, make: Any, tmp_path: Path) -> None:
    results.write(run_of([make("a/b/c")]), tmp_path / "r")
    lines = (tmp_path / "r").read_bytes().splitlines(keepends=True)
    (tmp_path / "r").write_bytes(b"".join(lines[:-1]))
    with pytest.raises(UsageFault, match="did not end: there is no footer"):
        results.read(tmp_path / "r")
    (tmp_path / "r").write_bytes(b"".join(lines[:1]) + b"{\n")
    with pytest.raises(UsageFault, match="line 2: "):
        results.read(tmp_path / "r")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageFault, match=r"nowhere: No such file"):
        results.read(tmp_path / "nowhere")


def test_what_a_newer_kit_adds_is_passed_over(run_of: Any, make: Any, tmp_path: Path) -> None:
    found = run_of([make("a/b/c")])
    results.write(found, tmp_path / "r")
    text = (tmp_path / "r").read_text("utf-8").replace('"event":"case"', '"event":"case","new":{"x":1}')
    (tmp_path / "r").write_text(text, "utf-8")
    assert results.read(tmp_path / "r") == found
