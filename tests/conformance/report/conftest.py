"""Runs to make reports of, without running anything."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from conformance.report import results
from conformance.report.events import (
    About,
    CallRow,
    CaseJudged,
    CheckRow,
    ClauseRow,
    DifferenceRow,
    Evidence,
    ReplyRow,
    RunFinished,
    RunStarted,
    WantedCall,
    is_red,
)
from conformance.report.results import Results

CLAUSES = (
    ClauseRow("call.once", "must", "One call reaches the provider once.", "SPEC §11"),
    ClauseRow("anthropic.tool-result", "should", "A result is a block; <b>never</b> | a turn.", "SPEC §11"),
)

BODY = '{"model":"claude-x","max_tokens":64,"messages":[{"role":"user","content":"hi"}]}'


def case_of(name: str, state: str = "pass", *, level: str = "must", **more: Any) -> CaseJudged:
    """A judged case with everything a report may show; `pass` has no differences."""
    checks = more.pop("checks", None)
    if checks is None:
        differences = (DifferenceRow("/max_tokens", "value", "64", "4096"),) if state in ("fail", "equivalent") else ()
        checks = (CheckRow("request", state, differences), CheckRow("result", "pass"))
    values: dict[str, Any] = {
        "id": name,
        "name": name.partition("[")[0],
        "level": level,
        "clauses": ("call.once",),
        "state": state,
        "red": is_red(state, level, "exact"),
        "ms": 1.5,
        "checks": checks if state in ("pass", "equivalent", "fail") else (),
        "reason": "" if state in ("pass", "equivalent", "fail") else f"it is {state}",
        "missing": ("hooks",) if state == "n/a" else (),
        "about": About(
            title=f"Title of {name}",
            why="It matters.",
            style="anthropic",
            since="1.0",
            client='{"style":"anthropic"}',
            request='{"messages":[{"role":"user","content":"hi"}],"max_tokens":64}',
            wanted=(WantedCall("POST", "/v1/messages", "x-api-key: {key}", BODY),),
            outcome='{"result":{"text":"hello"}}',
            warnings="[]",
        ),
        "evidence": Evidence(
            calls=(
                CallRow(
                    "POST",
                    "/v1/messages",
                    (("x-api-key", "{key}"),),
                    BODY if state == "pass" else BODY.replace("64", "4096"),
                    ReplyRow(
                        200, (("Content-Type", "application/json"),), '{"content":[{"type":"text","text":"hello"}]}'
                    ),
                ),
            ),
            answer='{"result":{"text":"hello","usage":{"total_tokens":3}}}',
        ),
        **more,
    }
    return CaseJudged(**values)


def results_of(cases: Iterable[CaseJudged], *, exit_code: int | None = None, **header: Any) -> Results:
    """The results of a run with these cases."""
    found = results.in_order(cases)
    values: dict[str, Any] = {
        "port": "sample",
        "spec": "cmd:node port.mjs",
        "language": "go",
        "version": "1.0",
        "capabilities": ("anthropic",),
        "corpus": "1.0",
        "level": "may",
        "accept": "exact",
        "began": "2026-01-02T03:04:05+00:00",
        "kit": "0.1.0",
        "corpus_hash": "sha256:" + "ab" * 32,
        "clauses": CLAUSES,
        **header,
    }
    code = int(any(case.red for case in found)) if exit_code is None else exit_code
    return Results(RunStarted(**values), found, RunFinished(code, seconds=2.5, states=results.count(found)))


@pytest.fixture
def make() -> Callable[..., CaseJudged]:
    """`case_of`."""
    return case_of


@pytest.fixture
def run_of() -> Callable[..., Results]:
    """`results_of`."""
    return results_of
