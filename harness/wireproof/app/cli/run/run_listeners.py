"""The listeners that record a run: its events, its failures and the cells that failed."""

import contextlib
from collections.abc import Callable
from pathlib import Path

from wireproof.app.assembly.run_plan import RunPlan
from wireproof.app.cli.events.event_loop import opened
from wireproof.proof.run import RunEvent
from wireproof.verdict.report import EventFile
from wireproof.verdict.report.failure_files import FailureFiles
from wireproof.verdict.report.last_failed import LAST_FAILED, FailedCells

__all__ = ["recording_listeners"]


def recording_listeners(plan: RunPlan, stack: contextlib.ExitStack) -> list[Callable[[RunEvent], None]]:
    """Return the listeners. The stack closes the event file.

    Raises:
        FatalError: the event file cannot be written.
    """
    word = plan.subject.word
    listeners: list[Callable[[RunEvent], None]] = []
    if plan.config.events is not None:
        listeners.append(EventFile(opened(stack, plan.config.events)))
    return [
        *listeners,
        FailureFiles(Path(".wireproof/failures"), word, plan.failure_record),
        FailedCells(LAST_FAILED, word),
    ]
