"""Anthropic Messages. No IO."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolnexus.wire.anthropic.models import Model, model_named, read_overrides
from toolnexus.wire.anthropic.reply import decode
from toolnexus.wire.anthropic.request import encode
from toolnexus.wire.anthropic.stream import Events
from toolnexus.wire.style import WireStyle


def path(base: str) -> str:
    """`/v1/messages` below a base path; one that ends in `/v1` gets `/messages` (clause `anthropic.endpoint`)."""
    return f"{base}/messages" if base.endswith("/v1") else f"{base}/v1/messages"


def headers(api_key: str | None, version: str) -> list[tuple[str, str]]:
    """The style's own headers (B1)."""
    auth = [("x-api-key", api_key)] if api_key else []
    return [("content-type", "application/json"), ("anthropic-version", version), *auth]


def capabilities(model: str, overrides: Mapping[str, Any] | None) -> Model:
    """The row of the model table (clause `anthropic.models`). Raises `ValueError` at an override that is none."""
    return model_named(model, read_overrides(overrides))


STYLE = WireStyle(encode, decode, Events, path, headers, capabilities, "ANTHROPIC_API_KEY")
