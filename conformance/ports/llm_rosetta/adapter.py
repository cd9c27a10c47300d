"""Speaks the port protocol, version 1, for LLM-Rosetta: its `ConversionPipeline`, which leaves the call to its caller.

The call is made here, as plainly as can be: nothing that is not about converting a body is asked of the library.
"""

from __future__ import annotations

import importlib.metadata
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "_adapter"))

import peer
from llm_rosetta import ConversionError, ConversionPipeline

PORT = {
    "name": "llm-rosetta",
    "language": "python",
    "version": importlib.metadata.version("llm-rosetta"),
    "url": "https://github.com/Oaklight/llm-rosetta",
}


def translate(message: dict[str, Any]) -> peer.Reply:
    client = peer.settings(message)
    body = {"model": client["model"], **peer.chat_body(message)}
    pipeline = ConversionPipeline("openai_chat", "anthropic", upstream_model=client["model"])
    sent = pipeline.convert_request(body)
    return peer.result_of(pipeline.convert_response(peer.post(client, sent)))


if __name__ == "__main__":
    peer.serve(PORT, translate, lambda _: None, (ConversionError,))
