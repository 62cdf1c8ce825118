"""A testee in processes that have never seen the message they are asked for: what a codec keeps shows there.

Starting a process costs 50 to 300 ms, and there are hundreds of cells. So a few are kept, each with the
messages that it has seen, and a cell goes to the one of those that do not know its message that has rested
longest. They see the cells in another order than the one process that sees them all, and few questions of
each. Only where all know a message is one started anew: 18 versions in a row cost 14 starts, 4 cost none.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from kafkawire.schema.layout import MessageLayout
from wireproof.adapters.testee.testee_adapter import TesteeAdapter
from wireproof.model import Cell, Reply, Request

__all__ = ["ColdStartTestee"]

_MOST: Final = 4
"""Processes at a time: each may take as much memory as a virtual machine does."""


@dataclass(slots=True)
class _Process:
    adapter: TesteeAdapter
    seen: set[str] = field(default_factory=set)


class ColdStartTestee:
    """Asks each message's first question of a process that has not seen any version of it.

    Args:
        make: an adapter with a process of its own, which starts when it is first asked.
    """

    def __init__(self, make: Callable[[], TesteeAdapter]) -> None:
        self._make = make
        self._processes: list[_Process] = []

    @property
    def name(self) -> str:
        if not self._processes:
            self._processes.append(_Process(self._make()))
        return self._processes[0].adapter.name

    def ask(self, cell: Cell, layout: MessageLayout, requests: Sequence[Request]) -> list[Reply]:
        """Answer each request for the cell, in order; the first is the first about its message.

        Raises:
            TesteeError: a process does not start.
        """
        process = self._unseen(cell.message)
        self._processes.remove(process)
        self._processes.append(process)
        process.seen.add(cell.message)
        return process.adapter.ask(cell, layout, requests)

    def _unseen(self, message: str) -> _Process:
        for process in self._processes:
            if message not in process.seen:
                return process
        if len(self._processes) < _MOST:
            self._processes.append(_Process(self._make()))
            return self._processes[-1]
        oldest = self._processes[0]
        oldest.adapter.end()
        oldest.seen.clear()
        return oldest
