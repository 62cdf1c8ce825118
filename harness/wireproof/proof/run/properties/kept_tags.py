"""Bytes of another release: a codec must keep the tagged fields in them that it does not know."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from kafkawire.compiler import interpret_layout
from kafkawire.errors import CodecError
from kafkawire.schema import MessageLayout
from wireproof.model.adapter import Adapter, Decode, Decoded, Encode, Reply
from wireproof.model.cell import Cell
from wireproof.model.divergence import Divergence
from wireproof.model.oracle import OracleReply
from wireproof.proof.checks.values.foreign_tags import KeptEvidence, as_not_read, is_not_kept, judge_kept
from wireproof.proof.run.attribution.field_isolation import attribute_to_tags, isolate_fields, without_tags
from wireproof.proof.run.core.prepared_cases import CellTarget


def judge_other_release(
    reader: CellTarget, adapter: Adapter, bodies: Sequence[bytes], oracle: Sequence[OracleReply]
) -> list[tuple[Divergence, ...]]:
    """Return the divergences of one codec on bytes of another release, body by body.

    A divergence that unknown tagged fields cause names them.

    Args:
        reader: the cell with whose layout the codec reads the bytes.
        oracle: the answers of Kafka's classes of that cell.
    """
    codec = interpret_layout(reader.layout)

    def without(index: int) -> bytes | None:
        try:
            value = without_tags(codec.decode(bodies[index]))
        except CodecError:
            return None
        return None if value is None else codec.encode(value)

    found = _judge_kept(reader, adapter, bodies, oracle)
    found = attribute_to_tags(found, without, partial(_judge_kept, reader, adapter), bytes)
    plain = [without(index) or body if found[index] else body for index, body in enumerate(bodies)]
    return _not_read_at_all(reader, adapter, plain, found)


def _not_read_at_all(
    reader: CellTarget, adapter: Adapter, plain: Sequence[bytes], found: Sequence[tuple[Divergence, ...]]
) -> list[tuple[Divergence, ...]]:
    """Return the divergences; those that no unknown tagged field causes are replaced.

    If a codec cannot read the bytes without such fields, either, it cannot decode Kafka's bytes: this is
    reported instead, at the field at fault.

    Args:
        plain: the bytes without unknown tagged fields.
    """
    codec = interpret_layout(reader.layout)

    def reported(
        bodies: Sequence[bytes], seen: Sequence[tuple[Divergence, ...]]
    ) -> list[tuple[Divergence, ...]]:
        places = [place for place, each in enumerate(seen) if any(map(is_not_kept, each))]
        replies = adapter.ask(reader.cell, reader.layout, [Decode(bodies[place]) for place in places])
        unread = dict(zip(places, replies, strict=True))
        return [
            tuple(as_not_read(each, unread[place]) if place in unread else each for each in divergences)
            for place, divergences in enumerate(seen)
        ]

    def judge(values: Sequence[dict[str, Any]]) -> list[tuple[Divergence, ...]]:
        bodies = [codec.encode(value) for value in values]
        return reported(bodies, _judge_kept(reader, adapter, bodies))

    def value_of(index: int) -> dict[str, Any] | None:
        try:
            return codec.decode(plain[index])
        except CodecError:
            return None

    return isolate_fields(reader.layout, reported(plain, found), value_of, judge)


def _judge_kept(
    reader: CellTarget, adapter: Adapter, bodies: Sequence[bytes], oracle: Sequence[OracleReply] | None = None
) -> list[tuple[Divergence, ...]]:
    """Return the divergences of one codec on bytes of another release, not yet attributed.

    Args:
        oracle: the answers of Kafka's classes; if it is None, they are asked.
    """
    if oracle is None:
        oracle = reader.oracle.reread(reader.cell, reader.layout, bodies)
    decoded, again = read_again(adapter, reader.cell, reader.layout, bodies)
    return [
        tuple(judge_kept(KeptEvidence(reader.layout, adapter.name, *evidence)))
        for evidence in zip(bodies, decoded, again, oracle, strict=True)
    ]


def read_again(
    adapter: Adapter, cell: Cell, layout: MessageLayout, bodies: Sequence[bytes]
) -> tuple[list[Reply], list[Reply | None]]:
    """Return the codec's answers to the bodies, and its own bytes of each value that it decoded."""
    decoded = adapter.ask(cell, layout, [Decode(body) for body in bodies])
    values = [reply.value for reply in decoded if isinstance(reply, Decoded)]
    encoded = iter(adapter.ask(cell, layout, [Encode(value) for value in values]))
    return decoded, [next(encoded) if isinstance(reply, Decoded) else None for reply in decoded]
