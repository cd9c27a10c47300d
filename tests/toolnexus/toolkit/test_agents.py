"""A2A agents: their skills as tools (clauses toolkit.names, toolkit.isolated)."""

from __future__ import annotations

import json
import threading
import time
from typing import Any

import pytest
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill
from google.protobuf.json_format import MessageToDict
from jsonschema import Draft202012Validator
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from toolnexus.toolkit import Agent, create_toolkit
from toolnexus.toolkit.errors import ConfigError

OLD_CARD: dict[str, Any] = {
    "name": "Trip Planner",
    "description": "Plans.",
    "version": "1.0",
    "protocolVersion": "0.3.0",
    "url": "http://127.0.0.1:1/",
    "capabilities": {"streaming": False},
    "defaultInputModes": ["text"],
    "defaultOutputModes": ["text"],
    "skills": [
        {"id": "find.flights", "name": "Flights", "description": "Finds flights.", "tags": ["x"]},
        {"id": "hotels", "name": "Hotels", "description": "", "tags": []},
    ],
}
NEW_CARD: dict[str, Any] = MessageToDict(
    AgentCard(
        name="Trip Planner",
        description="Plans.",
        version="1.0",
        supported_interfaces=[
            AgentInterface(url="http://127.0.0.1:1/", protocol_binding="JSONRPC", protocol_version="1.0")
        ],
        capabilities=AgentCapabilities(streaming=False),
        default_input_modes=["text"],
        default_output_modes=["text"],
        skills=[
            AgentSkill(id="find.flights", name="Flights", description="Finds flights.", tags=["x"]),
            AgentSkill(id="hotels", name="Hotels", description="", tags=["x"]),
        ],
    )
)
NAMES = ("Trip_Planner_find_flights", "Trip_Planner_hotels")


def made(*agents: Any, **more: Any) -> Any:
    return create_toolkit(agents=agents, builtins=False, **more)


@pytest.mark.parametrize("card", [OLD_CARD, NEW_CARD], ids=["0.3", "1.0"])
def test_each_skill_of_a_card_is_a_tool(card: dict[str, Any], httpserver: HTTPServer) -> None:
    httpserver.expect_request("/.well-known/agent-card.json").respond_with_json(card)
    by_origin = made(httpserver.url_for("/"))
    by_url = made(httpserver.url_for("/.well-known/agent-card.json"))
    by_card = made(card)
    assert by_origin.tools() == by_url.tools() == by_card.tools()
    assert by_card.names() == NAMES
    flights, hotels = by_card
    assert (flights.description, flights.source, flights.origin) == (
        "Finds flights.",
        "a2a",
        ("Trip Planner", "find.flights"),
    )
    assert hotels.description == "Hotels"
    validator = Draft202012Validator(flights.input_schema)
    assert validator.is_valid({"task": "Paris"})
    assert not validator.is_valid({})
    assert not validator.is_valid({"task": 5})
    assert [(entry.kind, entry.name, entry.state, entry.tools) for entry in by_url.status()][-1] == (
        "a2a",
        "Trip Planner",
        "loaded",
        2,
    )


def test_an_agent_that_fails_is_reported_and_the_others_stay(httpserver: HTTPServer) -> None:
    httpserver.expect_request("/good").respond_with_json(OLD_CARD)
    httpserver.expect_request("/html").respond_with_data("<html>", content_type="text/html")
    httpserver.expect_request("/list").respond_with_json([])
    httpserver.expect_request("/nameless").respond_with_json({"skills": []})
    kit = made(
        httpserver.url_for("/gone"),
        httpserver.url_for("/html"),
        httpserver.url_for("/list"),
        httpserver.url_for("/nameless"),
        "http://127.0.0.1:1/card",
        {"name": "No skills"},
        {"skills": []},
        httpserver.url_for("/good"),
    )
    assert kit.names() == NAMES
    states = [(entry.state, entry.detail) for entry in kit.status() if entry.kind == "a2a"]
    assert [state for state, _ in states] == ["failed"] * 7 + ["loaded"]
    assert all(detail for state, detail in states if state == "failed")
    assert "HTTP 500" in states[0][1]


def test_a_skill_without_an_id_is_skipped() -> None:
    kit = made({"name": "a", "skills": [{"description": "x"}, "x", {"name": "by name"}]})
    assert kit.names() == ("a_by_name",)
    assert [entry.name for entry in kit.status() if entry.state == "skipped"] == ["a/0", "a/1"]


def test_headers_are_expanded_and_never_shown(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENT_ACCESS", "t0ken-value")

    def guarded(request: Request) -> Response:
        given = request.headers.get("Authorization", "")
        if given != "Bearer t0ken-value":
            return Response(f"not {given}", 401)
        return Response(json.dumps(OLD_CARD), content_type="application/json")

    httpserver.expect_request("/card").respond_with_handler(guarded)
    url = httpserver.url_for("/card") + "?key=q-secret"
    good = Agent(url, {"Authorization": "Bearer ${AGENT_ACCESS}"})
    bad = Agent(url, {"Authorization": "Bearer wr0ng-value"})
    unset = Agent(url, {"Authorization": "Bearer ${NOT_SET_ANYWHERE}"})
    kit = made(good, bad, unset)
    assert kit.names() == NAMES
    shown = repr((kit.status(), good, bad))
    assert "NOT_SET_ANYWHERE is not set" in shown
    assert not [word for word in ("t0ken-value", "wr0ng-value", "q-secret") if word in shown]


def test_a_slow_agent_is_given_up_in_time(httpserver: HTTPServer) -> None:
    done = threading.Event()

    def slow(_: Request) -> Response:
        done.wait(30)
        return Response("{}")

    httpserver.expect_request("/card").respond_with_handler(slow)
    begin = time.monotonic()
    kit = made(Agent(httpserver.url_for("/card"), timeout=0.2))
    spent = time.monotonic() - begin
    done.set()
    assert spent < 20
    assert [entry.state for entry in kit.status() if entry.kind == "a2a"] == ["failed"]


def test_the_configuration_may_list_agents(httpserver: HTTPServer) -> None:
    httpserver.expect_request("/card").respond_with_json(OLD_CARD)
    config = {
        "mcpServers": {},
        "agents": {
            "a": {"card": httpserver.url_for("/card"), "timeout": 5000},
            "b": {"card": {"name": "b", "skills": [{"id": "x"}]}},
            "off": {"card": "http://127.0.0.1:1", "disabled": True},
            "broken": {},
        },
    }
    kit = create_toolkit(mcp_config=config, builtins=False)
    assert kit.names() == (*NAMES, "b_x")
    assert {entry.name: entry.state for entry in kit.status() if entry.kind == "a2a"} == {
        "Trip Planner": "loaded",
        "b": "loaded",
        "off": "disabled",
        "broken": "failed",
    }


def test_anything_else_is_no_agent() -> None:
    with pytest.raises(ConfigError, match="an agent is a card"):
        made(5)
