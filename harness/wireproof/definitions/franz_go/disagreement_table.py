"""The table of disagreements: each difference between krammar and Kafka with its explanation.

``disagreements.toml`` has a row for each difference of bytes, and for each default that an author chose.
Rules explain the differences that follow from the languages themselves.
"""

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Final

from kafkawire.schema import VersionRange
from wireproof.base.text.wording import counted
from wireproof.definitions.franz_go.cell_comparison import (
    WITHOUT_COUNTERPART,
    DefinitionComparison,
    LayoutDisagreement,
)
from wireproof.definitions.franz_go.layout_alignment import Aspect

_EMPTY: Final = ("''", "b''", "EMPTY")

RULES: Final = {
    "nullable-default": "A nullable field that a program leaves out is null in krammar. In Kafka's language "
    "it is empty, unless its default is null."
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
    """The disagreements of a comparison, checked against the table.

    Attributes:
        explained: the disagreements that a row explains, each with its row.
        by_rule: the number of disagreements that each rule explains.
        unexplained: the disagreements without a row.
        gone: the rows without a disagreement, or with one in fewer versions than they state.
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
    """Explain the disagreements of a comparison by a table. Only its versions that were compared count."""
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


def comparison_lines(comparison: DefinitionComparison, check: TableCheck) -> Iterator[str]:
    """Yield the lines of the report: counts, the table, and what the table does not explain."""
    yield f"{len(comparison.compared):6,} cells compared"
    yield f"{comparison.equal_bytes:6,} with equal bytes"
    yield f"{comparison.equal:6,} with equal bytes and equal defaults"
    yield f"{len(comparison.kafka_only):6,} in Kafka only{_listed(comparison.kafka_only)}"
    yield f"{len(comparison.krammar_only):6,} in krammar only{_listed(comparison.krammar_only)}"
    for name in comparison.without_counterpart:
        yield f"Kafka has no definition of {name} ({WITHOUT_COUNTERPART.get(name, 'a message')})"
    rows = list(dict.fromkeys(row for _, row in check.explained))
    for title, chosen in (
        ("Bytes", [row for row in rows if row.aspect.of_bytes]),
        ("Defaults", [row for row in rows if not row.aspect.of_bytes]),
    ):
        yield ""
        yield f"{title}: {counted(len(chosen), 'disagreement')}"
        for row in chosen:
            yield from _row_lines(row)
    for name, number in check.by_rule.items():
        yield f"  {name}: {counted(number, 'field')}. {RULES[name]}"
    if comparison.notes:
        more = counted(len(comparison.notes), "more field")
        yield f"  Kafka's language cannot express the default, null, of {more}:"
        yield from (f"    {note.message} {note.path}" for note in comparison.notes)
    yield from _open_lines(check)


def _listed(cells: Sequence[str]) -> str:
    return f": {', '.join(cells)}" if cells else ""


def _row_lines(row: DisagreementRow) -> Iterator[str]:
    both = f"krammar {row.krammar}, Kafka {row.kafka}"
    verdict = "neither is wrong" if row.wrong == "neither" else f"{row.wrong} is wrong"
    yield f"  {row.message} {row.versions} {row.field}: {row.aspect}: {both}: {verdict}"
    yield f"    {row.why}"


def _open_lines(check: TableCheck) -> Iterator[str]:
    if check.unexplained:
        yield ""
        yield f"Without an explanation: {counted(len(check.unexplained), 'disagreement')}"
        yield from (f"  {_found(each)}" for each in check.unexplained)
    if check.gone:
        yield ""
        yield f"Rows of the table that no longer show: {len(check.gone)}"
        yield from (f"  {row.message} {row.versions} {row.field}: {row.aspect}" for row in check.gone)


def _found(found: LayoutDisagreement) -> str:
    versions = ",".join(map(str, found.versions))
    both = f"krammar {found.difference.krammar}, Kafka {found.release} {found.difference.kafka}"
    return f"{found.message} {versions} {found.difference.path}: {found.difference.aspect}: {both}"


def comparison_as_plain(comparison: DefinitionComparison, check: TableCheck) -> dict[str, Any]:
    """The comparison as JSON has it."""
    return {
        "cells": len(comparison.compared),
        "equalBytes": comparison.equal_bytes,
        "equal": comparison.equal,
        "kafkaOnly": list(comparison.kafka_only),
        "krammarOnly": list(comparison.krammar_only),
        "withoutCounterpart": list(comparison.without_counterpart),
        "disagreements": [
            *(_plain(found) | {"wrong": row.wrong, "why": row.why} for found, row in check.explained),
            *(_plain(found) | {"wrong": None, "why": None} for found in check.unexplained),
        ],
        "byRule": dict(check.by_rule),
        "inexpressibleDefaults": [f"{each.message} {each.path}" for each in comparison.notes],
        "gone": [_plain_row(row) for row in check.gone],
    }


def _plain_row(row: DisagreementRow) -> dict[str, str]:
    return {
        "message": row.message,
        "versions": str(row.versions),
        "field": row.field,
        "aspect": str(row.aspect),
    }


def _plain(found: LayoutDisagreement) -> dict[str, Any]:
    return {
        "release": found.release,
        "message": found.message,
        "struct": found.struct,
        "versions": list(found.versions),
        "field": found.difference.path,
        "aspect": str(found.difference.aspect),
        "bytes": found.difference.aspect.of_bytes,
        "krammar": found.difference.krammar,
        "kafka": found.difference.kafka,
    }
