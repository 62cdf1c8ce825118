"""The deviations of compared codecs: where each shows, and the smallest case that shows it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from wireproof.base.text.wording import ranges_text
from wireproof.model.agreement import CodecTask
from wireproof.model.cell import Cell
from wireproof.model.divergence import ByteEvidence, NamedBytes, without_indices
from wireproof.proof.checks.check_table import tasks_of
from wireproof.proof.run.core.cell_events import DeviantCase
from wireproof.verdict.report.text.escaping import cut

_BEFORE: Final = 16
_MOST_BYTES: Final = 96
"""Bytes of one side that are kept, at most `_BEFORE` of them before the place of interest."""
_MOST_TEXT: Final = 300
"""Characters of an answer or a value that are kept."""
_STDERR: Final = "; its standard error:"


@dataclass(frozen=True, slots=True)
class SavedPlace:
    """A message in which a codec deviates: the versions as ranges, and the first case of the lowest one."""

    release: str
    message: str
    versions: str
    case: str


@dataclass(frozen=True, slots=True)
class SavedCase:
    """The smallest case of a deviation.

    Attributes:
        path: the path of the first field that differs, with indices.
        value: canonical JSON; None if it is too long, or the case has no value.
        codec, oracle: the shortened answers.
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
    """A deviation of a codec.

    Attributes:
        entry: the entry of the ledger that explains it, as events name it; empty where none does.
        ledger: the terms of that entry; None without it.
        type: the type of the field, in words.
        places: in the order of the report; never empty.
        smallest: the case with the fewest bytes.
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


@dataclass(slots=True)
class _Deviation:
    smallest: DeviantCase
    cases: dict[tuple[str, str], dict[Cell, str]] = field(default_factory=dict)


@dataclass(slots=True)
class DeviationLog:
    """Collects the first cases of all cells, by codec and cause, in any order.

    All cases that one ledger entry explains are one deviation; so are all others of a check, field and kind.
    """

    _found: dict[tuple[str, ...], _Deviation] = field(default_factory=dict)

    def add(self, event: DeviantCase) -> None:
        """Add the first case of a deviation in a cell."""
        (divergence,) = event.divergences
        cause = (divergence.entry,) if divergence.entry else ("", *divergence.cause)
        known = self._found.setdefault((divergence.subject, *cause), _Deviation(event))
        known.smallest = min(known.smallest, event, key=_size)
        cases = known.cases.setdefault((event.cell.release, event.cell.message), {})
        cases[event.cell] = min(cases.get(event.cell, event.case_id), event.case_id)

    def deviations(self) -> Iterator[SavedDeviation]:
        """Yield the deviations by codec: unexplained ones first, then those of most messages."""
        order = sorted(self._found.items(), key=lambda item: (*_order(item[0], item[1]), item[0]))
        for (codec, entry, *_), found in order:
            yield _saved(codec, entry, found)


def _place(release: str, message: str, cases: Mapping[Cell, str]) -> SavedPlace:
    return SavedPlace(release, message, ranges_text([cell.version for cell in cases]), cases[min(cases)])


def _order(key: tuple[str, ...], found: _Deviation) -> tuple[str, bool, int]:
    return key[0].lower(), bool(key[1]), -len(found.cases)


def _size(event: DeviantCase) -> tuple[int, int, str, int, str]:
    (divergence,) = event.divergences
    sides = divergence.bytes or ByteEvidence()
    data = sum(each.length for each in (sides.codec, sides.oracle, sides.given) if each is not None)
    return data, len(event.value or ""), event.cell.message, event.cell.version, event.case_id


def _saved(codec: str, entry: str, found: _Deviation) -> SavedDeviation:
    smallest = found.smallest
    (shown,) = smallest.divergences
    tasks = tasks_of(shown.check, shown.path)
    return SavedDeviation(
        codec,
        tuple(task for task in CodecTask if task in tasks),
        entry,
        None,
        str(shown.check),
        without_indices(shown.path),
        shown.field,
        shown.kind,
        shown.summary,
        tuple(_place(*place, cases) for place, cases in sorted(found.cases.items())),
        SavedCase(
            smallest.case_id,
            shown.path,
            shown.offset,
            smallest.value if len(smallest.value or "") <= _MOST_TEXT else None,
            _short(shown.codec),
            _short(shown.oracle),
            _part_of_each(shown.bytes or ByteEvidence(), shown.offset),
        ),
    )


def _short(text: str) -> str:
    """Return the beginning of an answer, without the testee's log, which has paths of the machine."""
    return cut(" ".join(text.partition(_STDERR)[0].split()), _MOST_TEXT)


def _part_of_each(sides: ByteEvidence, offset: int | None) -> ByteEvidence:
    parts = (each and _part(each, offset) for each in (sides.codec, sides.oracle, sides.given))
    return ByteEvidence(*parts)


def _part(shown: NamedBytes, offset: int | None) -> NamedBytes:
    """The bytes around the offset, with the fields in them."""
    data = shown.data
    start = shown.start
    if offset is not None and len(data) > _MOST_BYTES:
        start = max(shown.start, min(offset - _BEFORE, shown.start + len(data) - _MOST_BYTES))
    kept = data[start - shown.start :][:_MOST_BYTES]
    end = start + len(kept)
    fields = tuple(each for each in shown.fields if each[0] < end and each[1] > start)
    return NamedBytes(kept.hex(), start, shown.length, fields)
