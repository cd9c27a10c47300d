"""The matrix is computed from recorded answers; here a mutant a seam runs against the stub, and the verdicts agree."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

import pytest

from conformance import corpus
from conformance.stub import Stub
from tests.mutants import port
from tests.mutants.catalogue import MUTANTS
from tests.mutants.mutant import MutantBug
from tests.mutants.replay import Kit

#: A mutant of each seam, and cases that it fails and passes. None that waits for long.
SAMPLES = {
    "ignores-signatures": "anthropic/media-type/*",
    "splits-results": "anthropic/tool-results/[ent]*",
    "renames-call-ids": "anthropic/reply-calls/*",
    "repairs-arguments": "anthropic/arguments/[cn]*",
    "knows-no-models": "anthropic/models/[ab]*",
    "forgets-the-toolkit": "*/toolkit/*",
    "appends-v1-always": "anthropic/endpoint/*",
    "sends-the-bare-key": "openai/endpoint/*",
    "runs-the-tools": "anthropic/toolkit/*",
    "follows-redirects": "*/errors/re*",
    "logs-its-headers": "anthropic/errors/[cm]*",
    "takes-a-broken-stream-for-whole": "*/stream-broken/c*",
    "retries-every-client-fault": "anthropic/retry/[ceo]*-final",
    "never-retries-503": "*/hooks/once*",
    "reads-thinking-as-text": "anthropic/reply-thinking/*",
    "takes-answers-only-with-200": "*/error-in-200/o*",
    "eats-html-as-success": "anthropic/error-in-200/*",
    "loses-text-of-block-starts": "anthropic/stream-deltas/*",
    "finishes-streams-that-were-cut": "anthropic/stream-broken/[cnw]*",
    "counts-calls-from-one": "openai/stream-calls/*",
    "loses-field-dropped": "anthropic/dropped-fields/*",
    "gives-every-failure-500": "openai/errors/*",
    "finishes-as-the-provider-said": "anthropic/finish/*",
    "declares-without-the-wrapper": "declare/*/*",
    "keeps-the-conversation": "*/call/*",
}


@pytest.fixture(scope="module")
def kit() -> Iterator[Kit]:
    fixtures = corpus.find()
    wanted = [
        case for case in corpus.read(fixtures).cases if any(fnmatchcase(case.name, glob) for glob in SAMPLES.values())
    ]
    kit = Kit(wanted, fixtures)
    with Stub() as stub:
        kit.record(stub)
        yield kit


def test_the_reference_replayed_is_the_reference(kit: Kit) -> None:
    differ = [trace.case.id for trace in kit.traces if kit.state(None, trace) != trace.state]
    assert differ == []


@pytest.mark.parametrize("name", SAMPLES)
def test_a_replayed_mutant_fails_what_the_real_one_fails(kit: Kit, name: str) -> None:
    mutant = MUTANTS[name]
    cases = [trace for trace in kit.traces if fnmatchcase(trace.case.name, SAMPLES[name])]
    replayed = {trace.case.id: kit.state(mutant, trace) for trace in cases}
    posted = {trace.case.id: kit.posted(mutant, trace.case) for trace in cases}
    assert replayed == posted
    assert {state == "pass" for state in posted.values()} == {True, False}, "shows both verdicts"


def test_every_seam_has_a_sample() -> None:
    assert {MUTANTS[name].level for name in SAMPLES} == {mutant.level for mutant in MUTANTS.values()}


def test_a_mutant_is_a_port() -> None:
    assert port.splits_results().mutant is MUTANTS["splits-results"]
    with pytest.raises(AttributeError):
        _ = port.splits_nothing


def test_a_mutant_that_crashes_kills_nothing(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    crashing = MUTANTS["follows-redirects"]

    def crash(*_: object) -> None:
        raise MutantBug("crashed")

    monkeypatch.setattr(port.Port, "_spoiled", crash)
    with pytest.raises(MutantBug):
        kit.state(crashing, kit.traces[0])
