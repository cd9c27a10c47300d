"""The corpus as one JSON Lines file, to keep in another project: a header with hashes, then a line a case.

The header's `sha256` is over every byte after its line, so that any language can tell whether the file is whole;
`corpus_hash` is the fingerprint that a run's results carry.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final

from conformance import fingerprint
from conformance.authoring.casefile import CaseFile
from conformance.case import Case
from conformance.corpus import Clause, Corpus
from conformance.faults import UsageFault
from conformance.tree import Json, compact

#: The version of the format.
FORMAT: Final = 1


def written(corpus: Corpus, cases: Sequence[Case], *, expanded: bool) -> bytes:
    """The file. As files: each case once, as it is written, variants inside. `expanded`: each variant a case of its
    own, big texts written out."""
    lines = [*_clauses(corpus.clauses.values()), *(_expanded(cases) if expanded else _files(cases))]
    body = b"".join(line.encode() + b"\n" for line in lines)
    header = {
        "format": FORMAT,
        "corpus": corpus.version,
        "corpus_hash": fingerprint.of(corpus.fixtures),
        "expanded": expanded,
        "clauses": len(corpus.clauses),
        "cases": len(lines) - len(corpus.clauses),
        "sha256": sha256(body).hexdigest(),
    }
    return json.dumps(header).encode() + b"\n" + body


def difference(path: Path, wanted: bytes) -> str | None:
    """How a vendored file differs from what it should be, in one line; None where it does not. Raises `UsageFault`."""
    try:
        found = path.read_bytes()
    except OSError as wrong:
        raise UsageFault(f"{path}: {wrong.strerror}") from None
    if found == wanted:
        return None
    first, _, rest = found.partition(b"\n")
    try:
        header = json.loads(first)
        whole = header["sha256"] == sha256(rest).hexdigest()
        named = f"corpus {header['corpus']}, {header['cases']} cases"
    except (ValueError, KeyError, TypeError):
        return f"{path} is no exported corpus: its first line is no header"
    if not whole:
        return f"{path} was changed: its lines do not have the hash of its header"
    return f"{path} is whole, but of another corpus or selection: it has {named}"


def _clauses(clauses: Iterable[Clause]) -> list[str]:
    rows: list[dict[str, Json]] = [{"clause": row.id, "level": row.level, "text": row.text} for row in clauses]
    return [compact(row) for row in rows]


def _files(cases: Sequence[Case]) -> list[str]:
    paths = dict.fromkeys((case.path, case.name) for case in cases)
    return [compact(CaseFile.load(path, name).tree) for path, name in paths]


def _expanded(cases: Sequence[Case]) -> list[str]:
    return [compact({**_alone(case), "id": case.id}) for case in cases]


def _alone(case: Case) -> dict[str, Json]:
    return {key: value for key, value in case.tree.items() if key != "variants"}
