"""All mutation operators for our own codec, by class of bug.

`operators.toml` has the bug of each operator, and the text that it patches. The modules have its deviation.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any, Final

from wireproof.base.text.parsing import parse_toml
from wireproof.model import Phase
from wireproof.power.bug_classes import BugClass
from wireproof.power.mutants.codec_operator import (
    CodecOperator,
    Deviation,
    WrongCode,
    WrongPrimitive,
    WrongRecords,
)
from wireproof.power.mutants.source_copies import Patch
from wireproof.power.operators._buffers import BUFFER_DEVIATIONS
from wireproof.power.operators._codes import CODE_DEVIATIONS
from wireproof.power.operators._defaults import DEFAULT_DEVIATIONS
from wireproof.power.operators._embedded import EMBEDDED_DEVIATIONS
from wireproof.power.operators._fields import FIELD_DEVIATIONS
from wireproof.power.operators._flexible import FLEXIBLE_DEVIATIONS
from wireproof.power.operators._hostile import HOSTILE_DEVIATIONS
from wireproof.power.operators._integers import INTEGER_DEVIATIONS, UTF8_DEVIATIONS, VARINT_DEVIATIONS
from wireproof.power.operators._maps import MAP_DEVIATIONS
from wireproof.power.operators._null import NULL_DEVIATIONS
from wireproof.power.operators._records import COMPRESSION_DEVIATIONS, RECORD_DEVIATIONS
from wireproof.power.operators._tags import TAG_DEVIATIONS
from wireproof.proof.run import DEFAULT_PHASES

__all__ = ["all_operators"]

_DEVIATIONS: Final[Mapping[str, Deviation]] = {
    **NULL_DEVIATIONS,
    **FIELD_DEVIATIONS,
    **TAG_DEVIATIONS,
    **RECORD_DEVIATIONS,
    **FLEXIBLE_DEVIATIONS,
    **INTEGER_DEVIATIONS,
    **EMBEDDED_DEVIATIONS,
    **DEFAULT_DEVIATIONS,
    **VARINT_DEVIATIONS,
    **HOSTILE_DEVIATIONS,
    **MAP_DEVIATIONS,
    **COMPRESSION_DEVIATIONS,
    **CODE_DEVIATIONS,
    **BUFFER_DEVIATIONS,
    **UTF8_DEVIATIONS,
}


@cache
def all_operators() -> dict[str, CodecOperator]:
    """Return the operators by name, in the order of the classes."""
    text = files(__package__).joinpath("operators.toml").read_text(encoding="utf-8")
    return {
        name: _operator(name, BugClass(bug_class), row)
        for bug_class, rows in parse_toml(text).items()
        for name, row in rows.items()
    }


def _operator(name: str, bug_class: BugClass, row: Mapping[str, Any]) -> CodecOperator:
    deviation = _DEVIATIONS[name]
    if isinstance(deviation, WrongPrimitive | WrongCode | WrongRecords):
        deviation = replace(deviation, patches=tuple(Patch(**each) for each in row.get("patches", ())))
    phases = tuple(Phase(each) for each in row.get("phases", DEFAULT_PHASES))
    return CodecOperator(name, bug_class, row["bug"], deviation, row.get("shared", False), phases)
