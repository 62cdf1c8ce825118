"""The source of record sets that the harness hands to a run."""

from collections.abc import Callable, Iterator
from functools import cached_property
from hashlib import sha256
from typing import Any

from kafkawire.records import Compression, highest_magic, to_value
from kafkawire.schema.layout import MessageLayout
from wireproof.model import (
    Cell,
    InstanceJudge,
    MessageRecords,
    Mutation,
    MutationPart,
    RecordCase,
    RecordDomain,
    SearchResult,
    release_line,
)
from wireproof.proof.strategies import RECORD_BASES, Slice, foreign_cases, record_cases, record_mutations
from wireproof.proof.strategies.records.record_cases import DELETE_HORIZON_SINCE
from wireproof.proof.strategies.records.record_messages import message_records

__all__ = ["RecordSets"]


class RecordSets:
    """Named sets and random ones, for cells and for records fields."""

    @cached_property
    def _cases(self) -> tuple[RecordCase, ...]:
        """Made when first asked for: that takes the libraries of the extra `records`."""
        return (*record_cases(), *foreign_cases())

    def cases(self, cell: Cell) -> Iterator[RecordCase]:
        """The named sets whose highest magic is the cell's."""
        return (case for case in self._cases if highest_magic(case.records) == cell.version)

    def mutations(
        self, cell: Cell, part: MutationPart | None = None
    ) -> Iterator[tuple[RecordCase, Iterator[Mutation]]]:
        """Some of the cell's named sets, each with every hostile change of its bytes, or those of a part."""
        line = release_line(cell.release)
        for case in self.cases(cell):
            if case.name in RECORD_BASES and case.since <= line:
                found = record_mutations(case, part)
                yield case, (each for each in found if line >= DELETE_HORIZON_SINCE or not _of_horizon(each))

    def slice(self) -> MutationPart:
        """The thin part of a cell's mutations, see `wireproof.proof.strategies.Slice`."""
        return Slice()

    def search(
        self,
        cell: Cell,
        domain: RecordDomain,
        judge: InstanceJudge,
        *,
        examples: int,
        seed: int,
        shrink_s: float,
        found: Callable[[dict[str, Any]], None],
    ) -> SearchResult:
        """Let Hypothesis look for a set that is not proven: of the cell's magic and those below it.

        Args:
            domain: the magics and compressions to draw from, and what most sets leave out.
        """
        from wireproof.proof.strategies.drawing.search import search
        from wireproof.proof.strategies.records.hypothesis_records import drawn_record_sets

        digest = sha256(f"{seed}/{cell.message}/{cell.version}".encode()).digest()
        magics = [magic for magic in range(cell.version, -1, -1) if magic in domain.magics]
        codecs = [codec for codec in Compression if codec in domain.compressions]
        line = release_line(cell.release)
        return search(
            drawn_record_sets(
                magics=magics, codecs=codecs, unused_bits=True, line=line, limits=domain.limits
            ).map(lambda drawn: [to_value(drawn)]),
            judge,
            examples=examples,
            seed=int.from_bytes(digest[:8]),
            shrink_s=shrink_s,
            found=found,
        )

    def messages(self, cell: Cell, layout: MessageLayout) -> Iterator[MessageRecords]:
        """Messages of the cell with what its version may carry in each records field."""
        return message_records(cell, layout, release_line(cell.release))


def _of_horizon(mutation: Mutation) -> bool:
    """Return True if it does nothing but turn the delete horizon on or off, which older lines pass over."""
    return mutation.operator.startswith("attribute-64")
