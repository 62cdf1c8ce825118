"""Instances of layouts, and record sets: enumerated, seeded in bulk, drawn by Hypothesis; and a shrinker.

`from_layout` and `record_sets` are looked up lazily: the enumerated part does not import Hypothesis.
"""

from typing import TYPE_CHECKING, Any

from wireproof.model import RecordCase
from wireproof.strategies.cases.refused_values import refused_values
from wireproof.strategies.cases.scenarios import Scenario, scenarios
from wireproof.strategies.drawing.bulk_blocks import BLOCK_CASES, bulk_block
from wireproof.strategies.malformed.frame_mutations import frame_mutations
from wireproof.strategies.malformed.message_mutations import mutations
from wireproof.strategies.malformed.mutation_slice import Slice
from wireproof.strategies.malformed.record_mutations import RECORD_BASES, record_mutations
from wireproof.strategies.records.foreign_compression import foreign_cases
from wireproof.strategies.records.record_cases import record_cases
from wireproof.strategies.shrinking.value_shrinking import shrink

if TYPE_CHECKING:
    from wireproof.strategies.drawing.hypothesis_instances import from_layout
    from wireproof.strategies.records.hypothesis_records import record_sets

__all__ = [
    "BLOCK_CASES",
    "RECORD_BASES",
    "RecordCase",
    "Scenario",
    "Slice",
    "bulk_block",
    "foreign_cases",
    "frame_mutations",
    "from_layout",
    "mutations",
    "record_cases",
    "record_mutations",
    "record_sets",
    "refused_values",
    "scenarios",
    "shrink",
]


def __getattr__(name: str) -> Any:
    if name == "from_layout":
        from wireproof.strategies.drawing.hypothesis_instances import from_layout

        return from_layout
    if name == "record_sets":
        from wireproof.strategies.records.hypothesis_records import record_sets

        return record_sets
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
