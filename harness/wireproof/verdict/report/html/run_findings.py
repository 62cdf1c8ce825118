"""The findings of a run as the page shows them: ranked, with bytes, diagnosis and what to type."""

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, TypeAlias

from wireproof.base.text.wording import ranges_text
from wireproof.model import ByteEvidence, CodecTask, NamedBytes, ObservedCause, Phase
from wireproof.model.divergence import TAGS_TYPE
from wireproof.proof.checks import ROWS, tasks_of
from wireproof.verdict.report.diagnosis import Diagnosis, diagnose
from wireproof.verdict.report.findings import CauseFinding, CauseGroup, replay_command
from wireproof.verdict.report.html.byte_table import ByteRow, byte_rows
from wireproof.verdict.report.run_summary import RunSummary

__all__ = ["ByteTable", "FindingView", "InputKind", "evidence_table", "finding_views"]

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
        rows: of both sides.
        part: which bytes of a longer encoding these are, in words; empty where it is whole.
    """

    left: str
    right: str
    rows: tuple[ByteRow, ...]
    part: str


@dataclass(frozen=True, slots=True)
class FindingView:
    """A finding as the page shows it.

    Attributes:
        anchor: the id of its element.
        group: the finding itself.
        input: what kind of input shows it.
        verifies: what the check verifies.
        value: the value, indented; empty where the case has none.
        bytes: None where no bytes are known.
        diagnosis: the known error that does the same; None where none is known.
        replay: what to type.
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
    """Return the findings of a run, those that ordinary values hit first, then those of most cells."""
    found = summary.grouped()
    groups = list(found.groups)
    if found.reason is not None:
        groups.insert(0, CauseGroup(found.reason.findings))
    causes = _causes(summary)
    kinds = [(_kind_of_group(group, causes), group) for group in groups]
    ranked = sorted(kinds, key=lambda each: (each[0], -len(each[1].cells), -each[1].cases))
    return [_view(number, kind, group, summary.testee) for number, (kind, group) in enumerate(ranked, 1)]


def _causes(summary: RunSummary) -> _Causes:
    """Return the causes that the cells met, by message and cause: a finding shows in several phases."""
    found: dict[tuple[str, ...], list[ObservedCause]] = {}
    for cell, done in summary.cells.items():
        for each in done.causes:
            key = cell.message, each.check, each.field, each.subject, each.kind
            found.setdefault(key, []).append(each)
    return found


def _view(number: int, kind: InputKind, group: CauseGroup, testee: str) -> FindingView:
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
