"""Cases and cells without a verdict: many may be lost for one reason."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from wireproof.model import Cell
from wireproof.proof.run import LostCase, LostCell

_NUMBER: Final = re.compile(r"\d+")


@dataclass(slots=True)
class LossGroup:
    """The cases and cells that were lost for one reason.

    Attributes:
        first: the name of the first case or cell.
        reason: that of the first one.
        times: how many events had the reason.
    """

    first: str
    reason: str
    cells: set[Cell] = field(default_factory=set)
    times: int = 0


class LossGroups:
    """Losses grouped by their reasons. Numbers and the cell's own name do not make another reason."""

    def __init__(self) -> None:
        self._by_reason: dict[str, LossGroup] = {}

    def add(self, event: LostCase | LostCell) -> None:
        """Count a loss."""
        name = event.case_id if isinstance(event, LostCase) else event.cell.id
        loss = self._by_reason.setdefault(_reason(event), LossGroup(name, event.reason))
        loss.cells.add(event.cell)
        loss.times += 1

    def of_reason(self, event: LostCase | LostCell) -> LossGroup:
        """Return what was lost for the reason of an event that was added."""
        return self._by_reason[_reason(event)]

    def __iter__(self) -> Iterator[LossGroup]:
        """Yield the groups, those of most cells first."""
        return iter(sorted(self._by_reason.values(), key=lambda loss: (-len(loss.cells), loss.first)))

    def lines(self, above: int = 0) -> Iterator[str]:
        """A line for each reason with more than so many events."""
        for loss in self:
            if loss.times > above:
                cells = f"{len(loss.cells):,} {'cell' if len(loss.cells) == 1 else 'cells'}"
                yield f"{loss.first} and all in all {cells}, for one reason: {loss.reason}"


def _reason(event: LostCase | LostCell) -> str:
    return _NUMBER.sub("0", re.sub(rf"{re.escape(event.cell.id)}\S*", "", event.reason))
