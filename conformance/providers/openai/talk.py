"""What OpenAI demands of calls, their results and fields that belong together (wire-facts A2-A9)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from conformance.providers import json_schema
from conformance.providers.at import BODY, At
from conformance.providers.incoming import strings
from conformance.providers.openai.rules import RULES
from conformance.providers.violation import Violation

# Models that think before they answer; their chat variants do not (A9).
REASONING = re.compile(r"(?:^|/)(?:o\d|gpt-5)(?!.*chat)", re.IGNORECASE)

Body = Mapping[str, Any]
Message = tuple[Mapping[str, Any], At]

_COMPANIONS: tuple[tuple[str, str, str], ...] = (
    ("tool_choice", "tools", "a9-only-with-tools"),
    ("parallel_tool_calls", "tools", "a9-only-with-tools"),
    ("top_logprobs", "logprobs", "a2-only-with-logprobs"),
    ("stream_options", "stream", "a2-only-with-stream"),
)


def companions_are_there(body: Body) -> Iterator[Violation]:
    """A2, A9: fields that mean nothing without another."""
    for name, companion, rule in _COMPANIONS:
        if body.get(name) is not None and not body.get(companion):
            yield RULES[rule].broken(BODY / name)
    modalities = body.get("modalities")
    if body.get("audio") is not None and not (isinstance(modalities, list) and "audio" in modalities):
        yield RULES["a2-only-with-audio"].broken(BODY / "audio")


def reasoning_models_name_their_limit(body: Body) -> Iterator[Violation]:
    """A9: models that think take `max_completion_tokens` only."""
    name = body.get("model")
    if body.get("max_tokens") is not None and isinstance(name, str) and REASONING.search(name):
        yield RULES["a9-max-tokens-on-reasoning"].broken(BODY / "max_tokens")


def assistants_say_something(body: Body) -> Iterator[Violation]:
    """A3: content may be left out only beside calls."""
    for message, at in _messages(body):
        if message.get("role") != "assistant" or message.get("tool_calls") or message.get("function_call"):
            continue
        if "content" not in message:
            yield RULES["a3-content-missing"].broken(at / "content")
        elif message["content"] is None and not message.get("refusal") and not message.get("audio"):
            yield RULES["a3-content-null"].broken(at / "content")


def arguments_are_json(body: Body) -> Iterator[Violation]:
    """A4: the documentation warns that arguments may be invalid; servers may refuse them."""
    for message, at in _messages(body):
        for index, call in enumerate(_list(message.get("tool_calls"))):
            function = call.get("function") if isinstance(call, dict) else None
            arguments = function.get("arguments") if isinstance(function, dict) else None
            if isinstance(arguments, str) and not _is_object(arguments):
                yield RULES["a4-arguments-no-json"].broken(at / "tool_calls" / index / "function" / "arguments")


def calls_are_answered(body: Body) -> Iterator[Violation]:
    """A9: tool messages for every call follow the assistant's message at once."""
    messages = _messages(body)
    for index, (message, _) in enumerate(messages):
        wanted = _call_ids(message)
        answers = _run_of_tools(messages, index + 1)
        missing = [name for name in wanted if name not in [answer.get("tool_call_id") for answer, _ in answers]]
        if missing:
            after = min(index + len(answers) + 1, len(messages) - 1)
            at = messages[after][1]
            yield RULES["a9-tool-call-unanswered"].broken(at, param=f"messages.[{after}].role", ids=", ".join(missing))


def tool_messages_answer(body: Body) -> Iterator[Violation]:
    """A9: a tool message follows a message with calls, and names one of them."""
    known: list[str] = []
    for index, (message, at) in enumerate(_messages(body)):
        if message.get("role") != "tool":
            known = _call_ids(message)
        elif not known:
            yield RULES["a9-orphan-tool-message"].broken(at, param=f"messages.[{index}].role")
        elif (name := message.get("tool_call_id")) not in known:
            yield RULES["a9-tool-call-id-unknown"].broken(at / "tool_call_id", id=name)


def json_is_asked_for(body: Body) -> Iterator[Violation]:
    """A9: JSON mode needs the word in the messages."""
    wanted = body.get("response_format")
    if isinstance(wanted, dict) and wanted.get("type") == "json_object":
        texts = (text for message, _ in _messages(body) for text in strings(message.get("content")))
        if not any("json" in text.lower() for text in texts):
            yield RULES["a9-json-word"].broken(BODY / "messages")


def choices_name_a_tool(body: Body) -> Iterator[Violation]:
    """A6: the tool chosen is among those declared; the refusal is only suspected."""
    choice = body.get("tool_choice")
    kind = choice.get("type") if isinstance(choice, dict) else None
    if isinstance(choice, dict) and kind in ("function", "custom") and body.get("tools"):
        chosen = choice.get(kind)
        name = chosen.get("name") if isinstance(chosen, dict) else None
        if isinstance(name, str) and name not in _tool_names(body):
            yield RULES["a6-choice-unknown-tool"].broken(BODY / "tool_choice", name=name)


def strict_schemas_are_closed(body: Body) -> Iterator[Violation]:
    """A5: in strict mode every object is closed and requires all it names; one violation a schema."""
    for what, named, schema, at in _strict(body):
        for part, place in json_schema.subschemas(schema, at):
            reason = _open(part)
            if reason:
                context = ", ".join(repr(step) for step in place.pointer.removeprefix(at.pointer).split("/")[1:])
                yield RULES["a5-strict-schema"].broken(place, what=what, name=named, context=context, reason=reason)
                break


def _strict(body: Body) -> Iterator[tuple[str, object, object, At]]:
    for index, tool in enumerate(_list(body.get("tools"))):
        function = tool.get("function") if isinstance(tool, dict) else None
        if isinstance(function, dict) and function.get("strict") is True:
            at = BODY / "tools" / index / "function" / "parameters"
            yield "function", function.get("name"), function.get("parameters"), at
    wanted = body.get("response_format")
    shape = wanted.get("json_schema") if isinstance(wanted, dict) else None
    if isinstance(shape, dict) and shape.get("strict") is True:
        at = BODY / "response_format" / "json_schema" / "schema"
        yield "response_format", shape.get("name"), shape.get("schema"), at


def _open(part: Mapping[str, Any]) -> str:
    properties = part.get("properties")
    if part.get("type") != "object" and not isinstance(properties, dict):
        return ""
    if part.get("additionalProperties") is not False:
        return "'additionalProperties' is required to be supplied and to be false."
    required = _list(part.get("required"))
    absent = [name for name in properties if name not in required] if isinstance(properties, dict) else []
    if absent:
        return (
            "'required' is required to be supplied and to be an array including every key in properties. "
            f"Missing '{absent[0]}'."
        )
    return ""


def _messages(body: Body) -> list[Message]:
    listed = enumerate(_list(body.get("messages")))
    return [(item, BODY / "messages" / index) for index, item in listed if isinstance(item, dict)]


def _run_of_tools(messages: list[Message], start: int) -> list[Message]:
    end = start
    while end < len(messages) and messages[end][0].get("role") == "tool":
        end += 1
    return messages[start:end]


def _call_ids(message: Mapping[str, Any]) -> list[str]:
    if message.get("role") != "assistant":
        return []
    calls = _list(message.get("tool_calls"))
    return [call["id"] for call in calls if isinstance(call, dict) and isinstance(call.get("id"), str)]


def _tool_names(body: Body) -> list[object]:
    tools = [tool for tool in _list(body.get("tools")) if isinstance(tool, dict)]
    bodies = [tool.get(str(tool.get("type"))) for tool in tools]
    return [inner.get("name") for inner in bodies if isinstance(inner, dict)]


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


CHECKS = (
    companions_are_there,
    reasoning_models_name_their_limit,
    assistants_say_something,
    arguments_are_json,
    choices_name_a_tool,
    strict_schemas_are_closed,
    tool_messages_answer,
    calls_are_answered,
    json_is_asked_for,
)
