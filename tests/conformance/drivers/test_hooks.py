"""A case's hooks as functions."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.drivers.hooks import HookRaised, Hooks, merge_patch


def test_a_case_without_hooks_sets_nothing() -> None:
    assert Hooks({}).settings() == {}


def test_each_firing_is_counted() -> None:
    hooks = Hooks({"before_llm": {"replace": {"model": "m"}}})
    set_ = hooks.settings()
    assert "on_error" not in set_
    assert set_["hooks"]["before_llm"]({}) == {"model": "m"}
    assert set_["hooks"]["after_llm"]({}) is None
    assert set_["hooks"]["before_tool"]({}) is None
    assert hooks.fired == {"before_llm": 1, "after_llm": 1, "on_error": 0, "before_tool": 1, "after_tool": 0}


def test_a_hook_raises_what_the_case_says() -> None:
    hooks = Hooks({"before_llm": {"raise": "stop it"}})
    with pytest.raises(HookRaised, match="stop it"):
        hooks.settings()["hooks"]["before_llm"]({})
    assert hooks.fired["before_llm"] == 1


def test_decisions_come_in_turn_and_the_last_one_stays() -> None:
    decide = Hooks({"on_error": ["retry", "default", "fail"]}).settings()["on_error"]
    assert [decide({}) for _ in range(4)] == ["retry", None, "fail", "fail"]


@pytest.mark.parametrize(
    ("target", "patch", "merged"),
    [
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        (["a", "b"], {"a": "c"}, {"a": "c"}),
        ({"a": "foo"}, None, None),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
    ],
)
def test_a_merge_patch_is_applied(target: Any, patch: Any, merged: Any) -> None:
    assert merge_patch(target, patch) == merged
