"""What providers really answered: each recorded reply is a sane result, each recorded error a typed one.

The environment variable TOOLNEXUS_RECORDINGS names a folder with an `index.json`: a list of
`{file, kind: reply|error|…, status}`, the files beside it. Which style a body has is read from the body.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from toolnexus import ClientConfig, InvalidResponse, ProviderError, TranslateRequest, TranslateResult, decode, encode

FOLDER = Path(os.environ["TOOLNEXUS_RECORDINGS"])
INDEX = json.loads((FOLDER / "index.json").read_text("utf-8"))
CONFIGS = {
    "anthropic": ClientConfig("http://127.0.0.1", "anthropic", "asked-model"),
    "openai": ClientConfig("http://127.0.0.1", "openai", "asked-model"),
}
FINISHES = {"stop", "length", "tool_calls", "content_filter"}


def style_of(body: bytes) -> str:
    """The style of a reply, empty for another one."""
    if b'"choices"' in body:
        return "openai"
    return "anthropic" if b'"stop_reason"' in body else ""


def entries(kind: str) -> list[Any]:
    """The recordings of a kind, their file as id."""
    found = []
    for entry in INDEX:
        body = (FOLDER / entry["file"]).read_bytes() if entry["kind"] == kind else b""
        if entry["kind"] == kind and (kind == "error" or style_of(body)):
            found.append(pytest.param(entry, body, id=entry["file"]))
    return found


def check(result: TranslateResult, model: str | None) -> None:
    """An answer somebody could use, whole and consistent."""
    assert result.finish_reason in FINISHES
    assert result.text or result.tool_calls or result.refusal or result.finish_reason in ("length", "content_filter")
    assert bool(result.tool_calls) == (result.finish_reason == "tool_calls")
    ids = [call.id for call in result.tool_calls]
    assert all(ids)
    assert len(set(ids)) == len(ids)
    for call in result.tool_calls:
        assert call.name
        assert isinstance(json.loads(call.arguments), dict)
    usage = result.usage
    assert min(usage.prompt_tokens, usage.completion_tokens, usage.total_tokens) >= 0
    assert min(usage.cached_tokens, usage.cache_write_tokens, usage.reasoning_tokens) >= 0
    assert usage.prompt_tokens >= usage.cached_tokens
    assert usage.total_tokens >= usage.completion_tokens
    assert result.model
    assert result.model != "asked-model" or model is None
    assert "finish-reason-unmapped" not in [warning.code for warning in result.warnings]
    assert "<thinking>" not in result.text


def goes_round(result: TranslateResult, config: ClientConfig) -> None:
    """The answer can be sent back, with a result for each of its calls."""
    history = [{"role": "user", "content": "go"}, result.to_message()]
    history += [{"role": "tool", "tool_call_id": call.id, "content": "done"} for call in result.tool_calls]
    history += [{"role": "user", "content": "and now?"}]
    sent = json.loads(encode(TranslateRequest(history), config).body)
    assert len(sent["messages"]) >= 2
    if config.style == "anthropic" and result.tool_calls:
        inputs = [block["input"] for block in sent["messages"][1]["content"] if block["type"] == "tool_use"]
        assert inputs == [json.loads(call.arguments) for call in result.tool_calls]


@pytest.mark.parametrize(("entry", "body"), entries("reply"))
def test_a_recorded_reply_is_a_sane_result(entry: dict[str, Any], body: bytes) -> None:
    config = CONFIGS[style_of(body)]
    result = decode(entry["status"], [], body, config)
    check(result, entry.get("model"))
    assert result.usage.prompt_tokens > 0
    assert result.raw == json.loads(body)
    goes_round(result, config)


@pytest.mark.parametrize(("entry", "body"), entries("error"))
@pytest.mark.parametrize("style", CONFIGS)
def test_a_recorded_error_is_a_typed_error(style: str, entry: dict[str, Any], body: bytes) -> None:
    status = entry["status"] or 400
    with pytest.raises(ProviderError) as error:
        decode(status, [("retry-after", "7")], body, CONFIGS[style])
    raised = error.value
    assert raised.status == raised.http_status == status
    assert raised.retry_after == "7"
    assert raised.message.strip()
    assert not raised.message.startswith(("{", "<"))
    view = raised.to_openai()["error"]
    assert set(view) == {"message", "type", "param", "code"}
    assert view["type"]
    assert 400 <= raised.openai_status <= 599
    if isinstance(parsed := parsed_error(body), dict) and isinstance(parsed.get("type"), str):
        assert raised.type == parsed["type"]


@pytest.mark.parametrize(("entry", "body"), entries("error"))
@pytest.mark.parametrize("style", CONFIGS)
def test_a_recorded_error_inside_a_200_is_never_a_result(style: str, entry: dict[str, Any], body: bytes) -> None:
    with pytest.raises((ProviderError, InvalidResponse)) as error:
        decode(200, [], body, CONFIGS[style])
    if isinstance(error.value, ProviderError):
        assert 400 <= error.value.status <= 599
        assert error.value.http_status == 200


def parsed_error(body: bytes) -> Any:
    """The error object of a body, None where it is no JSON or has none."""
    try:
        value = json.loads(body)
    except ValueError:
        return None
    value = value[0] if isinstance(value, list) else value
    return value.get("error") if isinstance(value, dict) else None


def test_the_recordings_are_there() -> None:
    # A folder that lost its files must not pass as checked.
    assert entries("reply")
    assert entries("error")
