"""The listeners that record a run: its events, its failures and the cells that failed."""

import contextlib
from collections.abc import Callable
from pathlib import Path

from wireproof.assembly.run_plan import RunPlan
from wireproof.cli.run.event_loop import opened
from wireproof.report import EventFile
from wireproof.report.failure_files import FailureFiles
from wireproof.report.last_failed import LAST_FAILED, FailedCells
from wireproof.run import RunEvent

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
