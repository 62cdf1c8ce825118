"""The deviations of compared codecs: where each shows, and the smallest case that shows it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from wireproof.base.text.wording import ranges_text
from wireproof.model.agreement import CodecTask
from wireproof.model.cell import Cell
from wireproof.model.divergence import ByteEvidence, Divergence, NamedBytes, without_indices
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
class DeviationPlace:
    """A message in which a codec deviates: the versions, ascending, and the first case of the lowest one."""

    release: str
    message: str
    versions: tuple[int, ...]
    case_id: str


@dataclass(frozen=True, slots=True)
class CodecDeviation:
    """A deviation of a codec.

    Attributes:
        entry: the entry of the ledger that explains it, as events name it; empty where none does.
        smallest: the case with the fewest bytes.
        places: in the order of the report; never empty.
    """

    codec: str
    entry: str
    smallest: DeviantCase
    places: tuple[DeviationPlace, ...]

    @property
    def divergence(self) -> Divergence:
        """The divergence of the smallest case."""
        return self.smallest.divergences[0]

    @property
    def tasks(self) -> tuple[CodecTask, ...]:
        found = tasks_of(self.divergence.check, self.divergence.path)
        return tuple(task for task in CodecTask if task in found)


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

    def deviations(self) -> Iterator[CodecDeviation]:
        """Yield the deviations by codec: unexplained ones first, then those of most messages."""
        order = sorted(self._found.items(), key=lambda item: (*_order(item[0], item[1]), item[0]))
        for (codec, entry, *_), found in order:
            places = (_place(*place, cases) for place, cases in sorted(found.cases.items()))
            yield CodecDeviation(codec, entry, found.smallest, tuple(places))


def _place(release: str, message: str, cases: Mapping[Cell, str]) -> DeviationPlace:
    versions = tuple(cell.version for cell in sorted(cases))
    return DeviationPlace(release, message, versions, cases[min(cases)])


def _order(key: tuple[str, ...], found: _Deviation) -> tuple[str, bool, int]:
    return key[0].lower(), bool(key[1]), -len(found.cases)


def _size(event: DeviantCase) -> tuple[int, int, str, int, str]:
    (divergence,) = event.divergences
    sides = divergence.bytes or ByteEvidence()
    data = sum(each.length for each in (sides.codec, sides.oracle, sides.given) if each is not None)
    return data, len(event.value or ""), event.cell.message, event.cell.version, event.case_id


def deviation_json(each: CodecDeviation, terms: Mapping[str, Any] | None) -> dict[str, Any]:
    """A deviation as the JSON of the matrix has it, with its entry's terms and the bytes that matter."""
    found = each.divergence
    return {
        "codec": each.codec,
        "tasks": list(map(str, each.tasks)),
        "entry": each.entry,
        "ledger": None if terms is None else dict(terms),
        "check": str(found.check),
        "field": without_indices(found.path),
        "type": found.field,
        "kind": found.kind,
        "summary": found.summary,
        "places": [
            {
                "release": place.release,
                "message": place.message,
                "versions": ranges_text(place.versions),
                "case": place.case_id,
            }
            for place in each.places
        ],
        "smallest": {
            "case": each.smallest.case_id,
            "path": found.path,
            "offset": found.offset,
            "value": each.smallest.value if len(each.smallest.value or "") <= _MOST_TEXT else None,
            "codec": _short(found.codec),
            "oracle": _short(found.oracle),
            "bytes": _bytes_json(found.bytes, found.offset),
        },
    }


def _short(text: str) -> str:
    """Return the beginning of an answer, without the testee's log, which has paths of the machine."""
    return cut(" ".join(text.partition(_STDERR)[0].split()), _MOST_TEXT)


def _bytes_json(sides: ByteEvidence | None, offset: int | None) -> dict[str, Any]:
    if sides is None:
        return {}
    named = {"codec": sides.codec, "oracle": sides.oracle, "given": sides.given}
    return {side: _part(shown, offset) for side, shown in named.items() if shown is not None}


def _part(shown: NamedBytes, offset: int | None) -> dict[str, Any]:
    """The bytes around the offset, with the fields in them."""
    data = shown.data
    start = shown.start
    if offset is not None and len(data) > _MOST_BYTES:
        start = max(shown.start, min(offset - _BEFORE, shown.start + len(data) - _MOST_BYTES))
    kept = data[start - shown.start :][:_MOST_BYTES]
    end = start + len(kept)
    fields = [list(each) for each in shown.fields if each[0] < end and each[1] > start]
    return {"hex": kept.hex(), "start": start, "length": shown.length, "fields": fields}
