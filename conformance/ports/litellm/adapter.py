"""Speaks the port protocol, version 1, for the litellm library: `litellm.completion` with `anthropic/…` models."""

from __future__ import annotations

import importlib.metadata
import os
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else importing it asks the network for prices
os.environ["LITELLM_DISABLE_REDACT_SECRETS"] = "True"  # else it searches a long error page for seconds
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "_adapter"))

import litellm
import peer

litellm.telemetry = False
litellm.suppress_debug_info = True

PORT = {
    "name": "litellm",
    "language": "python",
    "version": importlib.metadata.version("litellm"),
    "url": "https://github.com/BerriAI/litellm",
}


def translate(message: dict[str, Any]) -> peer.Reply:
    return peer.result_of(asked(message, peer.chat_body(message)).model_dump())


def stream(message: dict[str, Any]) -> Generator[dict[str, Any], None, peer.Reply | None]:
    body = {**peer.chat_body(message), "stream": True, "stream_options": {"include_usage": True}}
    chunks = []
    for chunk in asked(message, body):
        chunks.append(chunk)
        yield chunk.model_dump()
    whole: Any = litellm.stream_chunk_builder(chunks, messages=body.get("messages"))
    return peer.result_of(whole.model_dump()) if whole is not None else None


def asked(message: dict[str, Any], body: dict[str, Any]) -> Any:
    client = peer.settings(message, "headers", "anthropic_version", "read_timeout_ms", "timeout_ms")
    timeout = client.get("read_timeout_ms", client.get("timeout_ms"))
    return litellm.completion(
        model=f"anthropic/{client['model']}",
        api_base=client["base_url"],
        api_key=client["api_key"],
        extra_headers=peer.headers_of(client) or None,
        max_retries=0,
        **({"timeout": timeout / 1000} if timeout else {}),
        **body,
    )


def read_error(wrong: BaseException) -> peer.Reply | None:
    """litellm's errors; one in mid-stream is wrapped for its router, and kept as `original_exception`."""
    wrong = getattr(wrong, "original_exception", None) or wrong
    if type(wrong) is Exception and peer.connections() == 0:  # litellm's refusal of a message is a bare Exception
        return peer.error("invalid-request", wrong)
    if (name := type(wrong).__name__) == "Timeout":
        return peer.error("transport", wrong, type="timeout")
    if not isinstance(wrong, litellm.exceptions.openai.APIError) and name != "BaseLLMException":
        return None
    status = getattr(wrong, "status_code", None)
    response = getattr(wrong, "response", None)
    if "UnsupportedParams" in name or peer.connections() == 0:
        return peer.error("invalid-request", wrong)
    if name == "APIConnectionError":
        return peer.error("transport", wrong, type=peer.connection_fault(wrong))
    headers = getattr(wrong, "litellm_response_headers", None) or getattr(response, "headers", None) or {}
    return peer.error(
        "provider",
        wrong,
        status=status,
        type=getattr(wrong, "type", None),
        request_id=headers.get("request-id"),
        retry_after=headers.get("retry-after"),
    )


if __name__ == "__main__":
    peer.serve(PORT, translate, read_error, stream=stream)
