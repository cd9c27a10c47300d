"""The canonical form, and the verb that writes it."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest

from conformance.canonical import NotJson, Number, canonical, read


def body_of(text: str) -> str:
    """The canonical text of a request holding one value, that value alone."""
    return (
        canonical(read(f'{{"request":{{"v":{text}}}}}'))
        .removeprefix('{\n  "request": {\n    "v": ')
        .removesuffix("\n  }\n}\n")
    )


@pytest.mark.parametrize(
    "token", ["1.10", "1e400", "-0", "-0.0", "1E+2", "12345678901234567890123", "0.1000000000000000055511151231257827"]
)
def test_number_tokens_stay_as_written(token: str) -> None:
    assert body_of(token) == token


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        (r'"\u00e9\/\u2028"', '"é/\u2028"'),
        (r'"\ud83d\ude00"', '"😀"'),
        (r'"\ud83d x"', r'"\ud83d x"'),
        (r'"\u0001\u000a\t\"\\"', r'"\u0001\n\t\"\\"'),
    ],
)
def test_text_is_unescaped_save_what_cannot_stand_raw(written: str, wanted: str) -> None:
    assert body_of(written) == wanted


def test_keys_take_the_schemas_order_and_payload_keeps_its_own() -> None:
    exchange = '{"reply":{"json":{"b":1,"a":2},"status":200},"expect":{}}'
    text = canonical(read(f'{{"request":{{"z":1,"a":2}},"exchanges":[{exchange}],"id":"i"}}'))
    assert list(json.loads(text)) == ["id", "request", "exchanges"]
    first = json.loads(text)["exchanges"][0]
    assert list(first) == ["expect", "reply"]
    assert list(first["reply"]) == ["status", "json"]
    assert list(first["reply"]["json"]) == ["b", "a"]


def test_empty_containers_stay_on_one_line() -> None:
    assert canonical(read('{"request":{"a":[ ],"b":{ }}}')) == '{\n  "request": {\n    "a": [],\n    "b": {}\n  }\n}\n'


def test_javascript_prints_the_same(good: dict[str, Any]) -> None:
    good["title"] = 'é 😀 \x01 \x7f \u2028 " \\ \ud83d'
    text = canonical(read(json.dumps(good)))
    printed = subprocess.run(
        ["node", "-e", "process.stdin.on('data', d => console.log(JSON.stringify(JSON.parse(d), null, 2)))"],
        input=text.encode(),
        capture_output=True,
        check=True,
    )
    assert printed.stdout.decode() == text


def test_canonical_is_stable(good: dict[str, Any]) -> None:
    once = canonical(read(json.dumps(good)))
    assert canonical(read(once)) == once
    assert json.loads(once) == good


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ('{"a": 1,\n "a": 2}', 2, 'duplicate key "a"'),
        ('{"a": NaN}', 1, "NaN is no JSON"),
        ('{"a":\n]}', 2, "Expecting value"),
        ("\ufeff{}", 1, "byte order mark"),
        ("[" * 100_000, 1, "nested too deeply"),
    ],
)
def test_what_is_no_json_names_its_line(text: str, line: int, message: str) -> None:
    with pytest.raises(NotJson, match=message) as caught:
        read(text)
    assert caught.value.line == line


def test_numbers_are_told_from_strings() -> None:
    tree = read('{"n": 1, "s": "1"}')
    assert isinstance(tree, dict)
    assert isinstance(tree["n"], Number)
    assert not isinstance(tree["s"], Number)


def test_fmt_writes_and_check_names(bench: Any, good: dict[str, Any]) -> None:
    path = bench.write(good, fmt=False)
    checked = bench.run("fmt", "--check", path)
    assert (checked.code, checked.lines) == (11, [f"{path}:1: /: not canonical"])
    assert bench.run("fmt", bench.fixtures / "cases").lines == [f"formatted {path}"]
    assert bench.run("fmt", "--check", path).code == 0


def test_fmt_leaves_what_is_no_json_alone(bench: Any) -> None:
    path = bench.path("anthropic/results/broken")
    path.parent.mkdir(parents=True)
    path.write_bytes(b'{\n"a": "\xff"}')
    ran = bench.run("fmt", path)
    assert (ran.code, ran.lines) == (11, [f"{path}:2: /: no UTF-8 at byte 8"])
    assert path.read_bytes() == b'{\n"a": "\xff"}'


def test_wrong_usage_exits_4(bench: Any) -> None:
    assert bench.run("fmt", "--nope").code == 4
    assert bench.run("nope").code == 4
