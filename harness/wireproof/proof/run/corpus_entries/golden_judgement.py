"""The judgement of codecs by golden entries: the bytes and values that an entry records are right."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from kafkawire.canonical import canonical
from kafkawire.compiler import fastest_codec
from kafkawire.errors import CodecError
from kafkawire.headers import FrameCodec
from kafkawire.schema.layout import MessageLayout
from wireproof.model.adapter import Adapter, Decode, DecodeFrame, Encode, Encoded, EncodeFrame, Size
from wireproof.model.divergence import Divergence
from wireproof.model.oracle import OracleFrame, OracleValue, Refusal
from wireproof.proof.checks.values.message_value import ValueEvidence, agrees, judge_value
from wireproof.proof.checks.values.whole_frame import FrameEvidence, judge_frame
from wireproof.proof.run.attribution.field_isolation import attribute_to_tags, isolate_fields, without_tags
from wireproof.proof.run.context.cell_context import CellContext
from wireproof.proof.run.core.prepared_cases import PreparedCase
from wireproof.traffic.corpus.corpus_entry import GoldenEntry

_Judge: TypeAlias = Callable[[CellContext, Adapter, Sequence["GoldenCase"]], Iterator[tuple[Divergence, ...]]]


@dataclass(frozen=True, slots=True)
class GoldenCase:
    """A golden entry with its values read.

    Attributes:
        header: the canonical binary of the header's value; empty if the entry has no header.
    """

    entry: GoldenEntry
    item: PreparedCase
    header: bytes = b""


def judge_golden(context: CellContext, held: Sequence[GoldenCase]) -> list[tuple[Divergence, ...]]:
    """Return the divergences of all codecs, entry by entry: in the body, and in the frame if there is one."""
    found: list[list[Divergence]] = [[] for _ in held]
    framed = [index for index, each in enumerate(held) if each.item.case.header is not None]
    for adapter in context.target.adapters:
        for judge, places in ((_judge_values, range(len(held))), (_judge_frames, framed)):
            asked = [held[index] for index in places]
            for index, divergences in zip(places, _attributed(context, adapter, asked, judge), strict=True):
                found[index].extend(divergences)
    return [tuple(each) for each in found]


def _attributed(
    context: CellContext, adapter: Adapter, held: Sequence[GoldenCase], judge: _Judge
) -> list[tuple[Divergence, ...]]:
    """Return the divergences: at the unknown tagged field that causes one, or at the field at fault."""

    def without(index: int) -> GoldenCase | None:
        return _without_tags(context, held[index])

    def again(plain: Sequence[GoldenCase]) -> list[tuple[Divergence, ...]]:
        return list(judge(context, adapter, plain))

    def judge_values(values: Sequence[dict[str, Any]]) -> list[tuple[Divergence, ...]]:
        return again([_written(context, held[0], value, held[0].item.case.header) for value in values])

    found = list(judge(context, adapter, held))
    placed = attribute_to_tags(found, without, again, lambda each: each.header + each.item.expected)
    return isolate_fields(context.layout, placed, lambda index: held[index].item.case.value, judge_values)


def _without_tags(context: CellContext, right: GoldenCase) -> GoldenCase | None:
    """Return the entry without its unknown tagged fields; None if it has none."""
    case = right.item.case
    value, head = without_tags(case.value), without_tags(case.header or {})
    if value is None and head is None:
        return None
    return _written(
        context, right, case.value if value is None else value, case.header if head is None else head
    )


def _written(
    context: CellContext, right: GoldenCase, value: dict[str, Any], head: dict[str, Any] | None
) -> GoldenCase:
    """Return the entry with another value and header, written by our own codec in Kafka's place.

    It decides only to which field a divergence is attributed, and not the verdict.
    """
    case, header_layout = right.item.case, context.environment.layouts.header(context.cell)
    body = fastest_codec(context.layout).encode(value)
    front, header = b"", b""
    if header_layout is not None and head is not None and case.header is not None:
        front = fastest_codec(header_layout).encode(head)
        front = (len(front) + len(body)).to_bytes(4) + front
        header = canonical(header_layout).to_binary(head)
    item = PreparedCase(replace(case, value=value, header=head), canonical(context.layout).to_binary(value))
    return GoldenCase(replace(right.entry, body=body, head=front), item, header)


def _judge_values(
    context: CellContext, adapter: Adapter, held: Sequence[GoldenCase]
) -> Iterator[tuple[Divergence, ...]]:
    cell, layout = context.cell, context.layout
    values = [each.item.case.value for each in held]
    encoded = adapter.ask(cell, layout, [Encode(value) for value in values])
    sized = adapter.ask(cell, layout, [Size(value) for value in values])
    decoded = adapter.ask(cell, layout, [Decode(each.entry.body) for each in held])
    own = [
        reply.data if isinstance(reply, Encoded) and reply.data != each.entry.body else None
        for reply, each in zip(encoded, held, strict=True)
    ]
    again = iter(adapter.ask(cell, layout, [Decode(data) for data in own if data is not None]))
    for index, each in enumerate(held):
        expected, body = each.item.expected, each.entry.body
        kafka = OracleValue(body, len(body), len(body), expected)
        context.target.exercise.note(encoded[index], decoded[index])
        right = encoded[index] == Encoded(body)
        written = encoded[index]
        if not each.entry.exact and isinstance(written, Encoded):
            # The codec compresses in another way than Kafka: its bytes are right if they hold the value.
            kafka = OracleValue(written.data, len(written.data), len(written.data), expected)
        replies = encoded[index], sized[index], decoded[index] if right else None
        if right and agrees(layout, expected, *replies, kafka, kafka):
            yield ()
            continue
        round_trip = next(again) if own[index] is not None else replies[2]
        yield tuple(
            judge_value(
                ValueEvidence(
                    layout,
                    adapter.name,
                    expected,
                    encoded[index],
                    sized[index],
                    round_trip,
                    None,  # no Kafka reads the codec's own bytes here
                    kafka,
                    None if right else decoded[index],
                )
            )
        )


def _judge_frames(
    context: CellContext, adapter: Adapter, held: Sequence[GoldenCase]
) -> Iterator[tuple[Divergence, ...]]:
    cell, layout = context.cell, context.layout
    header_layout = context.environment.layouts.header(cell)
    if header_layout is None:
        return
    cases = [each.item.case for each in held]
    encoded = adapter.ask(cell, layout, [EncodeFrame(case.header or {}, case.value) for case in cases])
    decoded = adapter.ask(cell, layout, [DecodeFrame(each.entry.frame) for each in held])
    for each, written, read in zip(held, encoded, decoded, strict=True):
        frame, body = each.entry.frame, each.item.expected
        right = OracleFrame(header_layout.version, frame, each.header, body, len(frame))
        again: OracleFrame | Refusal = right
        if isinstance(written, Encoded) and written.data != frame:
            again = _read_in_kafkas_place(layout, header_layout, written.data, right)
        yield tuple(
            judge_frame(
                FrameEvidence(
                    layout=layout,
                    header_layout=header_layout,
                    subject=adapter.name,
                    header=each.header,
                    body=body,
                    encoded=written,
                    decoded=read if written == Encoded(frame) else None,
                    reframed=again,
                    decoded_oracle=None if written == Encoded(frame) else read,
                )
            )
        )


def _read_in_kafkas_place(
    layout: MessageLayout, header_layout: MessageLayout, data: bytes, right: OracleFrame
) -> OracleFrame | Refusal:
    """Return our own codec's reading of a frame that differs from Kafka's: it locates the difference.

    Args:
        right: Kafka's frame of the same values.
    """
    codec = FrameCodec(fastest_codec(header_layout), fastest_codec(layout))
    try:
        header, value = codec.decode(data)
    except CodecError as error:
        return Refusal("read", str(error.fault), str(error), error.offset or 0)
    binaries = canonical(header_layout).to_binary(header), canonical(layout).to_binary(value)
    if binaries == (right.header, right.body):
        return right
    return OracleFrame(header_layout.version, data, *binaries, len(data))
