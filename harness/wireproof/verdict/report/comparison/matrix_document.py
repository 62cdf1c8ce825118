"""A saved matrix (`wireproof matrix --format json`), read back for those who render it."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, TypeAlias

from wireproof.base.text.parsing import MISSHAPEN, parse_json, shape_fault
from wireproof.base.text.typed_json import ClassRule, JsonForm, TypedJson
from wireproof.base.text.wording import json_text, numbers_in, one_line, ranges_text
from wireproof.base.version import own_version
from wireproof.model.agreement import CodecTask
from wireproof.verdict.report.comparison.codec_deviations import SavedDeviation, SavedPlace
from wireproof.verdict.report.comparison.matrix_tables import LimitedCases, Matrix
from wireproof.verdict.report.comparison.scoreboard import CellStatus, CodecScore, PairAgreement, StatusRow
from wireproof.verdict.report.events.event_json import BYTES_RULES

MATRIX_FORMAT: Final = 1


def as_json(matrix: Matrix, *, disagreements: bool = True) -> str:
    """Return the matrix as JSON, a line for each element of a list; disagreements make most of them."""
    lists = ("codecs", "leftOut", "known", "messages", "deviations", "disagreements")
    document = _plain_document(matrix, disagreements=disagreements)
    return "{\n" + ",\n".join(_lines(document, lists)) + "\n}"


def _lines(document: dict[str, Any], lists: tuple[str, ...]) -> Iterator[str]:
    for name, value in document.items():
        if name in lists and value:
            elements = ",\n".join(f"  {json_text(each)}" for each in value)
            yield f' "{name}": [\n{elements}\n ]'
        else:
            yield f' "{name}": {json_text(value)}'


def _plain_document(matrix: Matrix, *, disagreements: bool) -> dict[str, Any]:
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
        "leftOut": [asdict(each) for each in matrix.left_out],
        "unclaimed": list(matrix.unclaimed),
        "known": [asdict(each) for each in matrix.deviations],
        "cases": {str(question): standings.asked.get(question, 0) for question in CodecTask},
        "messages": [_row_json(row) for row in standings.rows()],
        "deviations": [_JSON.write(_with_terms(each, matrix)) for each in standings.deviations],
        "disagreements": [_kind_json(each) for each in standings.agreements()] if disagreements else [],
    }


def _with_terms(each: SavedDeviation, matrix: Matrix) -> SavedDeviation:
    return replace(each, ledger=asdict(matrix.terms[each.entry])) if each.entry in matrix.terms else each


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


_Json: TypeAlias = Mapping[str, Any]
StatusVersions: TypeAlias = Mapping[CodecTask, Mapping[CellStatus, str]]
"""The versions by task and status, as ranges: ``0-3, 5``."""


class MatrixDocumentError(ValueError):
    """A text is not a matrix that this wireproof can read."""


@dataclass(frozen=True, slots=True)
class MatrixCodec:
    """A codec of the matrix; `testee` is empty for wireproof's own."""

    name: str
    version: str
    language: str
    testee: str


@dataclass(frozen=True, slots=True)
class MatrixMessage:
    """A message of a release: its versions as ranges, and what each codec does, by the codec's name."""

    release: str
    message: str
    versions: str
    codecs: Mapping[str, StatusVersions]


@dataclass(frozen=True, slots=True)
class MatrixDocument:
    """A whole matrix.

    Attributes:
        wireproof: the version that made it.
        command: the words of its command line, the first is ``wireproof``.
        complete: whether every cell was reached.
        left_out: testees that are not in it, each with the reason.
        cases: the number of cases of each task that any codec was asked.
    """

    wireproof: str
    command: tuple[str, ...]
    releases: tuple[str, ...]
    complete: bool
    cells: int
    codecs: tuple[MatrixCodec, ...]
    left_out: tuple[LimitedCases, ...]
    unclaimed: tuple[str, ...]
    cases: Mapping[CodecTask, int]
    messages: tuple[MatrixMessage, ...]
    deviations: tuple[SavedDeviation, ...]

    @classmethod
    def parse(cls, text: str) -> "MatrixDocument":
        """Return the matrix of a text that `as_json` wrote.

        Raises MatrixDocumentError if it is not JSON, of another format, or of another shape.
        """
        try:
            parsed = parse_json(text)
            if parsed["format"] != MATRIX_FORMAT:
                found = f"format {parsed['format']!r}: expected {MATRIX_FORMAT}"
                raise MatrixDocumentError(f"{found}: make it again with `wireproof matrix --format json`")
            return _document(parsed)
        except MatrixDocumentError:
            raise
        except MISSHAPEN as error:
            expected = "expected the output of `wireproof matrix --format json`"
            raise MatrixDocumentError(
                f"this is not a saved matrix: {shape_fault(error)}: {expected}"
            ) from error


def _check_message(found: MatrixMessage | SavedPlace) -> None:
    """Check a name and its versions: filters take several names with spaces between them."""
    if not found.message.isidentifier():
        raise ValueError(f"{found.message!r} is not the name of a message")
    numbers_in(found.versions)


def _check_scores(message: MatrixMessage) -> None:
    _check_message(message)
    for scores in message.codecs.values():
        for task in CodecTask:
            for versions in scores[task].values():
                numbers_in(versions)


_NAME: Final = JsonForm(str, one_line)
_JSON: Final = TypedJson(
    {
        MatrixCodec: ClassRule(forms={"name": _NAME}),
        MatrixMessage: ClassRule(check=_check_scores),
        SavedPlace: ClassRule(check=_check_message),
        SavedDeviation: ClassRule(forms={"codec": _NAME}),
        **BYTES_RULES,
    }
)


def _document(parsed: Any) -> MatrixDocument:
    for each in parsed["messages"]:
        each["codecs"] = {one_line(name): _scores(scores) for name, scores in each["codecs"].items()}
    return _JSON.read(MatrixDocument, parsed)


def _scores(scores: _Json) -> dict[str, Any]:
    """The versions of each task, without the verdicts on malformed bytes, which no page shows."""
    return {task: scores[task] for task in CodecTask}
