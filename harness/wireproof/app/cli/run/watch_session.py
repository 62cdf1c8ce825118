"""``wireproof run --watch``: the options that it refuses, and the parts of it put together."""

import contextlib
import os
import select
import sys
import termios
import threading
import tty
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from rich.console import Console

from wireproof.app.assembly.file_watcher import (
    ChangedFiles,
    FileWatcher,
    IgnoredFiles,
    KeyPress,
    RequestInbox,
    WatchFailure,
    WatchRequest,
)
from wireproof.app.assembly.run_plan import RunPlan, plan_run
from wireproof.app.cli.event_loop import StopSignals, dispatch
from wireproof.app.cli.run.report_files import last_failed_line, recording_listeners, report_files
from wireproof.base.exit_codes import ExitCode, FatalError
from wireproof.base.text.wording import counted, echo, echo_lines
from wireproof.model.cell import Cell
from wireproof.proof.config.run_config import RunConfig
from wireproof.proof.run.core.cell_events import CellResult, LostCell
from wireproof.proof.run.core.run_events import RunEvent, RunFooter
from wireproof.proof.testees.build.launch import TesteeFiles, testee_files
from wireproof.proof.testees.session.in_process_testees import forget_modules
from wireproof.proof.testees.testee_errors import TesteeError
from wireproof.verdict.report.comparison.run_difference import RunHistory, change_lines
from wireproof.verdict.report.failure_files import LAST_FAILED, read_failed_cells
from wireproof.verdict.report.output_formats import RUN_FORMATS
from wireproof.verdict.report.run.terminal_report import TerminalReport
from wireproof.verdict.report.run_summary import RunSummary

_KEYS: Final[Mapping[bytes, KeyPress]] = {
    b"\n": KeyPress.AGAIN,
    b"\r": KeyPress.AGAIN,
    b"a": KeyPress.ALL,
    b"f": KeyPress.FAILED,
    b"q": KeyPress.QUIT,
}

KEYS_LINE: Final = "Enter: run again, a: all, f: only failed, q: quit"
"""The keys in words."""


@contextlib.contextmanager
def keys_of_terminal(descriptor: int, inbox: RequestInbox) -> Iterator[bool]:
    """Put the keys of a terminal into the inbox while the block runs. The terminal's mode is restored then.

    Yields:
        whether there are keys: the descriptor is a terminal, and this process is in its foreground.
    """
    if not _is_foreground_terminal(descriptor):
        yield False
        return
    before = termios.tcgetattr(descriptor)
    ending, end = os.pipe()
    reader = threading.Thread(target=_read, args=(descriptor, ending, inbox), name="keys", daemon=True)
    tty.setcbreak(descriptor, termios.TCSANOW)
    try:
        reader.start()
        yield True
    finally:
        os.close(end)
        reader.join()
        os.close(ending)
        termios.tcsetattr(descriptor, termios.TCSANOW, before)


def _is_foreground_terminal(descriptor: int) -> bool:
    try:
        return os.isatty(descriptor) and os.tcgetpgrp(descriptor) == os.getpgrp()
    except OSError:
        return False


def _read(descriptor: int, ending: int, inbox: RequestInbox) -> None:
    """Read keys until the pipe is closed or the terminal is gone."""
    while True:
        ready, _, _ = select.select([descriptor, ending], [], [])
        if ending in ready:
            return
        try:
            typed = os.read(descriptor, 64)
        except OSError:
            return
        if not typed:
            return
        for byte in typed:
            key = _KEYS.get(bytes([byte]).lower())
            if key is not None:
                inbox.put(key)


_NAMED: Final = 3
"""Changed files that are named."""


@dataclass(slots=True)
class WatchLoop:
    """Rounds until a key or a signal ends them.

    Args:
        folder: the watched folder; files are named relative to it.
        run_round: builds the testee and judges its cells, or only those that failed last. It returns the exit
            code; None if a request ended the round. It raises FatalError if the round cannot begin: the
            testee does not build, or a file is wrong.
        only_failed: whether the first round judges only the cells that failed last.
    """

    folder: Path
    inbox: RequestInbox
    run_round: Callable[[bool], ExitCode | None]
    say: Callable[[str], object]
    clear: Callable[[], object]
    only_failed: bool = False
    has_keys: bool = False

    def run(self, stopped: Callable[[], bool]) -> ExitCode:
        """Run again after each change, until interrupted.

        Args:
            stopped: whether a signal came.

        Returns:
            `INTERRUPTED` after a signal. After the key that quits, the exit code of the last complete round,
            or `INTERRUPTED` if no round was complete.

        Raises:
            FatalError: the first round cannot begin for another reason than its testee, or nothing can be
                watched any more.
        """
        code = self._round(ExitCode.INTERRUPTED, TesteeError)
        while not stopped():
            if self.inbox.is_empty:
                self.say(self._waiting_line())
            requests = self.inbox.take()
            if KeyPress.QUIT in requests:
                return code
            self._obey(requests)
            self.clear()
            self.say(self._reason(requests))
            code = self._round(code, FatalError)
        return ExitCode.INTERRUPTED

    def _round(self, before: ExitCode, harmless: type[FatalError]) -> ExitCode:
        """Run a round; return its code, or the code of the round before if a request ended this one."""
        try:
            done = self.run_round(self.only_failed)
        except harmless as error:
            self.say(f"Error: {error}")
            return error.exit_code
        return before if done is None else done

    def _obey(self, requests: Sequence[WatchRequest]) -> None:
        for request in requests:
            if request is KeyPress.ALL:
                self.only_failed = False
            elif request is KeyPress.FAILED:
                self.only_failed = True
            elif isinstance(request, WatchFailure):
                raise FatalError(f"cannot watch {self.folder}: {request.reason}", "", ExitCode.MISSING)

    def _waiting_line(self) -> str:
        cells = "only what failed last" if self.only_failed else "what failed last first, then the rest"
        keys = KEYS_LINE if self.has_keys else "Ctrl-C ends it"
        return f"watching {self.folder} ({cells}). {keys}"

    def _reason(self, requests: Iterable[WatchRequest]) -> str:
        changed = sorted({path for each in requests if isinstance(each, ChangedFiles) for path in each.paths})
        if not changed:
            return "again, only what failed last" if self.only_failed else "again"
        names = ", ".join(map(self._name, changed[:_NAMED]))
        more = f" and {counted(len(changed) - _NAMED, 'more file')}" if len(changed) > _NAMED else ""
        return f"changed: {names}{more}"

    def _name(self, path: Path) -> str:
        return str(path.relative_to(self.folder)) if path.is_relative_to(self.folder) else str(path)


class RetriedCells:
    """A listener that reports on the cells that failed last, as soon as all of them are judged."""

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


@dataclass(slots=True)
class WatchRound:
    """Builds the testee and judges its cells. A request ends the round, with its processes."""

    config: RunConfig
    files: TesteeFiles
    inbox: RequestInbox
    signals: StopSignals
    console: Console
    quiet: bool
    verbose: bool
    _history: RunHistory = field(default_factory=RunHistory)

    def __call__(self, only_failed: bool) -> ExitCode | None:
        """Run the round; return its exit code, or None if a request ended it."""
        config = replace(self.config, last_failed=only_failed)
        if self.files.in_process:
            forget_modules(self.files.folder)
        with report_files(config.reports) as reports:
            plan = plan_run(config)
            if not self.inbox.is_empty:
                return None  # the build is out of date already
            if only_failed:
                _say(last_failed_line(plan))
            return self._judge(plan, reports)

    def _judge(self, plan: RunPlan, reports: Collection[Callable[[RunEvent], None]]) -> ExitCode | None:
        failed = read_failed_cells(LAST_FAILED, plan.subject.word)
        first = frozenset(cell for cell in plan.cells if cell.id in failed)
        engine = plan.engine(first=first)
        summary = RunSummary()
        terminal = TerminalReport(self.console, quiet=self.quiet, brief=not self.verbose)
        report = self._reporting(terminal)
        with contextlib.ExitStack() as stack:
            listeners: list[Callable[[RunEvent], None]] = [*recording_listeners(plan, stack), summary, report]
            if 0 < len(first) < len(plan.cells):
                listeners.append(RetriedCells(first, _say))
            stack.enter_context(self.signals.interrupting(engine.interrupt))
            stack.enter_context(self.inbox.notifying(engine.interrupt))
            code = dispatch(engine, plan.cells, plan.started(), [*listeners, *reports])
        if self.signals.stopped:
            return code
        if code is ExitCode.INTERRUPTED:
            return None
        self._compare(summary)
        return code

    def _reporting(self, terminal: TerminalReport) -> Callable[[RunEvent], None]:
        """Return the listener that writes the report, unless a request ended the run."""

        def listen(event: RunEvent) -> None:
            ended = isinstance(event, RunFooter) and event.exit_code is ExitCode.INTERRUPTED
            if ended and not self.signals.stopped:
                terminal.abandon()
            else:
                terminal(event)

        return listen

    def _compare(self, summary: RunSummary) -> None:
        if summary.broken is not None:
            return
        difference = self._history.add(summary)
        if difference is not None:
            echo_lines(change_lines(difference), err=True)


def _say(line: str) -> None:
    echo(line, err=True)


_STANDARD_OUTPUT: Final = "-"


def watch(config: RunConfig, *, quiet: bool, verbose: bool) -> ExitCode:
    """Prove a testee again whenever one of its files changes, until a key or a signal ends that.

    Raises:
        FatalError: the options make no sense together, or the first round cannot begin.
    """
    files = watched_files(config)
    inbox, console = RequestInbox(), Console(stderr=True)
    outputs = [*(getattr(config, form.name) for form in RUN_FORMATS), config.events]
    ignored = IgnoredFiles(files.folder, [Path(each) for each in outputs if isinstance(each, str)])
    with (
        StopSignals() as signals,
        FileWatcher(files.folder, inbox, ignored.ignores, files.program),
        keys_of_terminal(sys.stdin.fileno() if sys.stdin is not None else -1, inbox) as has_keys,
    ):
        loop = WatchLoop(
            files.folder,
            inbox,
            WatchRound(config, files, inbox, signals, console, quiet=quiet, verbose=verbose),
            say=_say,
            clear=console.clear,
            only_failed=config.last_failed,
            has_keys=has_keys,
        )
        return loop.run(lambda: signals.stopped)


def watched_files(config: RunConfig) -> TesteeFiles:
    """Return the files of the testee; `FatalError` if the configuration cannot be watched."""
    if config.testee is None:
        raise _refused(
            "it needs --testee: wireproof's own codec has no folder to watch",
            "Type: wireproof run --watch --testee FOLDER",
        )
    if config.shard != (1, 1):
        raise _refused("a shard is for jobs that run once", "Leave out --shard.")
    printed = [form.option for form in RUN_FORMATS if _is_printed(getattr(config, form.name))]
    printed += ["--events"] if _is_printed(config.events) else []
    if printed:
        raise _refused(
            f"{' and '.join(printed)} would write a report of each round to standard output",
            "Name a file: each round replaces it.",
        )
    files = testee_files(config.testee)
    if files is None:
        raise _refused(f"{config.testee} has no folder to watch", "Name the folder of a testee.")
    return files


def _refused(reason: str, advice: str) -> FatalError:
    return FatalError(f"--watch: {reason}", advice)


def _is_printed(value: str | bool | None) -> bool:
    return value is True or value == _STANDARD_OUTPUT
