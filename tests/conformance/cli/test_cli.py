"""The command itself: every verb explains itself, and whatever goes wrong is one line and an exit code."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from conformance.cli import VERBS


def test_the_help_names_every_verb_and_where_to_begin(verb: Any) -> None:
    ran = verb("--help")
    assert ran.exit_code == 0
    listed = re.findall(r"^  ([a-z]+)  ", ran.stdout.partition("Commands:")[2], re.MULTILINE)
    assert set(VERBS) <= set(listed)
    assert "Where to begin:" in ran.stdout


@pytest.mark.parametrize("name", sorted(VERBS))
def test_every_verb_has_help_with_an_example(verb: Any, name: str) -> None:
    ran = verb(name, "--help")
    assert ran.exit_code == 0
    text = ran.stdout
    if "Commands:" in text:  # a verb with verbs of its own
        inner = re.findall(r"^  ([a-z]+)  ", text.partition("Commands:")[2], re.MULTILINE)
        assert inner
        text = "".join(verb(name, one, "--help").stdout for one in inner)
    assert f"toolnexus-conformance {name}" in text.partition("Example")[2]


#: Verbs whose examples name cases that are yet to be made.
INVENTING = {"import", "new", "record"}


def helps(verb: Any) -> Iterator[str]:
    """The help of every verb that speaks of cases there are, and of the verbs that some of them have."""
    for name in sorted(set(VERBS) - INVENTING):
        text = verb(name, "--help").stdout
        yield text
        for inner in re.findall(r"^  ([a-z]+)  ", text.partition("Commands:")[2], re.MULTILINE):
            yield verb(name, inner, "--help").stdout


def test_the_cases_that_helps_name_exist(verb: Any) -> None:
    texts = "".join(helps(verb))
    named = set(re.findall(r"(?<![\w/])(?:anthropic|openai)/[a-z-]+/[a-z-]+(?:\[[\w.-]+\])?", texts))
    assert "anthropic/tool-results/two-results-one-turn" in named
    assert {case: verb("show", case).exit_code for case in named} == dict.fromkeys(named, 0)


def test_the_bare_command_shows_its_help_and_is_wrong_usage(verb: Any) -> None:
    for argv in ([], ["report"]):
        ran = verb(*argv)
        assert ran.exit_code == 4
        assert ran.stderr == verb(*argv, "--help").stdout


@pytest.mark.parametrize("module", ["click", "pytest_httpserver"])
def test_without_the_extra_the_cure_is_said_in_one_line(module: str) -> None:
    program = (
        f"import sys; sys.modules[{module!r}] = None; from conformance.cli import main; sys.exit(main(['run', 'x']))"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ran.returncode == 4
    assert ran.stderr == ("toolnexus-conformance: needs its extra: pip install 'toolnexus-conformance[conformance]'\n")


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (["nope"], "No such command 'nope'"),
        (["run"], "Missing argument 'ID'"),
        (["run", "--nope"], "No such option"),
        (["list", "--level", "shall"], "'shall' is not one of"),
        (["show", "anthropic/finish/end-turn-is-stopp"], "did you mean anthropic/finish/end-turn-is-stop?"),
        (["run", "nowhere.json"], "nowhere.json: no such file"),
        (["export", "-o", "/no/such/folder/x.jsonl"], "/no/such/folder/x.jsonl: No such file or directory"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_4(verb: Any, argv: list[str], says: str) -> None:
    ran = verb(*argv)
    assert ran.exit_code == 4
    assert ran.stdout == ""
    (line,) = ran.stderr.splitlines()
    assert line.startswith("Error: ")
    assert says in line


def test_the_version_is_the_distributions(verb: Any) -> None:
    assert re.fullmatch(r"toolnexus-conformance, version \d+\.\d+\.\d+\n", verb("--version").stdout)


def test_no_verb_but_translate_and_the_port_imports_the_translator() -> None:
    code = (
        "import importlib, sys; from conformance.cli import VERBS;"
        "[importlib.import_module(module) for module in VERBS.values()]; print('toolnexus' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n"


def test_a_reader_that_has_seen_enough_is_no_fault() -> None:
    listing = subprocess.Popen(
        [sys.executable, "-m", "conformance.cli", "list"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert listing.stdout is not None
    assert listing.stderr is not None
    with listing:
        listing.stdout.readline()
        listing.stdout.close()
        said = listing.stderr.read()
    assert b"Traceback" not in said
