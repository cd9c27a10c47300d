"""What importing loads."""

from __future__ import annotations

import subprocess
import sys

import pytest

import toolnexus.toolkit

HEAVY = {"pydantic", "mcp", "a2a", "yaml", "jsonschema", "google.protobuf"}


def loaded(statement: str) -> set[str]:
    code = f"{statement}\nimport sys\nprint(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize(
    "statement",
    [
        "import toolnexus",
        "import toolnexus.toolkit",
        "from toolnexus.toolkit import Tool, Toolkit; Toolkit([Tool('a')]).declarations('anthropic')",
        "from toolnexus.toolkit import Toolkit\ndef f(x: int): ...\nToolkit([f]).to_openai()",
        "from toolnexus.toolkit import create_toolkit as c\nfrom tempfile import mkdtemp\n"
        "c(skills_dir=mkdtemp(), agents=[{'name': 'a', 'skills': []}])",
    ],
    ids=["package", "import", "declare", "function", "create"],
)
def test_the_toolkit_loads_nothing_heavy(statement: str) -> None:
    assert not HEAVY & loaded(statement)


def test_sources_are_loaded_by_those_who_use_them() -> None:
    modules = {
        f"toolnexus.toolkit.{name}" for name in ("create", "mcp", "skills", "http", "openapi", "agents", "builtins")
    }
    assert not modules & loaded("import toolnexus.toolkit")
    assert modules - {"toolnexus.toolkit.mcp", "toolnexus.toolkit.openapi"} <= loaded(
        "from toolnexus.toolkit import create_toolkit"
    )
    with pytest.raises(AttributeError, match="no attribute 'execute'"):
        toolnexus.toolkit.execute  # noqa: B018


def test_every_name_offered_is_there() -> None:
    assert all(getattr(toolnexus.toolkit, name) is not None for name in toolnexus.toolkit.__all__)


def test_reading_hints_is_paid_for_by_those_who_declare_functions() -> None:
    assert "toolnexus.toolkit.hints" not in loaded("import toolnexus.toolkit")
    assert "toolnexus.toolkit.hints" in loaded("from toolnexus.toolkit import tool\ndef f(x: int): ...\ntool(f)")
