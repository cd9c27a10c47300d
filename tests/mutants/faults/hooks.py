"""Faults in hooks, and in what one call leaves for the next."""

from __future__ import annotations

import copy
from typing import Any

from tests.mutants.exchange import Ask, Received
from tests.mutants.mutant import (
    answer,
    body,
    message,
    received,
)
from tests.mutants.walk import (
    as_double,
    content,
    mapped,
    objects,
    reply_calls,
)
from tests.mutants.walk import message as first_message

Tree = dict[str, Any]


# -- hooks ------------------------------------------------------------------------------------------------------------


@message()
def never_calls_hooks(message: Tree) -> None:
    """before_llm and after_llm are not called."""
    for name in ("before_llm", "after_llm"):
        message["hooks"].pop(name, None)
    message["hooks"] = message["hooks"] or {"unused": {}}


@answer()
def never_fires(answer: Tree) -> None:
    """Hooks count as never called."""
    answer["fired"].update(before_llm=0, after_llm=0)


@answer()
def fires_on_each_attempt(answer: Tree, ask: Ask) -> None:
    """before_llm fires once for each attempt."""
    if answer["fired"]["before_llm"]:
        answer["fired"]["before_llm"] = max(len(ask.exchanges), 1)


@answer()
def fires_after_each_attempt(answer: Tree, ask: Ask) -> None:
    """after_llm fires once for each attempt."""
    if answer["fired"]["after_llm"]:
        answer["fired"]["after_llm"] = len(ask.exchanges)


@answer()
def fires_after_failures(answer: Tree) -> None:
    """after_llm fires when the call fails as well."""
    if "error" in answer and answer["fired"]["before_llm"]:
        answer["fired"]["after_llm"] = 1


@answer()
def fires_before_refused_calls_twice(answer: Tree) -> None:
    """before_llm fires once more for a call that the provider refuses."""
    if answer.get("error", {}).get("kind") == "provider":
        answer["fired"]["before_llm"] = 2


@answer()
def fires_tool_hooks(answer: Tree) -> None:
    """Tool hooks fire for each call the model asks for."""
    count = len(answer["result"]["tool_calls"])
    answer["fired"].update(before_tool=count, after_tool=count)


@message()
def ignores_replaced_messages(message: Tree) -> None:
    """Messages that before_llm returns are ignored."""
    message["hooks"]["before_llm"]["replace"].pop("messages")


@message()
def ignores_replaced_tools(message: Tree) -> None:
    """Tools that before_llm returns are ignored."""
    message["hooks"]["before_llm"]["replace"].pop("tools")


@message()
def ignores_replaced_models(message: Tree) -> None:
    """The model that before_llm returns is ignored."""
    message["hooks"]["before_llm"]["replace"].pop("model")


@message()
def takes_emptied_tools_for_no_answer(message: Tree) -> None:
    """An empty list of tools from before_llm is ignored."""
    if message["hooks"]["before_llm"]["replace"]["tools"] == []:
        del message["hooks"]["before_llm"]["replace"]["tools"]


@body()
def sends_emptied_tools(body: Tree, ask: Ask) -> None:
    """Tools emptied by before_llm are sent as an empty list."""
    if ask.part("hooks")["before_llm"]["replace"]["tools"] == []:
        body["tools"] = []


@body()
def appends_replaced_messages(body: Tree, ask: Ask) -> None:
    """Messages that before_llm returns are added to the built ones."""
    if ask.part("hooks")["before_llm"]["replace"]["messages"]:
        body["messages"] = [*copy.deepcopy(ask.request["messages"]), *body["messages"]]


@body()
def adds_replaced_tools(body: Tree, ask: Ask) -> None:
    """Tools that before_llm returns are added to the built ones."""
    if ask.part("hooks")["before_llm"]["replace"]["tools"]:
        body["tools"].append(copy.deepcopy(body["tools"][0]))


@body()
def forgets_the_rest_when_messages_are_replaced(body: Tree, ask: Ask) -> None:
    """With replaced messages the built system prompt and tools are gone."""
    if (
        "messages" in ask.part("hooks")["before_llm"]["replace"]
        and "tools" not in ask.part("hooks")["before_llm"]["replace"]
    ):
        for key in ("system", "tools", "tool_choice"):
            body.pop(key, None)


@body()
def translates_replaced_messages(body: Tree, ask: Ask) -> None:
    """Replaced messages are translated once more."""
    if ask.part("hooks")["before_llm"]["replace"]["messages"]:
        for turn in objects(body["messages"]):
            turn["content"] = (
                [part for part in turn["content"] if part.get("type") in ("text",)]
                if isinstance(turn["content"], list)
                else turn["content"]
            )


@body("openai")
def repairs_replaced_messages(body: Tree, ask: Ask) -> None:
    """A system message that before_llm returns is replaced by the request's own."""
    replaced = ask.part("hooks")["before_llm"]["replace"]["messages"]
    if replaced[0]["role"] == "system":
        body["messages"][0] = copy.deepcopy(ask.request["messages"][0])


@body()
def replaces_on_the_first_attempt_only(body: Tree, ask: Ask) -> None:
    """A second attempt goes out without what before_llm returned."""
    replaced = ask.part("hooks")["before_llm"]["replace"]
    if ask.exchanges and "messages" in replaced:
        body["messages"] = copy.deepcopy(ask.request["messages"])
    if ask.exchanges and "model" in replaced:
        body["model"] = ask.client["model"]


@message()
def survives_raising_hooks(message: Tree) -> None:
    """What before_llm raises is swallowed, and the call goes on."""
    del message["hooks"]["before_llm"]["raise"]


@message()
def survives_raising_hooks_after(message: Tree) -> None:
    """What after_llm raises is swallowed."""
    del message["hooks"]["after_llm"]["raise"]


@answer()
def reports_raised_hooks_as_the_providers(answer: Tree, ask: Ask) -> None:
    """What a hook raises is reported as a provider's 500."""
    if any("raise" in hook for hook in ask.message["hooks"].values() if isinstance(hook, dict)):
        answer["error"].update(kind="provider", status=500)


@answer()
def loses_what_hooks_raise(answer: Tree, ask: Ask) -> None:
    """What a hook raises loses its text."""
    raised = [hook["raise"] for hook in ask.message["hooks"].values() if isinstance(hook, dict) and "raise" in hook]
    if any(text in answer["error"]["message"] for text in raised):
        answer["error"]["message"] = "hook failed"


@answer()
def loses_warnings_beside_hooks(answer: Tree, ask: Ask) -> None:
    """Where before_llm replaced something the warnings are lost."""
    if ask.message["hooks"]["before_llm"]["replace"]:
        answer["warnings"] = []


@body()
def reads_hooked_numbers_as_doubles(body: Tree, ask: Ask) -> None:
    """Where a hook looked at the body its numbers go through a double."""
    if "before_llm" in ask.part("hooks"):
        for key in ("messages", "tools"):
            body[key] = mapped(body[key], as_double)


# -- what stays -------------------------------------------------------------------------------------------------------


@body()
def keeps_the_conversation(body: Tree, ask: Ask) -> None:
    """The next call of a client carries the last one's messages."""
    before = ask.memory.get("messages", [])
    ask.memory["messages"] = copy.deepcopy(body["messages"])
    if before and ask.message.get("repeat") and not ask.client.get("retries"):
        body["messages"] = [*before, *body["messages"]]


@body()
def keeps_the_answers(body: Tree, ask: Ask) -> None:
    """The next call of a client carries the last one's calls."""
    tree = ask.last.tree if ask.last else None
    if (
        ask.message.get("repeat")
        and isinstance(tree, dict)
        and (list(reply_calls(tree)) or list(content(tree, "tool_use")))
    ):
        body["messages"].append({"role": "assistant", "content": first_message(tree).get("content") or "calling"})


@body("anthropic")
def keeps_mapping_ids(body: Tree, ask: Ask) -> None:
    """Ids used by an earlier call of the client are mapped as used again."""
    if ask.exchanges and ask.message.get("repeat"):
        for turn in objects(body["messages"]):
            for block in objects(turn["content"]) if isinstance(turn["content"], list) else ():
                for key in ("id", "tool_use_id"):
                    if key in block:
                        block[key] += "_2"


@received()
def remembers_answers(received: Received, ask: Ask) -> Received:
    """The first answer is given again to the next call of a client."""
    if ask.exchanges and ask.message.get("repeat") and isinstance(ask.exchanges[0][1], Received):
        return ask.exchanges[0][1] if ask.exchanges[0][1].body != received.body else received
    return received
