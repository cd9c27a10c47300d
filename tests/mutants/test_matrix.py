"""The kill matrix: the corpus tells every mutant from the reference, and every case is needed."""

from __future__ import annotations

from tests.mutants import matrix, table
from tests.mutants.__main__ import idle, problems

AGAIN = "run: python -m tests.mutants"


def test_the_kill_matrix_holds() -> None:
    # One test, since the matrix takes a minute or two: every mutant killed and right on half of the corpus, every case
    # killing one or saying why not, the reference right, the page current.
    found = matrix.compute()
    assert problems(found) == []
    assert table.PATH.read_text("utf-8") == table.written(found), f"MATRIX.md is stale; {AGAIN}"


def test_there_are_as_many_mutants_as_promised() -> None:
    assert len(matrix.MUTANTS) >= 30


def _matrix(kills: dict[str, set[str]], items: list[str]) -> matrix.Matrix:
    return matrix.Matrix(tuple(items), {name: frozenset(ids) for name, ids in kills.items()}, ())


ITEMS = [f"a/b/c{number}" for number in range(20)]


def test_a_mutant_that_no_case_kills_is_a_problem() -> None:
    assert _matrix({"quiet": set()}, ITEMS).survivors == ["quiet"]


def test_a_mutant_that_fails_more_than_half_is_a_problem() -> None:
    kills = {"broad": set(ITEMS[:11]), "half": set(ITEMS[:10])}
    assert _matrix(kills, ITEMS).hopeless == ["broad"]


def test_a_broad_mutant_counts_for_no_case() -> None:
    found = _matrix({"narrow": set(ITEMS[:2]), "broad": set(ITEMS[:3])}, ITEMS)
    assert found.toothless == ITEMS[2:]


def test_a_variant_kills_for_its_file() -> None:
    found = _matrix({"narrow": {"a/b/c0[x]"}}, ["a/b/c0", "a/b/c0[x]", *ITEMS[1:]])
    assert "a/b/c0" not in found.toothless


def test_a_reason_that_no_case_needs_is_a_problem() -> None:
    found = _matrix({"narrow": set(ITEMS[:1])}, ITEMS)
    needless = matrix.Immunity("a/b/c0", "because")
    needed = matrix.Immunity("a/b/c1*", "because")
    assert idle(found, (needless, needed)) == [needless]
