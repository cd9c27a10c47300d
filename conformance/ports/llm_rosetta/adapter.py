"""Speaks the port protocol, version 1, for LLM-Rosetta: its `ConversionPipeline`, which leaves the call to its caller.

The call is made here, as plainly as can be: nothing that is not about converting a body is asked of the library.
"""

from __future__ import annotations

import importlib.metadata
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "_adapter"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import peer
from exchange import post, post_stream
from llm_rosetta import ConversionError, ConversionPipeline

PORT = {
    "name": "llm-rosetta",
    "language": "python",
    "version": importlib.metadata.version("llm-rosetta"),
    "url": "https://github.com/Oaklight/llm-rosetta",
}


def translate(message: dict[str, Any]) -> peer.Reply:
    client = peer.settings(message)
    pipeline, sent = converted(client, peer.chat_body(message))
    return peer.result_of(pipeline.convert_response(post(client, sent)))


def stream(message: dict[str, Any]) -> Generator[dict[str, Any], None, None]:
    client = peer.settings(message)
    asked = {**peer.chat_body(message), "stream": True, "stream_options": {"include_usage": True}}
    pipeline, sent = converted(client, asked)
    processor = pipeline.create_stream_processor()
    for event in post_stream(client, sent):
        yield from processor.process_chunk(event)


def converted(client: dict[str, Any], body: dict[str, Any]) -> tuple[ConversionPipeline, dict[str, Any]]:
    pipeline = ConversionPipeline("openai_chat", "anthropic", upstream_model=client["model"])
    return pipeline, pipeline.convert_request({"model": client["model"], **body})


if __name__ == "__main__":
    peer.serve(PORT, translate, lambda _: None, (ConversionError,), stream)
