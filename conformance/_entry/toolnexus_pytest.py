"""The pytest entry point: options only.

It is installed as a module of its own, beside the kit: it imports the kit under `--toolnexus-conformance` alone, so
that a folder of the user's own that is called `conformance` breaks nothing, and a run without the flag costs nothing.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

_OPTIONS = (
    (
        "port",
        "SPEC",
        "the port: python:toolnexus (default), python:package.module:factory, 'cmd:node port.mjs' or a gateway's URL",
    ),
    ("stub-port", "N", "where a gateway's upstream is: the kit's stub listens on this port of 127.0.0.1"),
    ("fixtures", "DIR", "the corpus (default: the one beside the installed kit)"),
    ("level", "LEVEL", "the lowest level to run: must, should or may (default: may)"),
    ("accept", "STRENGTH", "exact, or equivalent: requests that mean the same to the provider pass, too"),
    ("since", "VERSION", "only cases of this corpus version or older, so that new ones break nobody"),
    ("shard", "I/N", "only the I-th of N shares of the cases, from 1; a case stays in its share as others come and go"),
    ("known", "FILE", "known failures (TOML); one that passes, or fails in another way, is red"),
    ("report", "DIR", "write results.jsonl, junit.xml, summary.md and badge.json there"),
)

_LISTS = (
    ("case", "ID", "run this case with its variants, or one variant as ID[name]"),
    ("header", "'NAME: VALUE'", "send this to the gateway; {stub}, {key} and {style} are filled in"),
    ("model", "[STYLE=]NAME", "what the gateway calls the model, for one style of upstream or for both"),
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options, each with an ini value of the same name."""
    group = parser.getgroup("toolnexus", "toolnexus conformance")
    try:
        group.addoption(
            "--toolnexus-conformance",
            action="store_true",
            default=None,
            help="run the conformance corpus against a port, instead of this folder's tests",
        )
    except ValueError:  # loaded twice, as an entry point and with -p: once is enough
        return
    parser.addini("toolnexus_conformance", "run the conformance corpus (--toolnexus-conformance)", "bool")
    for name, metavar, text in _OPTIONS:
        group.addoption(f"--toolnexus-{name}", metavar=metavar, help=text)
        parser.addini(f"toolnexus_{name.replace('-', '_')}", text)
    for name, metavar, text in _LISTS:
        group.addoption(f"--toolnexus-{name}", metavar=metavar, action="append", help=f"{text}; repeatable")
        parser.addini(f"toolnexus_{name}", f"{text}, one a line (--toolnexus-{name})", "linelist")


def pytest_cmdline_main(config: pytest.Config) -> int | None:
    """Under the flag, load the kit; a fault found before the run is one line and its exit code."""
    asked = config.getoption("toolnexus_conformance")
    if not (config.getini("toolnexus_conformance") if asked is None else asked):
        return _refuse_options(config)
    here = Path(__file__).resolve()
    home = str(here.parents[2] if here.parent.name == "_entry" else here.parent)
    # A folder called `conformance` where pytest was started must not be taken for the kit.
    sys.path.insert(0, home)
    try:
        from conformance.plugin import begin
    except ImportError as wrong:
        own = (wrong.name or "").partition(".")[0] in ("conformance", "toolnexus")
        cure = "" if own else "; it needs its extra: pip install 'toolnexus-conformance[conformance]'"
        sys.stderr.write(f"toolnexus: the kit cannot be loaded: {wrong}{cure}\n")
        return int(pytest.ExitCode.USAGE_ERROR)
    finally:
        sys.path.remove(home)
    return begin(config)


def _refuse_options(config: pytest.Config) -> int | None:
    """An option of a run that is not asked for would be passed over in silence; settings may stand in an ini file."""
    names = [name for name, *_ in (*_OPTIONS, *_LISTS)]
    given = [name for name in names if config.getoption(f"toolnexus_{name.replace('-', '_')}") is not None]
    if not given or config.option.help:
        return None
    sys.stderr.write(f"toolnexus: --toolnexus-{given[0]} does nothing without --toolnexus-conformance\n")
    return int(pytest.ExitCode.USAGE_ERROR)
