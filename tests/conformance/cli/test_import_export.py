"""import and export: a case from an archive, and the corpus as one file."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from conformance import fingerprint

ANSWER = {
    "id": "chatcmpl-9xYzAbCdEf12",
    "object": "chat.completion",
    "created": 1,
    "model": "gpt-x",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "hi", "refusal": None},
            "logprobs": None,
            "finish_reason": "stop",
        }
    ],
}


def entry(url: str, body: Any, answer: Any = ANSWER, status: int = 200, *, encoded: bool = False) -> dict[str, Any]:
    text = json.dumps(answer)
    content = {"mimeType": "application/json", "text": text}
    if encoded:
        content = {**content, "text": base64.b64encode(text.encode()).decode(), "encoding": "base64"}
    return {
        "request": {
            "method": "POST",
            "url": url,
            "headers": [{"name": "Authorization", "value": "Bearer not-so-secret-at-all"}],
            "postData": {"mimeType": "application/json", "text": json.dumps(body)},
        },
        "response": {"status": status, "headers": [], "content": content},
    }


@pytest.fixture
def har(tmp_path: Path) -> Any:
    """Writes a HAR file of these entries."""

    def write(*entries: dict[str, Any]) -> Path:
        path = tmp_path / "session.har"
        page = {"request": {"method": "GET", "url": "https://chat.example.org/", "headers": []}, "response": {}}
        path.write_text(json.dumps({"log": {"version": "1.2", "entries": [page, *entries]}}), "utf-8")
        return path

    return write


CHAT = "https://api.openai.com/v1/chat/completions"
ASKED = {"model": "gpt-x", "messages": [{"role": "user", "content": "hi"}]}


@pytest.mark.parametrize("encoded", [False, True])
def test_an_entry_becomes_a_case(bench: Any, verb: Any, har: Any, encoded: bool) -> None:
    archive = har(entry(CHAT, ASKED, encoded=encoded))
    ran = verb("import", "openai/drift/seen", archive, "--clause", "openai.drift", "--fixtures", bench.fixtures)
    assert ran.exit_code == 0
    path = bench.path("openai/drift/seen")
    assert ran.stdout.splitlines() == [str(path)]
    text = path.read_text("utf-8")
    assert "not-so-secret" not in text
    case = json.loads(text)
    assert case["exchanges"][0]["expect"] == {"method": "POST", "path": "/v1/chat/completions", "body": ASKED}
    assert case["exchanges"][0]["reply"] == {"status": 200, "json": {**ANSWER, "id": "chatcmpl-1"}}
    assert (case["level"], case["result"]) == ("should", {})


def test_of_several_calls_one_is_chosen(bench: Any, verb: Any, har: Any) -> None:
    archive = har(entry(CHAT, ASKED), entry(CHAT, {**ASKED, "seed": 1}))
    argv = ("import", "openai/drift/seen", archive, "--fixtures", bench.fixtures)
    ran = verb(*argv)
    assert ran.exit_code == 4
    assert ran.stderr.splitlines()[-1].startswith("Error: ")
    assert "choose with --entry" in ran.stderr
    assert verb(*argv, "--entry", "3").exit_code == 4
    assert verb(*argv, "--entry", "2").exit_code == 0
    case = json.loads(bench.path("openai/drift/seen").read_text("utf-8"))
    assert case["request"]["params"] == {"seed": 1}


def test_a_draft_may_be_written_elsewhere(bench: Any, verb: Any, har: Any, tmp_path: Path) -> None:
    argv = ("import", "openai/drift/seen", har(entry(CHAT, ASKED)), "--fixtures", bench.fixtures)
    ran = verb(*argv, "-o", tmp_path / "mine" / "cases")
    path = tmp_path / "mine" / "cases" / "openai" / "drift" / "seen.json"
    assert ran.stdout.splitlines() == [str(path)]
    assert verb("run", path, "--fixtures", bench.fixtures).exit_code == 0
    assert verb(*argv, "-o", tmp_path / "mine" / "cases").exit_code == 4  # it is there already


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "is no HAR file"),
        ('{"log": {}}', "is no HAR file"),
        ('{"log": {"entries": []}}', "holds no POST to openai's endpoint"),
    ],
)
def test_what_is_no_archive(bench: Any, verb: Any, tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "x.har").write_text(text, "utf-8")
    ran = verb("import", "openai/drift/seen", tmp_path / "x.har", "--fixtures", bench.fixtures)
    assert ran.exit_code == 4
    (line,) = ran.stderr.splitlines()
    assert says in line


def test_a_body_that_is_no_json_is_told(bench: Any, verb: Any, har: Any) -> None:
    odd = entry(CHAT, ASKED)
    odd["request"]["postData"]["text"] = "a=b"
    ran = verb("import", "openai/drift/seen", har(odd), "--fixtures", bench.fixtures)
    assert ran.exit_code == 4
    assert "the request to /v1/chat/completions is no JSON" in ran.stderr


# -- export -----------------------------------------------------------------------------------------------------------


def test_one_file_with_its_hash(bench: Any, good: Any, verb: Any) -> None:
    bench.write(good | {"variants": {"other": {"/request/max_tokens": 64.50}}})
    bench.write(good | {"id": "anthropic/results/b", "level": "should", "clauses": ["anthropic.pairing"]})
    ran = verb("export", "--fixtures", bench.fixtures)
    first, _, rest = ran.stdout.partition("\n")
    header = json.loads(first)
    assert header["sha256"] == hashlib.sha256(rest.encode()).hexdigest()
    assert header["corpus_hash"] == fingerprint.of(bench.fixtures)
    lines = [json.loads(line) for line in rest.splitlines()]
    assert (header["clauses"], header["cases"]) == (len(lines) - 2, 2)
    assert [line["id"] for line in lines[-2:]] == ["anthropic/results/b", good["id"]]
    assert lines[-1]["variants"] == {"other": {"/request/max_tokens": 64.5}}
    assert lines[0].keys() == {"clause", "level", "text"}
    assert verb("export", "--fixtures", bench.fixtures).stdout == ran.stdout


def test_number_tokens_stay(bench: Any, good: Any, verb: Any) -> None:
    path = bench.write(good)
    path.write_text(path.read_text("utf-8").replace('"n": 3', '"n": 3.10'), "utf-8")
    assert '{"n":3.10}' in verb("export", "--fixtures", bench.fixtures).stdout


def test_expanded_for_readers_that_know_no_variants(bench: Any, good: Any, verb: Any) -> None:
    good["request"]["messages"][0]["content"] = {"$repeat": ["ab", 3]}
    bench.write(good | {"variants": {"other": {"/request/max_tokens": 7}}})
    lines = verb("export", "--expanded", "--fixtures", bench.fixtures).stdout.splitlines()
    base, variant = (json.loads(line) for line in lines[-2:])
    assert (base["id"], variant["id"]) == (good["id"], f"{good['id']}[other]")
    assert (base["request"]["max_tokens"], variant["request"]["max_tokens"]) == (64, 7)
    assert base["request"]["messages"][0]["content"] == "ababab"
    assert "variants" not in base


def test_a_vendored_copy_is_checked(bench: Any, good: Any, verb: Any, tmp_path: Path) -> None:
    bench.write(good)
    copy = tmp_path / "corpus.jsonl"
    here = ("--fixtures", bench.fixtures)
    ran = verb("export", "-o", copy, *here)
    assert json.loads(ran.stderr)["cases"] == 1
    assert verb("export", "--check", copy, *here).exit_code == 0
    whole = copy.read_bytes()
    copy.write_bytes(whole.replace(b"add both", b"add more"))
    ran = verb("export", "--check", copy, *here)
    assert (ran.exit_code, "was changed" in ran.stderr) == (1, True)
    copy.write_bytes(whole)
    bench.write(good | {"id": "anthropic/results/b"})
    ran = verb("export", "--check", copy, *here)
    assert (ran.exit_code, "of another corpus or selection: it has corpus 1.0, 1 cases" in ran.stderr) == (1, True)
    copy.write_bytes(b"{}\n")
    assert "is no exported corpus" in verb("export", "--check", copy, *here).stderr


def test_only_what_is_chosen(bench: Any, good: Any, verb: Any) -> None:
    bench.write(good)
    lines = verb("export", "--style", "openai", "--fixtures", bench.fixtures).stdout.splitlines()
    assert json.loads(lines[0])["cases"] == 0
