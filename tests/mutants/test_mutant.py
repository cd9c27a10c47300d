"""How mutants are written down, and what their edits see."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.tree import Number
from tests.mutants.catalogue import MUTANTS, THEMES
from tests.mutants.events import read_events, write_event
from tests.mutants.exchange import Ask, Received, Sent, alike
from tests.mutants.mutant import edited, register


def test_every_mutant_names_its_fault_in_one_line() -> None:
    assert all(mutant.fault.endswith(".") and "\n" not in mutant.fault for mutant in MUTANTS.values())


def test_every_theme_has_mutants() -> None:
    assert {mutant.theme for mutant in MUTANTS.values()} == set(THEMES)


def test_every_fault_is_told_once() -> None:
    faults = [mutant.fault for mutant in MUTANTS.values()]
    assert sorted({fault for fault in faults if faults.count(fault) > 1}) == []


def test_a_second_mutant_of_a_name_is_refused() -> None:
    def splits_results() -> None:
        """Again."""

    with pytest.raises(TypeError, match="splits-results"):
        register(splits_results, "sends", splits_results)


def test_a_mutant_without_a_fault_is_refused() -> None:
    def does_something() -> None: ...

    with pytest.raises(TypeError, match="does-something"):
        register(does_something, "sends", does_something)


def test_an_edit_works_on_a_copy() -> None:
    def edit(tree: Any) -> None:
        tree["a"].append(2)

    tree = {"a": [1]}
    assert edited(edit)(tree, Ask({})) == {"a": [1, 2]}
    assert tree == {"a": [1]}


def test_an_edit_of_a_shape_it_was_not_made_for_changes_nothing() -> None:
    def edit(tree: Any) -> None:
        tree["b"] = 1
        tree["messages"].append(1)

    tree = {"messages": None}
    assert edited(edit)(tree, Ask({})) is tree


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Number("1"), "1"),
        (True, 1),
        (1, 1.0),
        ([1], [1, 2]),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({"a": None}, {}),
    ],
)
def test_trees_that_differ_only_in_kind_are_not_alike(one: Any, other: Any) -> None:
    assert not alike(one, other)


def test_what_an_edit_leaves_alone_keeps_its_bytes() -> None:
    sent = Sent("http://127.0.0.1/v1", (), b'{ "n" : 1.10 }')
    assert sent.with_tree({"n": Number("1.10")}) is sent
    received = Received(200, (), b'{ "n" : 1.10 }')
    assert received.with_tree({"n": Number("1.10")}) is received
    assert received.with_tree({"n": Number("1.1")}).body == b'{"n":1.1}'


def test_events_are_read_whatever_their_framing() -> None:
    body = '\ufeff: hi\r\nevent: a\rdata:{"n":\ndata: 1.10}\n\nid: 1\n\ndata: [DONE]'.encode()
    assert read_events(body) == [{"event": "a", "data": {"n": Number("1.10")}}, {"event": None, "data": "[DONE]"}]


def test_written_events_are_read_again() -> None:
    events = [{"event": "a", "data": {"t": "x\u2028\n"}}, {"event": None, "data": "no json\nat all"}]
    assert read_events(b"".join(map(write_event, events))) == events
