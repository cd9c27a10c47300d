"""The verdict on one case: what was expected, held against what was observed.

A check that could not be judged is left out, and a case without a judged check is never green.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Literal

from conformance import checks
from conformance.case import Case
from conformance.checks import Check, Equivalences
from conformance.drivers.message import Hello
from conformance.faults import KitFault
from conformance.observation import Answer, NotStarted, Observation


@dataclass(frozen=True, slots=True)
class Passed:
    """Everything is exactly as the case says."""

    checks: tuple[Check, ...]


@dataclass(frozen=True, slots=True)
class Equivalent:
    """The request means the same to the provider, but is not exactly what the case says."""

    checks: tuple[Check, ...]


@dataclass(frozen=True, slots=True)
class Failed:
    """At least one check failed."""

    checks: tuple[Check, ...]


@dataclass(frozen=True, slots=True)
class NotApplicable:
    """The port lacks a capability or a feature that the case needs."""

    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Skipped:
    """The port declared the capability and refused the case all the same."""

    reason: str
    issue: str


@dataclass(frozen=True, slots=True)
class NotRun:
    """The case never reached the port."""

    reason: str


@dataclass(frozen=True, slots=True)
class KitError:
    """The kit or the corpus failed; nothing is said about the port."""

    reason: str


Verdict = Passed | Equivalent | Failed | NotApplicable | Skipped | NotRun | KitError
State = Literal["pass", "equivalent", "fail", "n/a", "skip", "not-run", "kit-error"]

_STATES: Final[dict[type, State]] = {
    Passed: "pass",
    Equivalent: "equivalent",
    Failed: "fail",
    NotApplicable: "n/a",
    Skipped: "skip",
    NotRun: "not-run",
    KitError: "kit-error",
}


#: Every state a case can be in.
STATES: Final = tuple(_STATES.values())


def state_of(verdict: Verdict) -> State:
    """The verdict's name in reports (corpus-and-protocol, "States")."""
    return _STATES[type(verdict)]


def not_applicable(case: Case, hello: Hello) -> NotApplicable | None:
    """Why the case need not be run against this port, if so."""
    missing = [need for need in case.needs if need not in hello.capabilities]
    if hello.lacks:
        missing.extend(sorted(case.features.intersection(hello.lacks)))
    return NotApplicable(tuple(missing)) if missing else None


def judge(case: Case, seen: Observation, hello: Hello, stub: str, equivalences: Callable[[], Equivalences]) -> Verdict:
    """The verdict; a comparison that fails without a difference to show is a `KitError`."""
    if seen.stub_fault is not None:
        return KitError(seen.stub_fault)
    match seen.outcome:
        case NotStarted(message=reason):
            return NotRun(reason)
        case Answer(value={"skip": {"reason": str() as reason, **more}}):
            return Skipped(reason, str(more.get("issue", "")))
    try:
        return _summed(tuple(_checks(case, seen, hello, stub, equivalences)))
    except KitFault as wrong:
        return KitError(str(wrong))


def _checks(
    case: Case, seen: Observation, hello: Hello, stub: str, equivalences: Callable[[], Equivalences]
) -> Iterator[Check]:
    if case.exchanges and seen.calls:
        yield checks.request(case, seen, stub, equivalences)
    yield checks.calls(case, seen)
    yield checks.result(case, seen, pointers="pointers" in hello.capabilities)
    if "warnings" not in hello.capabilities:
        yield Check("warnings", "n/a")
    elif (found := checks.warnings(case, seen.outcome)) is not None:
        yield found


def _summed(found: tuple[Check, ...]) -> Verdict:
    states = {check.state for check in found}
    if "fail" in states:
        return Failed(found)
    if "equivalent" in states:
        return Equivalent(found)
    return Passed(found) if "pass" in states else KitError("no check of the case was judged")
