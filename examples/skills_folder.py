"""A folder of skills: one tool that loads them, and a prompt that lists them."""

from pathlib import Path
from typing import Any

from toolnexus import Client
from toolnexus.toolkit import create_toolkit, discover

from loop import ask
from stub_provider import provider

FOLDER = Path(__file__).with_name("skills")

kit = create_toolkit(skills_dir=FOLDER, builtins=False)
skills = {skill.name: skill for skill in discover(FOLDER).found}
print(kit.skills_prompt())


def run(_: str, arguments: Any) -> str:
    """The text of the skill that was asked for."""
    return skills[arguments["name"]].body


with (
    provider("anthropic", "skill", {"name": "tide-tables"}) as url,
    Client(url, style="anthropic", model="claude-sonnet-4-5", api_key="none") as client,
):
    print(ask(client, kit, "May we enter at noon?", run, system=kit.skills_prompt()))
