"""The registry, and what blocks."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import Any

import pytest

from conformance.providers import STYLES, Violation, answer, blocking, check, explain, rules
from conformance.providers.violation import Rule, book

# The contract's own example: a history with tool blocks and no tools (SPEC §11, B8 24).
EXAMPLE: dict[str, Any] = {
    "model": "claude-x",
    "max_tokens": 64,
    "system": "be brief",
    "messages": [
        {"role": "user", "content": "go"},
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "calling both"},
                {"type": "tool_use", "id": "a1", "name": "alpha", "input": {"x": 1}},
                {"type": "tool_use", "id": "b1", "name": "beta", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "a1", "content": "a ok"},
                {"type": "tool_result", "tool_use_id": "b1", "content": "b ok"},
            ],
        },
        {"role": "user", "content": "and now?"},
    ],
}


def violation(stub: Any, confidence: Any, rule: str = "x") -> Violation:
    return Violation(rule, 400, "invalid_request_error", "m", "", confidence, stub)


@pytest.mark.parametrize(
    ("stub", "confidence", "blocks"),
    [
        ("R", "!!", True),
        ("R", "!", True),
        ("R", "?", False),
        ("P", "!!", True),
        ("P", "?", True),
        ("W", "!!", False),
        ("house", "?", True),
    ],
)
def test_what_blocks(stub: str, confidence: str, blocks: bool) -> None:
    assert bool(blocking([violation(stub, confidence)])) is blocks


def test_the_unproved_rule_is_off() -> None:
    assert blocking([violation("P", "!", "b8-24-history-without-tools")]) == []


def test_the_published_example_breaks_no_blocking_rule() -> None:
    found = check("anthropic", EXAMPLE)
    assert [violation.rule for violation in found] == ["b8-24-history-without-tools"]
    assert blocking(found) == []


@pytest.mark.parametrize("call", [check, explain, rules])
def test_an_unknown_style_is_named(call: Any) -> None:
    arguments = ("gemini",) if call is rules else ("gemini", {})
    with pytest.raises(ValueError, match="no rules for style 'gemini'; known styles: anthropic, openai"):
        call(*arguments)


def test_an_unknown_style_has_no_answer() -> None:
    with pytest.raises(ValueError, match="gemini"):
        answer("gemini", b"{}", {})


@pytest.mark.parametrize("style", STYLES)
def test_every_rule_names_its_source(style: str) -> None:
    for name, rule in rules(style).items():
        assert rule.name == name
        assert rule.ref[0] in "AB"
        assert rule.confidence in ("!!", "!", "?")
        assert rule.stub in ("R", "P", "W", "house")


def test_two_rules_of_one_name_are_refused() -> None:
    rule = Rule("x", "!!", "R", "m", "B8")
    with pytest.raises(ValueError, match="two rules are called 'x'"):
        book([rule, rule])


def test_bodies_are_not_changed() -> None:
    before = repr(EXAMPLE)
    check("anthropic", EXAMPLE)
    assert repr(EXAMPLE) == before


def test_a_small_body_takes_less_than_a_millisecond() -> None:
    runs = []
    for _ in range(50):
        start = time.perf_counter()
        check("anthropic", EXAMPLE)
        runs.append(time.perf_counter() - start)
    # The quickest run: a busy machine slows some, not all.
    assert min(runs) < 0.001


def test_the_rules_load_without_any_sdk() -> None:
    script = (
        "import sys\n"
        "from conformance.providers import check\n"
        "check('anthropic', {}), check('openai', {})\n"
        "heavy = {'anthropic', 'openai', 'pydantic', 'jsonschema', 'toolnexus'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("[]\n", "")
