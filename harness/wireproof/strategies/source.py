"""The source of cases that the harness hands to a run: everything here comes from a layout."""

from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any

from kafkawire.records import RecordSet
from kafkawire.schema.layout import MessageLayout
from wireproof.model import Case, Cell, Judge, Mutation, Phase, RecordCase, SearchResult
from wireproof.strategies import (
    BLOCK_CASES,
    RECORD_BASES,
    bulk_block,
    mutations,
    record_bytes,
    record_cases,
    record_mutations,
    refused_values,
    scenarios,
    shrink,
)
from wireproof.strategies.census import census_mismatches

__all__ = ["LayoutSource"]


class LayoutSource:
    """Boundary cases and random instances of layouts.

    Args:
        json_of: the release's own text of a cell's message, for the census.
    """

    def __init__(self, json_of: Callable[[Cell], str]) -> None:
        self._json_of = json_of

    def enumerated(self, cell: Cell, layout: MessageLayout) -> Iterator[Case]:
        """The named boundary cases, always the same."""
        for scenario in scenarios(layout):
            yield Case(cell, Phase.ENUMERATED, scenario.name, scenario.value)

    def refused(self, layout: MessageLayout) -> Iterator[tuple[str, dict[str, Any], str]]:
        """Values that this version cannot hold: (case name, value, path of the field at fault)."""
        for scenario in refused_values(layout):
            yield scenario.name, scenario.value, scenario.path

    def mutations(self, layout: MessageLayout, data: bytes) -> Iterator[Mutation]:
        """Every hostile change of one valid encoding."""
        return mutations(layout, data)

    def census(self, cell: Cell, layout: MessageLayout) -> list[str]:
        """Fields that have other boundary cases than the release's JSON calls for."""
        return census_mismatches(self._json_of(cell), layout)

    def bulk(self, layout: MessageLayout, first: int, count: int, *, seed: int) -> Iterator[dict[str, Any]]:
        """`count` of the seeded instances, from number `first` on; see `wireproof.strategies.bulk`."""
        block, skipped = divmod(first, BLOCK_CASES)
        while count > 0:
            values = bulk_block(layout, seed, block)[skipped : skipped + count]
            yield from values
            count -= len(values)
            block, skipped = block + 1, 0

    def shrink(
        self,
        layout: MessageLayout,
        value: dict[str, Any],
        still_fails: Judge,
        *,
        budget_s: float,
    ) -> dict[str, Any]:
        """Make a value smaller by its structure; see `wireproof.strategies.shrinking`."""
        return shrink(layout, value, still_fails, budget_s=budget_s)

    def record_cases(self) -> Iterator[RecordCase]:
        """The named record sets of every magic."""
        return record_cases()

    def record_bytes(self) -> Iterator[tuple[str, int, bytes]]:
        """Sets as bytes that other encoders write: (name, magic, bytes)."""
        return record_bytes()

    def record_mutations(self) -> Iterator[tuple[RecordCase, Iterator[Mutation]]]:
        """Some of the named record sets, each with every hostile change of its bytes."""
        return ((case, record_mutations(case)) for case in record_cases() if case.name in RECORD_BASES)

    def search_records(
        self,
        judge: Callable[[RecordSet], bool],
        *,
        magic: int,
        line: tuple[int, int],
        examples: int,
        seed: int,
        shrink_s: float,
        found: Callable[[RecordSet], None],
    ) -> SearchResult:
        """Let Hypothesis look for a record set that is not proven."""
        from wireproof.strategies import record_sets
        from wireproof.strategies.search import search

        return search(
            record_sets(magics=[magic], unused_bits=False, line=line),
            judge,
            examples=examples,
            seed=_own_seed(seed, f"RecordBatch/{magic}"),
            shrink_s=shrink_s,
            found=found,
        )

    def search(
        self,
        layout: MessageLayout,
        judge: Judge,
        *,
        examples: int,
        seed: int,
        shrink_s: float,
        found: Callable[[dict[str, Any]], None],
    ) -> SearchResult:
        """Let Hypothesis look for an instance that is not proven."""
        # Hypothesis takes a second to import: only a run with a random phase waits for it.
        from wireproof.strategies import from_layout
        from wireproof.strategies.search import search

        return search(
            from_layout(layout),
            judge,
            examples=examples,
            seed=_own_seed(seed, f"{layout.name}/{layout.version}"),
            shrink_s=shrink_s,
            found=found,
        )


def _own_seed(seed: int, cell: str) -> int:
    """Each cell draws its own sequence: the same one everywhere would try the same digits everywhere."""
    return int.from_bytes(sha256(f"{seed}/{cell}".encode()).digest()[:8])
