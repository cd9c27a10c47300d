"""Making what a port does the expectation of a case: the proposal, and everybody who may object to it.

The lint objects where the provider's rules or the vendors' types refuse what the case would then say; the verdict
objects where the case would still not pass.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, cast

from conformance.authoring.casefile import CaseFile
from conformance.authoring.change import Change, Class
from conformance.authoring.expectation import Seen, Tree, Unblessable, rewritten
from conformance.authoring.trial import Trial, Trials
from conformance.authoring.variants import applied, overridden
from conformance.canonical import canonical
from conformance.cli.checks.bench import Bench
from conformance.cli.checks.looseners import EXACT, marks
from conformance.cli.checks.source import Source
from conformance.faults import CorpusFault
from conformance.tree import ABSENT, Json, compact, get
from conformance.verdict import Passed, judge


@dataclass(frozen=True)
class Proposal:
    """One file that a port does not do as it says: the file as it would be, what would change, and who objects.

    `kept` names variants that did not move: they followed their case so far, and would say for themselves what they
    expect.
    """

    file: CaseFile
    changes: tuple[Change, ...]
    objections: tuple[str, ...]
    kept: tuple[str, ...] = ()

    @property
    def classes(self) -> frozenset[Class]:
        """The classes of its changes."""
        return frozenset(change.kind for change in self.changes)

    def because(self, reason: str) -> CaseFile:
        """The file with the reason among its sources."""
        source = cast("Tree", self.file.tree["source"])
        before = source.get("note")
        note = f"{before} {reason}" if before else reason
        return self.file.changed({**self.file.tree, "source": {**source, "note": note}})


def propose(file: CaseFile, trials: Trials, bench: Bench) -> Proposal | None:
    """What blessing the file would mean; None where the port does as it says."""
    tried = [trials.run(case) for case in file.cases]
    if all(trial.green for trial in tried) and not _open(file):
        return None
    try:
        tree, changes, kept = _rewritten(file, tried, trials)
    except Unblessable as wrong:
        return Proposal(file, (), (str(wrong),))
    try:
        proposed = file.changed(tree)
    except CorpusFault as wrong:
        return Proposal(file, tuple(changes), (wrong.message,))
    return Proposal(proposed, tuple(changes), tuple(_objections(proposed, tried, trials, bench)), tuple(kept))


def _open(file: CaseFile) -> bool:
    """Does a draft leave open what the caller gets? Then everything passes, and nothing is said."""
    return file.tree.get("result") == {}


def _rewritten(file: CaseFile, tried: Sequence[Trial], trials: Trials) -> tuple[Tree, list[Change], list[str]]:
    """The file's tree as it was seen: the case first, then each variant against what the case has become."""
    tree, changes, kept = file.tree, list[Change](), list[str]()
    base, *others = tried
    if base.seen is not None and (_open(file) or not base.green):
        tree, changes = rewritten(tree, _seen(base, trials))
    for trial in others:
        if trial.seen is not None:
            tree, more = _variant(tree, trial, trials)
            changes += () if trial.green else more
            kept += [str(trial.case.variant)] if trial.green and more else []
    return *_tidied(file, tree, changes), kept


def _variant(tree: Tree, trial: Trial, trials: Trials) -> tuple[Tree, list[Change]]:
    name = str(trial.case.variant)
    variants = cast("Tree", tree["variants"])
    own = cast("Tree", variants[name])
    try:
        found, changes = rewritten(applied(tree, own), _seen(trial, trials))
        if not changes:
            return tree, []
        put: Json = overridden(own, found, changes)
    except Unblessable as wrong:
        raise Unblessable(f"[{name}]: {wrong}") from None
    shown = [replace(change, pointer=f"[{name}] {change.pointer}") for change in changes]
    return {**tree, "variants": {**variants, name: put}}, shown


def _seen(trial: Trial, trials: Trials) -> Seen:
    assert trial.seen is not None
    return Seen(trial.case, trial.seen, trials.session.stub.url, trials.hello.capabilities)


def _tidied(file: CaseFile, tree: Tree, changes: list[Change]) -> tuple[Tree, list[Change]]:
    """The tree without sentences about what has gone, and with one for what has become loose."""
    found, more = dict(tree), list(changes)
    loose = [pointer for pointer, key, _ in marks(_source(file, tree)) if key not in EXACT and key != "$repeat"]
    told = cast("Tree", tree.get("loose", {}))
    kept = {at: text for at, text in told.items() if any(f"{pointer}/".startswith(f"{at}/") for pointer in loose)}
    new = {at: _SPACING for at in loose if at.endswith("/arguments") and not _covered(at, kept)}
    deviates = cast("Tree", tree.get("deviates", {}))
    there = {at: text for at, text in deviates.items() if get(tree, at) is not ABSENT}
    for key, before, after in (("loose", told, {**kept, **new}), ("deviates", deviates, there)):
        more += [Change(f"/{key}: {at}", text, ABSENT) for at, text in before.items() if at not in after]
        more += [Change(f"/{key}: {at}", ABSENT, text) for at, text in after.items() if at not in before]
        found = {**found, key: after} if after else {name: value for name, value in found.items() if name != key}
    return found, more


_SPACING = "Serialisers space JSON differently; the value counts."


def _covered(pointer: str, sentences: Tree) -> bool:
    return any(f"{pointer}/".startswith(f"{at}/") for at in sentences)


#: Checks of what people write, and of where the file is.
_WORDS: Final = frozenset({"finished", "path", "clauses", "provenance"})
_REPLY: Final = re.compile(r"/exchanges/\d+/reply(/|$)")


# -- objections -------------------------------------------------------------------------------------------------------


def _objections(file: CaseFile, tried: Sequence[Trial], trials: Trials, bench: Bench) -> Iterator[str]:
    """Who has what against the file as it would be.

    Nobody is held up by what people have yet to write, nor by what the provider answers: blessing changes neither.
    """
    for fault in bench.of_one(_source(file, file.tree), _WORDS):
        if not _REPLY.match(fault.pointer):
            yield f"{fault.check}: {fault.pointer or '/'}: {fault.message}"
    for case, trial in zip(file.cases, tried, strict=True):
        if trial.seen is None:
            continue
        verdict = judge(case, trial.seen, trials.hello, trials.session.stub.url, trials.equivalences)
        if not isinstance(verdict, Passed):
            yield f"{case.id} would still not pass: {_why(verdict)}"


def _why(verdict: object) -> str:
    checks = [check for check in getattr(verdict, "checks", ()) if check.state != "pass"]
    found = [f"{check.name} {row.where}" for check in checks for row in check.differences[:1]]
    return "; ".join(found) or compact(str(getattr(verdict, "reason", type(verdict).__name__)))


def _source(file: CaseFile, tree: Tree) -> Source:
    """The tree as lint sees a file."""
    return Source(file.path, file.name, canonical(tree), tree)
