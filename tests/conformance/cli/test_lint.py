"""lint: each rule of the corpus finds its breach, at its place, and nothing else."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from conformance.cli.checks import vendors
from conformance.providers import sdk_types

Put = Callable[[dict[str, Any], str, Any], None]

BODY = "/exchanges/0/expect/body"


def test_a_good_case_has_no_fault(bench: Any, good: dict[str, Any]) -> None:
    bench.write(good)
    ran = bench.lint()
    assert (ran.code, ran.out) == (0, "")
    assert "1 case, 0 faults" in ran.err


@pytest.mark.parametrize(
    ("pointer", "value", "where", "message"),
    [
        ("/nope", 1, "/", "'nope' was unexpected"),
        ("/level", "shall", "/level", "is not one of"),
        ("/result/txt", "", "/result", "'txt' was unexpected"),
        ("/error", {"kind": "provider"}, "/", "one outcome"),
        ("/request_text", "{}", "/", "exclude each other"),
        ("/clauses/0", "anthropic.nope", "/clauses/0", "anthropic.nope is no clause"),
        ("/clauses", ["anthropic.pairing"], "/level", "no cited clause is a must: should at most"),
        ("/requires", ["anthropic", "hooks"], "/requires", "has to be ['anthropic']"),
        ("/request_params", {"a": 1}, "/requires", "has to be ['anthropic', 'request_params']"),
        ("/id", "anthropic/results/else", "/id", "the path says anthropic/results/two-in-one-turn"),
        ("/client/style", "openai", "/id", "belongs under openai/"),
        ("/source", {"kind": "report", "ref": "somebody said"}, "/source/ref", "name the public thread"),
        ("/warnings", [{"code": "nope", "pointer": ""}], "/warnings/0/code", "not in the SPEC's table"),
        (
            "/warnings",
            [{"code": "field-dropped", "pointer": "/messages/9/name"}],
            "/warnings/0/pointer",
            "leads nowhere in the request",
        ),
        ("/exchanges", [], "/exchanges", "an outcome without a call is an invalid-request error"),
        ("/loose", {"/result/text": "Why."}, "/loose/~1result~1text", "nothing is loose there"),
        ("/result/text", {"$any": True}, "/result/text", "$any needs a sentence in loose"),
        ("/request/messages/0/content", {"$any": True}, "/request/messages/0/content", "works only in expect"),
        ("/result/tool_calls/0/arguments", {"$regex": "("}, "/result/tool_calls/0/arguments", "$regex: missing )"),
        ("/result/tool_calls/0/arguments", {"$json": "{}"}, "/result/tool_calls/0/arguments", "not the text of it"),
        ("/result/tool_calls/0/arguments", {"$type": "text"}, "/result/tool_calls/0/arguments", "takes one of"),
        ("/result/tool_calls/0/arguments", {"$any_of": ["a"]}, "/result/tool_calls/0/arguments", "at least two"),
        ("/result/text", {"$raw": "01"}, "/result/text", "takes a number token"),
        ("/result/text", {"$repeat": ["a", 2]}, "/result/text", "works only in request, reply"),
        ("/request/messages/0/content", {"$repeat": ["a", 0]}, "/request/messages/0/content", "takes [text, n]"),
        ("/request/tools/0/function/parameters", {"$anny": 1}, "/request/tools/0/function/parameters", "no loosener"),
        ("/request/messages/0/content", "{stub}", "/request/messages/0/content", "expand only in client"),
        ("/request/messages/0/content", "see https://openai.com/x", "/request/messages/0/content", "openai.com: name"),
        ("/variants", {"other": {"/request/nope/3": 1}}, "/variants/other", "/request/nope/3 leads nowhere"),
        ("/variants", {"other": {"/result/text": {"$any": True}}}, "/result/text", "$any needs a sentence"),
        ("/deviates", {f"{BODY}/nope": "Why."}, "/deviates", "nothing to excuse there"),
    ],
)
def test_a_breach_is_found_at_its_place(
    bench: Any, good: dict[str, Any], put: Put, pointer: str, value: Any, where: str, message: str
) -> None:
    put(good, pointer, value)
    path = bench.write(good, "anthropic/results/two-in-one-turn")
    ran = bench.lint()
    assert ran.code == 11
    found = [line for line in ran.lines if message in line]
    assert found, ran.out
    assert found[0].split(": ")[1].startswith(where)
    assert found[0].startswith(str(path.relative_to(path.parents[4])))


def test_a_fault_names_the_line_of_its_value(bench: Any, good: dict[str, Any]) -> None:
    good["request"]["messages"][3]["content"] = "https://openai.com"
    path = bench.write(good)
    line = next(n for n, row in enumerate(path.read_text().split("\n"), 1) if '"https://openai.com"' in row)
    assert f":{line}: /request/messages/3/content: " in bench.lint().out


def test_data_with_dollar_keys_passes(bench: Any, good: dict[str, Any]) -> None:
    schema = {"type": "object", "$defs": {"a": {}}, "properties": {"x": {"$ref": "#/$defs/a"}}}
    good["request"]["tools"][0]["function"]["parameters"] = schema
    good["exchanges"][0]["expect"]["body"]["tools"][0]["input_schema"] = schema
    good["result"]["raw"] = {"$literal": {"$any": 5}}
    bench.write(good)
    assert bench.lint().out == ""


def test_a_sentence_covers_what_is_below_it(bench: Any, good: dict[str, Any]) -> None:
    good["loose"] = {"/result/tool_calls": "Serialisers space arguments differently."}
    bench.write(good)
    assert bench.lint().out == ""


def test_an_invalid_request_makes_no_call(bench: Any, good: dict[str, Any]) -> None:
    del good["result"], good["loose"]
    good["error"] = {"kind": "invalid-request", "pointer": "/messages/2"}
    bench.write(good)
    assert "an invalid-request error asserts that no call is made" in bench.lint().out
    good["exchanges"] = []
    bench.write(good)
    assert bench.lint().out == ""


def test_declarations_need_only_a_toolkit(bench: Any, good: dict[str, Any]) -> None:
    for key in ("client", "request", "exchanges", "result", "loose"):
        del good[key]
    good |= {"id": "declare/adapters/one-tool", "requires": ["toolkit"], "clauses": ["adapters.shape"]}
    good["toolkit"] = [{"name": "add", "description": "Add.", "inputSchema": {"type": "object"}}]
    good["declare"] = {"openai": [], "anthropic": [], "gemini": []}
    path = bench.write(good)
    ran = bench.run("lint", path)
    assert (ran.code, ran.out) == (0, "")


def test_other_layout_is_found_and_can_be_accepted(bench: Any, good: dict[str, Any]) -> None:
    path = bench.write(good)
    path.write_text(path.read_text().replace('  "level": "must",\n', '  "level":   "must",\n'))
    assert ":4: /: not canonical" in bench.lint().out
    assert bench.lint("--allow-other-layout").code == 0


def test_any_host_can_be_accepted(bench: Any, good: dict[str, Any]) -> None:
    good["request"]["messages"][0]["content"] = "https://openai.com"
    bench.write(good)
    assert bench.lint().code == 11
    assert bench.lint("--allow-any-host").code == 0


def test_no_json_is_one_fault(bench: Any, good: dict[str, Any]) -> None:
    path = bench.write(good)
    path.write_text('{\n  "id": 1,\n  "id": 2\n}\n')
    assert bench.lint().lines == ['fixtures/cases/anthropic/results/two-in-one-turn.json:3: /: duplicate key "id"']


# --- provider rules and SDK types


def split(good: dict[str, Any]) -> None:
    """Splits the two results over two user turns: a house rule."""
    messages = good["exchanges"][0]["expect"]["body"]["messages"]
    second = messages[2]["content"].pop()
    messages.append({"role": "user", "content": [second]})


def test_a_body_the_provider_refuses_is_found(bench: Any, good: dict[str, Any]) -> None:
    good["exchanges"][0]["expect"]["body"]["messages"].pop()
    bench.write(good)
    assert f": {BODY}/messages/1" in bench.lint().out
    assert bench.lint("--without-provider-rules").code == 0


def test_results_in_two_turns_break_the_house_rule(bench: Any, good: dict[str, Any]) -> None:
    split(good)
    bench.write(good)
    assert "results-in-one-turn" in bench.lint().out


def test_a_deviation_is_excused_by_its_sentence(bench: Any, good: dict[str, Any]) -> None:
    split(good)
    good["deviates"] = {f"{BODY}/messages": "Shows what a server must refuse."}
    bench.write(good)
    assert bench.lint().out == ""


@pytest.mark.parametrize(
    ("pointer", "value", "says"),
    [
        (f"{BODY}/messages/1/content/0/inputs", {}, "request type"),
        ("/exchanges/0/reply/json/content/0/type", "tool_used", "response type"),
    ],
)
def test_the_vendors_types_are_kept(
    bench: Any, good: dict[str, Any], put: Put, pointer: str, value: Any, says: str
) -> None:
    slack = ("--allow-thin-coverage", "--allow-unlocked-ids", "--allow-stale-table", "--without-provider-rules")
    bench.write(good)
    assert bench.run("lint", "--fixtures", bench.fixtures, *slack).out == ""
    put(good, pointer, value)
    bench.write(good)
    assert says in bench.run("lint", "--fixtures", bench.fixtures, *slack).out


def test_without_the_sdks_lint_says_what_to_do(
    bench: Any, good: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(style: str, reply: object) -> list[str]:
        raise sdk_types.SdkMissingError("install the dev extra")

    monkeypatch.setattr(sdk_types, "check_reply", missing)
    vendors._sdk_types.cache_clear()
    bench.write(good)
    ran = bench.run("lint", "--fixtures", bench.fixtures)
    vendors._sdk_types.cache_clear()
    assert ran.code == 4
    assert "install the dev extra, or pass --without-sdk-types" in ran.err


# --- the corpus as a whole


def lint_whole(bench: Any, *argv: str) -> Any:
    return bench.run("lint", "--fixtures", bench.fixtures, "--without-sdk-types", *argv)


def test_ids_are_locked(bench: Any, good: dict[str, Any]) -> None:
    path = bench.write(good)
    assert "is new: run lint --update-lock" in lint_whole(bench).out
    assert "ids.lock" not in lint_whole(bench, "--update-lock").out
    path.unlink()
    bench.write(good | {"id": "anthropic/results/other"})
    assert "two-in-one-turn has no file; ids never change" in lint_whole(bench).out
    lint_whole(bench, "--update-lock")
    assert (bench.fixtures / "ids.lock").read_text().splitlines()[1:] == [
        "anthropic/results/other",
        "- anthropic/results/two-in-one-turn",
    ]


def test_an_id_never_comes_back(bench: Any, good: dict[str, Any]) -> None:
    bench.write(good)
    lock = bench.fixtures / "ids.lock"
    before = "# ids\n- anthropic/results/two-in-one-turn\n"
    lock.write_text(before)
    for argv in ((), ("--update-lock",)):
        assert "ids.lock:2: /: anthropic/results/two-in-one-turn went for good" in lint_whole(bench, *argv).out
    assert lock.read_text() == before


def test_cases_that_differ_in_words_count_once(bench: Any, good: dict[str, Any]) -> None:
    bench.write(good)
    other = good | {"id": "anthropic/results/other", "title": "Other"}
    other["request"] = good["request"] | {
        "messages": [{"role": "user", "content": "subtract them"}, *good["request"]["messages"][1:]]
    }
    body = good["exchanges"][0]["expect"]["body"]
    changed = body | {"messages": [{"role": "user", "content": "subtract them"}, *body["messages"][1:]]}
    expect = good["exchanges"][0]["expect"] | {"body": changed}
    other["exchanges"] = [good["exchanges"][0] | {"expect": expect}]
    bench.write(other)
    ran = bench.lint()
    assert "two-in-one-turn.json:1: /: differs only in words from anthropic/results/other" in ran.out
    assert bench.lint("--allow-duplicates").code == 0
    assert "anthropic.results-merge (must) has 1 of 3 cases" in lint_whole(bench).out


@pytest.mark.parametrize("content", ["", " ", "größer", "two\nlines"])
def test_blank_and_unusual_texts_are_no_duplicates(bench: Any, good: dict[str, Any], content: str) -> None:
    bench.write(good)
    messages = good["request"]["messages"]
    other = good | {"id": "anthropic/results/other"}
    other["request"] = good["request"] | {"messages": [*messages[:3], messages[3] | {"content": content}]}
    bench.write(other)
    assert "differs only in words" not in bench.lint().out


def test_thin_clauses_are_named(bench: Any, good: dict[str, Any]) -> None:
    bench.write(good)
    out = lint_whole(bench).out
    assert "clauses.json:1: /: anthropic.tool-result (must) has 1 of 3 cases" in out
    assert "anthropic.pairing (should) has 0 of 2 cases" in out
    assert "stream.deltas" not in out
    assert "has 1 of 3 cases" not in lint_whole(bench, "--allow-thin-coverage").out


def test_the_coverage_table_is_written_and_kept(bench: Any, good: dict[str, Any]) -> None:
    bench.write(good)
    assert "the coverage table is old" in lint_whole(bench).out
    assert "the coverage table is old" not in lint_whole(bench, "--write-coverage").out
    page = (bench.fixtures / "README.md").read_text()
    assert "| `anthropic.tool-result` | must | 1 | 0 | corpus |" in page
    assert "1 cases and 0 variants" in page


def test_a_page_without_a_place_for_the_table_is_a_fault(bench: Any, good: dict[str, Any]) -> None:
    bench.write(good)
    (bench.fixtures / "README.md").write_text("# Cases\n")
    ran = lint_whole(bench, "--write-coverage")
    assert ran.code == 11
    assert "has no place for the table" in ran.err


def test_a_clauses_unit_test_has_to_exist(bench: Any, good: dict[str, Any]) -> None:
    bench.write(good)
    path = bench.fixtures / "clauses.json"
    data = json.loads(path.read_text())
    data["clauses"] = [row for row in data["clauses"] if row["id"] in good["clauses"]]
    data["negative"] = []
    data["clauses"][0]["checked_by"] = "unit: tests/test_a.py::test_it"
    data["clauses"][1]["checked_by"] = "unit: tests/test_a.py::test_it[two]"
    path.write_text(json.dumps(data))
    tests = bench.fixtures.parent / "tests"
    tests.mkdir()
    assert "is checked by tests/test_a.py::test_it, which does not exist" in lint_whole(bench).out
    (tests / "test_a.py").write_text("def test_it() -> None: ...\n")
    assert "does not exist" not in lint_whole(bench).out


def test_a_clause_that_wants_one_needs_a_negative_case(bench: Any, good: dict[str, Any]) -> None:
    for name in "abc":
        bench.write(
            good | {"id": f"anthropic/results/{name}", "clauses": ["error.provider"], "repeat": 2 + ord(name) % 3}
        )
    assert "error.provider (must) has no case that expects an error or a warning" in lint_whole(bench).out


def test_paths_leave_the_whole_corpus_out(bench: Any, good: dict[str, Any]) -> None:
    path = bench.write(good)
    assert bench.run("lint", "--without-sdk-types", path).code == 0
    assert bench.run("lint", "--update-lock", path).code == 4


def test_five_hundred_cases_take_a_few_seconds(bench: Any, good: dict[str, Any]) -> None:
    for number in range(500):
        bench.write(good | {"id": f"anthropic/results/case-{number}"})
    start = time.perf_counter()
    bench.lint("--allow-duplicates")
    assert time.perf_counter() - start < 20


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("/title", "TODO: the expectation in one line"),
        ("/source/ref", "TODO: where"),
        ("/loose/~1result~1tool_calls~10~1arguments", "TODO: why"),
    ],
)
def test_a_draft_is_not_finished(bench: Any, good: dict[str, Any], pointer: str, value: str) -> None:
    *steps, last = [step.replace("~1", "/") for step in pointer.split("/")[1:]]
    inner = good
    for step in steps:
        inner = inner[step]
    inner[last] = value
    bench.write(good)
    ran = bench.lint()
    assert ran.code == 11
    assert f"{pointer}: is still to be written" in ran.out
    assert bench.lint("--allow-unfinished").code == 0


def test_a_result_has_to_say_something(bench: Any, good: dict[str, Any]) -> None:
    del good["loose"]
    bench.write(good | {"result": {}})
    ran = bench.lint()
    assert "/result: says nothing" in ran.out


def test_faults_as_json(bench: Any, good: dict[str, Any]) -> None:
    path = bench.write(good | {"title": "TODO"})
    (line,) = bench.lint("--json").lines
    assert json.loads(line) == {
        "file": str(path.relative_to(bench.fixtures.parent)),
        "line": 3,
        "pointer": "/title",
        "check": "finished",
        "message": "is still to be written",
    }


def test_one_fault_is_told_as_one(bench: Any, good: dict[str, Any]) -> None:
    bench.write(good, fmt=False)
    assert bench.lint().err.endswith("1 case, 1 fault\n")
