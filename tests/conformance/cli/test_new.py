"""new: a case that runs, passes and is right but for its words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from conformance.authoring.scaffold import TEMPLATES

WORDS = ("--title", "A title", "--why", "A reason", "--ref", "SPEC §11")


@pytest.mark.parametrize(
    ("style", "template"),
    [*((style, name) for style in ("anthropic", "openai") for name in TEMPLATES if name != "declare"), ("declare", "")],
)
def test_a_new_case_is_right_as_it_stands(bench: Any, verb: Any, style: str, template: str) -> None:
    clause = "adapters.shape" if style == "declare" else f"{style}.finish"
    chosen = ("--template", template) if template else ()
    ran = verb("new", f"{style}/area/case", "--clause", clause, *chosen, *WORDS, "--fixtures", bench.fixtures)
    assert ran.exit_code == 0
    path = Path(ran.stdout.strip())
    assert path == bench.path(f"{style}/area/case")
    assert bench.lint().out == ""
    assert verb("run", "--fixtures", bench.fixtures, f"{style}/area/case").exit_code == 0


def test_what_is_not_said_is_to_be_written(bench: Any, verb: Any) -> None:
    argv = ("--style", "openai", "--area", "drift", "--name", "new-one", "--clause", "openai.drift")
    assert verb("new", *argv, "--fixtures", bench.fixtures).exit_code == 0
    case = json.loads(bench.path("openai/drift/new-one").read_text("utf-8"))
    assert (case["level"], case["since"], case["source"]["kind"]) == ("should", "1.0", "spec")
    ran = bench.lint()
    assert [line.split(": ")[1] for line in ran.lines] == ["/title", "/why", "/source/ref"]


def test_the_level_is_that_of_its_highest_clause(bench: Any, verb: Any) -> None:
    clauses = ("--clause", "anthropic.pairing", "--clause", "anthropic.results-merge")
    verb("new", "anthropic/a/b", *clauses, "--fixtures", bench.fixtures)
    assert json.loads(bench.path("anthropic/a/b").read_text("utf-8"))["level"] == "must"


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (["anthropic/a/b"], "Missing option '--clause'"),
        (["anthropic/a/b", "--clause", "anthropic.finnish"], "did you mean anthropic.finish?"),
        (["anthropic/A/b", "--clause", "anthropic.finish"], "must be style/area/name, in lower case"),
        (["gemini/a/b", "--clause", "anthropic.finish"], "must begin with anthropic, openai, declare"),
        (["--style", "openai", "--clause", "openai.drift"], "name the case as ID"),
        (["openai/a/b", "--area", "c", "--clause", "openai.drift"], "name the case as ID"),
        (["openai/a/b", "--template", "declare", "--clause", "openai.drift"], "does not go with the id"),
        (["anthropic/a/taken", "--clause", "anthropic.finish"], "is there already"),
        (["anthropic/a/gone", "--clause", "anthropic.finish"], "went for good"),
    ],
)
def test_what_is_wrong_is_one_line(bench: Any, verb: Any, good: Any, argv: list[str], says: str) -> None:
    bench.write(good | {"id": "anthropic/a/taken"})
    (bench.fixtures / "ids.lock").write_text("- anthropic/a/gone\n", "utf-8")
    ran = verb("new", *argv, "--fixtures", bench.fixtures)
    assert ran.exit_code == 4
    (line,) = ran.stderr.splitlines()
    assert says in line
