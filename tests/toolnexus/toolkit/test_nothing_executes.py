"""No tool runs, whatever the toolkit holds: there is no execution path (clause call.nothing-executes)."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest

import toolnexus.toolkit
from toolnexus.toolkit import Tool, Toolkit, compose, tool

ROOT = Path(toolnexus.toolkit.__file__).parents[1]
MODULES = sorted(ROOT.rglob("*.py"))

_RUNS = {"execute", "run", "invoke", "call_tool", "call"}
_HANDLER = {"handler", "_handler", "__wrapped__"}


def calls_of_a_handler(source: str) -> Iterator[str]:
    """Each place where a handler, or anything that was one, is called, passed on or read."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in _HANDLER:
                yield f"line {node.lineno}: {name} is called"
            case ast.Attribute(attr=name, ctx=ast.Load()) if name in _HANDLER:
                yield f"line {node.lineno}: {name} is read"
            case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(value=name), *_]) if name in _HANDLER:
                yield f"line {node.lineno}: {name} is read by getattr"


def ways_to_run(source: str) -> list[str]:
    functions = (
        node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    return [function.name for function in functions if function.name in _RUNS]


def allowed(path: Path) -> int:
    """`Tool.__wrapped__` gives the caller its own function: one test for None and one return."""
    return 2 if path.name == "declaration.py" else 0


def test_there_are_modules_to_look_at() -> None:
    assert {"kit.py", "declaration.py", "native.py", "exact.py"} <= {path.name for path in MODULES}


@pytest.mark.parametrize("path", MODULES, ids=[str(path.relative_to(ROOT)) for path in MODULES])
def test_no_module_reads_or_calls_a_handler(path: Path) -> None:
    found = list(calls_of_a_handler(path.read_text()))
    reads = [place for place in found if place.endswith("_handler is read")]
    assert len(reads) == allowed(path), found
    assert found == reads, found


@pytest.mark.parametrize(
    "source",
    [
        "tool._handler(1)",
        "handler(1)",
        "run = tool._handler\nrun()",
        "tool.__wrapped__()",
        "getattr(tool, '_handler')()",
    ],
)
def test_a_call_would_be_found(source: str) -> None:
    assert list(calls_of_a_handler(source))


def test_the_toolkit_defines_no_way_to_run() -> None:
    assert ways_to_run("class Toolkit:\n    def execute(self): ...") == ["execute"]
    assert ways_to_run("async def call_tool(): ...") == ["call_tool"]
    assert [name for path in (ROOT / "toolkit").rglob("*.py") for name in ways_to_run(path.read_text())] == []


def test_wrapped_is_the_only_reader_of_the_handler() -> None:
    source = (ROOT / "toolkit" / "declaration.py").read_text()
    [wrapped] = [n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.FunctionDef) and n.name == "__wrapped__"]
    reads = [n.lineno for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Attribute) and n.attr == "_handler"]
    assert reads
    assert all(wrapped.lineno <= line <= (wrapped.end_lineno or 0) for line in reads)


class Alarm:
    """A handler that remembers being touched."""

    def __init__(self) -> None:
        self.rung = 0

    def __call__(self, *args: object, **kwargs: object) -> None:
        self.rung += 1


def test_an_alarm_stays_silent_whatever_is_asked_of_the_toolkit() -> None:
    alarm = Alarm()

    @tool
    def native(x: int = 1) -> None:
        alarm()

    async def later(x: int) -> None:
        alarm()

    listed = [Tool("a", "", {}, "mcp", alarm), Tool.from_dict({"name": "b", "source": "builtin"}, alarm), native]
    kit = Toolkit([*compose(mcp=listed[:1], builtins=listed[1:2], extra=listed[2:]), later])
    for name, method in inspect.getmembers(kit, callable):
        if not name.startswith("_") and not inspect.signature(method).parameters:
            method()
    for style in ("openai", "anthropic", "gemini"):
        kit.declarations(style)  # type: ignore[arg-type]
        kit.faults(style)  # type: ignore[arg-type]
    assert repr(kit)
    assert {hash(item) for item in kit}
    assert kit.names() == ("a", "b", "native", "later")
    assert alarm.rung == 0
    native.__wrapped__()
    assert alarm.rung == 1, "the alarm works"


def test_a_toolkit_and_its_tools_offer_no_way_to_run() -> None:
    for thing in (Toolkit(), Tool("a", handler=print)):
        assert not callable(thing)
        public = {name for name in dir(thing) if not name.startswith("_")}
        assert not public & _RUNS, public
