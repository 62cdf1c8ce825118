"""The shrinker of failures: it finds a smaller value with the same cause."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kafkawire.schema.layout import MessageLayout
from wireproof.model import CaseSource, Divergence, Phase
from wireproof.proof.run.core.cell_recorder import CellRecorder


@dataclass(slots=True)
class FailureShrinker:
    """Shrinks the failures of one cell.

    Attributes:
        left_s: the wall-clock seconds that are left for all failures of the cell together.
    """

    layout: MessageLayout
    source: CaseSource
    recorder: CellRecorder
    left_s: float

    def shrink(
        self,
        phase: Phase,
        name: str,
        value: dict[str, Any],
        divergences: tuple[Divergence, ...],
        judge: Callable[[dict[str, Any]], tuple[Divergence, ...]],
    ) -> None:
        """Shrink a reported failure to a smaller value with the same cause, and report that.

        Args:
            divergences: those of the failure; the cause of the first is kept.
            judge: returns the divergences of another value.
        """
        latest = divergences
        cause = divergences[0].cause

        def still_fails(smaller: dict[str, Any]) -> bool:
            nonlocal latest
            found = [each for each in self.recorder.explained(judge(smaller)) if not each.excused]
            # The same cause at the front: a failure with another cause is another finding.
            found.sort(key=lambda each: each.cause != cause)
            if not found or found[0].cause != cause:
                return False
            latest = tuple(found)
            return True

        started = time.monotonic()
        smallest = self.source.shrink(self.layout, value, still_fails, budget_s=self.left_s)
        self.left_s -= time.monotonic() - started
        if smallest is not value:
            self.recorder.shrunk(phase, name, latest, smallest)
