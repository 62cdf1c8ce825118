"""The source of cases that the harness hands to a run: everything here comes from a layout."""

from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from typing import Any

from kafkawire.schema.layout import MessageLayout
from wireproof.model import Case, Cell, Judge, Mutation, Phase, SearchResult
from wireproof.strategies import frame_mutations, mutations, refused_values, scenarios
from wireproof.coverage.census import census_mismatches

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
        """Fields that have other classes of values than the release's JSON calls for."""
        return census_mismatches(self._json_of(cell), layout)

    def frame_mutations(
        self, headers: Mapping[int, MessageLayout], layout: MessageLayout, header: bytes, body: bytes
    ) -> Iterator[Mutation]:
        """Every hostile change of the size and the header of a frame."""
        return frame_mutations(headers, layout, header, body)

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

        # Each cell draws its own sequence: the same one everywhere would try the same digits everywhere.
        digest = sha256(f"{seed}/{layout.name}/{layout.version}".encode()).digest()
        return search(
            from_layout(layout),
            judge,
            examples=examples,
            seed=int.from_bytes(digest[:8]),
            shrink_s=shrink_s,
            found=found,
        )
