"""An A2A agent: each skill of its card is a tool. The task is yours to send."""

from typing import Any

from toolnexus import Client
from toolnexus.toolkit import create_toolkit

from loop import ask
from stub_provider import provider

CARD = {
    "name": "pilot",
    "description": "Brings ships in.",
    "skills": [
        {"id": "route", "name": "Route", "description": "Plans the way from the sea to a pier."},
        {"id": "risk", "name": "Risk", "description": "Judges whether a ship may enter."},
    ],
}

kit = create_toolkit(agents=[CARD], builtins=False)  # a card's URL is fetched: agents=["https://pilot.example"]
print(*kit.names())


def run(name: str, arguments: Any) -> str:
    """What the agent answers; send the task with your A2A client here."""
    agent, skill = kit.get(name).origin
    return f"{agent} does {skill}: {arguments['task']}"


with (
    provider("openai", "pilot_route", {"task": "Bring the Ann Lee to pier 7."}) as url,
    Client(url, style="openai", model="gpt-5", api_key="none") as client,
):
    print(ask(client, kit, "Plan the way to pier 7.", run))
