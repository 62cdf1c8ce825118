"""Proving from Python: what ``wireproof run`` does, for whoever calls, all at once or cell by cell.

    from wireproof.proving import prove

    verdict = prove(my_adapter.testee, "--message", "Fetch*")
    assert verdict.proven, verdict.text

What is given as a name is proven in worker processes, like everything that the command proves. An object of
the Python kit stays where it is, in the caller's process, and so does the proving, with its Java machine.
"""

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click
from rich.console import Console

from wireproof.assembly.run_plan import RunPlan, plan_run
from wireproof.cli.run.run_command import command
from wireproof.model import Cell, LedgerProblem
from wireproof.report.failure_files import FailureFiles
from wireproof.report.run.terminal_report import TerminalReport
from wireproof.run import CellDone, CellPool, ExitCode, InlineProver, RunEvent, RunFinished
from wireproof.testees import Launch, LiveObject

__all__ = ["ProvingError", "Session", "Verdict", "prove"]

_FAILURES: Final = Path(".wireproof/failures")
_LIVE: Final = "python:MODULE:OBJECT"
"""What a testee is called that the caller holds: what to type for it is known to the caller alone."""
_WIDTH: Final = 110


class ProvingError(Exception):
    """There is nothing to prove, or something that is needed is missing; the text says what to do."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came out.

    Attributes:
        text: as ``wireproof run`` tells it at its end.
        done: the cells that were judged to their end.
    """

    exit_code: ExitCode
    text: str
    done: tuple[CellDone, ...]

    @property
    def proven(self) -> bool:
        """Whether every case of every cell agrees with Kafka, but for what the ledger knows."""
        return self.exit_code is ExitCode.PROVEN


class Session:
    """A codec and its cells, to be proven in any order. Close it: it may have a worker process.

    Args:
        arguments: options of ``wireproof run``, as on its command line.
        testee: a `Testee` of the Python kit or a function that makes one, in place of ``--testee``.

    Raises:
        ProvingError: no such option, no such testee, no such cell, no jars.
    """

    def __init__(self, arguments: Sequence[str] = (), testee: object = None) -> None:
        launch = None if testee is None else Launch(_LIVE, LiveObject(testee))
        try:
            self._plan = _planned(list(arguments), launch)
        except click.ClickException as error:
            raise ProvingError(error.format_message()) from error
        self._prover = self._new_prover(in_this_process=testee is not None)

    def _new_prover(self, *, in_this_process: bool) -> CellPool | InlineProver:
        plan = self._plan
        if in_this_process:
            return InlineProver(plan.make_bench, plan.options)
        return CellPool(plan.make_bench, plan.options, plan.jobs, lasting=True)

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the worker processes."""
        if isinstance(self._prover, CellPool):
            self._prover.__exit__()

    @property
    def cells(self) -> Sequence[Cell]:
        """What the options select and the codec claims; never empty."""
        return self._plan.cells

    def prove(self, cells: Sequence[Cell]) -> Verdict:
        """Prove some of the cells. The ledger explains deviations, but is not judged: see `audit`."""
        text = io.StringIO()
        report = TerminalReport(Console(file=text, width=_WIDTH, no_color=True), live=False)
        done: list[CellDone] = []
        exit_code = ExitCode.BROKEN
        listeners: list[Callable[[RunEvent], None]] = [
            FailureFiles(_FAILURES, self._plan.subject.word),
            report,
        ]
        report(self._plan.started())
        for event in self._plan.engine(self._prover).run(cells):
            for listener in listeners:
                listener(event)
            if isinstance(event, CellDone):
                done.append(event)
            if isinstance(event, RunFinished):
                exit_code = event.exit_code
        return Verdict(exit_code, text.getvalue().strip(), tuple(done))

    def audit(self, done: Sequence[CellDone]) -> Sequence[LedgerProblem]:
        """What is wrong with the ledger, by the cells that were judged to their end."""
        audit = self._plan.ledger.audit
        return () if audit is None else audit(done)


def _planned(arguments: list[str], launch: Launch | None) -> RunPlan:
    options: dict[str, Any] = dict(command.make_context("run", arguments).params)
    return plan_run(options, launch)


def prove(testee: object = None, *arguments: str) -> Verdict:
    """Prove a codec, its ledger held against it, too.

    Args:
        testee: what ``--testee`` takes, or a `Testee` of the Python kit, or a function that makes one; our
            own codec where it is None.
        arguments: options of ``wireproof run``.

    Raises:
        ProvingError: no such option, no such testee, no such cell, no jars.
    """
    if isinstance(testee, str):
        arguments, testee = ("--testee", testee, *arguments), None
    with Session(arguments, testee) as session:
        verdict = session.prove(session.cells)
        wrong = [problem for problem in session.audit(verdict.done) if problem.fails]
    if not wrong or verdict.exit_code not in (ExitCode.PROVEN, ExitCode.BELOW_FLOOR):
        return verdict
    told = "\n".join(ledger_lines(wrong))
    return Verdict(ExitCode.LEDGER, f"{told}\n{verdict.text}", verdict.done)


def ledger_lines(problems: Sequence[LedgerProblem]) -> list[str]:
    """Each problem, and the command that repairs it."""
    return [
        "\n  ".join([f"ledger: {problem.fault} {problem.entry}: {problem.message}", *problem.lines[1:]])
        for problem in problems
    ]
