"""One run in a line, and as plain data: what a comparison and a trend show of each run."""

from dataclasses import asdict, dataclass
from typing import Any

from wireproof.base.exit_codes import ExitCode
from wireproof.base.text.wording import counted
from wireproof.verdict.report.run_summary import RunSummary


@dataclass(frozen=True, slots=True)
class RunOverview:
    """The numbers of a run.

    Attributes:
        verdict: the exit code's sentence; ``unfinished`` where the event file has no end.
        causes: what the codec does otherwise than Kafka; 0 for an event file without a diagnosis.
        findings: of failures that nothing explains, over all messages.
        known: cases that the ledger explains.
        classes_met, classes_reachable: classes of values.
        seconds: wall-clock.
    """

    version: str
    subjects: tuple[str, ...]
    releases: tuple[str, ...]
    verdict: str
    cells_done: int
    cells_selected: int
    cells_failed: int
    cases: int
    failed_cases: int
    causes: int
    findings: int
    known: int
    classes_met: int
    classes_reachable: int
    seconds: float

    @property
    def line(self) -> str:
        """The run in one line."""
        who = f"{', '.join(self.subjects)} against Kafka {', '.join(self.releases)}"
        return (
            f"{who}: {self.verdict}; {self.cells_done:,} of {counted(self.cells_selected, 'cell')}, "
            f"{self.cells_failed:,} failed; {counted(self.causes, 'cause')}, "
            f"{counted(self.findings, 'finding')}, {counted(self.cases, 'case')}, "
            f"{self.seconds:.1f} s (wireproof {self.version})"
        )

    def as_plain(self) -> dict[str, Any]:
        """Return the numbers as JSON has them, keys in camelCase."""
        return {_camel_case(name): value for name, value in asdict(self).items()}


def overview_of(summary: RunSummary, findings: int) -> RunOverview:
    """Return the numbers of a run.

    Args:
        summary: of events that end with a footer, as those of `RunFiles.events` do.
        findings: how many findings the run showed.
    """
    assert summary.started is not None
    assert summary.finished is not None
    started, finished = summary.started, summary.finished
    totals = finished.totals
    return RunOverview(
        version=started.version,
        subjects=started.subjects,
        releases=started.releases,
        verdict="unfinished" if summary.stopped else ExitCode(finished.exit_code).sentence,
        cells_done=totals.cells_done,
        cells_selected=totals.cells_selected,
        cells_failed=totals.cells_failed,
        cases=totals.all_cases,
        failed_cases=totals.failed_cases,
        causes=len(summary.causes),
        findings=findings,
        known=sum(totals.known.values()),
        classes_met=totals.classes_met,
        classes_reachable=totals.classes_reachable,
        seconds=round(finished.duration_s, 1),
    )


def _camel_case(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
