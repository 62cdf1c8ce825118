"""The judgement of a batch of values by the codecs and the oracle, with one call for many values."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import Any, TypeAlias

from kafkawire.canonical import canonical
from wireproof.model.adapter import Adapter, Decode, Decoded, Encode, Encoded, Reply, Size
from wireproof.model.divergence import Divergence, without_indices
from wireproof.model.oracle import OracleReply, OracleValue
from wireproof.proof.checks.check_table import Check
from wireproof.proof.checks.difference_kinds import kind_of_default
from wireproof.proof.checks.known_defects.kafka_bugs import refusal_bug
from wireproof.proof.checks.values.message_value import ValueEvidence, agrees, judge_instance, judge_value
from wireproof.proof.run.attribution.field_isolation import attribute_to_tags, isolate_fields, without_tags
from wireproof.proof.run.core.prepared_cases import CellTarget, PreparedCase, ProvenBatch, prepare

Notice: TypeAlias = Callable[[int, ValueEvidence, tuple[Divergence, ...]], None]
"""Called for each codec that does not fully agree: the index of the case, the evidence, the judgement."""


def judge_batch(
    target: CellTarget,
    batch: Sequence[PreparedCase],
    keep: Callable[[ProvenBatch], None] | None = None,
    others: Callable[[PreparedCase], bool] | None = None,
    notice: Notice | None = None,
) -> list[tuple[Divergence, ...]]:
    """The divergences of each case of a batch, over all codecs; empty for a proven case.

    They include divergences that a known Kafka bug explains; `CellRecorder.excused` removes these.

    Args:
        keep: called with the oracle's answers, if every case has its canonical binary.
        others: selects the cases for the codecs after the first; None selects every case.
        notice: called for each codec that does not agree in all.
    """
    found = _judge(target, batch, keep, others, notice)

    def without(index: int) -> PreparedCase | None:
        case = batch[index].case
        value = without_tags(case.value)
        return None if value is None else prepare(target.layout, replace(case, value=value))

    def judge(values: Sequence[dict[str, Any]]) -> list[tuple[Divergence, ...]]:
        cases = (replace(batch[0].case, value=value, omitted="") for value in values)
        return _judge(target, [prepare(target.layout, case) for case in cases])

    placed = attribute_to_tags(found, without, partial(_judge, target), attrgetter("expected"))
    return isolate_fields(target.layout, placed, lambda index: batch[index].case.value, judge)


def _judge(
    target: CellTarget,
    batch: Sequence[PreparedCase],
    keep: Callable[[ProvenBatch], None] | None = None,
    others: Callable[[PreparedCase], bool] | None = None,
    notice: Notice | None = None,
) -> list[tuple[Divergence, ...]]:
    """The divergences of each case, before they are attributed to tags or fields."""
    found: list[list[Divergence]] = [[item.problem] if item.problem else [] for item in batch]
    sound = [index for index, item in enumerate(batch) if item.problem is None]
    items = [batch[index] for index in sound]
    written = target.oracle.write(target.cell, target.layout, [item.expected for item in items])
    reread: dict[bytes, OracleReply] = {}
    places = list(range(len(items)))
    for adapter in target.adapters:
        asked, answered = [items[place] for place in places], [written[place] for place in places]
        for at, evidence in _ask(target, adapter, asked, answered, reread):
            divergences = _of_defaults(tuple(judge_value(evidence)), items[places[at]].case.omitted)
            found[sound[places[at]]].extend(divergences)
            if notice is not None:
                notice(sound[places[at]], evidence, divergences)
        if others is not None:
            places = [place for place in places if others(items[place])]
    if keep is not None and len(items) == len(batch):
        keep(ProvenBatch(items, written, tuple(reread), tuple(reread.values())))
    return [tuple(divergences) for divergences in found]


def _ask(
    target: CellTarget,
    adapter: Adapter,
    items: Sequence[PreparedCase],
    written: Sequence[OracleReply],
    reread: dict[bytes, OracleReply],
) -> Iterator[tuple[int, ValueEvidence]]:
    """Yield the index and the evidence of each item that fails the fast comparison."""
    cell, layout = target.cell, target.layout
    encoded = adapter.ask(cell, layout, [Encode(item.case.value, item.case.omitted) for item in items])
    sized = adapter.ask(cell, layout, [Size(item.case.value, item.case.omitted) for item in items])
    bodies = [reply.data if isinstance(reply, Encoded) else None for reply in encoded]
    fresh = [body for body in dict.fromkeys(bodies) if body is not None and body not in reread]
    reread.update(zip(fresh, target.oracle.reread(cell, layout, fresh), strict=True))
    # If the codec's bytes are Kafka's own, one decode serves for both.
    decoded = decoded_bodies(target, adapter, bodies)
    theirs = decoded_bodies(target, adapter, [*map(_foreign, bodies, written)])
    _exercised(target, written, encoded, bodies, decoded, theirs)
    for index, item in enumerate(items):
        body = bodies[index]
        replies = encoded[index], sized[index], decoded[index], None if body is None else reread[body]
        if not agrees(layout, item.expected, *replies, written[index]):
            yield (
                index,
                ValueEvidence(
                    layout,
                    adapter.name,
                    item.expected,
                    *replies,
                    written[index],
                    theirs[index],
                    refusal_bug(target.cell.release, layout, item.case.value, written[index]),
                ),
            )


def _of_defaults(divergences: tuple[Divergence, ...], omitted: str) -> tuple[Divergence, ...]:
    """Give a kind of its own to a difference of the field that the value leaves out.

    Such a difference shows the codec's default and says nothing about given values: an entry of the ledger
    that explains it must not explain a difference of a given value. A refusal stays a refusal, and Kafka's
    bytes have the field.

    Args:
        omitted: the path of the field; empty if the value has all fields.
    """
    if not omitted:
        return divergences
    return tuple(
        each
        if each.unanswered or each.check == Check.DECODE or without_indices(each.path) != omitted
        else replace(each, kind=kind_of_default(each.kind))
        for each in divergences
    )


def _exercised(
    target: CellTarget,
    written: Sequence[OracleReply],
    encoded: Sequence[Reply],
    bodies: Sequence[bytes | None],
    decoded: Sequence[Reply | None],
    theirs: Sequence[Reply | None],
) -> None:
    """Note which ways were tried: encoding a value that the oracle writes, too, and decoding its bytes."""
    if not target.exercise.open:
        return
    for index, made in enumerate(written):
        if isinstance(made, OracleValue):
            read = decoded[index] if bodies[index] == made.written else theirs[index]
            target.exercise.note(encoded[index], read)


def _foreign(ours: bytes | None, oracle: OracleReply) -> bytes | None:
    """The oracle's bytes; None if they are the codec's own."""
    return oracle.written if isinstance(oracle, OracleValue) and oracle.written != ours else None


def decoded_bodies(
    target: CellTarget, adapter: Adapter, bodies: Sequence[bytes | None]
) -> list[Reply | None]:
    """The codec's answer to each body; None in place of a missing body."""
    wanted = [body for body in bodies if body is not None]
    replies = iter(adapter.ask(target.cell, target.layout, [Decode(body) for body in wanted]))
    return [None if body is None else next(replies) for body in bodies]


def judge_instances(target: CellTarget, made: Sequence[OracleReply]) -> list[tuple[Divergence, ...]]:
    """The divergences of each instance that the oracle made of its own class."""
    form = canonical(target.layout)

    def value_of(index: int) -> dict[str, Any] | None:
        item = made[index]
        return form.from_binary(item.value) if isinstance(item, OracleValue) else None

    def without(index: int) -> bytes | None:
        value = without_tags(value_of(index) or {})
        return None if value is None else form.to_binary(value)

    def judge(values: Sequence[bytes]) -> list[tuple[Divergence, ...]]:
        return _judge_instances(target, target.oracle.write(target.cell, target.layout, values))

    placed = attribute_to_tags(_judge_instances(target, made), without, judge, bytes)
    return isolate_fields(
        target.layout, placed, value_of, lambda values: judge([form.to_binary(each) for each in values])
    )


def _judge_instances(target: CellTarget, made: Sequence[OracleReply]) -> list[tuple[Divergence, ...]]:
    """The divergences of each instance, before they are attributed to tags or fields."""
    found: list[list[Divergence]] = [[] for _ in made]
    form = canonical(target.layout)
    for adapter in target.adapters:
        bodies = [item.written if isinstance(item, OracleValue) else None for item in made]
        decoded = decoded_bodies(target, adapter, bodies)
        # Kafka's value, and not the codec's: a decode error must not show as an encode error, too.
        values = [
            form.from_binary(item.value)
            for item, reply in zip(made, decoded, strict=True)
            if isinstance(item, OracleValue) and isinstance(reply, Decoded)
        ]
        again = iter(adapter.ask(target.cell, target.layout, [Encode(value) for value in values]))
        for index, item in enumerate(made):
            reply = decoded[index]
            encoded = next(again) if isinstance(reply, Decoded) else None
            target.exercise.note(encoded, reply)
            bug = refusal_bug(target.cell.release, target.layout, None, item)
            found[index].extend(
                judge_instance(target.layout, adapter.name, item, reply, encoded, known_bug=bug)
            )
    return [tuple(divergences) for divergences in found]
