"""Any cutting of the bytes gives the same deltas (clause `stream.framing`)."""

from __future__ import annotations

from random import Random

import pytest

from tests.streams.streamed import Streamed, ids, run, stream_cases

STREAMED = list(stream_cases())
RANDOM_CUTS = 200


def test_the_corpus_has_streams_to_cut() -> None:
    assert len(STREAMED) > 300


@pytest.mark.parametrize("streamed", STREAMED, ids=ids(STREAMED))
def test_every_single_cut_gives_the_same_deltas(streamed: Streamed) -> None:
    whole = run(streamed, [streamed.body])
    for cut in range(1, len(streamed.body)):
        parts = run(streamed, [streamed.body[:cut], streamed.body[cut:]])
        assert (parts.deltas, parts.error) == (whole.deltas, whole.error), f"cut at byte {cut}"


@pytest.mark.parametrize("streamed", STREAMED, ids=ids(STREAMED))
def test_random_cuts_give_the_same_deltas(streamed: Streamed) -> None:
    whole = run(streamed, [streamed.body])
    random = Random(streamed.case.id)
    inside = range(1, len(streamed.body))
    for _ in range(RANDOM_CUTS if inside else 0):
        places = sorted(random.sample(inside, min(random.randint(2, 12), len(inside))))
        pieces = [streamed.body[a:b] for a, b in zip([0, *places], [*places, len(streamed.body)], strict=True)]
        parts = run(streamed, pieces)
        assert (parts.deltas, parts.error) == (whole.deltas, whole.error), f"cuts at bytes {places}"


@pytest.mark.parametrize("streamed", STREAMED, ids=ids(STREAMED))
def test_one_byte_at_a_time_gives_the_same_deltas_and_result(streamed: Streamed) -> None:
    whole = run(streamed, [streamed.body])
    parts = run(streamed, [streamed.body[i : i + 1] for i in range(len(streamed.body))])
    assert (parts.deltas, parts.error) == (whole.deltas, whole.error)
    if whole.error is None:
        ours, theirs = parts.decoder.result(), whole.decoder.result()
        assert (ours.text, ours.tool_calls, ours.usage, ours.to_message()) == (
            theirs.text,
            theirs.tool_calls,
            theirs.usage,
            theirs.to_message(),
        )


@pytest.mark.parametrize("streamed", STREAMED, ids=ids(STREAMED))
def test_without_keeping_the_deltas_are_the_same(streamed: Streamed) -> None:
    whole = run(streamed, [streamed.body])
    unkept = run(streamed, [streamed.body], keep=False)
    assert (unkept.deltas, unkept.error) == (whole.deltas, whole.error)


@pytest.mark.parametrize("streamed", STREAMED, ids=ids(STREAMED))
def test_a_body_that_ends_early_never_looks_finished(streamed: Streamed) -> None:
    """Clause `stream.broken`: whatever is cut off, a finish only comes with its end marker."""
    whole = run(streamed, [streamed.body])
    if whole.error is not None:
        assert not any(delta.finish_reason for delta in whole.deltas)
        return
    step = max(1, len(streamed.body) // 100)
    for end in range(0, len(streamed.body), step):
        outcome = run(streamed, [streamed.body[:end]])
        if outcome.error is not None:
            assert not any(delta.finish_reason or delta.usage for delta in outcome.deltas), f"ended at byte {end}"
            assert outcome.deltas == whole.deltas[: len(outcome.deltas)] or _is_prefix(outcome, whole)
        else:
            assert outcome.decoder.complete


def _is_prefix(outcome: object, whole: object) -> bool:
    """A held call may not have begun yet: what came is still in order."""
    rest = iter(whole.deltas)  # type: ignore[attr-defined]
    return all(delta in rest for delta in outcome.deltas)  # type: ignore[attr-defined]
