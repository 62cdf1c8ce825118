"""The comparison of franz-go's definitions with Kafka's as text, and as JSON."""

from collections.abc import Iterator, Sequence
from typing import Any

from wireproof.base.text.wording import counted
from wireproof.definitions.franz_go import (
    WITHOUT_COUNTERPART,
    DefinitionComparison,
    DisagreementRow,
    LayoutDisagreement,
    TableCheck,
)
from wireproof.definitions.franz_go.disagreement_table import RULES


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
