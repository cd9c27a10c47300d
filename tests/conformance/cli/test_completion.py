"""completion: what the shell is told, and what it then offers."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import Any

import pytest


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_each_shell(verb: Any, shell: str) -> None:
    ran = verb("completion", shell)
    assert ran.exit_code == 0
    assert f"_TOOLNEXUS_CONFORMANCE_COMPLETE={shell}_complete" in ran.stdout


@pytest.mark.parametrize("shell", [shell for shell in ("bash", "zsh", "fish") if shutil.which(shell)])
def test_the_shell_can_read_it(verb: Any, shell: str) -> None:
    script = verb("completion", shell).stdout
    subprocess.run([shell, "-n"], input=script, text=True, check=True)


def offered(*words: str) -> list[str]:
    """What bash is offered for the last word."""
    env = {
        **os.environ,
        "_TOOLNEXUS_CONFORMANCE_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(("toolnexus-conformance", *words)),
        "COMP_CWORD": str(len(words)),
    }
    ran = subprocess.run([sys.executable, "-m", "conformance.cli"], capture_output=True, text=True, env=env, check=True)
    return [line.partition(",")[2] for line in ran.stdout.splitlines() if line]


def test_verbs_ids_and_clauses_are_offered() -> None:
    assert {"run", "record", "report"} <= set(offered("r"))
    assert "anthropic/finish/end-turn-is-stop" in offered("run", "anthropic/finish/e")
    assert offered("list", "--clause", "anthropic.finish") == ["anthropic.finish", "anthropic.finish-more"]
    assert "tool-id-mapped" in offered("explain", "tool-")


def test_a_broken_corpus_offers_nothing(bench: Any) -> None:
    (bench.fixtures / "clauses.json").write_text("{", "utf-8")
    assert offered("new", "--fixtures", str(bench.fixtures), "--clause", "a") == []
