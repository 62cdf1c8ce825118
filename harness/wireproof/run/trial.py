"""What the phases of one cell share: who is asked, what is left out, where the results go."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from kafkawire.schema.layout import MessageLayout
from wireproof.coverage import CellCoverage, Coverage, frame_universe, universe
from wireproof.model import Case, Cell, Phase, RecordSource
from wireproof.run.bench import Bench
from wireproof.run.plan import RunOptions
from wireproof.run.recorder import Recorder
from wireproof.run.values import Prepared, ProvenBatch, Subject, judge_batch, prepare

__all__ = ["Announce", "Trial"]

Announce: TypeAlias = Callable[[Phase, Sequence[str]], None]
"""Told which cases are about to be tried, so that those which take the process down can be named."""

_BATCH_CASES = 256
_BATCH_BYTES = 4 << 20
"""A batch ends at whichever comes first; one call into the oracle carries it."""


@dataclass(slots=True)
class Trial:
    """One cell on trial.

    Attributes:
        recorder: counts cases and tells failures.
        announce: called before each batch.
        careful: one case a batch, so that an announcement names exactly one.
        skip: case ids to leave out, because they took a process down before.
        coverage: what the cases met; None for record sets, which are no message of classes.
    """

    bench: Bench
    options: RunOptions
    cell: Cell
    recorder: Recorder
    announce: Announce
    careful: bool = False
    skip: frozenset[str] = frozenset()
    layout: MessageLayout = field(init=False)
    subject: Subject = field(init=False)

    def __post_init__(self) -> None:
        self.layout = self.bench.layouts.of(self.cell)
        self.subject = Subject(
            self.cell, self.layout, self.bench.adapters_of(self.cell), self.bench.oracles[self.cell.release]
        )

    @property
    def record_source(self) -> RecordSource:
        """Where the bench's record sets come from.

        Raises:
            LookupError: it was given none.
        """
        if self.bench.record_source is None:
            raise LookupError("the bench has no source of record sets")
        return self.bench.record_source

    def skips(self, phase: Phase) -> bool:
        """Whether a case of the phase took a process down before."""
        return any(case_id.startswith(f"{self.cell.id}/{phase}/") for case_id in self.skip)

    def cases(self) -> Iterator[Case]:
        """The enumerated cases that are not to be left out."""
        cases = self.bench.source.enumerated(self.cell, self.layout)
        return (case for case in cases if case.id not in self.skip) if self.skip else cases

    def batches(self, cases: Iterable[Case]) -> Iterator[list[Prepared]]:
        """The cases with their canonical binaries, as many together as one call should carry."""
        most = 1 if self.careful else _BATCH_CASES
        batch: list[Prepared] = []
        size = 0
        for case in cases:
            item = prepare(self.layout, case)
            batch.append(item)
            size += len(item.expected)
            if len(batch) >= most or size >= _BATCH_BYTES:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch

    @property
    def shares(self) -> bool:
        """Whether another release may have the cell alike, and nothing is left out of it."""
        return len(self.bench.oracles) > 1 and not self.careful and not self.skip

    def judge(
        self, phase: Phase, batch: Sequence[Prepared], keep: Callable[[ProvenBatch], None] | None = None
    ) -> list[Prepared]:
        """Judge the values of a batch and record them; those that are proven may be asked more.

        Args:
            keep: given what the oracle answered, for another release that defines the cell alike.
        """
        proven = []
        self.announce(phase, [item.case.name for item in batch])
        for item, found in zip(batch, judge_batch(self.subject, batch, keep), strict=True):
            divergences = self.recorder.excused(found)
            if divergences:
                self.recorder.failed(phase, item.case.name, divergences, item.case.value)
            elif not found:
                proven.append(item)
            self.recorder.count(phase, 1, len(item.expected), 1 if divergences else 0)
        return proven
