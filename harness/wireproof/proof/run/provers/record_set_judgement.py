"""The judgement of record sets against Kafka's readers, builders, and writers of single parts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from kafkawire.canonical import canonical
from kafkawire.errors import CodecError
from kafkawire.records import RecordBatch, encode_records, from_value, to_canonical, to_value
from wireproof.model.adapter import Adapter, Encode, Encoded, Size
from wireproof.model.case_source import RecordCase
from wireproof.model.divergence import Divergence
from wireproof.model.oracle import OracleReply
from wireproof.proof.checks.values.record_set import RecordEvidence, judge_records
from wireproof.proof.run.attribution.field_isolation import isolate_record_fields
from wireproof.proof.run.context.cell_context import CellContext
from wireproof.proof.run.context.value_judgement import decoded_bodies
from wireproof.proof.run.core.prepared_cases import is_known, made_by_kafka, with_tail, without_form

_Notice: TypeAlias = Callable[[int, RecordEvidence, tuple[Divergence, ...]], None]
"""Called for each codec with the index of the set, the evidence and the judgement."""


@dataclass(frozen=True, slots=True)
class PreparedSet:
    """A set with its two forms, or the reason why it has none."""

    case: RecordCase
    value: dict[str, Any]
    expected: bytes
    view: bytes
    problem: Divergence | None = None


def record_case(name: str, value: dict[str, Any]) -> RecordCase:
    """The case of a set that is known only by its value: Kafka writes it from its parts if it can."""
    records = from_value(value)
    return RecordCase(name, records, builder=False, parts=all(_has_parts(batch) for batch in records.batches))


def _has_parts(batch: object) -> bool:
    """True if Kafka's writers of single headers and records can make the batch: they write no unused bits."""
    return not isinstance(batch, RecordBatch) or (
        batch.reserved == 0
        and batch.base_timestamp >= -1
        and all(record.attributes == 0 for record in batch.records)
    )


def prepare_set(context: CellContext, case: RecordCase) -> PreparedSet:
    value = to_value(case.records)
    try:
        expected = canonical(context.layout).to_binary(value)
        return PreparedSet(case, value, expected, to_canonical(case.records))
    except CodecError as error:
        return PreparedSet(case, value, b"", b"", without_form("record set", error))


def judge_and_isolate_sets(
    context: CellContext, items: Sequence[PreparedSet], notice: _Notice | None = None
) -> list[tuple[Divergence, ...]]:
    """The divergences of each set; if a codec gave no answer, they are placed at the field at fault.

    Args:
        notice: called with each answer, before the field at fault is known.
    """

    def judge(name: str, values: Sequence[dict[str, Any]]) -> list[tuple[Divergence, ...] | None]:
        adapter = next(each for each in context.target.adapters if each.name == name)
        sets = [_set_of(context, adapter, value) for value in values]
        judged = iter(judge_sets(context, [each for each in sets if each is not None]))
        return [None if each is None else next(judged) for each in sets]

    found = judge_sets(context, items, notice)
    pairs = zip(items, found, strict=True)
    return [isolate_record_fields(context.layout, each, item.value, judge) for item, each in pairs]


def _set_of(context: CellContext, adapter: Adapter, value: dict[str, Any]) -> PreparedSet | None:
    """The set of a value; None if the value has no set, or if a limit of the codec leaves the set out."""
    try:
        case = record_case("", value)
        encode_records(case.records)
    except CodecError:
        return None
    item = prepare_set(context, case)
    return item if item.problem is None and context.target.domain_of(adapter).holds(case.records) else None


def judge_sets(
    context: CellContext, items: Sequence[PreparedSet], notice: _Notice | None = None
) -> list[tuple[Divergence, ...]]:
    """The divergences of each set, over all codecs that may be asked for it; empty for a proven set."""
    found: list[list[Divergence]] = [[item.problem] if item.problem else [] for item in items]
    sound = [index for index, item in enumerate(items) if item.problem is None]
    held = [items[index] for index in sound]
    made = made_by_kafka(context.target.oracle, context.cell.release, [item.case for item in held])
    for adapter in context.target.adapters:
        domain = context.target.domain_of(adapter)
        asked = [at for at, item in enumerate(held) if domain.holds(item.case.records)]
        answers = _ask(context, adapter, [held[at] for at in asked], [made[at] for at in asked])
        for at, evidence in zip(asked, answers, strict=True):
            divergences = tuple(judge_records(evidence))
            found[sound[at]].extend(divergences)
            if notice is not None:
                notice(sound[at], evidence, divergences)
    return [tuple(divergences) for divergences in found]


def _ask(
    context: CellContext,
    adapter: Adapter,
    items: Sequence[PreparedSet],
    made: Sequence[Sequence[OracleReply]],
) -> list[RecordEvidence]:
    cell, layout = context.cell, context.layout
    own = [item for item in items if item.case.foreign is None]
    encoded = iter(adapter.ask(cell, layout, [Encode(item.value) for item in own]))
    sized = iter(adapter.ask(cell, layout, [Size(item.value) for item in own]))
    answers = [(next(encoded), next(sized)) if not item.case.foreign else (None, None) for item in items]
    data = [
        reply.data if isinstance(reply, Encoded) else item.case.foreign
        for item, (reply, _) in zip(items, answers, strict=True)
    ]
    decoded = decoded_bodies(context.target, adapter, data)
    reread = iter(context.target.oracle.read_records([each for each in data if each is not None]))
    evidence = []
    for index, (item, (written, size)) in enumerate(zip(items, answers, strict=True)):
        theirs = [with_tail(reply, item.case.records) for reply in made[index]]
        foreign = [each if each != data[index] else None for each in theirs]
        asked = decoded_bodies(context.target, adapter, foreign)
        for each, read in zip(theirs, asked, strict=True):
            if each is not None:
                context.target.exercise.note(written, decoded[index] if each == data[index] else read)
        evidence.append(
            RecordEvidence(
                layout=layout,
                subject=adapter.name,
                records=item.case.records,
                expected=item.expected,
                view=item.view if is_known(context.cell.release, item.case) else None,
                data=data[index],
                encoded=written,
                sized=size,
                decoded=decoded[index],
                reread=next(reread) if data[index] is not None else None,
                made=tuple(zip(made[index], asked, strict=True)),
            )
        )
    return evidence
