"""Coverage of the wire: which classes of values each field of a cell has met, and which it cannot meet.

`universe` says what there is to be met, from the layout alone, `record_universe` of record sets; `Coverage`
keeps what was; `census_mismatches` holds the universe against the release's own text, `proofs` holds the
reasons for what is out of reach against the layout. None of it knows the strategies, which it may convict.
"""

from wireproof.coverage.census import actual_counts, census_mismatches, expected_counts
from wireproof.coverage.ledger import CellCoverage, Coverage
from wireproof.coverage.points import Point, Universe
from wireproof.coverage.record_sets import record_universe
from wireproof.coverage.universe import frame_universe, universe

__all__ = [
    "CellCoverage",
    "Coverage",
    "Point",
    "Universe",
    "actual_counts",
    "census_mismatches",
    "expected_counts",
    "frame_universe",
    "record_universe",
    "universe",
]
