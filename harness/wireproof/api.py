"""The library: prove a codec from Python, all cells at once or cell by cell.

    import wireproof

    verdict = wireproof.prove(my_adapter.testee, message="Fetch*")
    verdict.raise_for_findings()

A testee that is named is proven in worker processes, as the command proves it. A `Testee` object of the
Python kit stays in the caller's process, and so does the proof, with its Java machine.
"""

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Unpack

from rich.console import Console

from wireproof.app.assembly.run_plan import plan_run
from wireproof.base.exit_codes import ExitCode, FatalError
from wireproof.model.agreement import LedgerProblem
from wireproof.model.cell import Cell
from wireproof.proof.config.option_values import ProveOptions
from wireproof.proof.config.report_paths import REPORT_NAMES
from wireproof.proof.config.run_config import ConfigError, RunConfig
from wireproof.proof.run.core.cell_events import CellResult
from wireproof.proof.run.core.run_events import RunEvent
from wireproof.proof.run.engine.cell_pool import CellPool
from wireproof.proof.run.engine.inline import InlineProver
from wireproof.proof.testees.build.launch import Launch
from wireproof.proof.testees.session.in_process_testees import LiveObject
from wireproof.verdict.report.causes import Cause
from wireproof.verdict.report.failure_files import FailureFiles
from wireproof.verdict.report.findings import CauseFinding
from wireproof.verdict.report.run.terminal_report import TerminalReport
from wireproof.verdict.report.run_summary import RunSummary

__all__ = ["FatalError", "NotProvenError", "Session", "Verdict", "ledger_lines", "prove"]

_LIVE: Final = "python:MODULE:OBJECT"
"""The name of a testee object; only the caller knows what to type for it."""
_WIDTH: Final = 110


class NotProvenError(AssertionError):
    """A codec is not proven.

    Attributes:
        verdict: the result, with its findings.
    """

    def __init__(self, verdict: "Verdict") -> None:
        super().__init__(verdict.text)
        self.verdict = verdict


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of a proof.

    Attributes:
        exit_code: the code that ``wireproof run`` would end with.
        text: the report that ``wireproof run`` would print at its end.
        done: the cells that were judged to their end.
        findings: one for each cause in each message, the one to look at first in front. Its `divergence` has
            the check, the field and the bytes of both sides, its `first` the case, its `blame` the fault.
        causes: the deviations that predict the codec's answers, those first that right messages show. Each
            has its `sentence`, its `places`, the cases that it `predicted` and its `shortest` one.
    """

    exit_code: ExitCode
    text: str
    done: tuple[CellResult, ...]
    findings: tuple[CauseFinding, ...] = ()
    causes: tuple[Cause, ...] = ()

    @property
    def proven(self) -> bool:
        """Every case of every cell agrees with Kafka, or the ledger explains it."""
        return self.exit_code is ExitCode.PROVEN

    def raise_for_findings(self) -> None:
        """Raise `NotProvenError`, with the report as its text, unless the codec is proven."""
        if not self.proven:
            raise NotProvenError(self)


class Session:
    """A codec and its cells, to be proven in any order. Close it: it may have a worker process.

    Args:
        testee: a name or a path as ``--testee`` takes it; a `Testee` of the Python kit, or a function that
            returns one; None for the testee of the configuration.
        config: None for the defaults.
        failures: a folder that takes a file for each failure, for ``wireproof replay``; None for no files.

    Raises:
        ConfigError: the configuration asks for reports, which only the command writes.
        FatalError: the testee or a cell does not exist, or a jar is missing.
    """

    def __init__(
        self, testee: object = None, config: RunConfig | None = None, *, failures: Path | None = None
    ) -> None:
        config = config or RunConfig()
        if named := [name for name in REPORT_NAMES if getattr(config, name)]:
            raise ConfigError(f"{', '.join(named)}: only the command writes reports")
        launch = None
        if isinstance(testee, Path):
            testee = str(testee.absolute())  # relative, it might have the name of a testee of wireproof
        if isinstance(testee, str):
            config = replace(config, testee=testee)
        elif testee is not None:
            launch = Launch(_LIVE, LiveObject(testee))
        self._failures = failures
        self._plan = plan_run(config, launch)
        self._prover = self._new_prover(in_this_process=launch is not None)
        self._closed = False

    def _new_prover(self, *, in_this_process: bool) -> CellPool | InlineProver:
        plan = self._plan
        if in_this_process:
            return InlineProver(plan.make_environment, plan.options)
        return CellPool(plan.make_environment, plan.options, plan.jobs, lasting=True)

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the worker processes; `prove` is an error after it."""
        self._closed = True
        if isinstance(self._prover, CellPool):
            self._prover.__exit__()

    @property
    def cells(self) -> Sequence[Cell]:
        """The cells that the configuration selects and the codec claims; never empty."""
        return self._plan.cells

    def prove(self, cells: Sequence[Cell]) -> Verdict:
        """Prove some of the cells. The ledger explains deviations; `audit` checks the ledger itself."""
        if self._closed:
            raise FatalError("this session is closed", "Prove before `close`, or within `with Session(...)`.")
        text = io.StringIO()
        report = TerminalReport(Console(file=text, width=_WIDTH, no_color=True), live=False)
        summary = RunSummary()
        listeners: list[Callable[[RunEvent], None]] = [report, summary]
        if self._failures is not None:
            record = self._plan.failure_record
            listeners.insert(0, FailureFiles(self._failures, self._plan.subject.word, record))
        report(self._plan.started())
        for event in self._plan.engine(self._prover).run(cells):
            for listener in listeners:
                listener(event)
        return Verdict(
            ExitCode.BROKEN if summary.finished is None else summary.finished.exit_code,
            text.getvalue().strip(),
            tuple(summary.cells.values()),
            tuple(summary.findings),
            tuple(summary.causes.ranked()),
        )

    def audit(self, done: Sequence[CellResult]) -> Sequence[LedgerProblem]:
        """The problems of the ledger, found by the cells that were judged to their end."""
        audit = self._plan.ledger.audit
        return () if audit is None else audit(done)


def prove(testee: object = None, config: RunConfig | None = None, **options: Unpack[ProveOptions]) -> Verdict:
    """Prove a codec, and check its ledger.

    Args:
        testee: a name or a path as ``--testee`` takes it; a `Testee` of the Python kit, or a function that
            returns one; None for our own codec, or the testee of the configuration.
        config: the options of the run.
        options: options by name in place of a configuration, as `RunConfig.of` takes them.

    Raises:
        ConfigError: an option does not exist, or cannot have that value.
        FatalError: the testee or a cell does not exist, or a jar is missing.
    """
    if config is not None and options:
        raise ConfigError(f"{', '.join(options)}: give either a configuration or options")
    with Session(testee, config or RunConfig.of(**options)) as session:
        verdict = session.prove(session.cells)
        wrong = [problem for problem in session.audit(verdict.done) if problem.fails]
    if not wrong or verdict.exit_code not in (ExitCode.PROVEN, ExitCode.BELOW_FLOOR):
        return verdict
    lines = "\n".join(ledger_lines(wrong))
    return replace(verdict, exit_code=ExitCode.LEDGER, text=f"{lines}\n{verdict.text}")


def ledger_lines(problems: Sequence[LedgerProblem]) -> list[str]:
    """Each problem, and the command that repairs it."""
    return [
        "\n  ".join([f"ledger: {problem.fault} {problem.entry}: {problem.message}", *problem.lines[1:]])
        for problem in problems
    ]
