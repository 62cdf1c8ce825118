"""A saved matrix (`wireproof matrix --format json`), read back for those who render it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from wireproof.base.text.foreign_text import one_line
from wireproof.base.text.parsing import MISSHAPEN, parse_json
from wireproof.model import ByteEvidence, CodecTask, NamedBytes
from wireproof.verdict.report.comparison.matrix_json import MATRIX_FORMAT
from wireproof.verdict.report.comparison.scoreboard import CellStatus

__all__ = [
    "MatrixCodec",
    "MatrixDocument",
    "MatrixDocumentError",
    "MatrixMessage",
    "SavedCase",
    "SavedDeviation",
    "SavedPlace",
    "numbers_in",
]

_Json: TypeAlias = Mapping[str, Any]
StatusVersions: TypeAlias = Mapping[CodecTask, Mapping[CellStatus, str]]
"""Of each task and status the versions as ranges: ``0-3, 5``."""


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
class SavedPlace:
    """A message in which a deviation shows: the versions as ranges, and the first case."""

    release: str
    message: str
    versions: str
    case: str


@dataclass(frozen=True, slots=True)
class SavedCase:
    """The smallest case of a deviation.

    Attributes:
        path: of the first field that differs, with indices.
        value: canonical JSON; None where it is long, or where the case has none.
        codec, oracle: the answers, short.
        bytes: the part of the bytes around the difference.
    """

    case: str
    path: str
    offset: int | None
    value: str | None
    codec: str
    oracle: str
    bytes: ByteEvidence


@dataclass(frozen=True, slots=True)
class SavedDeviation:
    """A deviation of a codec, as `wireproof.verdict.report.comparison.codec_deviations` describes it.

    Attributes:
        ledger: the terms of the entry that explains it; None where none does.
        type: of the field, in words.
    """

    codec: str
    tasks: tuple[CodecTask, ...]
    entry: str
    ledger: Mapping[str, str] | None
    check: str
    field: str
    type: str
    kind: str
    summary: str
    places: tuple[SavedPlace, ...]
    smallest: SavedCase


@dataclass(frozen=True, slots=True)
class MatrixDocument:
    """A whole matrix.

    Attributes:
        wireproof: the version that made it.
        command: the words of its command line, the first is ``wireproof``.
        complete: whether every cell was reached.
        left_out: testees that are not in it, each with the reason.
        cases: how many cases of each task any codec was asked.
    """

    wireproof: str
    command: tuple[str, ...]
    releases: tuple[str, ...]
    complete: bool
    cells: int
    codecs: tuple[MatrixCodec, ...]
    left_out: tuple[tuple[str, str], ...]
    unclaimed: tuple[str, ...]
    cases: Mapping[CodecTask, int]
    messages: tuple[MatrixMessage, ...]
    deviations: tuple[SavedDeviation, ...]

    @classmethod
    def parse(cls, text: str) -> "MatrixDocument":
        """Return the matrix of a text that `as_json` wrote.

        Raises:
            MatrixDocumentError: it is not JSON, of another format, or of another shape.
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
            raise MatrixDocumentError(f"this is not a saved matrix: {error!r}: {expected}") from error


def numbers_in(ranges: str) -> list[int]:
    """The numbers of a text such as ``0-3, 5``."""
    found: list[int] = []
    for part in filter(None, ranges.split(", ")):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


def _document(parsed: _Json) -> MatrixDocument:
    return MatrixDocument(
        wireproof=str(parsed["wireproof"]),
        command=tuple(map(str, parsed["command"])),
        releases=tuple(map(str, parsed["releases"])),
        complete=bool(parsed["complete"]),
        cells=int(parsed["cells"]),
        codecs=tuple(MatrixCodec(**{**each, "name": one_line(each["name"])}) for each in parsed["codecs"]),
        left_out=tuple((str(each["testee"]), str(each["reason"])) for each in parsed["leftOut"]),
        unclaimed=tuple(map(str, parsed["unclaimed"])),
        cases={CodecTask(task): int(count) for task, count in parsed["cases"].items()},
        messages=tuple(map(_message, parsed["messages"])),
        deviations=tuple(map(_deviation, parsed["deviations"])),
    )


def _message(parsed: _Json) -> MatrixMessage:
    codecs = {
        one_line(name): {
            task: {CellStatus(status): _ranges(versions) for status, versions in scores[task].items()}
            for task in CodecTask
        }
        for name, scores in parsed["codecs"].items()
    }
    return MatrixMessage(
        parsed["release"], _message_name(parsed["message"]), _ranges(parsed["versions"]), codecs
    )


def _message_name(text: str) -> str:
    """The name, which is checked: filters take several names with spaces between them."""
    if not text.isidentifier():
        raise ValueError(f"{text!r} is not the name of a message")
    return text


def _ranges(text: str) -> str:
    """The text, which is checked."""
    numbers_in(text)
    return text


def _deviation(parsed: _Json) -> SavedDeviation:
    smallest = parsed["smallest"]
    sides = {side: _named_bytes(shown) for side, shown in smallest["bytes"].items()}
    words = {
        name: str(parsed[name]) for name in ("codec", "entry", "check", "field", "type", "kind", "summary")
    }
    ledger = parsed["ledger"]
    return SavedDeviation(
        **{**words, "codec": one_line(words["codec"])},
        tasks=tuple(map(CodecTask, parsed["tasks"])),
        ledger=None if ledger is None else {str(name): str(value) for name, value in ledger.items()},
        places=tuple(map(_place, parsed["places"])),
        smallest=SavedCase(**{**smallest, "bytes": ByteEvidence(**sides)}),
    )


def _place(parsed: _Json) -> SavedPlace:
    versions = _ranges(parsed["versions"])
    return SavedPlace(parsed["release"], _message_name(parsed["message"]), versions, parsed["case"])


def _named_bytes(parsed: _Json) -> NamedBytes:
    bytes.fromhex(parsed["hex"])  # it raises for other text
    names = tuple((int(start), int(end), str(name)) for start, end, name in parsed["fields"])
    return NamedBytes(parsed["hex"], int(parsed["start"]), int(parsed["length"]), names)
