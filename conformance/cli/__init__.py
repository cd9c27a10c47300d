"""The command `toolnexus-conformance`: one verb a file, loaded when it is called.

Exit codes are the pytest plugin's: 0 fine, 1 not conformant, 2 interrupted, 4 usage, 10 the port could not be run,
11 a fault in kit or corpus. Whatever goes wrong is one line on stderr.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from conformance.cli.group import cli as cli

PROGRAM = "toolnexus-conformance"
USAGE = 4
INTERRUPTED = 2
CORPUS_FAULT = 11

#: What the extra brings, by the names under which it is imported.
EXTRA = frozenset({"click", "deepdiff", "jinja2", "jsonschema", "pytest", "pytest_httpserver", "tomlkit", "werkzeug"})
CURE = "needs its extra: pip install 'toolnexus-conformance[conformance]'"

#: verb → module; its command is called `command`.
VERBS = {
    "bless": "conformance.cli.bless",
    "completion": "conformance.cli.completion",
    "diff": "conformance.cli.diff",
    "explain": "conformance.cli.explain",
    "export": "conformance.cli.export",
    "fmt": "conformance.cli.fmt",
    "import": "conformance.cli.import_",
    "known": "conformance.cli.known",
    "lint": "conformance.cli.lint",
    "list": "conformance.cli.list_",
    "new": "conformance.cli.new",
    "ports": "conformance.cli.ports",
    "record": "conformance.cli.record",
    "report": "conformance.cli.report",
    "run": "conformance.cli.run",
    "selftest": "conformance.cli.selftest",
    "serve": "conformance.cli.serve",
    "show": "conformance.cli.show",
    "translate": "conformance.cli.translate",
}


def __getattr__(name: str) -> Any:
    """`cli`, the group of all verbs, is imported when it is first asked for: click comes with the extra."""
    if name == "cli":
        from conformance.cli.group import cli

        return cli
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def main(argv: list[str] | None = None) -> int:
    """Run one verb and return its exit code; without the extra, say so in one line."""
    try:
        from conformance.cli.group import cli

        cli.main(argv, PROGRAM)
    except ModuleNotFoundError as wrong:
        if (wrong.name or "").partition(".")[0] not in EXTRA:
            raise
        sys.stderr.write(f"{PROGRAM}: {CURE}\n")
        return USAGE
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else USAGE
    return 0


if __name__ == "__main__":
    sys.exit(main())
