"""Instances of layouts, malformed bytes and record sets: enumerated, seeded in bulk, drawn by Hypothesis.

They serve the harness; `wireproof.strategies` has those for tests of your own codec. Importing this package
loads nothing else: the first use of a name does, so that the enumerated part works without Hypothesis.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wireproof.proof.strategies.cases.scenarios import scenarios
    from wireproof.proof.strategies.drawing.bulk_blocks import bulk_block
    from wireproof.proof.strategies.drawing.hypothesis_instances import from_layout
    from wireproof.proof.strategies.malformed.frame_mutations import frame_mutations
    from wireproof.proof.strategies.malformed.message_mutations import mutations
    from wireproof.proof.strategies.records.record_cases import record_cases

__all__ = ["bulk_block", "frame_mutations", "from_layout", "mutations", "record_cases", "scenarios"]

_PACKAGE = "wireproof.proof.strategies"
_HOME = {
    "bulk_block": f"{_PACKAGE}.drawing.bulk_blocks",
    "frame_mutations": f"{_PACKAGE}.malformed.frame_mutations",
    "from_layout": f"{_PACKAGE}.drawing.hypothesis_instances",
    "mutations": f"{_PACKAGE}.malformed.message_mutations",
    "record_cases": f"{_PACKAGE}.records.record_cases",
    "scenarios": f"{_PACKAGE}.cases.scenarios",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(_HOME[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
