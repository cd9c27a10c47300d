"""--toolnexus-port."""

from __future__ import annotations

from typing import Any

import pytest

pytest_plugins = ["pytester"]


@pytest.mark.parametrize("port", ["python:sample:port", "python:sample:async_port", "cmd"])
def test_all_ways_in_give_one_verdict(run_kit: Any, folder: Any, sample_port: Any, port: str) -> None:
    folder.add()
    folder.add("anthropic/text/wrong", result={"text": "something else"})
    run = run_kit("-v", port=sample_port() if port == "cmd" else port)
    assert run.ret == 1
    run.stdout.fnmatch_lines(
        ["anthropic/text/hello PASSED*", "anthropic/text/wrong FAIL*", '  /text   - want "something else"']
    )


def test_the_default_is_our_own_translator(run_kit: Any, folder: Any) -> None:
    folder.add()
    run = run_kit(port=None)
    assert run.ret == 0
    run.stdout.fnmatch_lines(["port: python:toolnexus (toolnexus *, python)*"])


def test_the_ini_file_may_name_it_and_the_command_line_wins(run_kit: Any, folder: Any, pytester: Any) -> None:
    folder.add()
    pytester.makeini("[pytest]\ntoolnexus_port = python:sample:port\n")
    run_kit(port=None).stdout.fnmatch_lines(["port: python:sample:port *"])
    run_kit(port="python:sample:async_port").stdout.fnmatch_lines(["port: python:sample:async_port *"])


@pytest.mark.parametrize("port", ["nonsense", "ruby:x", "python:sample", "python:no_such_module:port", "cmd:"])
def test_an_unknown_port_is_wrong_usage_in_one_line(run_kit: Any, folder: Any, port: str) -> None:
    folder.add()
    run = run_kit(port=port)
    assert run.ret == 4
    (line,) = run.stderr.lines
    assert line.startswith("toolnexus: unknown port")


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("dies", "died before it said hello: exit code 1; its last words: cannot find my runtime"),
        ("chatty", "a line on stdout that is no JSON (Expecting value): starting up"),
        ("typo", "the port's hello: /capabilities/0 must be one of anthropic, openai,"),
    ],
)
def test_a_port_that_cannot_start_ends_the_run_in_one_line(
    run_kit: Any, folder: Any, sample_port: Any, fault: str, says: str
) -> None:
    folder.add()
    run = run_kit(port=sample_port(fault))
    assert run.ret == 10
    (line,) = run.stderr.lines
    assert line.startswith("toolnexus: ")
    assert says in line


def test_a_port_without_a_style_is_red(run_kit: Any, folder: Any) -> None:
    folder.add()
    run = run_kit(fault="no-style")
    assert run.ret == 1
    run.stdout.fnmatch_lines(["red: the port declares no style (anthropic or openai)*"])


@pytest.mark.parametrize(
    ("fault", "check", "says"),
    [
        ("no-call", "calls", "calls   - want 1"),
        ("twice", "calls", "        + got  2"),
        ("alarm", "calls", "calls   + got  a tool ran: POST /_alarm   (unexpected)"),
        ("wrong-text", "result", '/text   - want "hello"'),
        ("raise", "result", "+ got  the port raised RuntimeError: broken on purpose"),
        ("leak", "result", "secrets   + got  the API key appears in stderr   (unexpected)"),
        ("warns", "warnings", "/messages/0/name   + got  field-dropped   (unexpected)"),
    ],
)
def test_what_a_wrong_port_does_is_named(run_kit: Any, folder: Any, fault: str, check: str, says: str) -> None:
    folder.add()
    run = run_kit(fault=fault)
    assert run.ret == 1
    run.stdout.fnmatch_lines([f"FAIL  anthropic/text/hello * · *{check}*"])
    assert says in run.stdout.str()


def test_a_process_leaks_its_key_on_stderr(run_kit: Any, folder: Any, sample_port: Any) -> None:
    folder.add()
    run = run_kit(port=sample_port("leak"))
    run.stdout.fnmatch_lines(["*the API key appears in stderr*", "  stderr       using key {key}"])


def test_a_port_that_dies_at_work_costs_the_case(run_kit: Any, folder: Any, sample_port: Any) -> None:
    for number in range(6):
        folder.add(f"anthropic/text/case-{number}")
    run = run_kit(port=sample_port("dies-later"))
    assert run.ret == 1
    run.stdout.fnmatch_lines(["*+ got  the port died while at work: exit code 3", "6 cases: 4 fail, 2 not-run"])


def test_a_port_without_warnings_is_judged_by_the_rest(run_kit: Any, folder: Any) -> None:
    folder.add(warnings=[{"code": "field-dropped", "pointer": "/messages/0/name"}])
    assert run_kit().ret == 1
    assert run_kit(fault="no-warnings").ret == 0


def test_a_case_is_repeated_on_one_client(run_kit: Any, folder: Any) -> None:
    folder.add(repeat=3)
    assert run_kit().ret == 0


def test_what_a_port_prints_stays_out_of_the_report(run_kit: Any, folder: Any) -> None:
    folder.add()
    out = run_kit(fault="leak").stdout.str()
    assert out.index("using key") > out.index("FAILURES")
