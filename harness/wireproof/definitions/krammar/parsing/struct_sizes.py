"""Bounds on structs inside structs: their depth, and the fields that a struct has with all inside it."""

from typing import Final

from wireproof.definitions.krammar.definition_model import (
    InlineStruct,
    KrammarDefinitions,
    KrammarField,
    NamedStruct,
)
from wireproof.definitions.krammar.definition_problems import KrammarRule, ProblemList
from wireproof.definitions.krammar.parsing.field_lines import MOST_DEPTH, innermost

__all__ = ["MOST_FIELDS", "check_sizes"]

MOST_FIELDS: Final = 100_000
"""Fields of a struct with those of all structs inside it, each place counted; franz-go's largest has 90."""


def check_sizes(definitions: KrammarDefinitions, problems: ProblemList) -> None:
    """Report structs that are too deep or too large.

    A named struct that is used twice at each level would double the layout with every level.
    """
    known: dict[str, tuple[int, int]] = {}
    for struct in definitions.structs:
        depth, count = _measured(struct.fields, known)
        if depth > MOST_DEPTH:
            words = f"structs are nested {depth} deep in {struct.name}: at most {MOST_DEPTH}"
            problems.error(struct.source, struct.line, KrammarRule.DEPTH, words)
        elif count > MOST_FIELDS:
            words = f"{struct.name} has {count:,} fields with those inside it: at most {MOST_FIELDS:,}"
            problems.error(struct.source, struct.line, KrammarRule.STRUCT_SIZE, words)
        else:
            known[struct.name] = depth, count
        if problems.full:
            return


def _measured(fields: tuple[KrammarField, ...], known: dict[str, tuple[int, int]]) -> tuple[int, int]:
    """The depth of the structs inside, and the number of fields."""
    depth, count = 1, len(fields)
    for field in fields:
        match innermost(field.type):
            case InlineStruct(fields=inner):
                inside = _measured(inner, known)
            case NamedStruct(name=name):
                inside = known.get(name, (0, 0))
            case _:
                continue
        depth, count = max(depth, inside[0] + 1), count + inside[1]
    return depth, count
