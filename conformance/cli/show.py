"""`show`: one case, for people."""

from __future__ import annotations

from pathlib import Path

import click

from conformance import corpus as corpora
from conformance.canonical import write
from conformance.case import Case
from conformance.corpus import Corpus


@click.command("show")
@click.option("--fixtures", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Another corpus.")
@click.option("--json", "as_json", is_flag=True, help="The case as it is run: the file, or with the variant applied.")
@click.argument("case_id", metavar="ID")
def command(fixtures: Path | None, as_json: bool, case_id: str) -> int:
    """Show a case by its id, `case[variant]` for a variant: what it demands, why, and its data."""
    corpus = corpora.read(corpora.find(fixtures), [case_id.partition("[")[0]])
    found = [case for case in corpora.choose(corpus, ids=[case_id]) if case.id == case_id]
    for case in found:
        click.echo(write(case.tree) if as_json else _told(case, corpus))
    return 0


def _told(case: Case, corpus: Corpus) -> str:
    variants = [other.variant for other in corpus.cases if other.name == case.name and other.variant]
    facts = {
        "title": case.title,
        "level": case.level,
        "why": case.why,
        "source": f"{case.source['kind']}: {case.source['ref']}",
        "since": case.since,
        "requires": ", ".join(case.needs),
        "features": ", ".join(sorted(case.features)) or "none",
        "variants": ", ".join(variants) or "none",
        "file": str(case.path),
    }
    clauses = [f"  {name}: {_text(name, corpus)}" for name in case.clauses]
    data = {key: value for key, value in case.tree.items() if key in _DATA}
    return "\n".join([case.id, *(f"  {key:9} {fact}" for key, fact in facts.items()), "clauses", *clauses, write(data)])


#: The parts of a case that are run, as against those that tell of it.
_DATA = frozenset(
    {
        *("repeat", "client", "toolkit", "hooks", "request_params", "body_transform", "request", "request_text"),
        *("exchanges", "declare", "stream", "deltas", "result", "error", "fired", "warnings"),
    }
)


def _text(clause: str, corpus: Corpus) -> str:
    return corpus.clauses[clause].text if clause in corpus.clauses else "(no such clause)"
