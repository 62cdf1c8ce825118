"""Instances of layouts, malformed bytes and record sets: enumerated, seeded in bulk, drawn by Hypothesis.

They serve the harness; `wireproof.strategies` has those for tests of your own codec. Importing this package
loads nothing else: the first use of a name does, so that the enumerated part works without Hypothesis.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wireproof.proof.strategies.cases.refused_values import refused_values
    from wireproof.proof.strategies.cases.scenarios import Scenario, scenarios
    from wireproof.proof.strategies.drawing.bulk_blocks import BLOCK_CASES, bulk_block
    from wireproof.proof.strategies.drawing.hypothesis_instances import from_layout
    from wireproof.proof.strategies.malformed.frame_mutations import frame_mutations
    from wireproof.proof.strategies.malformed.message_mutations import mutations
    from wireproof.proof.strategies.malformed.mutation_slice import Slice
    from wireproof.proof.strategies.malformed.record_mutations import RECORD_BASES, record_mutations
    from wireproof.proof.strategies.records.foreign_compression import foreign_cases
    from wireproof.proof.strategies.records.record_cases import record_cases
    from wireproof.proof.strategies.shrinking.value_shrinking import shrink

__all__ = [
    "BLOCK_CASES",
    "RECORD_BASES",
    "Scenario",
    "Slice",
    "bulk_block",
    "foreign_cases",
    "frame_mutations",
    "from_layout",
    "mutations",
    "record_cases",
    "record_mutations",
    "refused_values",
    "scenarios",
    "shrink",
]

_PACKAGE = "wireproof.proof.strategies"
_MODULES = {
    f"{_PACKAGE}.cases.refused_values": ("refused_values",),
    f"{_PACKAGE}.cases.scenarios": ("Scenario", "scenarios"),
    f"{_PACKAGE}.drawing.bulk_blocks": ("BLOCK_CASES", "bulk_block"),
    f"{_PACKAGE}.drawing.hypothesis_instances": ("from_layout",),
    f"{_PACKAGE}.malformed.frame_mutations": ("frame_mutations",),
    f"{_PACKAGE}.malformed.message_mutations": ("mutations",),
    f"{_PACKAGE}.malformed.mutation_slice": ("Slice",),
    f"{_PACKAGE}.malformed.record_mutations": ("RECORD_BASES", "record_mutations"),
    f"{_PACKAGE}.records.foreign_compression": ("foreign_cases",),
    f"{_PACKAGE}.records.record_cases": ("record_cases",),
    f"{_PACKAGE}.shrinking.value_shrinking": ("shrink",),
}  # fmt: skip
_HOME = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(_HOME[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
