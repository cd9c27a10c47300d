"""Each example is run as a reader would run it, on loopback alone, and says what it should."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"

PARAMETERS = (
    "{'type': 'object', 'properties': {'city': {'type': 'string', 'description': \"The city's name.\"}, "
    "'unit': {'type': 'string', 'enum': ['C', 'F'], 'description': 'The scale of the temperature.', 'default': 'C'}}, "
    "'required': ['city'], 'additionalProperties': False}"
)
TIDE = "High tide in Brest at 14:05"
OUTPUT = {
    "native_function.py": [PARAMETERS, "The tool said: 18 degrees C in Paris"],
    "mcp_tools.py": ["mcp harbour loaded 2 ", "builtin builtins disabled 0 ", f"The tool said: {TIDE}"],
    "skills_folder.py": [
        "Skills hold instructions for particular tasks. When a task fits one below, load it with the skill tool first.",
        "",
        "## Available Skills",
        "- **harbour-letters**: Write to the harbour master in the form the office expects.",
        "- **tide-tables**: Read a tide table and say when a ship of a given draught may enter.",
        "The tool said: Look for the row of the day. A ship may enter when the height is above its draught plus half a "
        "metre.",
    ],
    "http_endpoints.py": ["pier find_ship", 'The tool said: {"asked": "/ships/Ann%20Lee?history=true"}'],
    "agent_card.py": ["pilot_route pilot_risk", "The tool said: pilot does route: Bring the Ann Lee to pier 7."],
    "builtin_tools.py": [
        "read grep glob webfetch question todowrite",
        'The tool said: """The builtins: ten names and schemas that models know. What they do is yours to write."""',
    ],
    "round_trip.py": [
        f'anthropic: harbour_next_high_tide({{"port": "Brest"}}) gave \'{TIDE}\'',
        f"anthropic: The tool said: {TIDE}",
        f'openai: harbour_next_high_tide({{"port": "Brest"}}) gave \'{TIDE}\'',
        f"openai: The tool said: {TIDE}",
    ],
}
BLOCK = re.compile(r"^```python\n# examples/(\w+\.py)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
HELPERS = {"stub_provider.py", "loop.py", "mcp_server.py"}

# Loaded by every interpreter that an example starts: a connection to anywhere else is an error.
GUARD = """
import socket

def _local(connect):
    def guarded(self, address):
        if self.family != socket.AF_UNIX and address[0] not in ("127.0.0.1", "::1", "localhost"):
            raise OSError(f"an example reached out to {address[0]}")
        return connect(self, address)
    return guarded

socket.socket.connect = _local(socket.socket.connect)
socket.socket.connect_ex = _local(socket.socket.connect_ex)
"""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "sitecustomize.py").write_text(GUARD, "utf-8")
    kept = {name: value for name, value in os.environ.items() if not name.lower().endswith(("_key", "_proxy"))}
    given = os.environ.get("PYTHONPATH")
    return {**kept, "PYTHONPATH": os.pathsep.join([str(tmp_path), *([given] if given else [])]), "PYTHONUTF8": "1"}


def run(script: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "always::ResourceWarning", str(script)]
    return subprocess.run(
        command,
        cwd=script.anchor,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("name", OUTPUT)
def test_an_example_says_what_it_should(name: str, environment: dict[str, str]) -> None:
    done = run(EXAMPLES / name, environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == OUTPUT[name]


def test_the_guard_keeps_examples_on_this_machine(environment: dict[str, str], tmp_path: Path) -> None:
    script = tmp_path / "reaches_out.py"
    script.write_text("import socket\nsocket.create_connection(('192.0.2.1', 80), timeout=1)\n", "utf-8")
    done = run(script, environment)
    assert done.returncode == 1
    assert "an example reached out to 192.0.2.1" in done.stderr


def test_every_example_is_run_and_listed() -> None:
    scripts = {path.name for path in EXAMPLES.glob("*.py")}
    assert scripts == {*OUTPUT, *HELPERS}
    listed = set(re.findall(r"\]\((\w+\.py)\)", (EXAMPLES / "README.md").read_text("utf-8")))
    assert listed == scripts


def test_pages_show_the_examples_as_they_are() -> None:
    """A block of a page that names an example in its first line is made of pieces of that file."""
    shown = 0
    for page in (ROOT / "README.md", EXAMPLES / "README.md"):
        for name, block in BLOCK.findall(page.read_text("utf-8")):
            text = (EXAMPLES / name).read_text("utf-8")
            for piece in block.split("\n...\n"):
                assert piece.strip("\n") in text, f"{page} shows another {name}"
            shown += 1
    assert shown
