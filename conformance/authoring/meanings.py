"""What a word of the kit means: a warning code, a clause, a provider's rule, a state or an exit code."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from conformance import corpus as corpora
from conformance import providers
from conformance.authoring import spec
from conformance.authoring.casefile import Desk
from conformance.case import Case
from conformance.faults import UsageFault

#: How many cases are named.
MOST: Final = 12


@dataclass(frozen=True, slots=True)
class Meaning:
    """A word, its kind, what it says, facts about it, where the contract speaks of it, and the cases about it."""

    word: str
    kind: str
    says: str
    facts: tuple[tuple[str, str], ...] = ()
    passages: tuple[spec.Passage, ...] = ()
    cases: tuple[str, ...] = ()


def of(word: str, desk: Desk) -> Meaning:
    """What the word means; raises `UsageFault` where it means nothing."""
    for look in _LOOKS:
        found = look(word, desk)
        if found is not None:
            return found
    words = [row.word for row in every(desk)]
    near = [name for name in words if word in name][:3] or difflib.get_close_matches(word, words, 3)
    hint = f"did you mean {' or '.join(near)}?" if near else "explain without a word lists everything"
    raise UsageFault(f"{word!r} is no warning code, clause or rule; {hint}")


def every(desk: Desk) -> Iterator[Meaning]:
    """Every word with what it says, without the cases."""
    for code in spec.codes().values():
        yield Meaning(code.code, "warning code", code.says)
    for clause in desk.corpus.clauses.values():
        yield Meaning(clause.id, f"{clause.level} clause", clause.text)
    for style in providers.STYLES:
        for rule in providers.rules(style).values():
            yield Meaning(rule.name, f"{style} rule", rule.message)
    for state, says in STATES.items():
        yield Meaning(state, "state", says)


def _code(word: str, desk: Desk) -> Meaning | None:
    code = spec.codes().get(word)
    if code is None:
        return None
    cases = [case for case in _cases(desk) if any(found == word for found, _ in case.warnings)]
    clauses = dict.fromkeys(clause for case in cases for clause in case.clauses)
    facts = (("pointers", f"into the {code.into}"), ("clauses", ", ".join(clauses)))
    return Meaning(word, "warning code", code.says, facts, tuple(spec.passages(word)), _names(cases))


def _clause(word: str, desk: Desk) -> Meaning | None:
    clause = desk.corpus.clauses.get(word)
    if clause is None:
        return None
    facts = (("ref", clause.ref), ("since", clause.since), ("checked by", clause.checked_by))
    cases = [case for case in _cases(desk) if word in case.clauses]
    kept = tuple((name, fact) for name, fact in facts if fact)
    return Meaning(word, f"{clause.level} clause", clause.text, kept, tuple(spec.passages(word)), _names(cases))


def _rule(word: str, desk: Desk) -> Meaning | None:
    for style in providers.STYLES:
        if (rule := providers.rules(style).get(word)) is not None:
            kind = "house rule: ours, since many servers answer so" if rule.stub == "house" else f"{style} rule"
            facts = (("answer", f"{rule.status} {rule.type}"), ("ref", rule.ref), ("confidence", rule.confidence))
            return Meaning(word, kind, rule.message, facts)
    return None


def _state(word: str, desk: Desk) -> Meaning | None:
    return Meaning(word, "state", STATES[word]) if word in STATES else None


def _exit(word: str, desk: Desk) -> Meaning | None:
    return Meaning(word, "exit code", EXITS[word]) if word in EXITS else None


_LOOKS: Final[tuple[Callable[[str, Desk], Meaning | None], ...]] = (_code, _clause, _rule, _state, _exit)

STATES: Final = {
    "pass": "Everything is exactly as the case says.",
    "equivalent": "The request means the same to the provider, but is not exactly what the case says.",
    "fail": "At least one check failed.",
    "n/a": "The port lacks a capability or a feature that the case needs.",
    "skip": "The port declared the capability and refused the case all the same; red unless it is a known failure.",
    "not-run": "The case never reached the port; red.",
    "kit-error": "The kit or the corpus failed; nothing is said about the port.",
}
EXITS: Final = {
    "0": "Conformant, or nothing to complain of.",
    "1": "Not conformant, or something moved.",
    "2": "Interrupted.",
    "4": "The command line or the environment is wrong.",
    "5": "No case was selected.",
    "10": "The port could not be run.",
    "11": "A fault in the kit or the corpus.",
}


def _cases(desk: Desk) -> tuple[Case, ...]:
    return corpora.read(desk.root).cases


def _names(cases: list[Case]) -> tuple[str, ...]:
    """The cases' ids, a variant's only where its case is not about it."""
    return tuple(dict.fromkeys(case.name for case in cases))
