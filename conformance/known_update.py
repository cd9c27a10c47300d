"""A ledger brought up to date with a run: entries that are wrong go or change, new failures come, comments stay."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import tomlkit
from tomlkit.items import AoT, Comment, Item, Table, Whitespace

from conformance.faults import UsageFault
from conformance.known import SAID_NOTHING, failing, pattern
from conformance.report.events import CaseJudged

#: Variables by which CI servers say who they are.
_CI: Final = ("CI", "CONTINUOUS_INTEGRATION", "BUILD_NUMBER")


def refuse_in_ci(environ: Mapping[str, str] = os.environ) -> None:
    """A ledger that CI writes would agree with everything; raises `UsageFault`."""
    for name in _CI:
        if environ.get(name, "").lower() not in ("", "0", "false"):
            raise UsageFault(f"no ledger is rewritten in CI ({name} is set): somebody has to say what a failure means")


@dataclass
class Changes:
    """What an update did, for people."""

    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.removed)


@dataclass
class _Block:
    """An entry, and the comments and blank lines before it."""

    before: str
    table: Table


class Update:
    """One update. `because` and `issue` are what new entries say; left empty, a reader has to fill them in."""

    def __init__(self, cases: Iterable[CaseJudged], accept: str, because: str = "", issue: str = "") -> None:
        judged = [case for case in cases if case.state not in SAID_NOTHING]
        self._failing = {case.id: failing(case, accept) for case in judged}
        self._new = {case.id for case in judged if case.level != "may"}
        self._because = because
        self._issue = issue
        self._covered: set[tuple[str, str]] = set()
        self.changes = Changes()

    def of(self, path: Path) -> str:
        """The text of the ledger as it should be; a file that is not there yet is an empty one."""
        text = path.read_text("utf-8") if path.exists() else ""
        head, blocks, tail = _taken_apart(text)
        kept: list[_Block] = []
        loose = ""
        for block in blocks:
            updated = self._updated(block.table)
            if updated:
                kept.append(_Block(_joined(loose, block.before), updated[0]))
                kept.extend(_Block("\n", table) for table in updated[1:])
                loose = ""
            else:
                loose = _joined(loose, _detached(block.before))
        tail = _joined(loose, tail)
        kept.extend(self._added(bool(head.strip() or kept)))
        written = head + "".join(block.before + _text(block.table) for block in kept) + tail
        return written.strip("\n") + "\n" if written.strip() else ""

    def _updated(self, table: Table) -> Sequence[Table]:
        """The entry as it is, with another signature, as several of which each is right, or gone."""
        case, check = str(table["case"]), str(table["check"])
        matched = [name for name in self._failing if pattern(case).fullmatch(name)]
        if not matched:
            return [table]
        bad = [name for name in matched if check in self._failing[name]]
        self._covered.update((name, check) for name in bad)
        if not bad:
            self.changes.removed.append(f"{case} ({check})")
            return []
        if len(bad) == len(matched):
            return [self._signed(table, bad)]
        self.changes.changed.append(f"{case} ({check}): now {len(bad)} of {len(matched)}, each by its name")
        return [self._signed(_copy(table, case=name), [name], told=False) for name in bad]

    def _signed(self, table: Table, names: Sequence[str], *, told: bool = True) -> Table:
        check = str(table["check"])
        found = list(dict.fromkeys(self._failing[name][check] for name in names))
        before = table["signature"]
        listed = list(before) if isinstance(before, list) else [str(before)]
        if not all(_accepts(listed, signature) for signature in found) or len(listed) > len(found):
            table["signature"] = found[0] if len(found) == 1 else found
            if told:
                self.changes.changed.append(f"{table['case']} ({check}): {' or '.join(found)}")
        return table

    def _added(self, after_something: bool) -> list[_Block]:
        blocks: list[_Block] = []
        for name, checks in self._failing.items():
            for check, signature in checks.items():
                if (name, check) not in self._covered and name in self._new:
                    self.changes.added.append(f"{name} ({check}): {signature}")
                    row = {"case": name, "check": check, "signature": signature}
                    row |= {"because": self._because, "issue": self._issue}
                    blocks.append(_Block("\n" if after_something or blocks else "", _table(row)))
        return blocks


def _accepts(listed: Sequence[str], signature: str) -> bool:
    from conformance.known import Entry

    return Entry(0, "", "", tuple(listed), "", "").accepts(signature)


# -- the file as text -------------------------------------------------------------------------------------------------


def _taken_apart(text: str) -> tuple[str, list[_Block], str]:
    """What comes before the first entry, the entries, and what comes after the last."""
    document = tomlkit.parse(text)
    head, tables = "", []
    for _, item in document.body:
        if isinstance(item, AoT):
            tables = list(item.body)
        else:
            head += item.as_string()
    blocks: list[_Block] = []
    before = ""
    for table in tables:
        after = _cut_after(table)
        blocks.append(_Block(before, table))
        before = after
    return head, blocks, before


def _cut_after(table: Table) -> str:
    """Take what follows the last key of an entry away from it: it belongs to the next one, or to nobody."""
    body = table.value.body
    cut: list[Item] = []
    while body and isinstance(body[-1][1], (Comment, Whitespace)):
        cut.insert(0, body.pop()[1])
    return "".join(item.as_string() for item in cut)


def _detached(before: str) -> str:
    """The comments before an entry that a blank line parts from it: they stay when it goes."""
    lines = before.splitlines(keepends=True)
    while lines and lines[-1].strip():
        lines.pop()
    return "".join(lines)


def _joined(first: str, then: str) -> str:
    """Two stretches of comments with one blank line between them."""
    return first + then.lstrip("\n") if first.endswith("\n\n") else first + then


def _text(table: Table) -> str:
    document, entries = tomlkit.document(), tomlkit.aot()
    entries.append(table)
    document.append("known", entries)
    return document.as_string()


def _table(row: Mapping[str, Any]) -> Table:
    table = tomlkit.table()
    for key, value in row.items():
        table.add(key, value)
    return table


def _copy(table: Table, **changed: str) -> Table:
    return _table({key: changed.get(key, value) for key, value in table.unwrap().items()})
