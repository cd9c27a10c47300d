"""ports list, install and run."""

from __future__ import annotations

import http.server
import json
import os
import signal
import socket
import sys
import threading
from pathlib import Path
from typing import Any

import httpx
import pytest

from conformance import adapters
from conformance.adapters import Adapter
from conformance.cli import main
from conformance.faults import KitFault, PortFault, UsageFault

SAMPLE = Path(__file__).parents[1] / "ports" / "sample.py"

MANIFEST = """
name = "{name}"
title = "a port of nothing"
language = "python"
kind = "peer"
accept = "equivalent"
versions = {{ nothing = "1.0" }}
requires = [{requires}]
install = [["{{python}}", "-c", "{install}", "{{build}}"]]
"""
COPY = f"import shutil, sys; shutil.copy('{SAMPLE}', sys.argv[1] + '/port.py')"


@pytest.fixture(autouse=True)
def _places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapters, "HOME", tmp_path / "ports")
    monkeypatch.setenv("TOOLNEXUS_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def add(tmp_path: Path) -> Any:
    """Writes a manifest: of a port that the sample is copied for, unless told otherwise."""

    def write(
        name: str, *, install: str = COPY, requires: str = "", more: str = 'command = ["{python}", "{build}/port.py"]'
    ) -> Path:
        folder = tmp_path / "ports" / name
        folder.mkdir(parents=True)
        text = MANIFEST.format(name=name, install=install, requires=requires) + more + "\n"
        (folder / "port.toml").write_text(text)
        return folder

    return write


def one(name: str) -> Adapter:
    (found,) = adapters.named([name])
    return found


def test_the_kits_own_manifests_can_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    found = adapters.every()
    assert {"template_python", "template_node", "template_go", "template_rust", "template_java"} <= set(found)
    for name, adapter in found.items():
        assert adapter.name == name
        assert (adapter.folder / "README.md").is_file()


def test_an_adapter_is_built_in_a_folder_of_its_own(add: Any, tmp_path: Path) -> None:
    add("mine")
    adapter = one("mine")
    assert not adapter.installed
    adapters.install(adapter)
    assert adapter.installed
    assert adapter.build == tmp_path / "cache" / "ports" / "mine"
    assert (adapter.build / "port.py").is_file()
    assert adapter.filled(adapter.command) == [sys.executable, str(adapter.build / "port.py")]


def test_what_was_built_before_is_gone(add: Any) -> None:
    add("mine")
    adapters.install(one("mine"))
    (one("mine").build / "old").touch()
    adapters.install(one("mine"))
    assert not (one("mine").build / "old").exists()


@pytest.mark.parametrize(
    ("name", "built"), [("requirements.txt", False), ("README.md", True), ("known.toml", True), ("faults.toml", True)]
)
def test_a_build_is_as_old_as_what_it_rests_on(add: Any, name: str, built: bool) -> None:
    folder = add("mine")
    adapters.install(one("mine"))
    (folder / name).write_text("x")
    assert one("mine").installed == built


def test_a_tool_that_is_missing_is_named(add: Any) -> None:
    add("mine", requires='"no-such-tool"')
    with pytest.raises(PortFault, match="mine needs no-such-tool, which is not on the path"):
        adapters.install(one("mine"))


def test_a_command_that_fails_is_told_with_its_last_words(add: Any) -> None:
    add("mine", install="import sys; print('trying'); sys.exit('no network')")
    with pytest.raises(PortFault, match=r"mine: .* ended with 1: no network"):
        adapters.install(one("mine"))
    assert not one("mine").installed


def test_another_pythons_packages_do_not_get_in(add: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    add("mine", install="import os, sys; sys.exit(os.environ.get('PYTHONPATH', 0))")
    adapters.install(one("mine"))


def test_a_name_nobody_has(add: Any) -> None:
    add("mine")
    with pytest.raises(UsageFault, match="no port theirs; there are mine"):
        adapters.named(["theirs"])


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ("", "needs a command or a"),
        ('command = ["x"]\n[gateway]\nstart = []\nready = ""\nurl = ""\nstub_port = 1', "needs a command or a"),
        ('command = ["x"]\nspeed = 1', "unknown: speed"),
        ('[gateway]\nstart = []\nready = ""\nurl = ""', "stub_port"),
        ("command = ", "mine/port.toml"),
    ],
)
def test_a_manifest_that_is_none_is_the_kits_fault(add: Any, more: str, says: str) -> None:
    add("mine", more=more)
    with pytest.raises(KitFault, match=says):
        adapters.every()


def test_a_gateways_options(add: Any) -> None:
    gateway = """[gateway]
start = ["{build}/serve"]
ready = "http://127.0.0.1:1/health"
url = "http://127.0.0.1:1/v1"
stub_port = 8089
headers = { x-case = "{key}" }
models = ["anthropic=smart"]
"""
    folder = add("mine", more=gateway)
    (folder / "known.toml").touch()
    words = one("mine").arguments()
    assert words[:4] == ["--toolnexus-port", "http://127.0.0.1:1/v1", "--toolnexus-stub-port", "8089"]
    assert words[4:8] == ["--toolnexus-accept", "equivalent", "--toolnexus-known", str(folder / "known.toml")]
    assert words[8:] == ["--toolnexus-header", "x-case: {key}", "--toolnexus-model", "anthropic=smart"]


# -- the verbs --------------------------------------------------------------------------------------------------------


def test_list(add: Any, capsys: pytest.CaptureFixture[str]) -> None:
    add("mine")
    add("other")
    main(["ports", "install", "mine"])
    capsys.readouterr()
    assert main(["ports", "list"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "mine   peer      built  a port of nothing (nothing 1.0)",
        "other  peer             a port of nothing (nothing 1.0)",
    ]
    assert main(["ports", "list", "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(row["name"], row["installed"], row["gateway"]) for row in rows] == [
        ("mine", True, False),
        ("other", False, False),
    ]


def test_install_goes_on_after_a_failure(add: Any, capsys: pytest.CaptureFixture[str]) -> None:
    add("broken", install="raise SystemExit('no')")
    add("mine")
    assert main(["ports", "install", "broken", "mine"]) == 10
    said = capsys.readouterr()
    assert said.err.startswith("Error: broken: ")
    assert "mine: built in " in said.out
    assert main(["ports", "install", "mine"]) == 0
    assert capsys.readouterr().out == "mine: built already\n"


def run(folder: Any, *words: str) -> int:
    return main(["ports", "run", *words, f"--toolnexus-fixtures={folder.path}", "-q", "-p", "no:cacheprovider"])


def test_run(add: Any, folder: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    folder.add()
    add("mine")
    main(["ports", "install", "mine"])
    assert run(folder, "mine", "--report", str(tmp_path / "out")) == 0
    said = capfd.readouterr().out
    assert "== mine: a port of nothing" in said
    assert "1 cases: 1 pass" in said
    assert (tmp_path / "out" / "mine" / "results.jsonl").is_file()


def test_run_judges_each_by_its_own_ledger_and_tells_the_worst(
    add: Any, folder: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    folder.add(result={"text": "something else"})
    add("mine")
    known = add("known") / "known.toml"
    entry = {"case": "anthropic/text/hello", "check": "result", "signature": "/text value"}
    rows = "".join(f'{key} = "{value}"\n' for key, value in {**entry, "because": "x", "issue": "y"}.items())
    known.write_text(f"[[known]]\n{rows}")
    main(["ports", "install", "mine", "known"])
    assert run(folder, "known", "mine") == 1
    assert capfd.readouterr().out.splitlines()[-2:] == [
        "known: fails as its ledger says and nowhere else",
        "mine: exit code 1",
    ]


def test_results_makes_one_page_of_the_runs(
    add: Any, folder: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder.add(result={"text": "something else"})
    rows = {"case": "anthropic/text/hello", "check": "result", "signature": "/text value", "because": "It shouts."}
    known = "".join(f'{key} = "{value}"\n' for key, value in {**rows, "issue": "#7"}.items())
    (add("mine") / "known.toml").write_text(f"[[known]]\n{known}")
    main(["ports", "install", "mine"])
    assert run(folder, "mine", "--report", str(tmp_path / "out")) == 0
    (tmp_path / "out" / "ours").symlink_to(tmp_path / "out" / "mine")
    page = tmp_path / "RESULTS.md"
    assert main(["ports", "results", str(tmp_path / "out"), "-o", str(page)]) == 0
    text = page.read_text()
    assert text.index("[ours](#ours)") < text.index("[mine](#mine)")
    assert "| [mine](#mine) | nothing 1.0 | " in text
    assert "| It shouts. | \\#7 | must | 1 | `anthropic/text/hello` " in text.partition("### mine")[2]
    assert "Not explained yet: result, /text value" in text.partition("### ours")[2].partition("###")[0]


def test_results_without_a_run_is_wrong_usage(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["ports", "results", str(tmp_path), "-o", str(tmp_path / "x.md")]) == 4
    assert "no folder in it holds a results.jsonl" in capfd.readouterr().err
    assert not (tmp_path / "x.md").exists()


def test_selftest_takes_a_port_by_its_name(add: Any, capsys: pytest.CaptureFixture[str]) -> None:
    add("mine")
    assert main(["selftest", "mine"]) == 10
    assert (
        "mine is not built, or has changed since: toolnexus-conformance ports install mine" in capsys.readouterr().err
    )
    main(["ports", "install", "mine"])
    capsys.readouterr()
    assert main(["selftest", "mine"]) == 0
    assert (
        capsys.readouterr().out.splitlines()[-1] == "the protocol is kept; next: toolnexus-conformance ports run mine"
    )


def test_run_refuses_what_is_not_built(add: Any, folder: Any, capfd: pytest.CaptureFixture[str]) -> None:
    folder.add()
    add("mine")
    assert run(folder, "mine") == 10
    said = capfd.readouterr().err
    assert "mine is not built, or has changed since: toolnexus-conformance ports install mine" in said


GATEWAY = """
import http.server, json, sys, urllib.request

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.say({})
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers['content-length'])))
        sent = {name: body[name] for name in ('model', 'max_tokens', 'messages')}
        headers = {'x-api-key': self.headers['authorization'][7:]}
        url = 'http://127.0.0.1:%s/v1/messages' % sys.argv[2]
        asked = urllib.request.Request(url, json.dumps(sent).encode(), headers)
        answer = json.loads(urllib.request.urlopen(asked).read())
        message = {'role': 'assistant', 'content': answer['content'][0]['text']}
        self.say({'choices': [{'message': message, 'finish_reason': 'stop'}], 'usage': {'total_tokens': 11}})
    def say(self, value):
        data = json.dumps(value).encode()
        self.send_response(200)
        self.send_header('content-length', str(len(data)))
        self.end_headers()
        self.wfile.write(data)

http.server.ThreadingHTTPServer(('127.0.0.1', int(sys.argv[1])), Handler).serve_forever()
"""


def test_run_starts_and_ends_a_gateway(add: Any, folder: Any, capfd: pytest.CaptureFixture[str]) -> None:
    import random
    import socket

    folder.add()
    port, stub = (random.randrange(15_000, 30_000) for _ in range(2))
    lines = [
        "[gateway]",
        f'start = ["{{python}}", "{{port}}/serve.py", "{port}", "{stub}"]',
        f'ready = "http://127.0.0.1:{port}/"',
        f'url = "http://127.0.0.1:{port}/v1"',
        f"stub_port = {stub}",
    ]
    (add("mine", more="\n".join(lines)) / "serve.py").write_text(GATEWAY)
    main(["ports", "install", "mine"])
    assert run(folder, "mine") == 0
    assert "1 cases: 1 pass" in capfd.readouterr().out
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) != 0


def test_a_gateway_that_ends_at_once_is_told(add: Any, folder: Any, capfd: pytest.CaptureFixture[str]) -> None:
    folder.add()
    lines = ['[gateway]\nstart = ["{python}", "-c", "raise SystemExit(3)"]', 'ready = "http://127.0.0.1:9/"']
    add("mine", more="\n".join([*lines, 'url = "http://127.0.0.1:9/v1"', "stub_port = 9"]))
    main(["ports", "install", "mine"])
    assert run(folder, "mine") == 10
    assert "mine ended with 3 before it was ready; see " in capfd.readouterr().err


def test_one_build_of_a_port_at_a_time(add: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    add("mine")
    with adapters._alone(_made(one("mine"))):
        assert main(["ports", "install", "mine"]) == 10
    assert "mine is being built by somebody else" in capsys.readouterr().err
    assert main(["ports", "install", "mine"]) == 0


def _made(adapter: Adapter) -> Adapter:
    adapter.build.parent.mkdir(parents=True)
    return adapter


def test_what_answers_already_is_not_judged_in_a_gateways_place(add: Any, capsys: pytest.CaptureFixture[str]) -> None:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    gateway = f'[gateway]\nstart = ["false"]\nready = "{url}/"\nurl = "{url}/v1"\nstub_port = 1\n'
    add("mine", more=gateway)
    main(["ports", "install", "mine"])
    try:
        assert main(["ports", "run", "mine"]) == 10
    finally:
        server.shutdown()
        server.server_close()
    assert f"something answers at {url}/ already" in capsys.readouterr().err


def test_results_of_a_part_are_refused(
    add: Any, folder: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder.add()
    folder.add("anthropic/text/other")
    add("mine")
    main(["ports", "install", "mine"])
    assert run(folder, "mine", "--report", str(tmp_path / "out")) == 0
    assert run(folder, "mine", "--report", str(tmp_path / "part"), "-k", "other") == 0
    (tmp_path / "part" / "mine").rename(tmp_path / "out" / "a=b")
    assert main(["ports", "results", str(tmp_path / "out"), "-o", str(tmp_path / "x.md")]) == 4
    assert "a-b: its run is of 1 cases, others of 2" in capfd.readouterr().err


def test_sigterm_ends_the_gateway_too(add: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    start = f'["{{python}}", "-m", "http.server", "{port}", "--bind", "127.0.0.1"]'
    add("mine", more=f'[gateway]\nstart = {start}\nready = "{url}/"\nurl = "{url}/v1"\nstub_port = 1\n')
    main(["ports", "install", "mine"])
    before = signal.getsignal(signal.SIGTERM)

    def terminated(*words: Any, **options: Any) -> None:
        assert httpx.get(f"{url}/", trust_env=False).status_code == 200
        os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr("conformance.cli.ports.subprocess.run", terminated)
    assert main(["ports", "run", "mine"]) == 128 + signal.SIGTERM
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{url}/", trust_env=False)
    assert signal.getsignal(signal.SIGTERM) is before
