"""Plain functions as tools: the hints become the schema, the docstring the descriptions."""

from typing import Literal

from toolnexus import Client, Toolkit

from loop import ask
from stub_provider import provider


def weather(city: str, unit: Literal["C", "F"] = "C") -> str:
    """Weather in a city.

    Args:
        city: The city's name.
        unit: The scale of the temperature.
    """
    return f"18 degrees {unit} in {city}"


kit = Toolkit([weather])
run = {"weather": weather}

print(kit.to_openai()[0]["function"]["parameters"])
with (
    provider("anthropic", "weather", {"city": "Paris"}) as url,
    Client(url, style="anthropic", model="claude-sonnet-4-5", api_key="none") as client,
):
    print(ask(client, kit, "How warm is it in Paris?", lambda name, arguments: run[name](**arguments)))
