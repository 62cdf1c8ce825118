"""The run as a person sees it: progress while it goes, findings as they come, a verdict at the end."""

import shlex
import time
from collections.abc import Iterable
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from wireproof.base.text.wording import counted, first_names, printable
from wireproof.model.cell import Cell
from wireproof.proof.run.core.cell_events import (
    CellProgress,
    CellResult,
    CellRetry,
    EndedCodec,
    FailedCase,
    LostCase,
    LostCell,
    StricterCase,
)
from wireproof.proof.run.core.run_events import BrokenRun, RunEvent, RunFooter, RunHeader
from wireproof.verdict.report.findings import CauseGroup
from wireproof.verdict.report.lines.cause_lines import cause_lines, finding_lines, headline
from wireproof.verdict.report.lines.excused_lines import (
    EndedCodecs,
    claim_lines,
    excused_lines,
    skipped_lines,
)
from wireproof.verdict.report.lines.totals_lines import (
    classes_line,
    fork_lines,
    ground_lines,
    ledger_line,
    malformed_lines,
    not_asked_line,
    parts_covered,
    summary_line,
    trust_lines,
    unsaid_lines,
    verdict_line,
)
from wireproof.verdict.report.run_summary import RunSummary
from wireproof.verdict.report.text.escaping import marked, wrapped

_PLAIN_EVERY_S: Final = 10.0
"""Seconds between two progress lines if the output is not a terminal."""


class CellsProgress:
    """Cells and cases so far, with the cases of unfinished cells."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._cells = self._cells_done = self._cases_done = 0
        self._under_way: dict[Cell, int] = {}
        self._started = self._last_plain = time.monotonic()
        self._bar: Progress | None = None
        self._task = TaskID(0)

    def begin(self, cells: int) -> None:
        """Start the display for a number of cells."""
        self._cells = cells
        if self._console.is_terminal:
            self._bar = Progress(
                BarColumn(),
                TextColumn("{task.completed}/{task.total} cells"),
                TextColumn("{task.fields[rate]}"),
                TimeRemainingColumn(compact=True),
                TextColumn("{task.description}"),
                console=self._console,
                transient=True,
            )
            self._task = self._bar.add_task("", total=cells, rate="")
            self._bar.start()

    def advance(self, event: CellResult | CellProgress) -> None:
        """Show that a cell made progress or is done."""
        cases = sum(event.cases.values())
        done = isinstance(event, CellResult)
        if done:
            self._under_way.pop(event.cell, None)
            self._cells_done += 1
            self._cases_done += cases
        else:
            self._under_way[event.cell] = cases
        self._show(event.cell, 1 if done else 0)

    def stop(self) -> None:
        if self._bar is not None:
            self._bar.stop()

    def _show(self, cell: Cell, done: int) -> None:
        now = time.monotonic()
        cases = self._cases_done + sum(self._under_way.values())
        rate = f"{cases:,} cases, {cases / max(now - self._started, 0.001):,.0f}/s"
        if self._bar is not None:
            self._bar.update(
                self._task, advance=done, description=f"{cell.message} v{cell.version}", rate=rate
            )
        elif now - self._last_plain >= _PLAIN_EVERY_S:
            self._last_plain = now
            words = f"{self._cells_done}/{self._cells} cells, {rate}"
            self._console.print(words, emoji=False, highlight=False, soft_wrap=True)


_SHOWN = 5
"""Findings printed in full at the end; the rest get a line each, up to `_LISTED`."""
_LISTED = 20


class TerminalReport:
    """Listens to a run and writes to `console`, which should be standard error.

    Args:
        live: whether to write during the run, too, and not only at the end.
        quiet: write only the findings, the problems of the ledger and the verdict, at the end.
        brief: write only counts of what agrees or is excused, one line each, without lists.
    """

    def __init__(
        self, console: Console, *, live: bool = True, quiet: bool = False, brief: bool = False
    ) -> None:
        self._console = console
        self._live = live and not quiet
        self._quiet = quiet
        self._brief = brief
        self._summary = RunSummary()
        self._progress = CellsProgress(console)
        self._ended = EndedCodecs()

    def __call__(self, event: RunEvent) -> None:
        known = len(self._summary.findings)
        self._summary(event)
        match event:
            case RunHeader():
                self._begin(event)
            case FailedCase():
                self._diverged(event, new=len(self._summary.findings) > known)
            case StricterCase():
                words = marked(headline(event.divergence))
                self._note(f"[yellow]stricter, unexplained[/] {marked(event.case_id)}  {words}")
            case CellResult() | CellProgress():
                if self._live:
                    self._progress.advance(event)
            case EndedCodec():
                line = self._ended.line(event)
                if line is not None and not self._brief:
                    self._say(line)
            case CellRetry():
                self._retried(event)
            case LostCase() | LostCell():
                self._lost(event)
            case BrokenRun():
                self._broken(event)
            case RunFooter():
                self._end(event)
            case _:
                pass  # the end reports it

    def abandon(self) -> None:
        """End the progress display of a run that is not reported."""
        self._progress.stop()

    def _broken(self, event: BrokenRun) -> None:
        self._print(f"[red]error:[/] {marked(event.message)}")
        if event.advice:
            self._print(marked(event.advice))

    # While it goes.

    def _retried(self, event: CellRetry) -> None:
        self._say(f"[yellow]died[/] {marked(event.first)} .. {marked(event.last)}: {marked(event.reason)}")
        self._say("these cases are tried again, one at a time")

    def _diverged(self, event: FailedCase, *, new: bool) -> None:
        if new and len(self._summary.findings) <= _SHOWN:
            words = headline(event.divergences[0])
            self._say(f"[red]diverged[/] {marked(event.case_id)}  {marked(words)}")

    def _lost(self, event: LostCase | LostCell) -> None:
        name = event.case_id if isinstance(event, LostCase) else event.cell
        if self._summary.losses.of_reason(event).times <= _SHOWN:
            self._say(f"[red]lost[/] {marked(str(name))}: {marked(event.reason)}")

    def _begin(self, event: RunHeader) -> None:
        releases = marked(", ".join(event.releases))
        subjects = ", ".join(event.subjects)
        if event.corpus:
            entries = ", ".join(f"{count:,} {name}" for name, count in sorted(event.corpus.items()))
            self._say(f"Proving {marked(subjects)} against entries of Kafka {releases}: {marked(entries)}")
        else:
            self._say(
                f"Proving {marked(subjects)} against Kafka {releases}: "
                f"{counted(event.cells, 'cell')}, seed {event.seed}"
            )
        for fork in event.forks:
            for line in fork_lines(fork):
                self._say(marked(line))
        if not self._brief:
            for line in ground_lines(event):
                self._say(marked(line))
        elif event.ledger_of:
            self._say(marked(ledger_line(event)))
        if self._live:
            self._progress.begin(event.cells)

    # At the end.

    def _end(self, event: RunFooter) -> None:
        self._progress.stop()
        number = self._list_findings()
        if not self._quiet:
            self._list_details(event)
        self._list_problems()
        self._print(verdict_line(event, number, self._summary.started))
        self._print(summary_line(event, number))

    def _list_details(self, event: RunFooter) -> None:
        """Print the parts of a report that are not its verdict: modules, excused cases, coverage, claims."""
        totals, claims = event.totals, self._summary.claims
        self._list_modules(any(parts_covered(totals, self._summary.started)))
        self._print("")
        self._list_all(excused_lines(totals, self._summary.started, brief=self._brief))
        ended = [*self._ended.lines(), *skipped_lines(totals, brief=self._brief)]
        self._list_all([". ".join(ended)] if self._brief and ended else ended)
        if totals.not_asked:
            self._print(f"[yellow]Not asked:[/] {not_asked_line(totals)}")
        self._list_all(malformed_lines(totals, brief=self._brief))
        if not self._brief:
            self._list_all(map(marked, trust_lines(totals)))
        if totals.classes_reachable:
            self._print(classes_line(totals))
        self._list_below_floor()
        self._list_all(claim_lines(totals, claims, brief=self._brief))
        self._list_all(unsaid_lines(self._summary.started, brief=self._brief))

    def _list_all(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._print(line)

    def _list_modules(self, in_part: bool) -> None:
        """Print a line for each module if there are several; a brief report has only those with a failure."""
        modules = self._summary.by_module()
        right = f"[green]{'no divergence' if in_part else 'proven'}[/]"
        rows = [row for row in modules.items() if not self._brief or row[1].failed or row[1].lost]
        if len(modules) > 1 and rows:
            self._print("")
            for module, row in rows:
                verdict = right
                if row.failed or row.lost:
                    verdict = f"[red]{row.failed} diverged[/]" if row.failed else f"[red]{row.lost} lost[/]"
                self._print(f"  {module}: {counted(row.cells, 'cell')}, {verdict}")

    def _list_problems(self) -> None:
        """Print the problems of the ledger, each with the command that repairs it."""
        for problem in self._summary.problems:
            colour = "red" if problem.fails else "yellow"
            headline = f"[{colour}]ledger: {marked(problem.fault)}[/] {marked(problem.entry)}"
            self._print(f"{headline}: {marked(problem.message)}")
            if problem.repair:
                self._print(f"  type: {marked(problem.repair)}")

    def _list_below_floor(self) -> None:
        """Print the classes of values below the coverage floor, for the first cells in full, and advice."""
        below = list(self._summary.below_minimum)
        for cell, coverage in below[:_SHOWN]:
            for what, names in (
                ("not met", coverage.missing),
                ("met, though said to be out of reach", coverage.contradicted),
            ):
                if names:
                    shown = first_names(names, _LISTED)
                    self._print(f"[yellow]{what}[/] {marked(cell.id)}: {marked(shown)}")
        if len(below) > _SHOWN:
            rest = counted(len(below) - _SHOWN, "more cell")
            self._print(f"  and classes of {rest}; --events FILE writes them all down")
        if below:
            pattern = shlex.quote(below[0][0].id)
            self._print(
                "Each is FIELD/CLASS. The codec is not at fault: wireproof has no case for it. Report what "
                f"wireproof cells --uncovered --cell {pattern} says"
            )

    def _list_findings(self) -> int:
        """Print the findings, the first ones in full; return their number."""
        found = self._summary.grouped()
        testee = self._summary.testee
        self._list_all(cause_lines(self._summary.causes, testee))
        found = found.without_predicted(self._summary.causes)
        if found.reason is not None:
            self._print("")
            self._print(f"[bold red]{marked(found.reason.line(testee))}[/]")
        for group in found.groups[:_SHOWN]:
            self._print("")
            self._list_all(finding_lines(group, testee))
        self._list_rest(found.groups[_SHOWN:])
        for line in self._summary.losses.lines(above=_SHOWN if self._live else 0):
            self._print(f"[red]lost[/] {marked(line)}")
        return self._summary.number

    def _list_rest(self, groups: list[CauseGroup]) -> None:
        if groups:
            self._print("")
            self._print(f"{counted(len(groups), 'more finding')}:")
        for group in groups[:_LISTED]:
            words = marked(headline(group.first.divergence))
            like = f" (and {len(group.others):,} like it)" if group.others else ""
            self._print(f"  {marked(group.first.first.case_id)}  {words}{like}")
        if len(groups) > _LISTED:
            self._print(f"  and {len(groups) - _LISTED} more; --events FILE writes them all down")

    def _say(self, text: str) -> None:
        """Print a line during the run."""
        if self._live:
            self._print(text)

    def _note(self, text: str) -> None:
        """Print a line that quiet and brief reports leave out."""
        if not (self._quiet or self._brief):
            self._print(text)

    def _print(self, text: str) -> None:
        line = wrapped(self._console, printable(text))
        self._console.print(line, emoji=False, highlight=False, soft_wrap=True)
