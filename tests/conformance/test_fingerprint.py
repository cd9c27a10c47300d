"""The corpus' hash: every byte a verdict depends on, and nothing else."""

from __future__ import annotations

import hashlib
from typing import Any

from conformance import fingerprint


def test_it_is_what_sha256sum_says(folder: Any) -> None:
    folder.add()
    paths = ["cases/anthropic/text/hello.json", "clauses.json", "equivalences.json"]
    lines = [f"{hashlib.sha256((folder.path / path).read_bytes()).hexdigest()}  {path}\n" for path in paths]
    assert fingerprint.of(folder.path) == f"sha256:{hashlib.sha256(''.join(lines).encode()).hexdigest()}"


def test_a_changed_case_a_new_one_and_a_changed_clause_change_it(folder: Any) -> None:
    folder.add()
    seen = {fingerprint.of(folder.path)}
    folder.add(title="Another title")
    seen.add(fingerprint.of(folder.path))
    folder.add("anthropic/text/other")
    seen.add(fingerprint.of(folder.path))
    clauses = folder.path / "clauses.json"
    clauses.write_text(clauses.read_text("utf-8").replace("once", "twice"), "utf-8")
    seen.add(fingerprint.of(folder.path))
    assert len(seen) == 4


def test_what_no_verdict_depends_on_leaves_it(folder: Any) -> None:
    folder.add()
    before = fingerprint.of(folder.path)
    (folder.path / "README.md").write_text("read me")
    assert fingerprint.of(folder.path) == before
