"""Cases and cells without a verdict: many may be lost for one reason."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from wireproof.model import Cell
from wireproof.run import CaseLost, CellLost

__all__ = ["Loss", "Losses"]

_NUMBER: Final = re.compile(r"\d+")


@dataclass(slots=True)
class Loss:
    """What was lost for one reason.

    Attributes:
        first: the name of the first case or cell.
        reason: as it was told of that one.
    """

    first: str
    reason: str
    cells: set[Cell] = field(default_factory=set)
    told: int = 0


class Losses:
    """Groups what was lost by its reason; numbers and the cell's own name make no new one."""

    def __init__(self) -> None:
        self._by_reason: dict[str, Loss] = {}

    def add(self, event: CaseLost | CellLost) -> int:
        """Take a loss in; how many were told for this reason so far, with this one."""
        name = event.case_id if isinstance(event, CaseLost) else event.cell.id
        place = re.escape(event.cell.id)
        key = _NUMBER.sub("0", re.sub(rf"{place}\S*", "", event.reason))
        loss = self._by_reason.setdefault(key, Loss(name, event.reason))
        loss.cells.add(event.cell)
        loss.told += 1
        return loss.told

    def __iter__(self) -> Iterator[Loss]:
        """Those of most cells first."""
        return iter(sorted(self._by_reason.values(), key=lambda loss: (-len(loss.cells), loss.first)))

    def lines(self, above: int = 0) -> Iterator[str]:
        """A line for each reason that was told more than so many times."""
        for loss in self:
            if loss.told > above:
                cells = f"{len(loss.cells):,} {'cell' if len(loss.cells) == 1 else 'cells'}"
                yield f"{loss.first} and all in all {cells}, for one reason: {loss.reason}"
