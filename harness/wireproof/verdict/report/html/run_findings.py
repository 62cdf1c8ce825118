"""The findings of a run as the page shows them: ranked, with bytes, diagnosis and what to type."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import IntEnum
from typing import Final, TypeAlias

from wireproof.base.grouping import grouped
from wireproof.base.text.wording import ranges_text
from wireproof.model.agreement import CodecTask, ObservedCause
from wireproof.model.cell import Phase
from wireproof.model.divergence import TAGS_TYPE, ByteEvidence, NamedBytes
from wireproof.proof.checks.check_table import ROWS, tasks_of
from wireproof.proof.checks.comparing.divergences import first_difference
from wireproof.verdict.report.diagnosis import Diagnosis, diagnose
from wireproof.verdict.report.findings import CauseFinding, CauseGroup, replay_command
from wireproof.verdict.report.run_summary import RunSummary

_MOST: Final = 64
"""The most bytes of a field that a row shows: the beginning of a longer field."""
_UNREAD: Final = "(not read)"
"""The name of bytes that belong to no field."""


@dataclass(frozen=True, slots=True)
class ByteSide:
    """The bytes of one field on one side.

    Attributes:
        offset: the offset of the first byte in the encoding.
        before, differing, after: the bytes in hexadecimal, with spaces; `differing` is the first byte that
            differs from the other side. If no byte differs, `before` has all bytes.
        more: the number of bytes of the field that are left out.
        text: the bytes as ASCII, a dot for each other byte.
    """

    offset: int
    before: str
    differing: str
    after: str
    more: int
    text: str


@dataclass(frozen=True, slots=True)
class ByteRow:
    """A field on both sides.

    Attributes:
        name: as in `NamedBytes.fields`.
        left, right: the bytes of each side; None if the side does not have the field.
        differs: whether the bytes of both sides differ.
        first: whether it is the first row that differs.
    """

    name: str
    left: ByteSide | None
    right: ByteSide | None
    differs: bool
    first: bool


@dataclass(frozen=True, slots=True)
class _Field:
    name: str
    offset: int
    data: bytes


def byte_rows(left: NamedBytes, right: NamedBytes | None = None) -> list[ByteRow]:
    """Return the rows of one encoding, or of two side by side.

    Fields are matched by their names, so that a field that one side lacks shifts no other field.
    """
    ours = list(_fields(left))
    if right is None:
        return [ByteRow(each.name, _side(each, None), None, False, False) for each in ours]
    rows = []
    first = True
    for one, other in _aligned(ours, list(_fields(right))):
        differs = one is None or other is None or one.data != other.data
        name = (one or other or _Field("", 0, b"")).name
        sides = _side(one, other.data if other else None), _side(other, one.data if one else None)
        rows.append(ByteRow(name, *sides, differs, differs and first))
        first = first and not differs
    return rows


def _fields(shown: NamedBytes) -> Iterator[_Field]:
    """Yield the fields of the part in order; bytes between them have no name."""
    data, at = shown.data, shown.start
    end = shown.start + len(data)
    for start, stop, name in shown.fields:
        start, stop = max(start, at), min(stop, end)
        if start > at:
            yield _Field(_UNREAD, at, data[at - shown.start : start - shown.start])
        if stop > start:
            yield _Field(name, start, data[start - shown.start : stop - shown.start])
            at = stop
    if at < end:
        yield _Field(_UNREAD, at, data[at - shown.start :])


def _aligned(
    left: Sequence[_Field], right: Sequence[_Field]
) -> Iterator[tuple[_Field | None, _Field | None]]:
    names = [each.name for each in left], [each.name for each in right]
    for tag, a, b, c, d in SequenceMatcher(None, *names, autojunk=False).get_opcodes():
        if tag == "equal":
            yield from zip(left[a:b], right[c:d], strict=True)
            continue
        yield from ((each, None) for each in left[a:b])
        yield from ((None, each) for each in right[c:d])


def _side(field: _Field | None, other: bytes | None) -> ByteSide | None:
    if field is None:
        return None
    shown = field.data[:_MOST]
    at = len(shown) if other is None else first_difference(shown, other)
    parts = shown[:at].hex(" "), shown[at : at + 1].hex(), shown[at + 1 :].hex(" ")
    text = "".join(chr(each) if 0x20 <= each < 0x7F else "." for each in shown)
    return ByteSide(field.offset, *parts, len(field.data) - len(shown), text)


_MOST_VALUE: Final = 4_000
"""Characters of a value that the page shows."""
_LISTED_CELLS: Final = 40
"""Messages that a finding lists with their versions."""


class InputKind(IntEnum):
    """The kind of input that shows a finding: ordinary values first, as users meet those."""

    ORDINARY = 1
    BOUNDARY = 2
    VERSIONS = 3
    STATE = 4
    MALFORMED = 5

    @property
    def words(self) -> str:
        """The words of the filter."""
        return _KINDS[self]


_KINDS: Final = {
    InputKind.ORDINARY: "ordinary values",
    InputKind.BOUNDARY: "boundary values",
    InputKind.VERSIONS: "fields of other versions",
    InputKind.STATE: "sequences of calls",
    InputKind.MALFORMED: "malformed bytes",
}
_ORDINARY: Final = frozenset({Phase.ORACLE, Phase.CORPUS, Phase.SHAPE})
_PLAIN_CASES: Final = ("message/default", "message/fullest-known", "message/sparse")
"""The ends of the names of cases whose values any user of a codec has."""
_Causes: TypeAlias = Mapping[tuple[str, ...], Collection[ObservedCause]]


@dataclass(frozen=True, slots=True)
class ByteTable:
    """The bytes of a finding by field.

    Attributes:
        left, right: the headings; `right` is empty where there is one side.
        rows: the fields, with the bytes of both sides.
        part: the position of these bytes in a longer encoding, in words; empty for a whole encoding.
    """

    left: str
    right: str
    rows: tuple[ByteRow, ...]
    part: str


@dataclass(frozen=True, slots=True)
class FindingView:
    """A finding as the page shows it.

    Attributes:
        input: what kind of input shows it.
        value: the value, indented; empty where the case has none.
        bytes: None where no bytes are known.
        diagnosis: the known programming error with the same effect; None if no known error has it.
        is_predicted: whether causes predict every case of the finding.
        places: each message with its versions.
        more_places: how many messages are not listed.
    """

    anchor: str
    group: CauseGroup
    input: InputKind
    verifies: str
    value: str
    bytes: ByteTable | None
    diagnosis: Diagnosis | None
    replay: str
    is_predicted: bool
    places: tuple[tuple[str, str], ...]
    more_places: int

    @property
    def first(self) -> CauseFinding:
        """The finding of the group that is shown."""
        return self.group.first

    @property
    def messages(self) -> str:
        """The messages, separated by spaces, for the filter."""
        return " ".join(sorted({each.message for each in self.group.findings}))

    @property
    def versions(self) -> str:
        """The versions, separated by spaces, for the filter."""
        return " ".join(str(each) for each in sorted({cell.version for cell in self.group.cells}))


def finding_views(summary: RunSummary) -> list[FindingView]:
    """Return the findings of a run: first those that no cause predicts, then by the kind of input."""
    found = summary.grouped()
    groups = list(found.groups)
    if found.reason is not None:
        groups.insert(0, CauseGroup(found.reason.findings))
    causes = _causes(summary)
    rows = [
        (not summary.causes.unpredicted(group.findings), _kind_of_group(group, causes), group)
        for group in groups
    ]
    ranked = sorted(rows, key=lambda each: (*each[:2], -len(each[2].cells), -each[2].cases))
    return [_view(number, *row, summary.testee) for number, row in enumerate(ranked, 1)]


def _causes(summary: RunSummary) -> _Causes:
    """Return the causes that the cells met, by message and cause: a finding shows in several phases."""
    return grouped(
        ((cell.message, each.check, each.field, each.subject, each.kind), each)
        for cell, done in summary.cells.items()
        for each in done.causes
    )


def _view(number: int, is_predicted: bool, kind: InputKind, group: CauseGroup, testee: str) -> FindingView:
    first = group.first
    divergence = first.divergence
    row = ROWS.get(str(divergence.check))
    places = [(group.first.message, _versions(group, group.first.message))]
    places += [(message, _versions(group, message)) for message in group.others]
    return FindingView(
        anchor=f"finding-{number}",
        group=group,
        input=kind,
        verifies="" if row is None else row.verifies,
        value=_value(first.value),
        bytes=evidence_table(divergence.bytes),
        diagnosis=diagnose(divergence),
        replay=replay_command(first.first.case_id, testee),
        is_predicted=is_predicted,
        places=tuple(places[:_LISTED_CELLS]),
        more_places=max(0, len(places) - _LISTED_CELLS),
    )


def _versions(group: CauseGroup, message: str) -> str:
    return ranges_text({cell.version for cell in group.cells if cell.message == message})


def _kind_of_group(group: CauseGroup, causes: _Causes) -> InputKind:
    """Return the most ordinary kind of input that shows any finding of the group."""
    kinds = set()
    for finding in group.findings:
        case, divergence = finding.first, finding.first.divergences[0]
        if case.after:
            kinds.add(InputKind.STATE)
            continue
        kinds.add(_input_kind(case.phase, case.case_id, str(divergence.check), divergence.field_type))
        for each in causes.get((finding.message, *divergence.cause), ()):
            kinds.add(_input_kind(each.phase, each.case_id, each.check, each.type))
    return min(kinds)


def _input_kind(phase: Phase, case_id: str, check: str, field_type: str) -> InputKind:
    if phase is Phase.MUTATIONS or tasks_of(check) == {CodecTask.MALFORMED}:
        return InputKind.MALFORMED
    if phase is Phase.EVOLUTION or field_type == TAGS_TYPE:
        return InputKind.VERSIONS
    plain = phase in _ORDINARY or case_id.endswith(_PLAIN_CASES)
    return InputKind.ORDINARY if plain else InputKind.BOUNDARY


def _value(text: str | None) -> str:
    if not text:
        return ""
    try:
        shown = json.dumps(json.loads(text), indent=1, ensure_ascii=False)
    except ValueError:
        shown = text
    return shown if len(shown) <= _MOST_VALUE else f"{shown[:_MOST_VALUE]}... ({len(shown):,} characters)"


def evidence_table(evidence: ByteEvidence | None) -> ByteTable | None:
    sides = list(_sides(evidence or ByteEvidence()))
    if not sides:
        return None
    names = [name for name, _ in sides] + [""]
    shown = [side for _, side in sides]
    parts = {_part(side) for side in shown} - {""}
    return ByteTable(names[0], names[1], tuple(byte_rows(*shown)), "; ".join(sorted(parts)))


def _sides(evidence: ByteEvidence) -> Iterator[tuple[str, NamedBytes]]:
    """Yield at most two sides, Kafka's first."""
    if evidence.oracle is not None:
        yield "Kafka's bytes", evidence.oracle
    if evidence.codec is not None:
        yield "The codec's bytes", evidence.codec
    if evidence.given is not None and evidence.oracle is None and evidence.codec is None:
        yield "The bytes that both were given", evidence.given


def _part(side: NamedBytes) -> str:
    shown = len(side.data)
    if shown == side.length:
        return ""
    return f"bytes {side.start:,} to {side.start + shown - 1:,} of {side.length:,}"
