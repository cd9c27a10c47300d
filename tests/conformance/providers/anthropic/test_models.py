"""What each model and each API version refuses, and how a model's row is found."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.providers import blocking, check
from conformance.providers.anthropic.models import ROWS, model
from conformance.providers.anthropic.rules import GROUPS

NEXT = "2026-10-21"
TOOL = {"name": "look", "input_schema": {"type": "object", "properties": {}}}
USER = {"role": "user", "content": "go"}
PREFILL = [USER, {"role": "assistant", "content": "It is"}]
DOCUMENT = {"type": "document", "source": {"type": "url", "url": "https://example.com/a.pdf"}}
CITED = {"type": "text", "text": "a", "citations": [{"type": "char_location"}]}
MANUAL = {"thinking": {"type": "enabled", "budget_tokens": 1024}, "max_tokens": 2048}
SYSTEM_TURN = [USER, {"role": "system", "content": "be brief"}]


def body(name: str = "claude-x", **changes: Any) -> dict[str, Any]:
    return {"model": name, "max_tokens": 64, "messages": [USER], **changes}


# rule → model that refuses, the change that is refused, pointer; the same change is fine for claude-x.
REFUSED: dict[str, tuple[str, dict[str, Any], str]] = {
    "b3-system-role-refused": ("claude-sonnet-5", {"messages": SYSTEM_TURN}, "/messages/1"),
    "b7-sampling-with-thinking": ("claude-sonnet-4-5", {"top_k": 5, **MANUAL}, "/top_k"),
    "b8-22-forced-choice": ("claude-opus-5-5", {"tools": [TOOL], "tool_choice": {"type": "any"}}, "/tool_choice"),
    "b8-25-prefill": ("claude-opus-4-6", {"messages": PREFILL}, "/messages/1"),
    "b8-31-both-samplers": ("claude-opus-4-1", {"temperature": 0.5, "top_p": 0.5}, "/top_p"),
    "b8-32-sampling-refused": ("claude-opus-4-7", {"temperature": 0.5}, "/temperature"),
    "b8-34-temperature-with-thinking": ("claude-opus-4-5", {"temperature": 0.5, **MANUAL}, "/temperature"),
    "b8-35-max-tokens-limit": ("claude-haiku-4-5", {"max_tokens": 64_001}, "/max_tokens"),
    "b8-39-thinking-enabled": ("claude-sonnet-5", MANUAL, "/thinking"),
    "b8-39-thinking-disabled": ("claude-fable-5", {"thinking": {"type": "disabled"}}, "/thinking"),
    "b8-39-thinking-adaptive": ("claude-haiku-4-5", {"thinking": {"type": "adaptive"}}, "/thinking"),
    "b8-40-effort-level": ("claude-opus-4-6", {"output_config": {"effort": "xhigh"}}, "/output_config/effort"),
    "b8-40-effort": ("claude-sonnet-4-5", {"output_config": {"effort": "low"}}, "/output_config/effort"),
}

# rule → body that version 2026-10-21 refuses, pointer; version 2023-06-01 takes it.
NEXT_REFUSES: dict[str, tuple[dict[str, Any], str]] = {
    "b8-33-sampling-gone": (body(temperature=1.0), "/temperature"),
    "b8-55-document-in-assistant": (
        body(messages=[USER, {"role": "assistant", "content": [DOCUMENT]}, USER]),
        "/messages/1/content/0",
    ),
    "b8-55-user-citations": (
        body(messages=[{"role": "user", "content": [CITED]}]),
        "/messages/0/content/0/citations",
    ),
}


@pytest.mark.parametrize("rule", REFUSED)
def test_the_named_model_refuses_what_a_nameless_one_takes(rule: str, fires: Any) -> None:
    name, change, pointer = REFUSED[rule]
    fires("anthropic", rule, body(name, **change), body(**change), pointer)
    assert blocking(check("anthropic", body(name))) == []


@pytest.mark.parametrize("rule", NEXT_REFUSES)
def test_the_next_version_refuses_what_the_first_takes(rule: str) -> None:
    bad, pointer = NEXT_REFUSES[rule]
    found = [(violation.rule, violation.pointer) for violation in blocking(check("anthropic", bad, version=NEXT))]
    assert (rule, pointer) in found
    assert blocking(check("anthropic", bad)) == []


def test_the_version_header_beats_the_argument() -> None:
    headers = {"x-api-key": "k", "anthropic-version": NEXT, "content-type": "application/json"}
    found = check("anthropic", body(temperature=1), headers=headers, version="2023-06-01")
    assert [violation.rule for violation in found] == ["b8-33-sampling-gone"]


def test_every_rule_about_models_has_twins() -> None:
    assert {*REFUSED, *NEXT_REFUSES} == {rule.name for rule in GROUPS["models"]}


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("claude-sonnet-4-5", ("sonnet", (4, 5))),
        ("claude-sonnet-4-5-20250929", ("sonnet", (4, 5))),
        ("claude-sonnet-4.5", ("sonnet", (4, 5))),
        ("claude-sonnet-4-20250514", ("sonnet", (4, 0))),
        ("claude-opus-4", ("opus", (4, 0))),
        ("us.anthropic.claude-opus-4-1-20250805-v1:0", ("opus", (4, 1))),
        ("anthropic/Claude-Haiku-4-5@20251001", ("haiku", (4, 5))),
        ("claude-opus-5", ("opus", (5, 0))),
        ("claude-opus-5-5", ("opus", (5, 5))),
        ("claude-opus-6", ("opus", (5, 5))),
        ("claude-sonnet-5-1", ("sonnet", (5, 0))),
        ("claude-fable-5-1", ("fable", (5, 1))),
        ("claude-mythos-preview", ("mythos", (0, 0))),
        ("claude-mythos-5-2", ("mythos", (5, 0))),
        ("claude-x", None),
        ("claude-3-5-sonnet-20241022", None),
        ("claude-haiku-4", ("haiku", (4, 0))),
        ("claude-opus-3", ("opus", (4, 0))),
        ("claude-mythos-4", ("mythos", (5, 0))),
        ("claude-opus-preview", ("opus", (5, 5))),
        ("claude-haiku", None),
        ("gpt-4.1", None),
        (None, None),
    ],
)
def test_a_row_is_found_by_the_name(name: Any, row: Any) -> None:
    assert model(name) is (None if row is None else ROWS[row[0]][row[1]])


# B9's letters, written out once more from the table.
LETTERS = {
    ("sonnet", (5, 5)): "SEDFP",
    ("opus", (5, 5)): "SEDFP",
    ("haiku", (5, 5)): "SEP",
    ("fable", (5, 1)): "SEDFP",
    ("fable", (5, 0)): "SEDP",
    ("mythos", (5, 0)): "SEDP",
    ("mythos", (0, 0)): "SDFP",
    ("opus", (5, 0)): "SEP",
    ("sonnet", (5, 0)): "SEP",
    ("opus", (4, 8)): "SEP",
    ("opus", (4, 7)): "SEP",
    ("opus", (4, 6)): "P",
    ("sonnet", (4, 6)): "P",
    ("opus", (4, 5)): "A",
    ("sonnet", (4, 5)): "A",
    ("haiku", (4, 5)): "A",
    ("opus", (4, 1)): "A",
    ("opus", (4, 0)): "A",
    ("sonnet", (4, 0)): "A",
    ("haiku", (4, 0)): "A",
}

PROBES: dict[str, dict[str, Any]] = {
    "S": {"temperature": 0.5},
    "E": MANUAL,
    "D": {"thinking": {"type": "disabled"}},
    "A": {"thinking": {"type": "adaptive"}},
    "F": {"tools": [TOOL], "tool_choice": {"type": "tool", "name": "look"}},
    "P": {"messages": PREFILL},
}


@pytest.mark.parametrize(("family", "version"), LETTERS)
def test_the_table_refuses_what_the_facts_say(family: str, version: tuple[int, int]) -> None:
    major, minor = version
    name = f"claude-{family}-{major}-{minor}" if major else f"claude-{family}-preview"
    refused = {letter for letter, change in PROBES.items() if blocking(check("anthropic", body(name, **change)))}
    assert refused == set(LETTERS[family, version])


def test_the_facts_name_every_row() -> None:
    assert set(LETTERS) == {(family, version) for family, rows in ROWS.items() for version in rows}


@pytest.mark.parametrize("name", ["claude-opus-5", "claude-haiku-5-5"])
def test_thinking_is_disabled_up_to_high_effort(name: str) -> None:
    off = {"thinking": {"type": "disabled"}}
    assert check("anthropic", body(name, **off, output_config={"effort": "high"})) == []
    found = check("anthropic", body(name, **off, output_config={"effort": "max"}))
    assert [violation.rule for violation in found] == ["b8-39-thinking-disabled"]


def test_default_sampling_passes_where_sampling_is_refused() -> None:
    assert check("anthropic", body("claude-opus-5", temperature=1, top_p=1)) == []
    assert [v.pointer for v in check("anthropic", body("claude-opus-5", top_k=1))] == ["/top_k"]


def test_top_p_is_narrow_while_thinking() -> None:
    assert check("anthropic", body("claude-sonnet-4-5", top_p=0.95, **MANUAL)) == []
    found = check("anthropic", body("claude-sonnet-4-5", top_p=0.9, **MANUAL))
    assert [violation.rule for violation in found] == ["b7-sampling-with-thinking"]


@pytest.mark.parametrize(
    "change",
    [
        MANUAL,
        {"tools": [TOOL], "tool_choice": {"type": "any"}},
        {"output_config": {"format": {"type": "json_schema", "schema": {"type": "string"}}}},
    ],
)
def test_a_prewarming_call_asks_for_nothing(change: dict[str, Any]) -> None:
    found = check("anthropic", body(**{**change, "max_tokens": 0}))
    assert "b2-max-tokens-zero" in [violation.rule for violation in found]


def test_forced_choice_is_fine_where_the_family_takes_it() -> None:
    forced = {"tools": [TOOL], "tool_choice": {"type": "any"}}
    assert check("anthropic", body("claude-haiku-5-5", **forced)) == []
