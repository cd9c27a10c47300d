"""What two corpora are told apart by."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Final

from conformance import corpus as corpora

#: Beside the cases: what a verdict depends on.
_JUDGING: Final = ("clauses.json", "equivalences.json")


def of(fixtures: Path) -> str:
    """`sha256:…` over the names and bytes of all cases, clauses and equivalences; the order of files does not matter.

    It is the SHA-256 of one line a file, `<sha256 of its bytes>  <path in fixtures>`, sorted by path, as
    `sha256sum` writes them.
    """
    names = [f"cases/{name}.json" for name, _ in corpora.files(fixtures)]
    names += [name for name in _JUDGING if (fixtures / name).is_file()]
    whole = sha256()
    for name in sorted(names):
        whole.update(f"{sha256((fixtures / name).read_bytes()).hexdigest()}  {name}\n".encode())
    return f"sha256:{whole.hexdigest()}"
