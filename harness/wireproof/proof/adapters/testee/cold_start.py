"""A testee in processes that have not seen the message of a request, to find state that a codec keeps.

Starting a process costs 50 to 300 ms, and there are hundreds of cells. So a few processes are kept, each with
the messages that it has seen. A cell goes to the process that does not know its message and was not used for
the longest time. The processes see the cells in another order than the one process that sees them all, and
few requests of each. A process is restarted only if all know a message: 18 versions in a row cost 14 starts,
4 cost none.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from kafkawire.schema.layout import MessageLayout
from wireproof.model.adapter import Reply, Request
from wireproof.model.cell import Cell
from wireproof.proof.adapters.testee.testee_adapter import TesteeAdapter

_MAX_PROCESSES: Final = 4
"""Processes at a time: each may take as much memory as a virtual machine."""


@dataclass(slots=True)
class _Process:
    adapter: TesteeAdapter
    seen: set[str] = field(default_factory=set)


class ColdStartTestee:
    """An adapter that sends a message's first request to a process that has seen no version of it.

    Args:
        make: makes an adapter with a process of its own, which starts at its first request.
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
        """Answer each request for the cell, in order; the first is its process's first for the message.

        Raises:
            TesteeError: a process does not start.
        """
        process = self._process_without(cell.message)
        self._processes.remove(process)
        self._processes.append(process)
        process.seen.add(cell.message)
        return process.adapter.ask(cell, layout, requests)

    def _process_without(self, message: str) -> _Process:
        for process in self._processes:
            if message not in process.seen:
                return process
        if len(self._processes) < _MAX_PROCESSES:
            self._processes.append(_Process(self._make()))
            return self._processes[-1]
        oldest = self._processes[0]
        oldest.adapter.end()
        oldest.seen.clear()
        return oldest
