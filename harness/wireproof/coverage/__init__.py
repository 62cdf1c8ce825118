"""Coverage of the wire: which classes of values each field of a cell has met, and which it cannot meet.

`universe` says what there is to be met, from the layout alone; `Coverage` keeps what was; `census_mismatches`
holds the universe against the release's own text. None of it knows the strategies, which it may convict.
"""

from wireproof.coverage.census import actual_counts, census_mismatches, expected_counts
from wireproof.coverage.ledger import CellCoverage, Coverage
from wireproof.coverage.universe import Point, Universe, frame_universe, universe

__all__ = [
    "CellCoverage",
    "Coverage",
    "Point",
    "Universe",
    "actual_counts",
    "census_mismatches",
    "expected_counts",
    "frame_universe",
    "universe",
]
