"""Shards: every case in exactly one, and always in the same."""

from __future__ import annotations

import pytest

from conformance import corpus as corpora
from conformance.faults import UsageFault
from conformance.shard import Shard, parse

IDS = [f"anthropic/area/case-{number}" for number in range(1000)]


@pytest.mark.parametrize("count", [1, 2, 3, 7, 16])
def test_each_case_is_in_exactly_one_shard(count: int) -> None:
    for name in IDS:
        assert sum(Shard(number, count).holds(name) for number in range(1, count + 1)) == 1


def test_shards_are_of_like_size() -> None:
    sizes = [sum(Shard(number, 4).holds(name) for name in IDS) for number in range(1, 5)]
    assert min(sizes) > 200


def test_a_case_stays_in_its_shard_for_ever() -> None:
    assert [name[-1] for name in IDS[:10] if Shard(1, 3).holds(name)] == ["0", "4", "5", "6", "9"]


def test_the_real_corpus_is_spread() -> None:
    ids = [case.id for case in corpora.read(corpora.find()).cases]
    assert all(sum(Shard(number, 8).holds(name) for name in ids) > len(ids) / 16 for number in range(1, 9))


def test_it_is_written_as_it_is_read() -> None:
    assert str(parse("2/5")) == "2/5"


@pytest.mark.parametrize("text", ["", "1", "0/2", "3/2", "a/b", "1/0", "-1/2", "1/2/3"])
def test_what_is_no_shard_is_refused(text: str) -> None:
    with pytest.raises(UsageFault, match="is no shard; write i/n"):
        parse(text)
