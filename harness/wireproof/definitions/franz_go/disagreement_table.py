"""The table of disagreements: each difference between krammar and Kafka with its explanation.

``disagreements.toml`` has a row for each difference of bytes, and for each default that an author chose.
Two rules explain what follows from the languages themselves.
"""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final

from kafkawire.schema import VersionRange
from wireproof.definitions.franz_go.cell_comparison import DefinitionComparison, LayoutDisagreement
from wireproof.definitions.franz_go.layout_alignment import Aspect

_EMPTY: Final = ("''", "b''", "EMPTY")

RULES: Final = {
    "nullable-default": "A nullable field that a program leaves out is null in krammar. In Kafka's language "
    "it is empty, unless its default is null.",
}
"""Disagreements that follow from the two languages, by name."""


@dataclass(frozen=True, slots=True)
class DisagreementRow:
    """One row of the table.

    Attributes:
        message: Kafka's name.
        versions: the versions with this disagreement.
        field: its path, ``""`` for the message itself.
        wrong: ``krammar`` or ``kafka``; ``neither`` for a default, which each program chooses.
    """

    message: str
    versions: VersionRange
    field: str
    aspect: Aspect
    krammar: str
    kafka: str
    wrong: str
    why: str

    def explains(self, found: LayoutDisagreement) -> bool:
        """Test if the row is about a disagreement, in all versions that have it."""
        difference = found.difference
        return (
            (self.message, self.field, self.aspect, self.krammar, self.kafka)
            == (found.message, difference.path, difference.aspect, difference.krammar, difference.kafka)
        ) and all(version in self.versions for version in found.versions)


@dataclass(frozen=True, slots=True)
class TableCheck:
    """The disagreements of a comparison, held against the table.

    Attributes:
        explained: each with its row.
        by_rule: the number of disagreements that each rule explains.
        unexplained: those without a row.
        gone: the rows without a disagreement, or with fewer versions than they say.
    """

    explained: tuple[tuple[LayoutDisagreement, DisagreementRow], ...]
    by_rule: dict[str, int]
    unexplained: tuple[LayoutDisagreement, ...]
    gone: tuple[DisagreementRow, ...]


@cache
def disagreement_table() -> tuple[DisagreementRow, ...]:
    """The rows, in the order of the file."""
    text = resources.files(__package__).joinpath("disagreements.toml").read_text("utf-8")
    return tuple(
        DisagreementRow(
            row["message"],
            VersionRange.parse(row["versions"]),
            row["field"],
            Aspect(row["aspect"]),
            row["krammar"],
            row["kafka"],
            row["wrong"],
            row["why"],
        )
        for row in tomllib.loads(text)["disagreement"]
    )


def check_table(
    comparison: DefinitionComparison, rows: tuple[DisagreementRow, ...] | None = None
) -> TableCheck:
    """Explain the disagreements of a comparison.

    Args:
        rows: the table; `disagreement_table` if None. Of their versions only those count that were compared.
    """
    table = disagreement_table() if rows is None else rows
    explained: list[tuple[LayoutDisagreement, DisagreementRow]] = []
    unexplained = []
    by_rule = dict.fromkeys(RULES, 0)
    shown: dict[DisagreementRow, set[int]] = {row: set() for row in table}
    for each in comparison.disagreements:
        row = next((row for row in table if row.explains(each)), None)
        if row is not None:
            explained.append((each, row))
            shown[row] |= set(each.versions)
        elif _is_nullable_default(each):
            by_rule["nullable-default"] += 1
        else:
            unexplained.append(each)
    gone = tuple(
        row
        for row, versions in shown.items()
        if versions != {each for each in row.versions if (row.message, each) in comparison.compared}
    )
    return TableCheck(tuple(explained), by_rule, tuple(unexplained), gone)


def _is_nullable_default(found: LayoutDisagreement) -> bool:
    difference = found.difference
    return difference.aspect is Aspect.DEFAULT and difference.krammar == "null" and difference.kafka in _EMPTY
