"""Faults in system prompts, both styles."""

from __future__ import annotations

from typing import Any

from tests.mutants.exchange import Ask
from tests.mutants.mutant import body, options, request
from tests.mutants.walk import is_blank, joined, objects, turns

Tree = dict[str, Any]

_SYSTEM = ("system", "developer")


def _system(request: Tree) -> list[Tree]:
    return [turn for turn in turns(request) if turn.get("role") in _SYSTEM]


@request("anthropic")
def hoists_only_leading_system_messages(request: Tree) -> None:
    """A system message further down becomes a user's."""
    leading = True
    for turn in request["messages"]:
        leading = leading and turn["role"] in _SYSTEM
        if not leading and turn["role"] in _SYSTEM:
            turn["role"] = "user"


@request("anthropic")
def takes_developers_for_users(request: Tree) -> None:
    """A developer message becomes a user's."""
    for turn in turns(request, "developer"):
        turn["role"] = "user"


@request("anthropic")
def keeps_only_the_last_system_message(request: Tree) -> None:
    """Of several system messages only the last is sent."""
    for turn in [turn for turn in _system(request) if not is_blank(turn.get("content"))][:-1]:
        turn["content"] = ""


@body("anthropic")
def joins_system_by_one_line_end(body: Tree) -> None:
    """System messages are joined by a single line end."""
    body["system"] = body["system"].replace("\n\n", "\n")


@body("anthropic")
def sends_system_as_blocks(body: Tree, ask: Ask) -> None:
    """A hoisted system message is sent as a list of blocks."""
    if isinstance(body["system"], str) and len(_system(ask.request)) == 1 and not ask.request.get("system"):
        body["system"] = [{"type": "text", "text": body["system"]}]


@body("anthropic")
def strips_system_text(body: Tree) -> None:
    """White space around a system text is stripped."""
    body["system"] = body["system"].strip()


@request("anthropic")
def joins_system_parts_by_a_line_end(request: Tree) -> None:
    """Text parts of a system message are joined by line ends."""
    for turn in _system(request):
        if isinstance(turn["content"], list):
            turn["content"] = "\n".join(part["text"] for part in turn["content"])


@body("anthropic")
def sends_blank_system(body: Tree, ask: Ask) -> None:
    """Where every system text is blank an empty system field is sent."""
    if "system" not in body and any(turn.get("content") is not None for turn in _system(ask.request)):
        body["system"] = ""


@request("anthropic")
def joins_blank_system_messages(request: Tree) -> None:
    """A blank system message beside another takes part in the joining."""
    found = _system(request)
    if any(not is_blank(turn.get("content")) for turn in found):
        for turn in found:
            if is_blank(turn.get("content")):
                turn["content"] = "-"


@request("anthropic")
def says_hello_after_system(request: Tree) -> None:
    """A request of nothing but system messages gets a dummy user turn instead of an error."""
    if all(turn["role"] in _SYSTEM for turn in request["messages"]):
        request["messages"].append({"role": "user", "content": "."})


@request()
def adds_the_override_to_the_messages(request: Tree) -> None:
    """request.system is added to the system messages, it replaces none."""
    if not is_blank(request.get("system")):
        request["messages"].insert(0, {"role": "system", "content": request.pop("system")})


@request()
def ignores_the_override(request: Tree) -> None:
    """request.system is ignored."""
    request.pop("system", None)


@request()
def lets_a_blank_override_win(request: Tree) -> None:
    """A blank request.system takes the system messages away."""
    if isinstance(request.get("system"), str) and not request["system"].strip():
        request["messages"] = [turn for turn in request["messages"] if turn["role"] not in _SYSTEM] or request[
            "messages"
        ]


@request("anthropic")
def strips_the_override(request: Tree) -> None:
    """White space around request.system is stripped."""
    request["system"] = request["system"].strip()


@options()
def ignores_the_client_prompt(options: Tree) -> None:
    """The client's own prompt is not sent."""
    options.pop("system_prompt", None)


@request("anthropic")
def lets_messages_beat_the_client_prompt(request: Tree, ask: Ask) -> None:
    """Hoisted system messages win over the client's prompt."""
    texts = [turn["content"] for turn in _system(request) if not is_blank(turn.get("content"))]
    if texts and not is_blank(ask.client.get("system_prompt")):
        request["system"] = "\n\n".join(text if isinstance(text, str) else joined(text) for text in texts)


@body("openai")
def adds_the_client_prompt_always(body: Tree, ask: Ask) -> None:
    """The client's prompt is prepended beside system messages, too."""
    prompt = ask.client.get("system_prompt")
    if not is_blank(prompt) and body["messages"][0].get("content") not in (prompt, ask.request.get("system")):
        body["messages"].insert(0, {"role": "system", "content": prompt})


@body("openai")
def looks_for_a_system_message_in_front_only(body: Tree, ask: Ask) -> None:
    """The client's prompt yields only to a system message that comes first."""
    prompt = ask.client.get("system_prompt")
    if not is_blank(prompt) and body["messages"][0].get("role") not in _SYSTEM:
        body["messages"].insert(0, {"role": "system", "content": prompt})


@body("openai")
def takes_developer_for_no_system_message(body: Tree, ask: Ask) -> None:
    """The client's prompt does not yield to a developer message."""
    prompt = ask.client.get("system_prompt")
    if not is_blank(prompt) and body["messages"][0].get("role") == "developer":
        body["messages"].insert(0, {"role": "system", "content": prompt})


@body("openai")
def sends_a_blank_client_prompt(body: Tree, ask: Ask) -> None:
    """A blank client prompt is sent as a message."""
    prompt = ask.client.get("system_prompt")
    if prompt is not None and is_blank(prompt):
        body["messages"].insert(0, {"role": "system", "content": prompt})


@body("anthropic")
def sends_a_blank_client_prompt_as_system(body: Tree, ask: Ask) -> None:
    """A blank client prompt displaces the hoisted text."""
    prompt = ask.client.get("system_prompt")
    if prompt is not None and is_blank(prompt):
        body.pop("system", None)


@body("openai")
def puts_the_client_prompt_last(body: Tree, ask: Ask) -> None:
    """The client's prompt is put behind the messages."""
    if body["messages"][0].get("content") == ask.client["system_prompt"]:
        body["messages"].append(body["messages"].pop(0))


@body()
def adds_the_client_prompt_of_the_last_call(body: Tree, ask: Ask) -> None:
    """The client's prompt is put in front once more with each call."""
    prompt = ask.client.get("system_prompt")
    before = ask.memory.get("prompt")
    ask.memory["prompt"] = prompt
    if before and isinstance(body.get("system"), str):
        body["system"] = f"{prompt}\n\n{body['system']}"
    elif before:
        body["messages"].insert(0, {"role": "system", "content": prompt})


@body("openai")
def hoists_system_messages(body: Tree) -> None:
    """System messages of an OpenAI server are moved to the front."""
    body["messages"].sort(key=lambda turn: turn["role"] not in _SYSTEM)


@request("openai")
def replaces_only_the_first_system_message(request: Tree) -> None:
    """request.system replaces the first system message, the others stay."""
    found = _system(request)
    if not is_blank(request.get("system")) and len(found) > 1:
        found[0]["content"] = request.pop("system")


@request("openai")
def overrides_only_what_is_there(request: Tree) -> None:
    """request.system is ignored where the messages hold no system message."""
    if not _system(request) and not is_blank(request.get("system")):
        del request["system"]


@body("anthropic")
def forgets_system_beside_tools(body: Tree) -> None:
    """With tools the system field is not sent."""
    if "tools" in body:
        body.pop("system", None)


@request()
def drops_blank_parts_of_system(request: Tree) -> None:
    """A blank part inside a system text is dropped and the words run together."""
    for turn in _system(request):
        turn["content"] = (
            [part for part in objects(turn["content"]) if part.get("text", "x").strip()]
            if isinstance(turn["content"], list)
            else turn["content"]
        )
