"""OpenAI Chat Completions and its compatible servers: `encode` a request, `decode` a reply. No IO."""

from toolnexus.wire.openai.reply import decode
from toolnexus.wire.openai.request import encode

__all__ = ["decode", "encode"]
