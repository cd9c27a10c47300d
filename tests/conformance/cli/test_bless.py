"""bless: what moved is shown by class, and becomes the expectation only when a person wants it and nobody objects."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

CUT = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-x",
    "content": [{"type": "text", "text": "ok"}],
    "stop_reason": "max_tokens",
    "stop_sequence": None,
    "usage": {"input_tokens": 3, "output_tokens": 1},
}


@pytest.fixture
def cut(good: dict[str, Any]) -> dict[str, Any]:
    """A case whose answer is cut."""
    good["exchanges"][0]["reply"]["json"] = CUT
    del good["loose"]
    clauses = {"clauses": ["anthropic.finish"], "id": "anthropic/finish/cut"}
    return good | clauses | {"result": {"text": "ok", "finish_reason": "length"}}


@pytest.fixture
def bless(bench: Any, verb: Any) -> Any:
    """Blesses with an answer to the question."""

    def go(*argv: str, port: str = "python:moved:Finish", stdin: str = "y\n", **env: str) -> Any:
        return verb("bless", "--fixtures", bench.fixtures, "--port", port, *argv, stdin=stdin, **env)

    return go


def read(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def test_a_changed_mapping_is_shown_by_class(bench: Any, cut: Any, good: Any, bless: Any) -> None:
    path = bench.write(cut)
    before = path.read_bytes()
    ran = bless("--dry-run")
    assert ran.exit_code == 1
    assert ran.stdout.splitlines()[2:7] == [
        "  fix    /result/finish_reason",
        '         - "length"',
        '         + "stop"',
        "  create /warnings/0",
        '         + {"code":"finish-reason-unmapped","pointer":"/stop_reason"}',
    ]
    assert "anthropic.finish: An answer with any tool call" in ran.stdout
    assert "1 moved (1 create, 1 fix, 0 trim); 1 can be blessed, 0 cannot" in ran.stderr
    assert path.read_bytes() == before


def test_what_moved_as_json(bench: Any, cut: Any, bless: Any) -> None:
    path = bench.write(cut)
    ran = bless("--dry-run", "--json")
    assert json.loads(ran.stdout) == {
        "id": cut["id"],
        "file": str(path),
        "changes": [
            {"class": "fix", "pointer": "/result/finish_reason", "old": '"length"', "new": '"stop"'},
            {
                "class": "create",
                "pointer": "/warnings/0",
                "new": '{"code":"finish-reason-unmapped","pointer":"/stop_reason"}',
            },
        ],
        "kept": [],
        "objections": [],
    }


def test_only_what_changed_is_written_with_the_reason(bench: Any, cut: Any, bless: Any, verb: Any) -> None:
    path = bench.write(cut)
    ran = bless(cut["id"], "--reason", "A cut answer is  a whole one now.")
    assert (ran.exit_code, ran.stdout.splitlines()[-1]) == (0, str(path))
    wanted = {
        **cut,
        "source": {**cut["source"], "note": "A cut answer is a whole one now."},
        "result": {"text": "ok", "finish_reason": "stop"},
        "warnings": [{"code": "finish-reason-unmapped", "pointer": "/stop_reason"}],
    }
    assert read(path) == wanted
    run = verb("run", "--fixtures", bench.fixtures, "--port", "python:moved:Finish", cut["id"])
    assert run.exit_code == 0
    assert bench.lint().code == 0


def test_nothing_is_written_without_a_yes(bench: Any, cut: Any, bless: Any) -> None:
    path = bench.write(cut)
    before = path.read_bytes()
    ran = bless("--reason", "why not", stdin="\n")
    assert (ran.exit_code, path.read_bytes()) == (1, before)
    assert "nothing written" in ran.stderr
    assert bless("--reason", "why not", stdin="").exit_code == 2  # nobody there to ask
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("argv", "env", "says"),
    [
        ((), {}, "give a --reason"),
        (("--reason", "  "), {}, "give a --reason"),
        (("--reason", "x"), {"CI": "true"}, "bless writes nothing in CI"),
        (("--reason", "x", "--json"), {}, "--json goes with --dry-run"),
        (("--reason", "x", "anthropic/nope/*"), {}, "no case matches anthropic/nope/*"),
    ],
)
def test_what_bless_needs(bench: Any, cut: Any, bless: Any, argv: Any, env: Any, says: str) -> None:
    path = bench.write(cut)
    before = path.read_bytes()
    ran = bless(*argv, **env)
    assert (ran.exit_code, path.read_bytes()) == (4, before)
    (line,) = ran.stderr.splitlines()
    assert says in line


def test_ci_may_look(bench: Any, cut: Any, bless: Any) -> None:
    bench.write(cut)
    assert bless("--dry-run", CI="1").exit_code == 1


def test_a_port_that_does_as_the_case_says_moves_nothing(bench: Any, cut: Any, bless: Any) -> None:
    bench.write(cut)
    ran = bless("--dry-run", port="python:toolnexus")
    assert (ran.exit_code, ran.stdout) == (0, "")
    assert "1 cases tried, nothing moved" in ran.stderr


@pytest.mark.parametrize(
    ("port", "says"),
    [
        ("python:moved:Refused", "provider-rules: /exchanges/0/expect/body/temperature: breaks"),
        ("python:moved:Unknown", "sdk-types: /exchanges/0/expect/body: request type: temprature"),
        ("python:moved:Twice", "it made 2 calls, and the case has replies for 1"),
        ("python:moved:Raises", "the port gave no answer: the port raised RuntimeError"),
    ],
)
def test_what_nobody_should_expect_is_not_blessed(bench: Any, good: Any, bless: Any, port: str, says: str) -> None:
    path = bench.write(good)
    before = path.read_bytes()
    ran = bless("--reason", "it does so", port=port)
    assert (ran.exit_code, path.read_bytes()) == (1, before)
    assert f"not blessed: {says}" in ran.stdout


def test_what_can_be_blessed_is_where_other_cases_cannot(bench: Any, cut: Any, good: Any, bless: Any) -> None:
    path = bench.write(cut)
    del good["result"]
    other = bench.write(good | {"exchanges": [], "error": {"kind": "invalid-request", "pointer": "/messages"}})
    ran = bless("--reason", "a new mapping")
    assert ran.exit_code == 1  # the other one has still moved
    assert read(path)["result"]["finish_reason"] == "stop"
    assert "not blessed: it made 1 calls, and the case has replies for 0" in ran.stdout
    assert "note" not in read(other)["source"]


def test_only_cases_of_a_class(bench: Any, cut: Any, bless: Any) -> None:
    path = bench.write(cut)
    assert bless("--reason", "x", "--only", "create").exit_code == 1
    assert "note" not in read(path)["source"]
    assert bless("--reason", "x", "--only", "create", "--only", "fix").exit_code == 0
    assert read(path)["source"]["note"] == "x"


def test_a_draft_gets_its_result(bench: Any, good: Any, bless: Any) -> None:
    del good["loose"]
    path = bench.write(good | {"result": {}})
    assert bless("--reason", "as recorded", port="python:toolnexus").exit_code == 0
    found = read(path)
    assert found["result"] == {
        "text": "",
        "tool_calls": [{"id": "c1", "name": "add", "arguments": {"$json": {"n": 3}}}],
        "finish_reason": "tool_calls",
        "usage": {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11},
    }
    assert list(found["loose"]) == ["/result/tool_calls/0/arguments"]
    assert bench.lint().code == 0


def test_another_outcome_takes_the_place_of_the_old(bench: Any, good: Any, bless: Any) -> None:
    path = bench.write(good)
    ran = bless("--reason", "the caller's fault", port="python:moved:Early")
    assert ran.exit_code == 0
    found = read(path)
    assert found["error"] == {"kind": "invalid-request", "pointer": "/messages/0"}
    assert found["exchanges"] == []
    assert not {"result", "loose"} & set(found)
    assert "  trim   /exchanges/0" in ran.stdout
    assert bench.lint().code == 0


def test_a_variant_keeps_what_is_its_own(bench: Any, cut: Any, bless: Any, verb: Any) -> None:
    stop = "/exchanges/0/reply/json/stop_reason"
    variants = {
        "window": {stop: "model_context_window_exceeded"},
        "whole": {stop: "end_turn", "/result/finish_reason": "stop"},
        "again": {"/result": {"text": "ok", "finish_reason": "length"}},
    }
    path = bench.write(cut | {"variants": variants})
    ran = bless("--reason", "a new mapping")
    assert ran.exit_code == 0
    assert "keep   as they were: [whole]" in ran.stdout
    assert "1 moved (1 create, 2 fix, 0 trim)" in ran.stderr
    assert read(path)["variants"] == {
        "window": {stop: "model_context_window_exceeded"},  # follows its case
        "whole": {stop: "end_turn", "/result/finish_reason": "stop", "/warnings": []},
        "again": {"/result": {"text": "ok", "finish_reason": "stop"}},
    }
    here = ("run", "--fixtures", bench.fixtures, "--port", "python:moved:Finish")
    for name in variants:
        assert verb(*here, f"{cut['id']}[{name}]").exit_code == 0
    assert bench.lint().code == 0


def test_the_same_change_in_many_cases_is_summed_up(bench: Any, cut: Any, bless: Any) -> None:
    for name in ("a", "b", "c"):
        bench.write(cut | {"id": f"anthropic/finish/{name}", "title": name})
    ran = bless("--dry-run")
    assert '3 x fix /result/finish_reason  - "length"  + "stop"' in ran.stdout
    assert ran.stdout.count("An answer with any tool call") == 1


def test_a_reason_joins_an_earlier_one(bench: Any, cut: Any, bless: Any) -> None:
    path = bench.write(cut | {"source": {**cut["source"], "note": "First."}})
    bless("--reason", "Second.")
    assert read(path)["source"]["note"] == "First. Second."


def test_of_a_stream_only_the_step_that_moved_is_written(bench: Any, bless: Any, verb: Any) -> None:
    words = ("--title", "A cut stream", "--why", "It matters.", "--ref", "SPEC")
    argv = ("--clause", "anthropic.finish", "--template", "stream", *words, "--fixtures", bench.fixtures)
    verb("new", "anthropic/stream/cut", *argv)
    path = bench.path("anthropic/stream/cut")
    case = read(path)
    case["exchanges"][0]["reply"]["sse"][4]["data"]["delta"]["stop_reason"] = "max_tokens"
    case["deltas"][2] = {"finish_reason": "length"}
    case["result"]["finish_reason"] = "length"
    path.write_text(json.dumps(case), "utf-8")
    assert bless("--dry-run", port="python:toolnexus").exit_code == 0
    case["deltas"][2] = {"finish_reason": "content_filter"}
    path.write_text(json.dumps(case), "utf-8")
    assert bless("--reason", "back again", port="python:toolnexus").exit_code == 0
    assert read(path)["deltas"] == [*case["deltas"][:2], {"finish_reason": "length"}, case["deltas"][3]]
