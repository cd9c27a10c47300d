"""What importing loads."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("pydantic", "mcp", "a2a", "yaml", "httpx", "asyncio", "jsonschema")


def loaded(statement: str) -> set[str]:
    code = f"{statement}\nimport sys\nprint(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize(
    "statement",
    [
        "import toolnexus.toolkit",
        "from toolnexus.toolkit import Tool, Toolkit; Toolkit([Tool('a')]).declarations('anthropic')",
        "from toolnexus.toolkit import Toolkit\ndef f(x: int): ...\nToolkit([f]).to_openai()",
    ],
    ids=["import", "declare", "function"],
)
def test_the_toolkit_loads_nothing_heavy(statement: str) -> None:
    assert not set(HEAVY) & (loaded(statement) - loaded("pass"))


def test_reading_hints_is_paid_for_by_those_who_declare_functions() -> None:
    assert "toolnexus.toolkit.hints" not in loaded("import toolnexus.toolkit")
    assert "toolnexus.toolkit.hints" in loaded("from toolnexus.toolkit import tool\ndef f(x: int): ...\ntool(f)")
