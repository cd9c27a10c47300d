"""Captured streams fold to a sane result at every cut.

They are no part of this repository: the module collects them from the folder that TOOLNEXUS_RECORDINGS names, and
nothing where it is unset.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from toolnexus import ClientConfig, StreamDecoder

FOLDER = os.environ.get("TOOLNEXUS_RECORDINGS")
# Gemini's own wire format is reserved for later (SPEC).
OTHER_STYLES = ("gemini", "vertex")


def captured() -> list[dict[str, Any]]:
    if not FOLDER:
        return []
    index = json.loads(Path(FOLDER, "index.json").read_bytes())
    return [row for row in index if row["file"].endswith(".sse") and row["provider"] not in OTHER_STYLES]


CAPTURED = captured()


def config_of(row: dict[str, Any]) -> ClientConfig:
    return ClientConfig("http://127.0.0.1/v1", "anthropic" if "anthropic" in row["provider"] else "openai", "any-model")


if FOLDER:

    def test_there_are_captured_streams() -> None:
        assert len(CAPTURED) >= 15

    @pytest.mark.parametrize("row", CAPTURED, ids=[row["file"] for row in CAPTURED])
    def test_a_captured_stream_folds_to_a_sane_result(row: dict[str, Any]) -> None:
        data = Path(FOLDER or "", row["file"]).read_bytes()
        decoder = StreamDecoder(config_of(row))
        deltas = decoder.feed(data) + decoder.close()
        result = decoder.result()
        assert result.text or result.tool_calls
        assert result.finish_reason in ("stop", "tool_calls")
        assert (result.finish_reason == "tool_calls") == bool(result.tool_calls)
        assert result.usage.prompt_tokens > 0
        assert result.usage.completion_tokens > 0
        assert result.model
        assert result.model != "any-model"
        assert result.warnings == ()
        assert deltas[0].role == "assistant"
        assert deltas[-1].usage == result.usage
        assert [delta.finish_reason for delta in deltas if delta.finish_reason] == [result.finish_reason]
        for call in result.tool_calls:
            assert call.id
            assert call.name == "get_weather"
            assert set(json.loads(call.arguments)) >= {"city"}

    @pytest.mark.parametrize("row", CAPTURED, ids=[row["file"] for row in CAPTURED])
    def test_every_cut_of_a_captured_stream_gives_the_same_deltas(row: dict[str, Any]) -> None:
        data = Path(FOLDER or "", row["file"]).read_bytes()
        whole = StreamDecoder(config_of(row))
        expected = whole.feed(data) + whole.close()
        for cut in range(1, len(data)):
            parts = StreamDecoder(config_of(row))
            assert parts.feed(data[:cut]) + parts.feed(data[cut:]) + parts.close() == expected, f"cut at byte {cut}"
