"""The listeners that record a run: its events, its failures and the cells that failed."""

import contextlib
from collections.abc import Callable
from pathlib import Path

from wireproof.app.assembly.run_plan import RunPlan
from wireproof.app.cli.events.event_loop import opened
from wireproof.proof.run import RunEvent
from wireproof.verdict.report import EventFile
from wireproof.verdict.report.failure_files import LAST_FAILED, FailedCells, FailureFiles
from wireproof.verdict.report.lines.cause_outcome import LAST_CAUSES, CauseRecord


def recording_listeners(plan: RunPlan, stack: contextlib.ExitStack) -> list[Callable[[RunEvent], None]]:
    """Return the listeners. The stack closes the event file.

    Raises:
        FatalError: the event file cannot be written.
    """
    word = plan.subject.word
    listeners: list[Callable[[RunEvent], None]] = []
    if plan.config.events is not None:
        listeners.append(EventFile(opened(stack, plan.config.events)))
    if plan.cause is None:  # its run shows one cause, and the record is of them all
        listeners.append(CauseRecord(LAST_CAUSES))
    return [
        *listeners,
        FailureFiles(Path(".wireproof/failures"), word, plan.failure_record),
        FailedCells(LAST_FAILED, word),
    ]
