"""list and show: finding a case, and reading it."""

from __future__ import annotations

import json
from typing import Any

pytest_plugins = ["pytester"]


def test_list_names_each_case_and_variant(bench: Any, good: dict[str, Any]) -> None:
    bench.write(good | {"variants": {"other": {"/request/max_tokens": 64}}})
    ran = bench.run("list", "--fixtures", bench.fixtures)
    assert [line.split()[1] for line in ran.lines] == [good["id"], f"{good['id']}[other]"]
    assert ran.err == "1 cases (1 must, 0 should, 0 may), 1 variants\n"


def test_list_chooses(bench: Any, good: dict[str, Any]) -> None:
    bench.write(good)
    bench.write(good | {"id": "anthropic/results/b", "level": "should", "clauses": ["anthropic.pairing"]})

    def names(*argv: str) -> list[str]:
        ran = bench.run("list", "--fixtures", bench.fixtures, "--json", *argv)
        return [json.loads(line)["id"] for line in ran.lines]

    assert names() == ["anthropic/results/b", good["id"]]
    assert names("--level", "must") == [good["id"]]
    assert names("--clause", "anthropic.pair") == ["anthropic/results/b"]
    assert names("--requires", "openai") == []


def test_list_tells_the_features(bench: Any, good: dict[str, Any]) -> None:
    good["request"]["max_tokens"] = 64.5
    good["exchanges"][0]["reply"] = {"base64": "e30="}
    bench.write(good)
    ran = bench.run("list", "--fixtures", bench.fixtures, "--json")
    assert json.loads(ran.out)["features"] == ["bytes"]
    good["result"]["raw"] = {"$raw": "1e400"}
    bench.write(good)
    ran = bench.run("list", "--fixtures", bench.fixtures, "--json")
    assert json.loads(ran.out)["features"] == ["bytes", "number-tokens"]


def test_show_tells_what_and_why(bench: Any, good: dict[str, Any]) -> None:
    bench.write(good)
    out = bench.run("show", "--fixtures", bench.fixtures, good["id"]).out
    assert good["why"] in out
    assert "anthropic.results-merge: Consecutive tool results" in out
    assert '"tool_use_id": "a1"' in out


def test_show_applies_a_variant(bench: Any, good: dict[str, Any]) -> None:
    bench.write(good | {"variants": {"other": {"/request/max_tokens": 7}}})
    out = bench.run("show", "--fixtures", bench.fixtures, "--json", f"{good['id']}[other]").out
    assert json.loads(out)["request"]["max_tokens"] == 7


def test_an_unknown_id_is_wrong_usage(bench: Any, good: dict[str, Any]) -> None:
    bench.write(good)
    ran = bench.run("show", "--fixtures", bench.fixtures, "anthropic/results/nope")
    assert (ran.code, ran.out) == (4, "")


def test_a_broken_file_is_a_corpus_fault(bench: Any, good: dict[str, Any]) -> None:
    bench.write(good | {"level": "shall"})
    ran = bench.run("list", "--fixtures", bench.fixtures)
    assert ran.code == 11
    assert "/level" in ran.err


def ids(ran: Any) -> list[str]:
    assert ran.exit_code == 0
    return [json.loads(line)["id"] for line in ran.stdout.splitlines()]


def test_list_filters_by_place_words_and_version(bench: Any, good: dict[str, Any], verb: Any) -> None:
    other = {"id": "openai/results/later", "since": "1.1", "requires": ["openai"], "title": "Something else entirely"}
    client = {**good["client"], "style": "openai"}
    bench.write(good)
    bench.write(good | other | {"client": client})
    here = ("list", "--json", "--fixtures", bench.fixtures)
    assert ids(verb(*here, "--style", "openai")) == [other["id"]]
    assert ids(verb(*here, "--style", "openai", "--style", "anthropic")) == [good["id"], other["id"]]
    assert ids(verb(*here, "--area", "res*")) == [good["id"], other["id"]]
    assert ids(verb(*here, "--area", "res")) == []
    assert ids(verb(*here, "--since", "1.0")) == [good["id"]]
    assert ids(verb(*here, "--text", "something ELSE")) == [other["id"]]
    assert ids(verb(*here, "--text", '"tool_use_id":"b1"')) == [good["id"], other["id"]]


def test_list_filters_by_how_a_run_went(bench: Any, good: dict[str, Any], verb: Any, pytester: Any) -> None:
    bench.write(good)
    bench.write(good | {"id": "anthropic/results/wrong", "result": {"text": "something else"}})
    where = bench.fixtures.parent / "report"
    kit = pytester.runpytest_inprocess(
        "--toolnexus-conformance", f"--toolnexus-fixtures={bench.fixtures}", f"--toolnexus-report={where}"
    )
    assert kit.ret == 1
    here = ("list", "--json", "--fixtures", bench.fixtures)
    assert ids(verb(*here, "--state", "fail", "--results", where)) == ["anthropic/results/wrong"]
    assert ids(verb(*here, "--state", "fail", "--state", "pass", "--results", where)) == [
        good["id"],
        "anthropic/results/wrong",
    ]
    shown = verb("list", "--fixtures", bench.fixtures, "--results", where).stdout.splitlines()
    assert [line.split()[0] for line in shown] == ["pass", "fail"]


def test_a_state_needs_a_run(bench: Any, verb: Any) -> None:
    ran = verb("list", "--fixtures", bench.fixtures, "--state", "fail")
    assert ran.exit_code == 4
    assert "--results" in ran.stderr


def test_list_names_the_clauses_that_want_for_cases(bench: Any, good: dict[str, Any], verb: Any) -> None:
    bench.write(good)
    ran = verb("list", "--uncovered", "--json", "--fixtures", bench.fixtures, "--clause", "anthropic.results")
    assert [json.loads(line) for line in ran.stdout.splitlines()] == [
        {"clause": "anthropic.results-merge", "level": "must", "cases": 1, "negative": 0, "missing": "has 1 of 3 cases"}
    ]
    must = verb("list", "--uncovered", "--level", "must", "--fixtures", bench.fixtures)
    assert {line.split()[0] for line in must.stdout.splitlines()} == {"must"}


def test_show_says_what_a_variant_changes(bench: Any, good: dict[str, Any], verb: Any) -> None:
    bench.write(good | {"variants": {"other": {"/request/max_tokens": 7}}})
    whole = verb("show", "--fixtures", bench.fixtures, good["id"]).stdout
    assert "variants  other" in whole
    out = verb("show", "--fixtures", bench.fixtures, f"{good['id']}[other]").stdout
    assert '"/request/max_tokens": 7' in out.partition("the variant changes")[2]


def test_show_takes_a_file(bench: Any, good: dict[str, Any], verb: Any) -> None:
    path = bench.write(good)
    assert good["why"] in verb("show", path).stdout


def test_show_shows_an_exact_text_as_it_is(bench: Any, good: dict[str, Any], verb: Any) -> None:
    text = '{"messages": [{"role": "user", "content": "a"}], "max_tokens": 64.0}'
    del good["request"]
    bench.write(good | {"request_text": text})
    assert text in verb("show", "--fixtures", bench.fixtures, good["id"]).stdout
