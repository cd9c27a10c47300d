"""What changed between two runs, case by case; what got worse comes first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from conformance.corpus import LEVELS
from conformance.report.events import CaseJudged
from conformance.report.mark import code, folded, prose, some
from conformance.report.results import Results
from conformance.report.terminal import brief

Kind = Literal["regression", "new-failure", "other-failure", "shown-only", "fixed", "new", "gone"]

#: Kind → what it is called, in the order in which they are told.
KINDS: Final[Mapping[Kind, str]] = {
    "regression": "got worse",
    "new-failure": "fail, and were not checked before",
    "other-failure": "fail as before, but differently",
    "shown-only": "changed, and shown only",
    "fixed": "fixed",
    "new": "new",
    "gone": "gone",
}

#: Rows of each list; a comment on GitHub holds 65,536 characters.
_MOST: Final = 40


@dataclass(frozen=True, slots=True)
class Change:
    """One case that is not as it was; None where one of the runs has no such case."""

    kind: Kind
    id: str
    old: CaseJudged | None
    new: CaseJudged | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs and every change between them, ordered by kind and id."""

    old: Results
    new: Results
    changes: tuple[Change, ...]

    def of(self, kind: Kind) -> list[Change]:
        """The changes of a kind."""
        return [change for change in self.changes if change.kind == kind]

    @property
    def same_corpus(self) -> bool:
        """Were both runs over the same cases?"""
        return self.old.started.corpus_hash == self.new.started.corpus_hash


def compare(old: Results, new: Results) -> Comparison:
    """What changed. Something got worse where a case passed, and now fails, is not checked, or did not run.

    A case that is gone is a change of the corpus; where the corpus is the same, it was dropped from the run, which is
    worse, too.
    """
    before = {case.id: case for case in old.cases}
    after = {case.id: case for case in new.cases}
    same = old.started.corpus_hash == new.started.corpus_hash
    changes = [
        Change(kind, name, before.get(name), after.get(name))
        for name in {**before, **after}
        if (kind := _kind(before.get(name), after.get(name), same)) is not None
    ]
    return Comparison(old, new, tuple(sorted(changes, key=_rank)))


def _rank(change: Change) -> tuple[int, int, str]:
    """What is told first: by kind, then must before should before may."""
    case = change.new or change.old
    level = LEVELS.index(case.level) if case is not None and case.level in LEVELS else len(LEVELS)
    return list(KINDS).index(change.kind), level, change.id


def _kind(old: CaseJudged | None, new: CaseJudged | None, same_corpus: bool) -> Kind | None:
    if new is None:
        assert old is not None
        return "regression" if same_corpus and _good(old) else "gone"
    if old is None:
        return "new-failure" if new.red else "new"
    if _good(old):
        return None if _good(new) else "regression" if new.red or _unchecked(new) else "shown-only"
    if _good(new):
        return "fixed" if old.red or _unchecked(old) else "shown-only"
    return _still(old, new)


def _still(old: CaseJudged, new: CaseJudged) -> Kind | None:
    """Neither run passes: is it the same all the same?"""
    if old.red and new.red:
        return None if (old.state, brief(old)) == (new.state, brief(new)) else "other-failure"
    if new.red:
        return "new-failure"
    return None if old.state == new.state else "shown-only"


def _good(case: CaseJudged) -> bool:
    return case.state in ("pass", "equivalent") and not case.red


def _unchecked(case: CaseJudged) -> bool:
    return case.state in ("n/a", "skip", "not-run", "kit-error")


# -- Markdown ---------------------------------------------------------------------------------------------------------


def markdown(found: Comparison) -> Iterator[str]:
    """The lines of a comment on a pull request."""
    worse = len(found.of("regression"))
    yield f"### {'❌' if worse else '✅'} {_verdict(worse)}"
    yield ""
    yield _runs(found)
    for kind, title in KINDS.items():
        if changes := found.of(kind):
            yield ""
            yield from _LISTS.get(kind, _folded)(title, changes)


def _verdict(worse: int) -> str:
    if not worse:
        return "Nothing got worse"
    return "1 case got worse" if worse == 1 else f"{worse} cases got worse"


def _runs(found: Comparison) -> str:
    old, new = found.old, found.new
    text = f"{prose(old.port)}, {_passing(old)} → {prose(new.port)}, {_passing(new)}"
    if not found.same_corpus:
        text += f". The corpus changed, too: {_corpus(old)} → {_corpus(new)}"
    return text


def _passing(run: Results) -> str:
    checked = [case for case in run.cases if case.state != "n/a"]
    return f"{sum(_good(case) for case in checked)}/{len(checked)} pass"


def _corpus(run: Results) -> str:
    return f"{run.started.corpus} {code(run.started.corpus_hash[:19])}"


def _open(title: str, changes: list[Change]) -> Iterator[str]:
    yield f"**{len(changes)} {title}**"
    yield ""
    yield from some([_row(change) for change in changes], _MOST, "cases")


def _folded(title: str, changes: list[Change]) -> Iterator[str]:
    return folded(f"{len(changes)} {title}", some([_row(change) for change in changes], _MOST, "cases"))


_LISTS: Final[Mapping[Kind, Callable[[str, list[Change]], Iterator[str]]]] = {
    "regression": _open,
    "new-failure": _open,
}


def _row(change: Change) -> str:
    case = change.new or change.old
    level = f" ({case.level})" if case is not None else ""
    before = change.old.state if change.old is not None else "not in the run"
    after = change.new.state if change.new is not None else "not in the run"
    why = f": {prose(brief(change.new)[:200])}" if change.new is not None and not _good(change.new) else ""
    return f"- {code(change.id)}{level} {before} → {after}{why}"
