"""A2A agents: each skill of an agent card is a tool. No task is sent."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .asking import ask_all, reason
from .declaration import Tool
from .environment import expand, expand_all, scrub, secrets_in
from .errors import ToolError
from .names import qualified
from .status import Loaded, SourceStatus, disabled, failed
from .switches import is_on

_TASK = {
    "type": "object",
    "properties": {"task": {"type": "string", "description": "What the agent is to do, in words."}},
    "required": ["task"],
}


@dataclass(frozen=True)
class Agent:
    """An agent: its card as an object, or the card's URL (an agent's bare origin stands for its well-known card).

    `headers` go with the request for the card, `${VARIABLE}`s expanded; `timeout` is in seconds.
    """

    card: str | Mapping[str, Any] = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    timeout: float = 30.0


def configured(block: object) -> Iterator[tuple[str, Agent | Loaded]]:
    """`(name, agent)` of a block `{name: {card, headers?, timeout?}}`; one that cannot be used is a status."""
    if not isinstance(block, Mapping):
        yield "agents", failed("a2a", "agents", "is no object")
        return
    for name, config in block.items():
        if not isinstance(config, Mapping) or not isinstance(config.get("card"), str | Mapping):
            yield name, failed("a2a", name, "has no card")
        elif not is_on(config):
            yield name, disabled("a2a", name)
        else:
            timeout = config.get("timeout")
            seconds = timeout / 1000 if isinstance(timeout, int | float) and timeout > 0 else 30.0
            yield name, Agent(config["card"], config.get("headers") or {}, seconds)


async def load(agents: Sequence[Agent]) -> list[Loaded]:
    """What each agent gives, in order; cards are fetched at the same time.

    An agent that fails gives no tools and a status that says why (clause toolkit.isolated).
    """
    return await ask_all(agents, _load_one) if agents else []


def load_card(card: Mapping[str, Any]) -> Loaded:
    """The tools of a card at hand: `{name, skills: [{id, name, description}]}`."""
    name = card.get("name")
    skills = card.get("skills")
    if not isinstance(name, str) or not name or not isinstance(skills, Sequence) or isinstance(skills, str):
        return failed("a2a", str(name or "agent"), "the card has no name or no list of skills")
    return _declared(name, [_read(skill) for skill in skills])


def _read(skill: object) -> tuple[str, str] | None:
    if not isinstance(skill, Mapping):
        return None
    key = skill.get("id") or skill.get("name")
    text = skill.get("description") or skill.get("name") or ""
    return (key, text) if isinstance(key, str) and isinstance(text, str) else None


async def _load_one(agent: Agent) -> Loaded:
    if not isinstance(agent.card, str):
        return load_card(agent.card)
    label = _label(agent.card)
    secrets: tuple[str, ...] = ()
    try:
        url = expand(agent.card, os.environ)
        headers = expand_all(agent.headers, os.environ)
        secrets = (*headers.values(), *secrets_in(url))
        card = await _fetch(url, headers, agent.timeout)
    except Exception as error:  # whatever an agent does is its own failure, never the toolkit's
        return failed("a2a", label, scrub(reason(error, agent.timeout, "a2a"), secrets))
    return _declared(card.name, [(skill.id or skill.name, skill.description or skill.name) for skill in card.skills])


async def _fetch(url: str, headers: dict[str, str], timeout: float) -> Any:
    import httpx
    from a2a.client import A2ACardResolver
    from anyio import fail_after

    base, mark, query = url.partition("?")
    with fail_after(timeout):  # begins after the imports: they are no fault of the agent's
        async with httpx.AsyncClient(headers=headers, timeout=timeout, follow_redirects=True) as http:
            if base.rstrip("/").count("/") <= 2:
                return await A2ACardResolver(http, base).get_agent_card()
            return await A2ACardResolver(http, f"{base}{mark}{query}", "").get_agent_card()


def _declared(agent: str, skills: Sequence[tuple[str, str] | None]) -> Loaded:
    tools, notes = [], []
    for index, skill in enumerate(skills):
        if skill is None or not skill[0]:
            notes.append(SourceStatus("a2a", f"{agent}/{index}", "skipped", detail="the skill has neither id nor name"))
            continue
        key, text = skill
        try:
            tools.append(Tool(qualified(agent, key), text, _TASK, "a2a", origin=(agent, key)))
        except ToolError as error:
            notes.append(SourceStatus("a2a", f"{agent}/{key}", "skipped", detail=error.reason))
    if not agent:
        return failed("a2a", "agent", "the card has no name")
    return Loaded(tuple(tools), (SourceStatus("a2a", agent, "loaded", len(tools)), *notes))


def _label(url: str) -> str:
    """A URL without what may be secret in it."""
    scheme, _, rest = url.partition("?")[0].partition("//")
    return f"{scheme}//{rest.rpartition('@')[2]}"
