"""A few questions about each cell: what a testee executes for them, what a mutant answers otherwise."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from kafkawire.errors import CodecError
from kafkawire.primitives import codec_of
from kafkawire.records import encode_records, to_value
from kafkawire.schema import MessageLayout
from wireproof.model import PRIMITIVES_MODULE, RECORDS_MODULE, Cell, Decode, Encode, Reply, Request, Size
from wireproof.power.testees.watching import digest
from wireproof.proof.adapters.testee import TesteeAdapter
from wireproof.proof.run import WorkerEnvironment

__all__ = ["Probe"]

_CASES: Final = 5
"""Named cases of a cell that a probe asks about: its smallest and its fullest instances."""
_RECORD_CASES: Final = 60


@dataclass(slots=True)
class Probe:
    """Some questions about a cell: what it executes, and whether a mutant answers them otherwise.

    Args:
        environment: has the cases; its adapters are not asked.
    """

    environment: WorkerEnvironment
    asked: int = 0

    def ask(self, adapter: TesteeAdapter, cell: Cell) -> list[Reply]:
        """The replies to the questions about a cell."""
        layout = self.environment.layouts.of(cell)
        requests = [*self._requests(cell, layout)]
        self.asked += len(requests)
        return adapter.answers(cell, layout, requests)

    def digests(self, adapter: TesteeAdapter, cell: Cell) -> list[int]:
        """Numbers for what the replies say."""
        return [digest(each) for each in self.ask(adapter, cell)]

    def _requests(self, cell: Cell, layout: MessageLayout) -> Iterable[Request]:
        for value, data in self._values(cell, layout):
            yield from (Encode(value), Decode(data), Decode(data[:-1]), Decode(data + b"\0"))
            if cell.module != PRIMITIVES_MODULE:
                yield Size(value)

    def _values(self, cell: Cell, layout: MessageLayout) -> Iterable[tuple[dict[str, Any], bytes]]:
        if cell.module == RECORDS_MODULE:
            source = self.environment.record_source
            sets = [] if source is None else [each for each in source.cases(cell) if each.foreign is None]
            for each in sets[:: max(1, len(sets) // _RECORD_CASES)]:
                yield to_value(each.records), encode_records(each.records)
            return
        for case, _ in zip(self.environment.source.enumerated(cell, layout), range(_CASES), strict=False):
            try:
                yield case.value, codec_of(layout).encode(case.value)
            except CodecError:
                continue
