"""All mutation operators for our own codec, by class of bug.

`operators.toml` has the bug of each operator, and the text that it patches. The modules have the deviations.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any, Final

from wireproof.base.text.parsing import parse_toml
from wireproof.model.cell import Phase
from wireproof.power.mutants.codec_operator import (
    CodecOperator,
    Deviation,
    Patch,
    WrongCode,
    WrongPrimitive,
    WrongRecords,
)
from wireproof.power.operators import _definitions, _records, _values
from wireproof.power.summary import BugClass
from wireproof.proof.config.selection import DEFAULT_PHASES

_DEVIATIONS: Final[Mapping[str, Deviation]] = {
    **_definitions.NULL,
    **_definitions.FIELDS,
    **_definitions.TAGS,
    **_definitions.FLEXIBLE,
    **_definitions.DEFAULTS,
    **_definitions.EMBEDDED,
    **_records.RECORDS,
    **_records.COMPRESSION,
    **_values.INTEGERS,
    **_values.VARINTS,
    **_values.UTF8,
    **_values.MAPS,
    **_values.CODES,
    **_values.HOSTILE,
    **_values.BUFFERS,
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
