"""Coverage of the wire: the value classes that each field of a cell has covered, and those out of its reach.

`coverage_model` derives the classes from the layout alone, `record_coverage_model` those of record sets;
`Coverage` keeps what is covered; `count_mismatches` compares the model with the release's own JSON; `proofs`
verifies the reasons for classes out of reach against the layout. None of it imports the strategies.
"""

from wireproof.model.coverage.cell_coverage import CellCoverage, Coverage
from wireproof.model.coverage.independent_count import actual_counts, count_mismatches, expected_counts
from wireproof.model.coverage.layout_model import coverage_model, frame_coverage_model
from wireproof.model.coverage.record_set_model import record_coverage_model
from wireproof.model.coverage.value_nodes import CoverageModel, Point

__all__ = [
    "CellCoverage",
    "Coverage",
    "Point",
    "CoverageModel",
    "actual_counts",
    "count_mismatches",
    "expected_counts",
    "frame_coverage_model",
    "record_coverage_model",
    "coverage_model",
]
