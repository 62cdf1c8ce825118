"""Coverage of the wire: which classes of values each field of a cell has met, and which it cannot meet.

`universe` says what there is to be met, from the layout alone, `record_universe` of record sets; `Coverage`
keeps what was; `census_mismatches` holds the universe against the release's own text, `proofs` holds the
reasons for what is out of reach against the layout. None of it knows the strategies, which it may convict.
"""

from wireproof.coverage.cell_coverage import CellCoverage, Coverage
from wireproof.coverage.independent_count import actual_counts, census_mismatches, expected_counts
from wireproof.coverage.layout_model import frame_universe, universe
from wireproof.coverage.record_set_model import record_universe
from wireproof.coverage.value_classes import Point, Universe

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
