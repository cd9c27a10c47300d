"""--toolnexus-conformance: off it costs nothing, on it runs the corpus and nothing else."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

pytest_plugins = ["pytester"]

USER_FOLDER = "raise RuntimeError('the user has a folder of that name')"


def test_without_the_flag_the_folders_own_tests_run(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_mine(): pass")
    run = pytester.runpytest_inprocess("-v")
    run.assert_outcomes(passed=1)
    assert "conformance" not in run.stdout.str().replace("toolnexus-conformance", "")


def test_without_the_flag_a_folder_called_conformance_breaks_nothing(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(**{"conformance/__init__": USER_FOLDER, "test_mine": "def test_mine(): pass"})
    pytester.run(sys.executable, "-m", "pytest", "-q").assert_outcomes(passed=1)


def test_without_the_flag_the_kit_is_not_even_imported(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        "def test_mine():\n"
        "    import sys\n"
        "    assert 'conformance' not in sys.modules and 'toolnexus' not in sys.modules\n"
        "    assert 'toolnexus_pytest' in sys.modules\n"
    )
    pytester.run(sys.executable, "-m", "pytest", "-q").assert_outcomes(passed=1)


def test_with_the_flag_only_the_corpus_is_collected(run_kit: Any, folder: Any, pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_mine(): assert False")
    folder.add()
    run = run_kit("-v")
    run.assert_outcomes(passed=1)
    run.stdout.fnmatch_lines(["*collected 1 item", "anthropic/text/hello PASSED*"])


def test_with_the_flag_a_folder_called_conformance_is_not_taken_for_the_kit(
    pytester: pytest.Pytester, folder: Any, sample_port: Any
) -> None:
    folder.add()
    pytester.makepyfile(**{"conformance/__init__": USER_FOLDER})
    args = ["--toolnexus-conformance", f"--toolnexus-fixtures={folder.path}", "--toolnexus-port", sample_port()]
    pytester.run(sys.executable, "-m", "pytest", *args).assert_outcomes(passed=1)


def test_the_ini_file_may_ask_for_it(pytester: pytest.Pytester, folder: Any, sample_port: Any) -> None:
    folder.add()
    pytester.makepyfile("def test_mine(): assert False")
    settings = {"conformance": "true", "fixtures": folder.path, "port": sample_port()}
    pytester.makeini("[pytest]\n" + "".join(f"toolnexus_{key} = {value}\n" for key, value in settings.items()))
    run = pytester.runpytest_inprocess()
    run.assert_outcomes(passed=1)
    run.stdout.fnmatch_lines(["1 cases: 1 pass"])


def test_a_run_says_what_it_runs_and_what_holds(run_kit: Any, folder: Any) -> None:
    folder.add()
    folder.add("anthropic/text/other", clauses=["anthropic.user-text", "call.once"])
    run = run_kit()
    run.stdout.fnmatch_lines(
        [
            f"conformance: corpus 1.0 in {folder.path}",
            "port: python:sample:port (sample 1.0, python), accept exact, level may",
            "*= conformance =*",
            "port sample 1.0 (python), corpus 1.0",
            "  call.once            must    1/1",
            "  anthropic.user-text  must    2/2",
            "2 cases: 2 pass",
        ]
    )
    assert run.ret == 0


def test_a_failure_is_shown_as_a_whole(run_kit: Any, folder: Any) -> None:
    folder.add()
    run = run_kit(fault="wrong-model")
    assert run.ret == 1
    run.stdout.fnmatch_lines(
        [
            "FAIL  anthropic/text/hello * must · request",
            "  requirement  anthropic.user-text: *",
            "  why          Without this nothing works.",
            '  /model   - want "claude-x"',
            '           + got  "other"',
            "  again        pytest --toolnexus-conformance --toolnexus-port python:sample:port "
            f"--toolnexus-fixtures={folder.path} --toolnexus-case anthropic/text/hello",
            "  by hand      curl https://api.anthropic.com/v1/messages *",
        ]
    )


def test_what_the_provider_would_say_is_told(run_kit: Any, folder: Any) -> None:
    folder.add(request={"messages": [{"role": "user", "content": ""}], "max_tokens": 64})
    run_kit().stdout.fnmatch_lines(["  provider     400 invalid_request_error: *"])


def test_each_state_has_its_word(run_kit: Any, folder: Any) -> None:
    folder.add()
    folder.add("anthropic/text/lacking", requires=["anthropic", "hooks"])
    for fault, word in {"": "PASSED", "blocks": "EQUIVALENT", "wrong-model": "FAIL", "skip": "SKIP"}.items():
        lines = [f"anthropic/text/hello {word}*", "anthropic/text/lacking N/A*"]
        run_kit("-v", fault=fault).stdout.fnmatch_lines(lines)


def test_a_may_case_that_fails_is_shown_only(run_kit: Any, folder: Any) -> None:
    folder.add()
    folder.add("anthropic/text/may", level="may", result={"text": "something else"})
    run = run_kit("-v")
    assert run.ret == 0
    run.stdout.fnmatch_lines(["anthropic/text/may SHOWN-ONLY*", "2 cases: 1 pass, 1 fail"])


def test_quiet_is_quiet(run_kit: Any, folder: Any) -> None:
    folder.add()
    out = run_kit("-qq").stdout.str()
    assert "call.once" not in out
    assert "1 cases: 1 pass" in out


def test_no_colour_where_there_is_no_terminal(run_kit: Any, folder: Any) -> None:
    folder.add()
    assert "\x1b[" not in run_kit(fault="wrong-model").stdout.str()
    assert "\x1b[31m" in run_kit("--color=yes", fault="wrong-model").stdout.str()


def test_a_published_port_in_the_same_environment_is_refused(
    run_kit: Any, folder: Any, pytester: pytest.Pytester
) -> None:
    folder.add()
    info = pytester.mkdir("site") / "toolnexus-0.21.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toolnexus\nVersion: 0.21.0\n")
    pytester.syspathinsert(info.parent)
    run = run_kit()
    assert run.ret == 4
    assert run.stderr.lines[-1].startswith("toolnexus: the published port toolnexus 0.21.0 is installed here")


def test_paths_choose_nothing(run_kit: Any, folder: Any, pytester: pytest.Pytester) -> None:
    folder.add()
    pytester.mkdir("tests")
    run = run_kit("tests")
    assert run.ret == 4
    run.stderr.fnmatch_lines(["toolnexus: paths choose no cases (tests); use --toolnexus-case ID or -k"])


@pytest.mark.parametrize("flag", ["--help", "--markers", "--version"])
def test_what_only_shows_something_starts_nothing(run_kit: Any, flag: str) -> None:
    run = run_kit(flag, port="cmd:no-such-command")
    assert run.ret == 0
    if flag == "--help":
        run.stdout.fnmatch_lines(["toolnexus conformance:", "*--toolnexus-port=SPEC*", "*toolnexus_case (linelist):*"])


def test_collecting_only_starts_no_port(run_kit: Any, folder: Any) -> None:
    folder.add(variants={"v": {"/title": "other"}})
    run = run_kit("--collect-only", "-q", port="cmd:no-such-command")
    assert run.ret == 0
    run.stdout.fnmatch_lines(["anthropic/text/hello", "anthropic/text/hello[[]v[]]"])


def test_loaded_twice_is_loaded_once(run_kit: Any, folder: Any) -> None:
    folder.add()
    run_kit("-p", "conformance._entry.toolnexus_pytest").assert_outcomes(passed=1)


def test_loaded_by_its_name_and_installed_it_is_loaded_once(tmp_path: Path, folder: Any, sample_port: Any) -> None:
    folder.add()
    checkout = Path(__file__).parents[3]
    points = tomllib.loads((checkout / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]["pytest11"]
    info = tmp_path / "kit-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: kit\nVersion: 1.0\n")
    rows = "".join(f"{name} = {module}\n" for name, module in points.items())
    (info / "entry_points.txt").write_text(f"[pytest11]\n{rows}")
    program = (
        "import importlib.metadata as m, pathlib, sys, pytest\n"
        f"m.distributions = lambda **_: [m.PathDistribution(pathlib.Path({str(info)!r}))]\n"
        "sys.exit(pytest.main(sys.argv[1:]))"
    )
    args = ["-p", "toolnexus_pytest", "--toolnexus-conformance", "--toolnexus-port", sample_port()]
    done = subprocess.run(
        [sys.executable, "-c", program, *args, f"--toolnexus-fixtures={folder.path}", "-p", "no:cacheprovider"],
        cwd=tmp_path,
        env={"PYTHONPATH": f"{checkout / 'conformance' / '_entry'}:{checkout}", "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "1 cases: 1 pass" in done.stdout


@pytest.mark.parametrize("option", ["--toolnexus-port", "--toolnexus-stub-port", "--toolnexus-case"])
def test_an_option_without_the_flag_is_wrong_usage(pytester: pytest.Pytester, option: str) -> None:
    run = pytester.runpytest_inprocess(option, "1")
    assert run.ret == 4
    assert run.stderr.lines == [f"toolnexus: {option} does nothing without --toolnexus-conformance"]


def test_without_the_extra_the_cure_is_said(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    program = (
        "import sys, pytest; sys.modules['pytest_httpserver'] = None\n"
        "sys.exit(pytest.main(['--toolnexus-conformance', '-p', 'toolnexus_pytest']))"
    )
    run = pytester.run(sys.executable, "-c", program)
    assert run.ret == 4
    assert run.stderr.lines[-1].endswith("; it needs its extra: pip install 'toolnexus-conformance[conformance]'")


def test_a_checkout_that_is_not_installed_can_run_it(tmp_path: Path, folder: Any, sample_port: Any) -> None:
    folder.add()
    checkout = Path(__file__).parents[3]
    program = "import importlib.metadata as m, sys, pytest\nsys.exit(pytest.main(sys.argv[1:]))"
    args = ["-p", "conformance._entry.toolnexus_pytest", "--toolnexus-conformance", "--toolnexus-port", sample_port()]
    done = subprocess.run(
        [sys.executable, "-c", program, *args, f"--toolnexus-fixtures={folder.path}", "-p", "no:cacheprovider"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(checkout), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "1 cases: 1 pass" in done.stdout
