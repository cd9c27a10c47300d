"""What no report may show: keys, and the addresses of one run, which would make two equal runs look unlike.

A case's key is random, but a port that picks up a real one by itself would send it to the stub: a header that carries
credentials is shown only where it holds the case's key, or a value that the case itself gives (`secrets.never-shown`).
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

from conformance.report.events import CaseJudged, CheckRow, DifferenceRow

#: Headers whose value is, or holds, a credential.
SECRET: Final = frozenset(
    {
        *("authorization", "proxy-authorization", "x-api-key", "api-key", "x-goog-api-key", "x-auth-token"),
        *("cookie", "set-cookie"),
    }
)

#: The keys of every run, this one's too; `stub.py` makes them.
_KEYS: Final = re.compile(r"case-[0-9a-f]{12}-\d{6}")
_PORT: Final = re.compile(r"127\.0\.0\.1:\d+")
_HEADER: Final = re.compile(r"^(?:call \d+ )?header (.+)$")
_SCHEME: Final = re.compile(r"^\w+ +")
_SETTING: Final = re.compile(r"(\w*(?:key|token|secret|password)\w*[= ])[^\s'\"]+", re.IGNORECASE)


def command(line: str) -> str:
    """A command line without the values of what looks like a secret's name."""
    return _SETTING.sub(r"\1(hidden)", line)


class Redactor:
    """Takes out of one case's texts what no report may show; `known` is all that the case itself says."""

    def __init__(self, stub: str, known: str) -> None:
        self._stub = stub
        self._known = known

    def text(self, text: str) -> str:
        """The text with keys as `{key}`, the stub's address as `{stub}`, and nothing that UTF-8 cannot hold."""
        shown = _KEYS.sub("{key}", text).replace(self._stub, "{stub}")
        return shown.encode("utf-8", "backslashreplace").decode("utf-8")

    def header(self, name: str, value: str) -> str:
        """The value of a header, or a word in its place."""
        shown = self.text(value)
        if name.lower() == "host":
            return _PORT.sub("{stub}", shown)
        if name.lower() not in SECRET:
            return shown
        secret = _SCHEME.sub("", shown)
        return shown if secret == "{key}" or (secret and secret in self._known) else "(hidden)"

    def event(self, event: CaseJudged) -> CaseJudged:
        """The event, its differences and all its texts without secrets."""
        return msgspec.structs.replace(
            event,
            checks=tuple(self._check(check) for check in event.checks),
            reason=self.text(event.reason),
            again=command(event.again),
            by_hand=self.text(event.by_hand),
            stderr=tuple(self.text(line) for line in event.stderr),
        )

    def _check(self, check: CheckRow) -> CheckRow:
        if not check.differences:
            return check
        return CheckRow(check.name, check.state, tuple(self._difference(row) for row in check.differences))

    def _difference(self, row: DifferenceRow) -> DifferenceRow:
        header = _HEADER.match(row.where)
        if header is None:
            got = row.got and self.text(row.got)
        else:
            got = None if row.got is None else self.header(header[1], row.got)
        return DifferenceRow(row.where, row.kind, row.want and self.text(row.want), got)
