"""One shard of a run: which of several machines runs a case, for as long as the case has its id."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

from conformance.faults import UsageFault


@dataclass(frozen=True, slots=True)
class Shard:
    """The `number`th of `count` shards, from 1; written `i/n`."""

    number: int
    count: int

    def holds(self, case: str) -> bool:
        """Is the case with this id in the shard? Cases that come or go move no other."""
        return int.from_bytes(sha256(case.encode()).digest()[:8]) % self.count == self.number - 1

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"


def parse(text: str) -> Shard:
    """The shard that `i/n` names; raises `UsageFault`."""
    number, slash, count = text.partition("/")
    if slash and number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count):
        return Shard(int(number), int(count))
    raise UsageFault(f"{text!r} is no shard; write i/n, such as 1/4")
