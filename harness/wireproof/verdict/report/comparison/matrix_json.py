"""The matrix as JSON: everything that the page shows, so that a page is made without comparing again."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, Final

from wireproof.base.text.foreign_text import json_text
from wireproof.base.text.wording import ranges_text
from wireproof.base.version import own_version
from wireproof.model import CodecTask
from wireproof.verdict.report.comparison.codec_deviations import deviation_json
from wireproof.verdict.report.comparison.matrix_tables import Matrix
from wireproof.verdict.report.comparison.scoreboard import CodecScore, PairAgreement, StatusRow

__all__ = ["MATRIX_FORMAT", "as_json"]

MATRIX_FORMAT: Final = 1


def as_json(matrix: Matrix, *, disagreements: bool = True) -> str:
    """Return the matrix as JSON: a line for each element of its lists, so that two can be compared.

    Args:
        disagreements: true to include the list of all kinds of disagreement, which is the longest.
    """
    lists = ("codecs", "leftOut", "known", "messages", "deviations", "disagreements")
    document = _document(matrix, disagreements=disagreements)
    return "{\n" + ",\n".join(_lines(document, lists)) + "\n}"


def _lines(document: dict[str, Any], lists: tuple[str, ...]) -> Iterator[str]:
    for name, value in document.items():
        if name in lists and value:
            elements = ",\n".join(f"  {json_text(each)}" for each in value)
            yield f' "{name}": [\n{elements}\n ]'
        else:
            yield f' "{name}": {json_text(value)}'


def _document(matrix: Matrix, *, disagreements: bool) -> dict[str, Any]:
    standings = matrix.standings
    return {
        "format": MATRIX_FORMAT,
        "wireproof": own_version(),
        "command": ["wireproof", *matrix.command],
        "releases": list(matrix.releases),
        "complete": matrix.complete,
        "cells": len(standings.cells),
        "codecs": [
            {"name": each.name, "version": each.version, "language": each.language, "testee": each.testee}
            for each in matrix.columns
        ],
        "leftOut": [{"testee": each.testee, "reason": each.reason} for each in matrix.left_out],
        "unclaimed": list(matrix.unclaimed),
        "known": [asdict(each) for each in matrix.deviations],
        "cases": {str(question): standings.asked.get(question, 0) for question in CodecTask},
        "messages": [_row_json(row) for row in standings.rows()],
        "deviations": [
            deviation_json(each, None if each.entry not in matrix.terms else asdict(matrix.terms[each.entry]))
            for each in standings.deviations
        ],
        "disagreements": [_kind_json(each) for each in standings.agreements()] if disagreements else [],
    }


def _row_json(row: StatusRow) -> dict[str, Any]:
    return {
        "release": row.release,
        "message": row.message,
        "versions": ranges_text(row.versions),
        "codecs": {name: _standing_json(standing) for name, standing in row.standings.items()},
    }


def _standing_json(standing: CodecScore) -> dict[str, Any]:
    document: dict[str, Any] = {
        str(question): {str(status): ranges_text(sorted(found)) for status, found in versions.items()}
        for question, versions in standing.versions.items()
    }
    document["verdicts"] = {str(each): count for each, count in sorted(standing.verdicts.items())}
    return document


def _kind_json(each: PairAgreement) -> dict[str, Any]:
    kind = each.kind
    return {
        "question": str(kind.question),
        "about": kind.about,
        "cases": kind.cases,
        "messages": each.messages,
        "camps": [{"parties": list(group.parties), "does": group.does} for group in kind.groups],
        "case": kind.case_id,
    }
