"""No tool runs, whatever the toolkit holds: there is no execution path (clause call.nothing-executes)."""

from __future__ import annotations

import ast
import asyncio
import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest

import toolnexus.toolkit
from toolnexus.toolkit import Tool, Toolkit, compose, tool

ROOT = Path(toolnexus.toolkit.__file__).parents[1]
MODULES = sorted(ROOT.rglob("*.py"))

_RUNS = {"execute", "run", "invoke", "call_tool", "call"}
_HANDLER = {"_handler", "__wrapped__"}
_ASKED = {"names", "declarations", "faults", "warnings", "tools", "get", "to_openai", "to_anthropic", "to_gemini"}


def uses_of_a_handler(source: str) -> Iterator[str]:
    """Each place where a handler is read: by attribute, or by name through getattr."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Attribute(attr=name, ctx=ast.Load()) if name in _HANDLER:
                yield f"line {node.lineno}: {name} is read"
            case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(value=name), *_]) if name in _HANDLER:
                yield f"line {node.lineno}: {name} is read by getattr"


def calls_of_a_parameter(source: str) -> Iterator[str]:
    """Each call of what a function was given as `handler`, `fn` or `function`."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(func=ast.Name(id="handler" | "fn" | "function" as name)):
                yield f"line {node.lineno}: {name} is called"


def asked_of_a_toolkit(source: str) -> set[str]:
    """The attributes read of anything called toolkit."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Attribute(value=ast.Name(id="toolkit") | ast.Attribute(attr="toolkit"), attr=name):
                found.add(name)
    return found


def ways_to_run(source: str) -> list[str]:
    functions = (
        node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    return [function.name for function in functions if function.name in _RUNS]


def test_there_are_modules_to_look_at() -> None:
    assert {"kit.py", "declaration.py", "native.py", "exact.py"} <= {path.name for path in MODULES}


@pytest.mark.parametrize("path", MODULES, ids=[str(path.relative_to(ROOT)) for path in MODULES])
def test_no_module_reads_a_handler(path: Path) -> None:
    found = list(uses_of_a_handler(path.read_text()))
    # `Tool.__wrapped__` gives the caller its own function: one test for None and one return.
    assert len(found) == (2 if path.name == "declaration.py" else 0), found


@pytest.mark.parametrize("path", sorted((ROOT / "toolkit").rglob("*.py")), ids=lambda path: path.name)
def test_the_toolkit_calls_no_function_it_was_given(path: Path) -> None:
    assert list(calls_of_a_parameter(path.read_text())) == []


def test_a_translation_only_asks_a_toolkit_for_declarations() -> None:
    asked = {name for path in MODULES if path.parent.name != "toolkit" for name in asked_of_a_toolkit(path.read_text())}
    assert "declarations" in asked
    assert asked <= _ASKED


@pytest.mark.parametrize(
    "source", ["tool._handler(1)", "f = tool._handler", "tool.__wrapped__()", "getattr(t, '_handler')()"]
)
def test_a_use_of_a_handler_would_be_found(source: str) -> None:
    assert list(uses_of_a_handler(source))


def test_a_call_of_a_parameter_would_be_found() -> None:
    assert list(calls_of_a_parameter("def f(handler): handler(1)"))
    assert list(calls_of_a_parameter("async def f(fn): await fn()"))
    assert asked_of_a_toolkit("request.toolkit.execute('x')\ntoolkit.names()") == {"execute", "names"}


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
            result = method()
            if inspect.iscoroutine(result):
                asyncio.run(result)
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
