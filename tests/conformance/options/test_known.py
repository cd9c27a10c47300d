"""--toolnexus-known, and known update."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conformance.cli import main

pytest_plugins = ["pytester"]

ENTRY = """
[[known]]
case = "{case}"
check = "{check}"
signature = "{signature}"
because = "Every answer ends in an exclamation mark."
issue = "https://example.com/issues/1"
"""


@pytest.fixture
def known(tmp_path: Path) -> Any:
    """Writes a ledger."""

    def write(*entries: tuple[str, str, str]) -> Path:
        path = tmp_path / "known.toml"
        rows = (dict(zip(("case", "check", "signature"), entry, strict=True)) for entry in entries)
        path.write_text("# kept\n" + "".join(ENTRY.format(**row) for row in rows))
        return path

    return write


HELLO = "anthropic/text/hello"


def test_a_known_failure_is_green(run_kit: Any, folder: Any, known: Any) -> None:
    folder.add()
    folder.add("anthropic/text/other")
    path = known((f"{HELLO}", "result", "/text value"), ("anthropic/text/o*", "result", "/text value"))
    run = run_kit("-v", "--toolnexus-known", path, fault="wrong-text")
    assert run.ret == 0
    run.stdout.fnmatch_lines([f"{HELLO} KNOWN*", "anthropic/text/other KNOWN*", "2 cases: 2 fail, all of them known"])


def test_a_known_failure_and_a_new_one(run_kit: Any, folder: Any, known: Any) -> None:
    folder.add()
    folder.add("anthropic/text/other")
    run = run_kit("-v", "--toolnexus-known", known((HELLO, "result", "/text value")), fault="wrong-text")
    assert run.ret == 1
    run.stdout.fnmatch_lines([f"{HELLO} KNOWN*", "anthropic/text/other FAIL*", "2 cases: 2 fail, 1 of them known"])


def test_a_listed_case_that_passes_is_red(run_kit: Any, folder: Any, known: Any) -> None:
    folder.add()
    run = run_kit("-v", "--toolnexus-known", known((HELLO, "result", "/text value")))
    assert run.ret == 1
    run.stdout.fnmatch_lines(
        [
            f"{HELLO} LISTED-BUT-PASSES*",
            f"LISTED BUT PASSES  {HELLO}*",
            "*known failure 1 (*) does not fail: take it off*",
        ]
    )


def test_a_listed_case_that_fails_in_another_way_is_red(run_kit: Any, folder: Any, known: Any) -> None:
    folder.add()
    run = run_kit("--toolnexus-known", known((HELLO, "result", "/model value")), fault="wrong-text")
    assert run.ret == 1
    run.stdout.fnmatch_lines(["*fails in another way: /text value, not /model value"])


def test_an_entry_that_is_no_case_of_the_corpus_is_red(run_kit: Any, folder: Any, known: Any) -> None:
    folder.add()
    run = run_kit("--toolnexus-known", known(("anthropic/text/gone", "result", "/text value")))
    assert run.ret == 1
    run.stdout.fnmatch_lines(
        ["red: known failure 1 (anthropic/text/gone, result) of known.toml is no case of the corpus"]
    )


def test_an_entry_outside_the_selection_is_not(run_kit: Any, folder: Any, known: Any) -> None:
    folder.add()
    folder.add("anthropic/text/other")
    path = known(("anthropic/text/other", "result", "/text value"))
    for chosen in (("--toolnexus-case", HELLO), ("-k", "hello")):
        assert run_kit("--toolnexus-known", path, *chosen).ret == 0


def test_the_ledger_holds_in_several_processes(run_kit: Any, folder: Any, known: Any, sample_port: Any) -> None:
    for name in "abcd":
        folder.add(f"anthropic/text/{name}")
    path = known(("anthropic/text/?", "result", "/text value"), ("anthropic/text/gone", "result", "/text value"))
    run = run_kit("-n", "2", "-v", "--toolnexus-known", path, port=sample_port("wrong-text"))
    assert run.ret == 1
    run.stdout.fnmatch_lines(
        ["4 cases: 4 fail, all of them known", "red: known failure 2 (*) of known.toml is no case*"]
    )
    assert run.stdout.str().count("is no case of the corpus") == 1


@pytest.mark.parametrize(
    ("entries", "says"),
    [
        ([("anthropic/*", "result", "/text value")], "stands for 21 cases; at most 20 may be listed"),
        ([(HELLO, "body", "/text value")], "check: must be one of request"),
    ],
)
def test_a_ledger_that_cannot_be_held_to_is_wrong_usage(
    run_kit: Any, folder: Any, known: Any, entries: Any, says: str
) -> None:
    for number in range(21):
        folder.add(f"anthropic/text/case-{number}")
    run = run_kit("--toolnexus-known", known(*entries))
    assert run.ret == 4
    (line,) = run.stderr.lines
    assert says in line


def test_again_names_it(run_kit: Any, folder: Any, known: Any) -> None:
    folder.add()
    path = known((HELLO, "result", "/model value"))
    run_kit("--toolnexus-known", path, fault="wrong-text").stdout.fnmatch_lines(
        [f"*again * --toolnexus-known {path} *"]
    )


# -- known update -----------------------------------------------------------------------------------------------------


def update(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, list[str], list[str]]:
    capsys.readouterr()
    code = main(["known", "update", *words])
    said = capsys.readouterr()
    return code, said.out.splitlines(), said.err.splitlines()


@pytest.fixture
def _by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CI", "CONTINUOUS_INTEGRATION", "BUILD_NUMBER"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.usefixtures("_by_hand")
def test_a_ledger_is_brought_up_to_date(
    run_kit: Any, folder: Any, known: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder.add()
    folder.add("anthropic/text/other")
    path = known((HELLO, "calls", "calls missing"))
    run_kit("--toolnexus-report", tmp_path / "out", fault="wrong-text")
    words = (str(path), "--results", str(tmp_path / "out"))
    assert update(capsys, *words, "--dry-run")[0] == 0
    assert "calls missing" in path.read_text()
    code, out, err = update(capsys, *words)
    assert code == 0
    assert out == [
        f"removed  {HELLO} (calls)",
        f"added    {HELLO} (result): /text value",
        "added    anthropic/text/other (result): /text value",
    ]
    assert len(err) == 1
    assert "because: must be there" in err[0]
    path.write_text(path.read_text().replace('""', '"it shouts"'))
    assert path.read_text().startswith("# kept\n")
    assert run_kit("--toolnexus-known", path, fault="wrong-text").ret == 0
    assert update(capsys, *words) == (0, [], [])


@pytest.mark.usefixtures("_by_hand")
def test_it_may_run_the_port_itself(
    known: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, folder: Any
) -> None:
    ports = Path(__file__).parents[1] / "ports"
    folder.add()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SAMPLE_FAULT", "wrong-text")
    monkeypatch.setenv("PYTHONPATH", str(ports))
    monkeypatch.setenv("PYTEST_ADDOPTS", f"--toolnexus-fixtures={folder.path}")
    words = (str(tmp_path / "new.toml"), "--port", "python:sample:port", "--because", "it shouts", "--issue", "#1")
    assert update(capsys, *words) == (0, [f"added    {HELLO} (result): /text value"], [])
    assert 'because = "it shouts"' in (tmp_path / "new.toml").read_text()


def test_not_in_ci(known: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    path = known((HELLO, "calls", "calls missing"))
    code, _, err = update(capsys, str(path), "--results", str(path))
    assert code == 4
    assert "no ledger is rewritten in CI (CI is set)" in err[0]


@pytest.mark.usefixtures("_by_hand")
def test_it_needs_one_run_to_go_by(known: Any, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(known())
    assert update(capsys, path)[0] == 4
    assert update(capsys, path, "--port", "x", "--results", path)[0] == 4


# -- known write ------------------------------------------------------------------------------------------------------

FAULT = '[[fault]]\nsays = "It shouts."\nissue = "#1"\ncases = "{cases}"\n'


@pytest.mark.usefixtures("_by_hand")
def test_a_ledger_is_written_from_the_faults(
    run_kit: Any, folder: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder.add()
    folder.add("anthropic/text/other")
    run_kit("--toolnexus-report", tmp_path / "out", fault="wrong-text")
    faults, ledger = tmp_path / "faults.toml", tmp_path / "known.toml"
    words = ["known", "write", str(ledger), "--faults", str(faults), "--results", str(tmp_path / "out")]
    words.append(f"--fixtures={folder.path}")
    faults.write_text(FAULT.format(cases="anthropic/text/other"))
    capsys.readouterr()
    assert main(words) == 1
    said = capsys.readouterr()
    assert said.out == f"{HELLO} (result): /text value\n"
    assert said.err == "1 entries, 1 failures unexplained\n"
    assert run_kit("--toolnexus-known", ledger, fault="wrong-text").ret == 1
    faults.write_text(FAULT.format(cases="anthropic/text/*") + FAULT.format(cases="openai/*"))
    assert main(words) == 0
    assert "nothing comes of fault 2 (It shouts.)" in capsys.readouterr().err
    assert run_kit("--toolnexus-known", ledger, fault="wrong-text").ret == 0


@pytest.mark.usefixtures("_by_hand")
def test_no_ledger_is_written_from_a_part_of_the_corpus(
    run_kit: Any, folder: Any, known: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder.add()
    folder.add("anthropic/text/other")
    run_kit("--toolnexus-report", tmp_path / "out", "-k", "hello", fault="wrong-text")
    (tmp_path / "faults.toml").write_text(FAULT.format(cases="*"))
    ledger = known((HELLO, "result", "/text value"))
    before = ledger.read_text()
    words = ["--faults", str(tmp_path / "faults.toml"), "--results", str(tmp_path / "out")]
    assert main(["known", "write", str(ledger), *words, f"--fixtures={folder.path}"]) == 4
    assert "the run lacks 1 of 2 cases, anthropic/text/other among them" in capsys.readouterr().err
    assert ledger.read_text() == before


def test_no_ledger_is_written_in_ci(
    known: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", "true")
    path = str(known())
    assert main(["known", "write", path, "--faults", path, "--results", path]) == 4
    assert "no ledger is rewritten in CI" in capsys.readouterr().err


@pytest.mark.usefixtures("_by_hand")
def test_what_a_ledger_is_made_from_is_not_written_over(
    run_kit: Any, folder: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder.add()
    run_kit("--toolnexus-report", tmp_path / "out", fault="wrong-text")
    faults = tmp_path / "faults.toml"
    faults.write_text(FAULT.format(cases="*"))
    words = ["--faults", str(faults), "--results", str(tmp_path / "out"), f"--fixtures={folder.path}"]
    for file in (faults, tmp_path / "out" / "results.jsonl"):
        before = file.read_bytes()
        assert main(["known", "write", str(file), *words]) == 4
        assert "is what the ledger is made from" in capsys.readouterr().err
        assert file.read_bytes() == before
