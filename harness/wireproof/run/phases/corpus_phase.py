"""The corpus phase of one cell: entries that say what is right, held against the codecs.

The entries are the oracle's recorded answers. Where the run has an oracle all the same, the entries are
verified, too (`run/corpus_entries/entry_verification.py`).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from kafkawire.canonical import canonical
from kafkawire.compiler import compile_layout
from kafkawire.errors import CodecError
from kafkawire.headers import FrameCodec
from kafkawire.schema.layout import MessageLayout
from wireproof.checks import (
    Check,
    FrameEvidence,
    MalformedSubject,
    ValueEvidence,
    agrees,
    judge_claims,
    judge_frame,
    judge_value,
)
from wireproof.corpus import AcceptedReading, Entry, GoldenEntry, MalformedEntry, id_of, line_of
from wireproof.model import (
    Adapter,
    Case,
    Claimant,
    Decode,
    DecodeFrame,
    Divergence,
    Encode,
    Encoded,
    EncodeFrame,
    OracleFrame,
    OracleReply,
    OracleValue,
    Phase,
    Refusal,
    Size,
)
from wireproof.run.attribution.field_isolation import isolate_fields
from wireproof.run.attribution.unknown_tags import attribute_to_tags, without_tags
from wireproof.run.context.cell_context import CLAIM_CASES, CellContext
from wireproof.run.core.mutated_cases import MutatedCase
from wireproof.run.core.prepared_cases import PreparedCase
from wireproof.run.corpus_entries.entry_verification import judge_entries
from wireproof.run.malformed.mutated_bases import read_mutated
from wireproof.run.malformed.mutation_judgement import MutationRecord, judge_mutations
from wireproof.run.properties.equality_probe import OBJECTS

__all__ = ["prove_corpus"]

_BATCH_ENTRIES = 256

_Judge: TypeAlias = Callable[[CellContext, Adapter, Sequence["_Right"]], Iterator[tuple[Divergence, ...]]]


@dataclass(frozen=True, slots=True)
class _Right:
    """A golden entry with its values read.

    Attributes:
        header: the canonical binary of the header's value; empty where it has none.
    """

    entry: GoldenEntry
    item: PreparedCase
    header: bytes = b""


@dataclass(frozen=True, slots=True)
class _Wrong:
    """A malformed entry with Kafka's verdict, as Kafka's classes once gave it."""

    name: str
    entry: MalformedEntry
    kafka: OracleReply | OracleFrame


def prove_corpus(context: CellContext, only: str = "") -> None:
    """Every entry of the cell through all codecs.

    Args:
        only: the id of the one entry to try; all where it is empty.
    """
    source = context.environment.corpus
    if source is None:
        raise LookupError("the environment has no corpus")
    named = [(id_of(entry), entry) for entry in source.of(context.cell.id)]
    named = [each for each in named if only in ("", each[0]) and _id(context, each[0]) not in context.skip]
    right: list[_Right] = []
    most = 1 if context.careful else _BATCH_ENTRIES
    for start in range(0, len(named), most):
        batch = named[start : start + most]
        context.announce(Phase.CORPUS, [name for name, _ in batch])
        sound = list(_sound(context, batch))
        new = [each for each in sound if isinstance(each, _Right)]
        _try_right(context, new)
        _try_wrong(context, [each for each in sound if isinstance(each, _Wrong)])
        context.recorder.progress()
        right += new
    if not only:
        _judge_claims(context, right)


def _id(context: CellContext, name: str) -> str:
    return context.cell.case_id(Phase.CORPUS, name)


def _sound(context: CellContext, batch: Sequence[tuple[str, Entry]]) -> Iterator[_Right | _Wrong]:
    """The entries of a batch, read; one that is wrong by itself is reported, and no codec is asked."""
    found: dict[str, tuple[Divergence, ...]] = {}
    if context.target.authority is not None:
        found = judge_entries(context.environment, context.target, batch)
    for name, entry in batch:
        if name not in found:
            try:
                yield _read(context, name, entry)
                continue
            except CodecError as error:
                summary = "the entry's value is none of its message"
                found[name] = (Divergence(Check.ENTRY, "corpus", summary, error.path, codec=str(error)),)
        context.recorder.failed(Phase.CORPUS, name, found[name], entry=line_of(entry))
        context.recorder.count(Phase.CORPUS, 1, 0, 1)


def _read(context: CellContext, name: str, entry: Entry) -> _Right | _Wrong:
    header_layout = context.environment.layouts.header(context.cell)
    if isinstance(entry, MalformedEntry):
        return _Wrong(name, entry, _reply(context.layout, header_layout, entry))
    form = canonical(context.layout)
    value = form.from_tree(entry.value)
    head, header = None, b""
    if header_layout is not None and entry.header is not None:
        head = canonical(header_layout).from_tree(entry.header)
        header = canonical(header_layout).to_binary(head)
    case = Case(context.cell, Phase.CORPUS, name, value, head)
    return _Right(entry, PreparedCase(case, form.to_binary(value)), header)


def _try_right(context: CellContext, held: Sequence[_Right]) -> None:
    """Values and frames through every codec. An entry is one case, whatever it holds."""
    found: list[list[Divergence]] = [[] for _ in held]
    for adapter in context.target.adapters:
        framed = [index for index, each in enumerate(held) if each.item.case.header is not None]
        for judge, places in ((_judge_values, range(len(held))), (_judge_frames, framed)):
            asked = [held[index] for index in places]
            for index, divergences in zip(places, _attributed(context, adapter, asked, judge), strict=True):
                found[index].extend(divergences)
    for each, reported in zip(held, found, strict=True):
        divergences = context.recorder.excused(tuple(reported))
        case = each.item.case
        if divergences:
            context.recorder.failed(
                Phase.CORPUS, case.name, divergences, case.value, entry=line_of(each.entry)
            )
        elif context.coverage is not None and not reported:
            context.met(case.value)
            context.coverage.met_header(case.header or {})
        elif context.coverage is not None:
            context.coverage.excused(case.value)
            context.coverage.excused_header(case.header or {})
        context.recorder.count(Phase.CORPUS, 1, len(each.entry.frame), 1 if divergences else 0)


def _attributed(
    context: CellContext, adapter: Adapter, held: Sequence[_Right], judge: _Judge
) -> list[tuple[Divergence, ...]]:
    """The divergences; those that unknown tagged fields bring about, said of these, and others without a
    place at the field at fault."""

    def without(index: int) -> _Right | None:
        return _without_tags(context, held[index])

    def again(plain: Sequence[_Right]) -> list[tuple[Divergence, ...]]:
        return list(judge(context, adapter, plain))

    def judge_values(values: Sequence[dict[str, Any]]) -> list[tuple[Divergence, ...]]:
        return again([_written(context, held[0], value, held[0].item.case.header) for value in values])

    found = list(judge(context, adapter, held))
    placed = attribute_to_tags(found, without, again, lambda each: each.header + each.item.expected)
    return isolate_fields(context.layout, placed, lambda index: held[index].item.case.value, judge_values)


def _without_tags(context: CellContext, right: _Right) -> _Right | None:
    """An entry without its unknown tagged fields, None where it has none."""
    case = right.item.case
    value, head = without_tags(case.value), without_tags(case.header or {})
    if value is None and head is None:
        return None
    return _written(
        context, right, case.value if value is None else value, case.header if head is None else head
    )


def _written(
    context: CellContext, right: _Right, value: dict[str, Any], head: dict[str, Any] | None
) -> _Right:
    """An entry with another value and header. Our own codec writes it, in Kafka's place: no verdict hangs on
    it, but only what one is put down to."""
    case, header_layout = right.item.case, context.environment.layouts.header(context.cell)
    body = compile_layout(context.layout).encode(value)
    front, header = b"", b""
    if header_layout is not None and head is not None and case.header is not None:
        front = compile_layout(header_layout).encode(head)
        front = (len(front) + len(body)).to_bytes(4) + front
        header = canonical(header_layout).to_binary(head)
    item = PreparedCase(replace(case, value=value, header=head), canonical(context.layout).to_binary(value))
    return _Right(replace(right.entry, body=body, head=front), item, header)


def _judge_values(
    context: CellContext, adapter: Adapter, held: Sequence[_Right]
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
            # Compressed otherwise than Kafka does it: right, if it holds the value.
            kafka = OracleValue(written.data, len(written.data), len(written.data), expected)
        replies = encoded[index], sized[index], decoded[index] if right else None
        if right and agrees(layout, expected, *replies, kafka, kafka):
            yield ()
            continue
        round_trip = next(again) if own[index] is not None else replies[2]
        yield judge_value(
            ValueEvidence(
                layout,
                adapter.name,
                expected,
                encoded[index],
                sized[index],
                round_trip,
                None,  # what Kafka would read in bytes that are not its own is not known here
                kafka,
                None if right else decoded[index],
            )
        )


def _judge_frames(
    context: CellContext, adapter: Adapter, held: Sequence[_Right]
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
        yield judge_frame(
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


def _read_in_kafkas_place(
    layout: MessageLayout, header_layout: MessageLayout, data: bytes, right: OracleFrame
) -> OracleFrame | Refusal:
    """Our own codec's reading of a frame that is not Kafka's: it locates the difference.

    Args:
        right: the frame of the same values as Kafka writes it.
    """
    codec = FrameCodec(compile_layout(header_layout), compile_layout(layout))
    try:
        header, value = codec.decode(data)
    except CodecError as error:
        return Refusal("read", str(error.fault), str(error), error.offset or 0)
    binaries = canonical(header_layout).to_binary(header), canonical(layout).to_binary(value)
    if binaries == (right.header, right.body):
        return right
    return OracleFrame(header_layout.version, data, *binaries, len(data))


def _try_wrong(context: CellContext, entries: Sequence[_Wrong]) -> None:
    """Wrong bytes through every codec in a process with limits, against the verdicts of the entries."""
    for framed in (False, True):
        asked = [each for each in entries if each.entry.framed == framed]
        header = context.environment.layouts.header(context.cell) if framed else None
        if not asked or (framed and header is None):
            continue
        mutated = [
            MutatedCase(each.name, each.entry.change.mutation, each.entry.data, framed, line_of(each.entry))
            for each in asked
        ]
        limited = context.environment.limited
        answers = [read_mutated(each, context.layout, header, mutated, Phase.CORPUS) for each in limited]
        release = context.cell.release
        subjects = [MalformedSubject(each.name, release, context.layout, header) for each in limited]
        replies = [each.kafka for each in asked]
        judge_mutations(MutationRecord(context.recorder, Phase.CORPUS), subjects, mutated, answers, replies)


def _reply(
    layout: MessageLayout, header: MessageLayout | None, entry: MalformedEntry
) -> OracleReply | OracleFrame:
    match entry.verdict:
        case Refusal() as refusal:
            return refusal
        case AcceptedReading(consumed, value, head):
            form = canonical(layout)
            body = form.to_binary(form.from_tree(value))
            if header is None or head is None:
                return OracleValue(b"", 0, consumed, body)
            before = canonical(header)
            return OracleFrame(header.version, b"", before.to_binary(before.from_tree(head)), body, consumed)


def _judge_claims(context: CellContext, held: Sequence[_Right]) -> None:
    """Judge the claims: every claimed operation has to be answered right once."""
    if not held:
        return
    framed = set() if any(each.item.case.header is not None for each in held) else {"frame", "unframe"}
    for adapter in context.target.adapters:
        if isinstance(adapter, Claimant):
            idle = adapter.idle(context.cell) - framed - OBJECTS
            for divergence in judge_claims(adapter.name, idle, context.recorder.unanswered(adapter.name)):
                reported = context.recorder.excused((divergence,))
                if reported:
                    context.recorder.failed(Phase.CORPUS, f"{CLAIM_CASES}{divergence.path}", reported)
                context.recorder.count(Phase.CORPUS, 1, 0, len(reported))
