"""Speaks the port protocol, version 1, for the litellm library: `litellm.completion` with `anthropic/…` models."""

from __future__ import annotations

import importlib.metadata
import os
import sys
from pathlib import Path
from typing import Any

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else importing it asks the network for prices
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
    body = peer.chat_body(message)
    client = peer.settings(message, "headers", "anthropic_version", "read_timeout_ms", "timeout_ms")
    timeout = client.get("read_timeout_ms", client.get("timeout_ms"))
    completion = litellm.completion(
        model=f"anthropic/{client['model']}",
        api_base=client["base_url"],
        api_key=client["api_key"],
        extra_headers=peer.headers_of(client) or None,
        max_retries=0,
        **({"timeout": timeout / 1000} if timeout else {}),
        **body,
    )
    return peer.result_of(completion.model_dump())


def read_error(wrong: BaseException) -> peer.Reply | None:
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
    peer.serve(PORT, translate, read_error)
