"""Anthropic Messages: `encode` a request, `decode` a reply. No IO."""

from toolnexus.wire.anthropic.reply import decode
from toolnexus.wire.anthropic.request import encode

__all__ = ["decode", "encode"]
