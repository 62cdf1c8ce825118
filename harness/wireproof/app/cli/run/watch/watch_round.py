"""One round of `wireproof run --watch`: a build, what failed last, then the rest."""

import contextlib
from collections.abc import Callable, Collection
from dataclasses import replace

from rich.console import Console

from wireproof.app.assembly.run_plan import RunPlan, plan_run
from wireproof.app.assembly.watch.watch_requests import RequestInbox
from wireproof.app.cli.events.event_loop import dispatch
from wireproof.app.cli.events.stop_signals import StopSignals
from wireproof.app.cli.run.plan_text import last_failed_line
from wireproof.app.cli.run.report_files import report_files
from wireproof.app.cli.run.run_listeners import recording_listeners
from wireproof.base.exit_codes import ExitCode
from wireproof.base.text.output import echo
from wireproof.base.text.wording import counted
from wireproof.model import Cell
from wireproof.proof.config import RunConfig
from wireproof.proof.run import CellResult, LostCell, RunEvent, RunFooter
from wireproof.proof.testees import TesteeFiles, forget_modules
from wireproof.verdict.report.comparison.run_history import RunHistory, change_lines
from wireproof.verdict.report.last_failed import LAST_FAILED, read_failed_cells
from wireproof.verdict.report.run.terminal_report import TerminalReport
from wireproof.verdict.report.run_summary import RunSummary

__all__ = ["RetriedCells", "WatchRound"]


class RetriedCells:
    """A listener that reports on the cells that failed last, as soon as all of them are judged.

    Args:
        cells: those that failed last.
        say: called with the line.
    """

    def __init__(self, cells: Collection[Cell], say: Callable[[str], object]) -> None:
        self._left = set(cells)
        self._number = len(self._left)
        self._failing = 0
        self._say = say

    def __call__(self, event: RunEvent) -> None:
        if isinstance(event, CellResult | LostCell) and event.cell in self._left:
            self._left.remove(event.cell)
            self._failing += isinstance(event, LostCell) or event.failed_cases > 0
            if not self._left:
                tried = counted(self._number, "cell")
                still = "fails" if self._failing == 1 else "fail"
                self._say(f"of {tried} that failed last, {self._failing:,} still {still}")


class WatchRound:
    """Builds the testee and judges its cells. A request ends the round, with its processes.

    Args:
        files: those of the testee.
    """

    def __init__(
        self,
        config: RunConfig,
        files: TesteeFiles,
        inbox: RequestInbox,
        signals: StopSignals,
        console: Console,
        *,
        quiet: bool,
        verbose: bool,
    ) -> None:
        self._config = config
        self._files = files
        self._inbox = inbox
        self._signals = signals
        self._console = console
        self._quiet = quiet
        self._verbose = verbose
        self._history = RunHistory()

    def __call__(self, *, only_failed: bool) -> ExitCode | None:
        """Run the round; see `RoundOfCells`."""
        config = replace(self._config, last_failed=only_failed)
        if self._files.in_process:
            forget_modules(self._files.folder)
        with report_files(config.reports) as reports:
            plan = plan_run(config)
            if not self._inbox.is_empty:
                return None  # the build is out of date already
            if only_failed:
                _say(last_failed_line(plan))
            return self._judge(plan, reports)

    def _judge(self, plan: RunPlan, reports: Collection[Callable[[RunEvent], None]]) -> ExitCode | None:
        failed = read_failed_cells(LAST_FAILED, plan.subject.word)
        first = frozenset(cell for cell in plan.cells if cell.id in failed)
        engine = plan.engine(first=first)
        summary = RunSummary()
        terminal = TerminalReport(self._console, quiet=self._quiet, brief=not self._verbose)
        report = self._reporting(terminal)
        with contextlib.ExitStack() as stack:
            listeners: list[Callable[[RunEvent], None]] = [*recording_listeners(plan, stack), summary, report]
            if 0 < len(first) < len(plan.cells):
                listeners.append(RetriedCells(first, _say))
            stack.enter_context(self._signals.interrupting(engine.interrupt))
            stack.enter_context(self._inbox.notifying(engine.interrupt))
            code = dispatch(engine, plan.cells, plan.started(), [*listeners, *reports])
        if self._signals.stopped:
            return code
        if code is ExitCode.INTERRUPTED:
            return None
        self._compare(summary)
        return code

    def _reporting(self, terminal: TerminalReport) -> Callable[[RunEvent], None]:
        """Return the listener that writes the report, unless a request ended the run."""

        def listen(event: RunEvent) -> None:
            ended = isinstance(event, RunFooter) and event.exit_code is ExitCode.INTERRUPTED
            if ended and not self._signals.stopped:
                terminal.abandon()
            else:
                terminal(event)

        return listen

    def _compare(self, summary: RunSummary) -> None:
        if summary.broken is not None:
            return
        difference = self._history.add(summary)
        if difference is not None:
            for line in change_lines(difference):
                _say(line)


def _say(line: str) -> None:
    echo(line, err=True)
