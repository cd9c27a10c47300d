"""list and show: finding a case, and reading it."""

from __future__ import annotations

import json
from typing import Any


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
