"""The pytest hooks of a conformance run, and nothing else: the run is in `session`, its texts in `report`."""

from __future__ import annotations

import gc
import importlib.metadata
import sys
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any, Final, cast

import pytest

from conformance.case import Case
from conformance.corpus import LEVELS, version
from conformance.faults import Fault, PortFault, UsageFault
from conformance.options import Options
from conformance.report import closing, exits, folder, progress, results, terminal
from conformance.report.events import CaseJudged, from_builtins, to_builtins
from conformance.session import Session
from conformance.shard import parse as parse_shard
from conformance.termination import CODE, Terminated, Termination

#: Where an event rides on a pytest report, and on what an xdist worker hands back.
_EVENT: Final = "toolnexus_event"
_NOTES: Final = "toolnexus_notes"

_NAME: Final = "toolnexus-conformance"

#: Options with which pytest only shows something and ends.
_SHOWING: Final = ("help", "version", "markers", "showfixtures", "show_fixtures_per_test", "cacheshow")


#: Frames for judging and showing bodies of 512 levels and more: a port's answer must not look like a fault of the kit.
_FRAMES: Final = 20_000


def begin(config: pytest.Config) -> int | None:
    """Set the run up and register its hooks; gives an exit code where it cannot begin."""
    sys.setrecursionlimit(max(sys.getrecursionlimit(), _FRAMES))
    if config.pluginmanager.hasplugin(_NAME) or any(getattr(config.option, name, None) for name in _SHOWING):
        return None
    worker = hasattr(config, "workerinput")
    distributed = bool(getattr(config.option, "numprocesses", None) or getattr(config.option, "tx", None))
    session, termination = None, Termination()
    try:
        termination.__enter__()
        if not worker:
            _refuse_arguments(config)
        _refuse_published_port()
        session = Session(_options(config))
        if distributed and session.options.stub_port:
            raise UsageFault("a gateway has one upstream, so -n cannot share --toolnexus-stub-port between processes")
        if session.options.report is not None and not worker:
            folder.make(session.options.report)
        cases = session.cases
        _ = session.corpus.clauses  # every run tells of them: a fault in their file is told at once
        session.unknown_entries()  # an entry that is too wide is told at once
        gc.freeze()  # the corpus lives as long as the run: walking it in each collection is what takes time
        if cases and not (worker or config.option.collectonly):
            session.open()
            if distributed:  # each worker has a port and a stub of its own; this was to see that there is one
                session.close()
    except BaseException as fault:
        termination.__exit__()
        if not isinstance(fault, Fault):
            raise
        if worker:
            raise pytest.UsageError(str(fault)) from None
        sys.stderr.write(f"toolnexus: {fault}\n")
        return fault.exit_code if session is None else _reported(session, fault)
    # An id is no path: it is shown as it is, wherever pytest finds its root folder.
    config.cwd_relative_nodeid = lambda nodeid: nodeid  # type: ignore[method-assign]
    config.pluginmanager.register(Conformance(config, session, termination), _NAME)
    return None


def _reported(session: Session, fault: Fault) -> int:
    """The exit code of a fault that kept the run from beginning; a report that was asked for tells of it."""
    if session.options.report is not None and isinstance(fault, PortFault):
        found = results.not_started(session.corpus, session.cases, session.options, fault.exit_code, str(fault))
        folder.write(found, session.options.report)
    return fault.exit_code


def _options(config: pytest.Config) -> Options:
    def asked(name: str) -> Any:
        value = config.getoption(f"toolnexus_{name}")
        return (value if value is not None else config.getini(f"toolnexus_{name}")) or None

    level, accept, since = asked("level") or "may", asked("accept") or "exact", asked("since")
    if level not in LEVELS:
        raise UsageFault(f"unknown level {level!r}; write must, should or may")
    if accept not in ("exact", "equivalent"):
        raise UsageFault(f"unknown strength {accept!r}; --toolnexus-accept takes exact or equivalent")
    if since is not None:
        version(since)
    fixtures = asked("fixtures")
    return Options(
        port=asked("port") or Options().port,
        stub_port=_port_number(asked("stub_port")),
        headers=tuple(asked("header") or ()),
        models=tuple(asked("model") or ()),
        known=Path(asked("known")).absolute() if asked("known") else None,
        fixtures=None if fixtures is None else Path(fixtures).absolute(),
        level=level,
        accept=cast("Any", accept),
        cases=tuple(asked("case") or ()),
        since=since,
        shard=parse_shard(asked("shard")) if asked("shard") else None,
        report=Path(asked("report")).absolute() if asked("report") else None,
    )


def _port_number(text: str | None) -> int:
    if text is not None and not (text.isdecimal() and 0 < int(text) < 2**16):
        raise UsageFault(f"{text!r} is no port number (--toolnexus-stub-port)")
    return int(text or 0)


def _refuse_arguments(config: pytest.Config) -> None:
    if config.args_source is pytest.Config.ArgsSource.ARGS:
        raise UsageFault(f"paths choose no cases ({' '.join(config.args)}); use --toolnexus-case ID or -k")


def _refuse_published_port() -> None:
    try:
        found = importlib.metadata.version("toolnexus")
    except importlib.metadata.PackageNotFoundError:
        return
    raise UsageFault(
        f"the published port toolnexus {found} is installed here under the same import name; "
        "run it from an environment of its own, with --toolnexus-port cmd:…"
    )


class CaseItem(pytest.Item):
    """One case, or one variant of it; the id is the case's."""

    case: Case

    def runtest(self) -> None:
        """Cases are run by `pytest_runtest_protocol`."""
        raise NotImplementedError

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """The case file."""
        return self.case.path, None, self.case.id


class Conformance:
    """The hooks of one run."""

    def __init__(self, config: pytest.Config, session: Session, termination: Termination) -> None:
        self._config = config
        self._termination = termination
        self._session = session
        self._worker = hasattr(config, "workerinput")
        self._notes: list[str] = []
        self._upcoming: list[Case] = []
        self._began = time.monotonic()
        self._report = None if config.option.collectonly else session.options.report
        self._progress: progress.Progress | None = None
        self._tell_failures = False

    # -- collection ----------------------------------------------------------------------------------------------------

    def pytest_collection(self, session: pytest.Session) -> list[pytest.Item] | None:
        """Collect the corpus, and nothing of the folder."""
        if self._config.pluginmanager.hasplugin("dsession"):
            return None
        items: list[pytest.Item] = [self._item(session, case) for case in self._session.cases]
        session.items = items
        session.testscollected = len(items)
        hook = self._config.hook
        hook.pytest_collectreport(report=pytest.CollectReport("", "passed", None, [*items]))
        hook.pytest_collection_modifyitems(session=session, config=self._config, items=items)
        session.testscollected = len(items)
        hook.pytest_collection_finish(session=session)
        return items

    def _item(self, session: pytest.Session, case: Case) -> CaseItem:
        item: CaseItem = CaseItem.from_parent(session, name=case.id, nodeid=case.id)
        item.case = case
        item.extra_keyword_matches.update((*case.clauses, case.level))
        return item

    # -- running -------------------------------------------------------------------------------------------------------

    def pytest_sessionstart(self) -> None:
        """Show how far the run is in place of a letter a case, unless more or less is asked for."""
        reporter: Any = self._config.pluginmanager.getplugin("terminalreporter")
        if reporter is not None and self._config.get_verbosity() == 0 and not self._worker:
            reporter._show_progress_info = reporter.showfspath = False
            reporter.reportchars = reporter.reportchars.replace("f", "")  # each failure is told once
            if self._config.option.tbstyle == "auto":
                self._config.option.tbstyle = "no"
                self._tell_failures = True
            self._progress = progress.Progress(reporter, reporter._tw.fullwidth)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """How many cases there will be, and in which order."""
        self._expect(len(session.items))
        self._upcoming = [item.case for item in session.items if isinstance(item, CaseItem)]

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        """The same, where workers collect."""
        self._expect(len(ids))

    def _expect(self, total: int) -> None:
        if self._progress is not None:
            self._progress.total = total

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self) -> Generator[None, object, object]:
        """SIGTERM ends the loop in pytest's own way, with its summary."""
        try:
            return (yield)
        except Terminated:
            pytest.exit("ended by SIGTERM", returncode=CODE)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
        """Run one case; fixtures, capturing and set-up have no part in it, so one report tells all."""
        if not isinstance(item, CaseItem):
            return None
        hook = item.ihook
        hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        began = time.time()
        event = self._judged(item.case, nextitem)
        ended = time.time()
        outcome = "failed" if event.red else "passed" if event.state in ("pass", "equivalent") else "skipped"
        place = str(item.case.path)
        report = pytest.TestReport(
            item.nodeid,
            item.location,
            {item.name: 1},
            cast("Any", outcome),
            None if outcome == "passed" else (place, 0, terminal.brief(event)) if outcome == "skipped" else "",
            "call",
            duration=ended - began,
            start=began,
            stop=ended,
        )
        setattr(report, _EVENT, to_builtins(event))
        hook.pytest_runtest_logreport(report=report)
        hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def _judged(self, case: Case, after: pytest.Item | None) -> CaseJudged:
        try:
            if not self._session.opened:
                self._session.open()
        except Fault as fault:
            return exits.not_started(case, fault)
        if self._worker:  # of all cases it collected, it gets to know only the next that is its own
            self._upcoming = [case, *([after.case] if isinstance(after, CaseItem) else [])]
        if self._upcoming:
            self._session.expect(self._upcoming)
            self._upcoming = []
        return self._session.run(case)

    # -- reporting -----------------------------------------------------------------------------------------------------

    def pytest_report_header(self) -> list[str]:
        """What is about to run."""
        wanted, hello = self._session.options, self._session.hello
        port = "" if hello is None else f" ({hello.name} {hello.version}, {hello.language})"
        return [
            f"conformance: corpus {self._session.corpus.version} in {self._session.fixtures}",
            f"port: {wanted.port}{port}, accept {wanted.accept}, level {wanted.level}",
        ]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the event, and let the failure be shown from it."""
        found = getattr(report, _EVENT, None)
        if found is None or self._worker:
            return
        event = from_builtins(found)
        self._session.log.add(event)
        if isinstance(event, CaseJudged) and report.failed:
            report.longrepr = cast("Any", terminal.FailureText(event, self._session.corpus.clauses))
        if isinstance(event, CaseJudged) and self._progress is not None:
            self._progress.add(event)

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, Any] | None:
        """Each state its letter and word; what is red counts as failed."""
        found = getattr(report, _EVENT, None)
        if found is None:
            return None
        category, letter, word = exits.status(found["state"], bool(found["red"]), bool(found.get("known")))
        return (category, letter, word) if self._progress is None else (category, "", "")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Failures in full, pass counts a clause, why the run is red beyond its cases, and what to do next."""
        screen, log, clauses = cast("Any", terminalreporter), self._session.log, self._session.corpus.clauses
        if self._tell_failures:
            closing.failures(screen, log, clauses)
        closing.counts(screen, log, clauses, quiet=terminalreporter.config.get_verbosity() < 0)
        if self._report is not None:
            terminalreporter.write_line(f"report: {self._report}")

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """End the port, and settle the exit code before the summary is written."""
        self._session.close()
        self._notes.extend(self._session.notes())
        if self._worker:
            cast("Any", self._config).workeroutput[_NOTES] = self._notes
            return
        self._notes.extend(self._session.unknown_entries())
        finished = exits.finished(self._session.log, self._session.hello, int(exitstatus), self._notes)
        self._session.log.add(finished)
        session.exitstatus = finished.exit_code
        if self._progress is not None:
            self._progress.end()
        if self._report is not None:
            seconds = time.monotonic() - self._began
            found = results.from_log(self._session.log, self._session.corpus, self._session.options, seconds=seconds)
            folder.write(found, self._report)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """What went wrong beside the cases of a worker."""
        self._notes.extend(getattr(node, "workeroutput", {}).get(_NOTES, ()))

    def pytest_unconfigure(self) -> None:
        """Whatever ended the run, nothing of it stays."""
        self._session.close()
        self._termination.__exit__()
